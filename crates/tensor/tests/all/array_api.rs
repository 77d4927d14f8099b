//! The page about the Array API lists every function of the standard.
//!
//! That its links resolve is checked by building the documentation without warnings.

use belvedere::prelude::*;
use belvedere::{DTypeKind, info, linalg};
use std::collections::BTreeMap;

/// The functions of the standard: one chapter per line.
const NAMES: &str = include_str!("../data/array_api_names.txt");
const PAGE: &str = include_str!("../../docs/array_api.md");

/// Returns the rows of the page: a name of the standard, and its entry.
fn rows() -> Vec<(&'static str, &'static str)> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    rows.filter_map(|row| row.split_once("` | ")).collect()
}

#[test]
fn no_function_of_the_standard_is_missing() {
    let mut expected: BTreeMap<&str, usize> = BTreeMap::new();
    for line in NAMES.lines() {
        let (_, names) = line.split_once(": ").expect("a chapter and its names");
        for name in names.split_whitespace() {
            *expected.entry(name).or_default() += 1;
        }
    }
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in rows() {
        *found.entry(name).or_default() += 1;
    }
    assert_eq!(found, expected);
    assert_eq!(expected.values().sum::<usize>(), 226, "the standard has not shrunk");
}

#[test]
fn every_name_has_a_link() {
    for (name, here) in rows() {
        let links: Vec<&str> = here.split(", ").collect();
        assert!(!links.is_empty());
        for link in links {
            let is_link = link.starts_with("[`") && link.contains("`](") && link.ends_with(')');
            assert!(is_link, "{name}: {link}");
        }
    }
}

#[test]
fn array_api_info_matches_the_library() -> Result<(), Error> {
    let axes = vec![1; info::capabilities().max_dimensions];
    assert_eq!(Tensor::zeros(&axes, DType::Int8)?.ndim(), axes.len());
    assert!(Tensor::zeros([axes, vec![1]].concat(), DType::Int8).is_err());
    let default = info::default_dtypes();
    for dtype in info::dtypes(DTypeKind::SignedInteger) {
        let x = Tensor::ones([3], dtype)?;
        assert_eq!(x.sum(())?.dtype(), default.integral, "{dtype}");
        assert_eq!(x.sqrt()?.dtype(), default.real_floating, "{dtype}");
        assert_eq!(x.argmax(())?.dtype(), default.indexing, "{dtype}");
        assert_eq!(
            linalg::eigvals(&x.reshape([3, 1])?.slice(s![..1])?)?.dtype(),
            default.complex_floating
        );
    }
    let sorts =
        [DTypeKind::Bool, DTypeKind::Integral, DTypeKind::RealFloating, DTypeKind::ComplexFloating];
    let n: usize = sorts.iter().map(|&kind| info::dtypes(kind).len()).sum();
    assert_eq!(n, info::dtypes(None).len(), "every type is of one sort");
    Ok(())
}
