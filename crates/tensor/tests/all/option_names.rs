//! Options are read from the names that NumPy gives them.

use belvedere::fft::Norm;
use belvedere::linalg::{MatrixNorm, QrMode};
use belvedere::{Error, ErrorKind, Indexing, Interpolation, PadMode, Side};
use std::str::FromStr;

/// Returns the name of the option that each name is read as.
fn read<T: FromStr<Err = Error>>(names: &[&str], name_of: fn(T) -> &'static str) -> Vec<String> {
    names.iter().map(|name| name_of(name.parse().expect("a known name")).to_string()).collect()
}

#[test]
fn a_name_is_read_as_the_option_that_has_it() {
    let norms = ["backward", "ortho", "forward"];
    assert_eq!(read(&norms, Norm::name), norms);
    assert_eq!(read(&["left", "right"], Side::name), ["left", "right"]);
    assert_eq!(read(&["xy", "ij"], Indexing::name), ["xy", "ij"]);
    assert_eq!(read(&["reduced", "complete"], QrMode::name), ["reduced", "complete"]);
    let orders = ["fro", "nuc", "1", "-1", "2", "-2", "inf", "-inf"];
    assert_eq!(read(&orders, MatrixNorm::name), orders);
    let methods = ["linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "hazen"];
    assert_eq!(read(&methods, Interpolation::name), methods);
}

#[test]
fn pad_modes_have_the_names_of_numpy_and_pytorch() {
    let names = ["edge", "reflect", "symmetric", "wrap", "replicate", "circular"];
    let expected = ["edge", "reflect", "symmetric", "wrap", "edge", "wrap"];
    assert_eq!(read(&names, PadMode::name), expected);
}

#[test]
fn an_unknown_name_is_an_error_that_lists_the_names() {
    let error = "Left".parse::<Side>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    assert_eq!(error.to_string(), "side must be one of left, right, got \"Left\"");
}
