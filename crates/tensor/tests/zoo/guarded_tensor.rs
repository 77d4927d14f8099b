//! [`GuardedTensor`]: a tensor with guard elements around it and a copy of its whole memory.

use super::TestElement;
use belvedere::{Layout, Storage, Tensor};

/// The number of guard elements before and after the elements of the layout, which must not be written.
const GUARD_ELEMENTS: usize = 5;

/// A tensor in the middle of a larger storage, and the initial content of the storage.
pub(crate) struct GuardedTensor<T> {
    pub tensor: Tensor,
    pub memory: Vec<T>,
}

impl<T: TestElement> GuardedTensor<T> {
    /// Returns a tensor with this layout and edge-case values; `seed` shifts the values.
    pub(crate) fn new(layout: &Layout, seed: usize) -> GuardedTensor<T> {
        GuardedTensor::with(layout, |n| T::sequence(n, seed))
    }

    /// Returns a tensor with this layout and small integers as values.
    pub(crate) fn small_integers(layout: &Layout, seed: usize) -> GuardedTensor<T> {
        GuardedTensor::with(layout, |n| {
            (0..n).map(|i| T::from_small((i * 7 + seed) % 11)).collect()
        })
    }

    /// Returns a tensor with this layout; `values` makes the content of the storage, given its length.
    pub(crate) fn with(layout: &Layout, values: impl FnOnce(usize) -> Vec<T>) -> GuardedTensor<T> {
        let layout = match layout.is_empty() {
            true => layout.clone(),
            false => Layout::new(layout.start() + GUARD_ELEMENTS, layout.axes()).unwrap(),
        };
        let memory = values(layout.span().end + GUARD_ELEMENTS);
        let storage = Storage::from_vec(memory.clone());
        GuardedTensor { tensor: Tensor::from_storage(storage, layout, T::DTYPE).unwrap(), memory }
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.tensor.layout()
    }

    /// Returns the initial elements in row-major order.
    pub(crate) fn values(&self) -> Vec<T> {
        self.layout().offsets().map(|offset| self.memory[offset]).collect()
    }

    /// Returns the initial elements broadcast to a shape.
    pub(crate) fn values_as(&self, shape: &[usize]) -> Vec<T> {
        let layout = self.layout().broadcast_to(shape).unwrap();
        layout.offsets().map(|offset| self.memory[offset]).collect()
    }

    /// Returns the current content of the storage.
    pub(crate) fn current_memory(&self) -> Vec<T> {
        let storage = self.tensor.storage();
        let all = Layout::row_major(&[storage.len() / size_of::<T>()]).unwrap();
        let all = Tensor::from_storage(storage.clone(), all, T::DTYPE).unwrap();
        all.to_vec::<T>().unwrap()
    }

    /// Checks that the elements are `expected`, and that all other memory is unchanged.
    #[track_caller]
    pub(crate) fn assert_elements(&self, expected: &[T], case: impl std::fmt::Debug) {
        let mut memory = self.memory.clone();
        assert_eq!(self.layout().len(), expected.len(), "{case:?}");
        for (offset, &value) in self.layout().offsets().zip(expected) {
            memory[offset] = value;
        }
        assert_same(&self.current_memory(), &memory, case);
    }

    /// Checks that nothing was written.
    #[track_caller]
    pub(crate) fn assert_unchanged(&self, case: impl std::fmt::Debug) {
        assert_same(&self.current_memory(), &self.memory, case);
    }
}

/// Returns whether two lists hold the same bits; all NaNs are considered equal.
pub(crate) fn same_values<T: TestElement>(xs: &[T], ys: &[T]) -> bool {
    xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| x.same_bits(*y))
}

/// Checks that two lists hold the same bits; all NaNs are considered equal.
#[track_caller]
pub(crate) fn assert_same<T: TestElement>(found: &[T], expected: &[T], case: impl std::fmt::Debug) {
    assert_eq!(found.len(), expected.len(), "{case:?}");
    let wrong = found.iter().zip(expected).position(|(x, y)| !x.same_bits(*y));
    if let Some(i) = wrong {
        panic!("{case:?}: {:?} instead of {:?} at {i} of {}", found[i], expected[i], found.len());
    }
}
