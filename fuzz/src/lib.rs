//! Generators and reference implementations that the fuzz targets share: layouts and arguments from bytes, and slow
//! models of what the library does.
//!
//! A target reads its input through [`arbitrary::Unstructured`], so that later values can depend
//! on earlier ones: a permutation on the rank, a new shape on the number of elements. [`any`]
//! draws small layouts whose elements can be listed, [`wild`] draws arguments at the limits of the
//! machine's integers. [`grid`] does with lists what the library does with strides, [`moves`] has the
//! operations of a chain for both, and [`trace`] maps one element back through a sequence of them. [`programs`] carries out
//! sequences of operations on tensors and on lists.

pub mod any;
pub mod grid;
pub mod moves;
pub mod programs;
pub mod trace;
pub mod wild;

use belvedere_layout::{Layout, LayoutError};

/// Asserts that the layout keeps the invariants documented at [`Layout`]: the constructor that
/// checks them all gives it back unchanged.
pub fn assert_sound(layout: &Layout) {
    assert_eq!(Layout::new(layout.start(), layout.axes()).as_ref(), Ok(layout));
}

/// Returns the value of `Ok`. Checks that an error has a kind and a message that is not empty.
pub fn checked_ok<T>(result: Result<T, LayoutError>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            let _ = error.kind();
            assert!(!error.to_string().is_empty());
            None
        }
    }
}
