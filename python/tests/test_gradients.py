"""Gradients: tapes on programs that write through views, and functions of functions."""

import threading

import pytest

import belvedere as bv


def numbers(x):
    return [float(it) for it in x.reshape(-1).tolist()] if x.ndim else [float(x)]


def differences(function, x, h=1e-6):
    """Returns the derivative of a function of an array with respect to each element."""
    found = []
    for n in range(x.size):
        values = []
        for step in (h, -h):
            moved = x.copy()
            flat = moved.reshape(-1)
            flat[n] = flat[n] + step
            values.append(float(function(moved)))
        found.append((values[0] - values[1]) / (2 * h))
    return found


def in_place_recurrence(x):
    state = x[0] * 1.0
    for n in range(1, x.shape[0]):
        state *= bv.tanh(x[n])
        state[::-1] += x[n - 1]
    return bv.sum(state)


def written_slices(x):
    y = bv.zeros((3, 4))
    y[:, 1] = x[:, 0] * 2.0
    y[0, ::-2] = x[1, :2]
    y[2] += y[1] * x[2]
    y[1:, 2:] = bv.sin(x[:2, :2])
    return bv.sum(y * y)


def overlapping_shift(x):
    y = x.copy().reshape(-1)
    y[1:] = y[:-1] * y[1:]
    return bv.sum(y)


def windows(x):
    flat = x.reshape(-1)
    return bv.sum(bv.lib.stride_tricks.sliding_window_view(flat, 3) ** 2)


def masks(x):
    y = x * 1.0
    y[x > 0.5] = y[0, 0]
    y[bv.asarray([0, 2]), bv.asarray([1, 1])] = x[1, 0] * 3.0
    return bv.sum(y * x)


def tied(x):
    return bv.sum(bv.exp(x @ x.T))


def statistics(x):
    return bv.std(x) + bv.mean(x, axis=0)[0] + bv.max(x) + bv.prod(x[0])


FUNCTIONS = [in_place_recurrence, written_slices, overlapping_shift, windows, masks, tied, statistics]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda it: it.__name__)
def test_gradients_are_the_limits_of_differences(function):
    x = bv.asarray([[0.3, 0.9, -0.4, 0.7], [0.8, -0.2, 0.6, 0.1], [0.45, 0.55, -0.7, 0.2]])
    before = numbers(x)
    found = numbers(bv.grad(function)(x))
    assert numbers(x) == before
    assert found == pytest.approx(differences(function, x), abs=1e-6)


def test_arguments_may_be_containers():
    parameters = {"w": bv.asarray([[1.0, 2.0]]), "layers": [bv.asarray([3.0]), (bv.asarray([4.0]),)]}

    def loss(p, x):
        return bv.sum(p["w"] @ x) * p["layers"][0][0] + bv.sum(p["layers"][1][0] ** 2)

    value, found = bv.value_and_grad(loss)(parameters, bv.asarray([1.0, 10.0]))
    assert float(value) == 79.0
    assert list(found) == ["w", "layers"] and isinstance(found["layers"][1], tuple)
    assert numbers(found["w"]) == [3.0, 30.0]
    assert numbers(found["layers"][0]) == [21.0]
    assert numbers(found["layers"][1][0]) == [8.0]


def test_the_gradient_of_a_view_is_a_view():
    x = bv.ones((4, 5))
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(x * x)
    whole, part = tape.gradient(y, [x, x[::-1, 2]])
    assert bv.shares_memory(whole, part)
    assert part.shape == (4,)


def test_views_make_no_copy_and_no_entry():
    x = bv.ones((4, 5))
    with bv.tape() as tape, bv.no_copies():
        tape.watch(x)
        y = x.T[::-1].reshape(5, 2, 2)[1:, :, 0]
        assert str(tape.report()).startswith("1 entry,")
        total = bv.sum(y)
    with bv.no_copies():
        assert float(bv.sum(tape.gradient(total, x))) == 8.0


def test_a_write_to_saved_elements_keeps_them_and_names_both_lines():
    x = bv.ones(6)
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(x**2)
        x[:2] = 5.0
    report = str(tape.report())
    assert "16 bytes kept from writes" in report and report.splitlines()[-1].count("test_gradients.py:") == 2
    assert numbers(tape.gradient(y, x)) == [2.0] * 6
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(x**2)
        with bv.no_copies(), pytest.raises(bv.exceptions.CopyError, match="overwrites 3 elements"):
            x[1:4] = 0.0
    assert numbers(x) == [5.0, 5.0, 1.0, 1.0, 1.0, 1.0]


