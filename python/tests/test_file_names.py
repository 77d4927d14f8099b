"""Files: .npy and .npz by name and as file objects, and text files, in comparison with NumPy."""

import bz2
import gzip
import io

import numpy as np
import pytest
import zoo
from compare import refused, same
from hypothesis import given

import belvedere as bv


@given(zoo.twins(zoo.ALL))
def test_arrays_in_file_objects(pair):
    ours, theirs = io.BytesIO(), io.BytesIO()
    bv.save(ours, pair.ours)
    np.save(theirs, pair.theirs)
    zoo.assert_same(bv.load(io.BytesIO(theirs.getvalue())), pair.theirs)
    np.testing.assert_array_equal(np.load(io.BytesIO(ours.getvalue())), pair.theirs)
    both = io.BytesIO()
    bv.savez(both, pair.ours, other=pair.ours)
    found = np.load(io.BytesIO(both.getvalue()))
    np.testing.assert_array_equal(found["arr_0"], pair.theirs)
    both.seek(0)
    zoo.assert_same(bv.load(both)["other"], pair.theirs)


@pytest.mark.parametrize("save", ["savez", "savez_compressed"])
def test_archives(tmp_path, save):
    x = np.arange(6.0).reshape(2, 3)
    getattr(bv, save)(tmp_path / "ours", bv.asarray(x), y=[1, 2])
    getattr(np, save)(tmp_path / "theirs", x, y=[1, 2])
    found, expected = bv.load(tmp_path / "theirs.npz"), np.load(tmp_path / "ours.npz")
    assert found.files == list(found) == list(expected) == ["y", "arr_0"]
    for name in found:
        zoo.assert_same(found[name], expected[name])
    zoo.assert_same(found["y.npy"], expected["y.npy"])
    assert "y" in found
    assert "z" not in found
    assert len(found) == 2
    with pytest.raises(KeyError):
        found["z"]
    found.close()
    with bv.load(tmp_path / "ours.npz") as opened:
        zoo.assert_same(opened["arr_0"], x)
    with pytest.raises(ValueError, match="arr_0"):
        bv.savez(tmp_path / "x", 1, arr_0=2)


def test_names_of_files_and_byte_order(tmp_path):
    bv.save(tmp_path / "x", [1, 2])
    zoo.assert_same(bv.load(tmp_path / "x.npy"), np.array([1, 2]))
    for dtype in (">f8", ">i2", ">c16", "<f4", "?"):
        for x in (np.arange(6).reshape(2, 3).astype(dtype), np.arange(6).reshape(2, 3).T.astype(dtype)):
            file = io.BytesIO()
            np.save(file, x)
            file.seek(0)
            zoo.assert_same(bv.load(file), x.astype(x.dtype.newbyteorder("=")))
    file = io.BytesIO()
    bv.save(file, bv.asarray([1.5, 2.0], dtype=bv.bfloat16))
    file.seek(0)
    assert bv.load(file).dtype == bv.bfloat16


def test_mapped_files(tmp_path):
    path = tmp_path / "x.npy"
    for x in (np.arange(6.0).reshape(2, 3), np.arange(6).reshape(2, 3).T):
        np.save(path, x)
        for mode in ("r", "r+", "c"):
            zoo.assert_same(bv.load(path, mode), x)
        assert not bv.load(path, "r").is_writable
        bv.load(path, "c")[0, 0] = 7
        assert bv.load(path)[0, 0] == 0
        bv.load(path, "r+")[0, 0] = 7
        assert bv.load(path)[0, 0] == 7
    refused(lambda xp: xp.load(path, "x"))


