//! Arbitrary bytes as a `.npy` file: no panic, no allocation beyond the data that exists, and what is
//! accepted can be written and read again, also flipped and permuted.

#![no_main]

use arbitrary::{Result, Unstructured};
use belvedere::io::npy;
use belvedere::{DType, Error, Tensor};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    match choice % 4 {
        0 => check(rest),
        1 => {
            let _ = check_tokens(&mut Unstructured::new(rest));
        }
        _ => {
            let _ = check_dictionary(&mut Unstructured::new(rest));
        }
    }
});

/// Checks a header of random tokens.
fn check_tokens(u: &mut Unstructured) -> Result<()> {
    const WORDS: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        "[",
        ",",
        ":",
        "'",
        "\"",
        "-",
        "L",
        " ",
        "\n",
        "\0",
        "\\",
        "\u{e9}",
        "True",
        "False",
        "0",
        "1",
        "99999999999",
        "'descr'",
        "'shape'",
        "'fortran_order'",
        "'<f8'",
        "'descr': '<i2',",
        "'fortran_order': True,",
        "'shape': (2, 3),",
        "'shape': (",
    ];
    let mut text = String::new();
    for _ in 0..u.int_in_range(0..=12)? {
        text += u.choose(WORDS)?;
    }
    check_with_prefix(u, text.as_bytes())
}

/// Checks a header with a valid dictionary, in 1 of 8 cases with one byte replaced.
fn check_dictionary(u: &mut Unstructured) -> Result<()> {
    const CODES: &[&str] =
        &["b1", "i1", "i2", "i4", "i8", "u1", "u8", "f2", "V2", "f4", "f8", "c8", "c16", "O"];
    let (order, code) = (u.choose(&["<", ">", "=", "|", ""])?, u.choose(CODES)?);
    let fortran = u.choose(&["True", "False"])?;
    let mut shape = String::new();
    for _ in 0..u.int_in_range(0..=5)? {
        let len = if u.ratio(1, 16)? { u.arbitrary::<u64>()? } else { u.int_in_range(0..=5)? };
        shape += &format!("{len}, ");
    }
    let mut text =
        format!("{{'descr': '{order}{code}', 'fortran_order': {fortran}, 'shape': ({shape})}}")
            .into_bytes();
    if u.ratio(1, 8)? {
        let at = u.choose_index(text.len())?;
        text[at] = u.arbitrary()?;
    }
    text.extend(std::iter::repeat_n(b' ', u.int_in_range(0..=70)?));
    check_with_prefix(u, &text)
}

/// Checks a dictionary text with a valid prefix, followed by arbitrary bytes.
fn check_with_prefix(u: &mut Unstructured, text: &[u8]) -> Result<()> {
    let len = (text.len() as u32).to_le_bytes();
    let (version, n) = *u.choose(&[(1, 2), (2, 4), (3, 4)])?;
    let data = u.bytes(u.len())?;
    check(&[&b"\x93NUMPY"[..], &[version, 0], &len[..n], text, data].concat());
    Ok(())
}

fn check(bytes: &[u8]) {
    let mut rest = bytes;
    let x = match npy::read_from(&mut rest) {
        Ok(x) => x,
        Err(error) => {
            let _ = error.kind();
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let taken = bytes.len() - rest.len();
    assert!(x.n_bytes() <= taken, "{} bytes of elements out of {taken}", x.n_bytes());
    check_round_trip(&x).expect("what was read can be written and read");
    if x.rank() > 0 {
        check_round_trip(&x.flip(&[0]).expect("an axis")).expect("a flipped one too");
        check_round_trip(&x.move_axis(0, -1).expect("two axes")).expect("a permuted one too");
    }
}

/// Writes a tensor and reads it again.
fn check_round_trip(x: &Tensor) -> std::result::Result<(), Error> {
    let mut bytes = Vec::new();
    npy::write_to(&mut bytes, x)?;
    let mut rest = bytes.as_slice();
    let y = npy::read_from(&mut rest)?;
    assert!(rest.is_empty());
    assert_eq!((x.dtype(), x.shape()), (y.dtype(), y.shape()));
    assert_eq!(bits(x)?, bits(&y)?);
    Ok(())
}

/// Returns the elements as bytes, so that NaN compares equal.
fn bits(x: &Tensor) -> std::result::Result<Vec<u8>, Error> {
    x.copy()?.view([-1])?.bitcast(DType::UInt8)?.to_vec()
}