def test_what_has_no_gradient_is_an_error():
    with pytest.raises(TypeError, match="int64 has no gradient"):
        bv.grad(bv.sum)(bv.asarray([1, 2]))
    with pytest.raises(ValueError, match="single element"):
        bv.grad(lambda x: x * 2.0)(bv.asarray([1.0, 2.0]))
    x = bv.asarray([1.0, 2.0])
    with pytest.raises(bv.exceptions.UnsupportedError, match="test_gradients.py:.*unique_values has no derivative rule"):
        bv.grad(lambda x: bv.sum(bv.unique_values(x)))(x)
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(x * x)
    with pytest.raises(ValueError, match="the seed needs shape"):
        tape.gradient(y, x, seed=bv.asarray([1.0, 2.0]))
    with pytest.raises(TypeError, match="gradients are of arrays"):
        tape.gradient(y, [x, 3.0])
    assert numbers(tape.gradient(y, x)) == [2.0, 4.0]
    with pytest.raises(ValueError, match="consumed"):
        tape.gradient(y, x)


def test_complex_gradients_have_the_derivatives_of_both_parts():
    z = bv.asarray([1.0 + 2.0j, -0.5 + 0.25j, 3.0 - 1.0j])

    def loss(z):
        w = bv.fft.fft(z * (0.5 - 1.0j))
        w.real[:2] *= z.imag[1:]
        w.imag[0] = 2.0
        return bv.sum(bv.abs(w) ** 2) + bv.sum(bv.real(bv.exp(z) / (z + 4.0)))

    found = bv.grad(loss)(z).tolist()
    for n, part in ((n, part) for n in range(3) for part in (1.0, 1.0j)):
        values = []
        for step in (1e-6, -1e-6):
            moved = z.copy()
            moved[n] = moved[n] + step * part
            values.append(float(loss(moved)))
        expected = (values[0] - values[1]) / 2e-6
        assert (found[n].real if part == 1.0 else found[n].imag) == pytest.approx(expected, rel=1e-5, abs=1e-6)
    with pytest.raises(TypeError, match="needs a real result"):
        bv.grad(bv.sum)(z)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: bv.median(x, axis=0),
        lambda x: bv.quantile(x, bv.asarray([0.2, 0.9]), axis=1, method="hazen"),
        lambda x: bv.nanstd(x),
        lambda x: bv.linalg.svd(x, full_matrices=False)[0],
        lambda x: bv.linalg.qr(x)[1],
        lambda x: bv.linalg.pinv(x),
        lambda x: bv.real(bv.fft.rfft(x)),
    ],
)
def test_order_statistics_factorizations_and_transforms(function):
    x = bv.asarray([[0.4, 1.3, -0.7, 0.9], [1.1, -0.2, 0.8, 0.3], [-0.6, 0.5, 1.7, 0.1]])

    def loss(x):
        y = function(x)
        return bv.sum(y * bv.sin(bv.reshape(bv.arange(y.size, dtype=bv.float64), y.shape)))

    assert numbers(bv.grad(loss)(x)) == pytest.approx(differences(loss, x), rel=1e-5, abs=1e-7)


def test_a_persistent_tape_can_be_used_twice():
    x = bv.asarray([1.0, 2.0])
    with bv.tape(persistent=True) as tape:
        tape.watch(x)
        y, z = bv.sum(x * x), bv.sum(bv.exp(x))
    assert numbers(tape.gradient(y, x)) == [2.0, 4.0]
    assert numbers(tape.gradient(z, x)) == pytest.approx(numbers(bv.exp(x)))


def test_constants():
    x = bv.asarray([3.0])
    assert numbers(bv.grad(lambda x: bv.sum(x * bv.stop_gradient(x)))(x)) == [3.0]
    with bv.tape() as tape:
        tape.watch(x)
        y = x * 1.0
        with bv.no_tape():
            y *= 7.0
        z = bv.sum(y + x)
    assert numbers(tape.gradient(z, x)) == [1.0]


def test_an_exception_ends_the_recording():
    x = bv.asarray([1.0])
    with pytest.raises(RuntimeError), bv.tape() as tape:
        tape.watch(x)
        raise RuntimeError
    x * x
    assert str(tape.report()).startswith("1 entry,")


def test_a_tape_may_be_exited_on_another_thread():
    x, tape = bv.asarray([1.0]), bv.tape()
    tape.watch(x)
    tape.__enter__()
    thread = threading.Thread(target=tape.__exit__, args=(None, None, None))
    thread.start()
    thread.join()
    x * x
    assert str(tape.report()).startswith("1 entry,")


def test_second_derivatives():
    hessian = bv.grad(lambda x: bv.sum(bv.grad(lambda y: bv.sum(y**3 * y[::-1]))(x) * bv.asarray([1.0, 0.0])))
    assert numbers(hessian(bv.asarray([2.0, 3.0]))) == pytest.approx([36.0, 12.0 + 27.0])