def test_files_that_are_refused():
    file = io.BytesIO()
    np.save(file, np.array([None]), allow_pickle=True)
    text = io.BytesIO()
    np.save(text, np.array(["a"]))
    for data in (b"", b"abcdefghi", b"\x93NUMPY\x01\x00", file.getvalue()):
        with pytest.raises((ValueError, EOFError, TypeError, Exception)):  # noqa: B017, PT011
            bv.load(io.BytesIO(data))
    with pytest.raises(EOFError):
        bv.load(io.BytesIO(b""))
    with pytest.raises(bv.exceptions.UnsupportedError, match="U1"):
        bv.load(io.BytesIO(text.getvalue()))
    short = io.BytesIO()
    np.save(short, np.arange(10))
    with pytest.raises(ValueError, match="ends after"):
        bv.load(io.BytesIO(short.getvalue()[:-8]))


TEXTS = [
    ("1 2\n3 4", {}),
    ("1 2\n3 4", {"dtype": int}),
    ("1,2\n3,4", {"delimiter": ",", "unpack": True}),
    ("# c\n1 2 # x\n\n3 4", {}),
    ("", {}),
    ("", {"ndmin": 2}),
    ("5", {}),
    ("5", {"ndmin": 1}),
    ("5", {"ndmin": 2}),
    ("1 2 3", {"ndmin": 2}),
    ("1\n2", {"ndmin": 2}),
    ("1\n2", {}),
    ("a\n1 nan", {"skiprows": 1}),
    ("1 2 3\n4 5 6", {"usecols": (0, 2)}),
    ("1 2 3\n4 5 6", {"usecols": 1}),
    ("1 2 3\n4 5 6", {"usecols": -1}),
    ("1 2 3\n4 5", {"usecols": (0, 1)}),
    ("1 2 3\n4 5 6", {"max_rows": 1}),
    ("1+2j 3\n4 5j", {"dtype": complex}),
    ("1 2", {"converters": {0: lambda s: float(s) * 2}}),
    ("1 2 3", {"converters": {-1: lambda s: float(s) * 2}, "usecols": (2, 0)}),
    ("1 2", {"converters": lambda s: float(s) * 2}),
    ("%1 2\n3 4", {"comments": "%"}),
    ("%1 2\n3 4!x", {"comments": ["%", "!"]}),
    ('"1","2"\n3,4', {"delimiter": ",", "quotechar": '"'}),
    ("1 0", {"dtype": bool}),
    ("1e3\t-inf", {"dtype": "float32"}),
    ("1\r\n2\r\n", {}),
]


