//! Vectors: a storage that was made from a `Vec` gives it back to its only owner.

use super::{Inner, Owner, Storage, Untouched};
use crate::{DType, Value};
use std::sync::Arc;

impl Storage {
    /// Returns whether [`Storage::take_vec`] succeeds: the memory is that of a `Vec<T>`, and this is the only handle.
    pub(crate) fn can_take_vec<T: Value>(&mut self) -> bool {
        self.sole_vector::<T>().is_some()
    }

    /// Returns the vector that the storage was made from, without a copy, if it was a `Vec<T>` and this is the only
    /// handle.
    pub(crate) fn take_vec<T: Value>(mut self) -> Option<Vec<T>> {
        let inner = self.sole_vector::<T>()?;
        if T::DTYPE == DType::Bool {
            make_valid_bools(inner);
        }
        // The storage is dropped below, and has no memory until then.
        inner.len = 0;
        let Owner::Vector(vector) = std::mem::replace(&mut inner.owner, Owner::Meta) else {
            unreachable!("`sole_vector` has checked the owner");
        };
        let vector = vector.downcast::<Untouched<Vec<T>>>();
        let Untouched(values) = *vector.expect("`sole_vector` has checked the type");
        Some(values)
    }

    /// Returns the header, if no other handle exists and the owner is a `Vec<T>`.
    fn sole_vector<T: Value>(&mut self) -> Option<&mut Inner> {
        // `None` for a storage that was exported, too: `exported_at` may find it again.
        let inner = Arc::get_mut(&mut self.inner)?;
        let is_vector = match &inner.owner {
            Owner::Vector(it) => it.is::<Untouched<Vec<T>>>(),
            _ => false,
        };
        is_vector.then_some(inner)
    }
}

/// Makes every byte of a boolean vector 0 or 1. A [`Bool`](crate::Bool) may be any byte, which may have been written
/// since; a `bool` may not.
fn make_valid_bools(inner: &mut Inner) {
    // SAFETY: the bytes are those of a vector, initialised and writable, and the unique reference to the header
    // excludes every other access to them.
    let bytes = unsafe { std::slice::from_raw_parts_mut(inner.ptr.as_ptr(), inner.len) };
    bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
}