def test_numpy_arrays_are_operands_and_are_copied_when_saved():
    np = pytest.importorskip("numpy")
    x, w = bv.asarray([1.0, 2.0]), np.asarray([3.0, 4.0])
    with bv.tape() as tape:
        tape.watch(x)
        z = x * w
        z *= w  # in place
        z += 1.0
        y = bv.sum(z)
    w[:] = 0.0
    assert numbers(tape.gradient(y, x)) == [9.0, 16.0]


def test_a_report_is_a_table_and_a_picture():
    import xml.dom.minidom

    x = bv.arange(12.0)
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(x[:6] ** 2)
        x[8:] = 1.0
        x[::4] = 0.0
    report = tape.report()
    assert [it["op"] for it in report.lines()] == ["watch", "pow", "sum", "assign", "assign"]
    assert [(it["op"], it["bytes"]) for it in report.copies()] == [("assign", 16)]
    assert "test_gradients.py:" in report.copies()[0]["saved_by"]
    svg = report.draw()
    xml.dom.minidom.parseString(svg)
    assert svg.count("<circle") == 2 and "kept before it was overwritten" in svg
    for text in ("watched", "saved by pow", "written by assign", "test_gradients.py:"):
        assert text in svg
    assert "<pre>" in report._repr_html_() and "<svg" in report._repr_html_()
    assert repr(report).startswith("<TapeReport: 5 entries")
    assert numbers(tape.gradient(y, x))[:6] == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]


def test_a_trace_beside_a_tape_shows_the_copies_of_saved_elements():
    x = bv.arange(12.0)
    with bv.trace() as trace, bv.tape() as tape:
        tape.watch(x)
        y = x[:6] ** 2
        x[::4] = 0.0
    text, svg = str(trace), trace.draw()
    kept = [it for it in trace.copies if it.reason == "the overwritten elements were saved for later"]
    assert [it.bytes for it in kept] == [16]
    lines = [line for line in text.splitlines() if "kept for" in line]
    assert len(lines) == 1 and "16 bytes" in lines[0], text
    assert "kept for test_gradients.py:" in svg
    assert sum(line["bytes_copied"] for line in trace.by_line()) == 16
    del y


def freed(make):
    """Returns whether what `make` returns a weak reference to is freed by the garbage collector."""
    import gc

    reference = make()
    gc.collect()
    return reference() is None


@pytest.mark.parametrize("kind", ["checkpoint", "custom_rule"])
def test_a_function_that_refers_to_its_own_tape_is_freed(kind):
    import weakref

    class Model:
        def __init__(self):
            self.tape = bv.tape()
            self.x = bv.asarray([1.0, 2.0])

        def block(self, x):
            return bv.sin(x) * x

        def rule(self, gradient, x):
            return gradient * (bv.cos(x) * x + bv.sin(x))

        def run(self):
            if kind == "checkpoint":
                function = bv.checkpoint(self.block)
            else:
                function = bv.custom_rule(lambda x: self.block(x))
                function.pullback(lambda gradient, x: self.rule(gradient, x))
            with self.tape as tape:
                tape.watch(self.x)
                self.y = bv.sum(function(self.x))

    def make():
        model = Model()
        model.run()
        return weakref.ref(model)

    assert freed(make)

    # Functions live as long as a tape needs them, also a nested one.
    model = Model()
    with bv.tape() as outer:
        outer.watch(model.x)
        model.run()
        (gradient,) = model.tape.gradient(model.y, [model.x])
        total = bv.sum(gradient * gradient)
    x = model.x
    reference = weakref.ref(model)
    del model
    expected = bv.grad(lambda x: bv.sum((bv.cos(x) * x + bv.sin(x)) ** 2))(x)
    assert numbers(outer.gradient(total, x)) == pytest.approx(numbers(expected))
    assert freed(lambda: reference)


def test_functions_of_checkpoints_live_until_the_gradient():
    import gc

    x = bv.asarray([0.5, 2.0])
    with bv.tape(persistent=True) as tape:
        tape.watch(x)
        y = bv.sum(bv.checkpoint(lambda x: bv.checkpoint(lambda x: bv.exp(x) * x)(x) * x)(x))
    gc.collect()
    for _ in range(2):
        expected = bv.grad(lambda x: bv.sum(bv.exp(x) * x * x))(x)
        assert numbers(tape.gradient(y, x)) == pytest.approx(numbers(expected))