@pytest.mark.parametrize("text, options", TEXTS, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_loadtxt(text, options, tmp_path):
    same(lambda xp: xp.loadtxt(io.StringIO(text), **options))
    same(lambda xp: xp.loadtxt(text.split("\n"), **options))
    same(lambda xp: xp.loadtxt(io.BytesIO(text.encode()), **options))
    (tmp_path / "x.txt").write_text(text)
    with gzip.open(tmp_path / "x.gz", "wt") as file:
        file.write(text)
    with bz2.open(tmp_path / "x.bz2", "wt") as file:
        file.write(text)
    for name in ("x.txt", "x.gz", "x.bz2"):
        same(lambda xp: xp.loadtxt(tmp_path / name, **options))
        same(lambda xp: xp.loadtxt(str(tmp_path / name), **options))


def test_loadtxt_refuses():
    for text, options in (
        ("1 2\n3", {}),
        ("1 x", {}),
        ("1.5 2", {"dtype": int}),
        ("1,,2", {"delimiter": ","}),
        ("1 2", {"usecols": 5}),
        ("True 0", {"dtype": bool}),
        ("1 2", {"ndmin": 3}),
        ("1;;2", {"delimiter": ";;"}),
    ):
        refused(lambda xp: xp.loadtxt(io.StringIO(text), **options))
    with pytest.raises(ValueError, match="'x' to float64 at row 1, column 2"):
        bv.loadtxt(["1 2", "3 x"])
    with pytest.raises(FileNotFoundError):
        bv.loadtxt("/missing/file.txt")


@pytest.mark.parametrize(
    "x, options",
    [
        (np.arange(4.0).reshape(2, 2), {}),
        (np.arange(4).reshape(2, 2), {"fmt": "%d", "delimiter": ","}),
        (np.arange(3.0), {}),
        (np.arange(4).reshape(2, 2), {"fmt": ["%d", "%.2f"]}),
        (np.arange(4).reshape(2, 2), {"fmt": "%d - %d"}),
        (np.arange(4.0).reshape(2, 2), {"header": "a\nb", "footer": "z", "comments": "% "}),
        (np.array([1 + 2j, 1 - 1j]), {}),
        (np.array([[1 + 2j, 1 - 1j]]), {"fmt": "%.1f"}),
        (np.array([[1 + 2j, 1 - 1j]]), {"fmt": ["(%.1f %.1fj)"] * 2}),
        (np.arange(2), {"fmt": "%d", "newline": "\r\n"}),
        (np.zeros((0, 2)), {}),
        (np.array([True, False]), {"fmt": "%s"}),
    ],
    ids=str,
)
def test_savetxt(x, options, tmp_path):
    ours, theirs = io.StringIO(), io.StringIO()
    bv.savetxt(ours, bv.asarray(x), **options)
    np.savetxt(theirs, x, **options)
    assert ours.getvalue() == theirs.getvalue()
    octets = io.BytesIO()
    bv.savetxt(octets, bv.asarray(x), **options)
    assert octets.getvalue().decode() == theirs.getvalue()
    for name in ("x.txt", "x.gz"):
        bv.savetxt(tmp_path / name, bv.asarray(x), **options)
        np.savetxt(tmp_path / f"y{name}", x, **options)
        opener = gzip.open if name.endswith("gz") else open
        with opener(tmp_path / name, "rb") as one, opener(tmp_path / f"y{name}", "rb") as other:
            assert one.read() == other.read()


def test_savetxt_refuses():
    refused(lambda xp: xp.savetxt(io.StringIO(), xp.zeros((2, 2, 2))))
    refused(lambda xp: xp.savetxt(io.StringIO(), xp.array(5)))
    refused(lambda xp: xp.savetxt(io.StringIO(), xp.zeros(2), fmt=["%d", "%d"]))
    refused(lambda xp: xp.savetxt(io.StringIO(), xp.zeros((2, 2)), fmt="%d %d %d"))


@pytest.mark.parametrize(
    "text, options",
    [
        ("1,,3\n4,5,x", {"delimiter": ","}),
        ("a b\n1 2", {"skip_header": 1}),
        ("1,2,3\n4,5,6", {"delimiter": ",", "usecols": (0, 2), "unpack": True}),
        ("1,,3", {"delimiter": ",", "filling_values": 9}),
        ("1,,", {"delimiter": ",", "filling_values": [7, 8, 9]}),
        ("1,,", {"delimiter": ",", "filling_values": {2: 8}}),
        ("1,N/A,3", {"delimiter": ",", "missing_values": "N/A", "filling_values": -1}),
        ("1,,3", {"delimiter": ",", "dtype": int}),
        ("1,2,3", {"delimiter": ",", "dtype": None}),
        ("1 2\n3 4\n5 6", {"skip_footer": 1}),
        ("1 2\n3 4", {"max_rows": 1}),
        ("123456", {"delimiter": 3}),
        ("1 2\n3", {"invalid_raise": False}),
        ("1.5", {"dtype": int}),
        ("1\n2", {"ndmin": 2}),
        ("1 2", {"ndmin": 2}),
        ("1,x", {"delimiter": ",", "dtype": complex}),
        ("1,2,4", {"delimiter": ",", "converters": {1: lambda s: 7.0}}),
        ("", {}),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore")
def test_genfromtxt(text, options):
    same(lambda xp: xp.genfromtxt(io.StringIO(text), **options))


def test_genfromtxt_refuses():
    refused(lambda xp: xp.genfromtxt(io.StringIO("1 2\n3")))
    with pytest.raises(bv.exceptions.UnsupportedError, match="records"):
        bv.genfromtxt(["a b", "1 2"], names=True)
    with pytest.raises(bv.exceptions.UnsupportedError, match="text"):
        bv.genfromtxt(["a b", "1 2"], dtype=None)