def test_a_consumed_tape_holds_no_function():
    import weakref

    class Scale:
        def __call__(self, x):
            return x * 3.0

    x, scale = bv.asarray([1.0]), Scale()
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(bv.checkpoint(lambda x, scale=scale: scale(x))(x))
    reference = weakref.ref(scale)
    del scale
    assert reference() is not None
    assert numbers(tape.gradient(y, x)) == [3.0]
    assert freed(lambda: reference)


def test_memory_that_numpy_has_is_copied_when_it_is_saved():
    np = pytest.importorskip("numpy")
    for export in (np.asarray, np.from_dlpack):
        x, w = bv.asarray([1.0, 2.0]), bv.asarray([3.0, 4.0])
        seen = export(w)
        with bv.tape() as tape:
            tape.watch(x)
            y = bv.sum(x * w)
        if not seen.flags.writeable:
            seen = np.asarray(w)
        seen[:] = 0.0
        assert numbers(w) == [0.0, 0.0]
        assert numbers(tape.gradient(y, x)) == [3.0, 4.0]
    # What NumPy cannot write to is leased: no copy.
    x, w = bv.asarray([1.0, 2.0]), bv.asarray([3.0, 4.0])
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(x * w)
    assert "copied" not in str(tape.report())


def test_tracked_arrays_are_not_handed_out_while_the_tape_records():
    np = pytest.importorskip("numpy")
    x = bv.asarray([1.0, 2.0])
    exports = [np.asarray, np.from_dlpack, lambda x: x.__array_interface__, lambda x: np.add(np.asarray(x[:1]), 1.0)]
    for export in exports:
        with bv.tape() as tape:
            tape.watch(x)
            with pytest.raises((ValueError, BufferError), match=r"test_gradients.py:\d+"):
                export(x)
            # Results as well, and nothing is half done.
            y = x * x
            with pytest.raises((ValueError, BufferError), match=r"test_gradients.py:\d+"):
                export(y)
            y = bv.sum(y)
        assert numbers(tape.gradient(y, x)) == [2.0, 4.0]
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(x * x)
    # The tape does not record anymore, but it has saved x.
    with pytest.raises((ValueError, BufferError), match=r"test_gradients.py:\d+"):
        np.asarray(x)
    assert numbers(tape.gradient(y, x)) == [2.0, 4.0]
    np.asarray(x)[0] = 5.0
    assert numbers(x) == [5.0, 2.0]


def test_gradients_of_what_a_tape_has_not_seen():
    x, other = bv.asarray([1.0, 2.0]), bv.asarray([1.0])
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(x * x)
    with pytest.raises(ValueError, match="did not record"):
        tape.gradient(bv.sum(other), x)
    with pytest.raises(TypeError, match="int64 has no gradient"):
        tape.gradient(bv.argmax(x), x)
    for seed in (bv.ones(2), bv.ones((), dtype=bv.float32)):
        with pytest.raises(ValueError, match="the seed needs shape"):
            tape.gradient(y, x, seed=seed)
    assert numbers(tape.gradient(y, x)) == [2.0, 4.0]
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(x * x)
    with pytest.raises(ValueError, match="not watched"):
        tape.gradient(y, other)


def test_tapes_that_watch_each_others_results():
    x = bv.asarray([1.0, 2.0])
    with bv.tape() as one, bv.tape() as two:
        one.watch(x)
        y = x * x
        two.watch(y)
        z = y * x
        one.watch(z)
        total = bv.sum(z * z)
    assert numbers(two.gradient(total, y)) == [2.0, 32.0]
    assert numbers(one.gradient(total, z)) == [2.0, 16.0]


def test_threads_that_write_while_a_gradient_is_computed():
    x, w = bv.ones(2000) * 2.0, bv.ones(2000) * 3.0
    for _ in range(20):
        w[:] = 3.0
        with bv.tape() as tape:
            tape.watch(x)
            y = bv.sum((x * w) ** 2)
        is_over = threading.Event()

        def write(is_over=is_over):
            while not is_over.is_set():
                w[::3] = 7.0
                w[:] = -1.0

        thread = threading.Thread(target=write)
        thread.start()
        try:
            found = tape.gradient(y, x)
        finally:
            is_over.set()
            thread.join()
        assert numbers(found) == [36.0] * 2000


def test_a_gradient_of_an_unwatched_array_leaves_the_tape_as_it_is():
    with bv.tape() as tape:
        x = bv.asarray([1.0, 2.0])
        tape.watch(x)
        y = bv.sum(x * x)
    for ask in (lambda: tape.gradient(y, bv.ones(2)), lambda: tape.gradient(y, [x, y], seed=bv.asarray(1.0))):
        with pytest.raises(ValueError, match=r"test_gradients\.py:\d+: .* not watched"):
            ask()
    assert tape.gradient(y, x).tolist() == [2.0, 4.0]
