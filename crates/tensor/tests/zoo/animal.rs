//! Tensors with the memory they lie in.

use super::Specimen;
use belvedere::{Layout, Storage, Tensor};

/// Elements before and behind what a layout reaches: nobody may touch them.
const MARGIN: usize = 5;

/// A tensor, and what its whole memory held when it was made.
pub struct Animal<T> {
    pub tensor: Tensor,
    pub memory: Vec<T>,
}

impl<T: Specimen> Animal<T> {
    /// A tensor in some layout, in memory that is larger than it; the seed shifts its values.
    pub fn new(layout: &Layout, seed: usize) -> Animal<T> {
        Animal::with(layout, |n| T::line(n, seed))
    }

    /// The same with small whole numbers.
    pub fn tame(layout: &Layout, seed: usize) -> Animal<T> {
        Animal::with(layout, |n| (0..n).map(|i| T::small((i * 7 + seed) % 11)).collect())
    }

    /// The same with so many values as are asked for.
    pub fn with(layout: &Layout, values: impl FnOnce(usize) -> Vec<T>) -> Animal<T> {
        let layout = match layout.is_empty() {
            true => layout.clone(),
            false => Layout::new(layout.start() + MARGIN, layout.axes()).unwrap(),
        };
        let memory = values(layout.span().end + MARGIN);
        let storage = Storage::from_vec(memory.clone());
        Animal { tensor: Tensor::from_storage(storage, layout, T::DTYPE).unwrap(), memory }
    }

    pub fn layout(&self) -> &Layout {
        self.tensor.layout()
    }

    /// The elements in logical order, when it was made.
    pub fn values(&self) -> Vec<T> {
        self.layout().offsets().map(|offset| self.memory[offset]).collect()
    }

    /// The elements as they were, broadcast to a shape.
    pub fn values_as(&self, shape: &[usize]) -> Vec<T> {
        let layout = self.layout().broadcast_to(shape).unwrap();
        layout.offsets().map(|offset| self.memory[offset]).collect()
    }

    /// The whole memory as it is now.
    pub fn memory_now(&self) -> Vec<T> {
        let storage = self.tensor.storage();
        let all = Layout::row_major(&[storage.len() / size_of::<T>()]).unwrap();
        let all = Tensor::from_storage(storage.clone(), all, T::DTYPE).unwrap();
        all.to_vec::<T>().unwrap()
    }

    /// Checks that the elements are these now, and that everything around them is as it was.
    #[track_caller]
    pub fn check_now(&self, expected: &[T], case: impl std::fmt::Debug) {
        let mut memory = self.memory.clone();
        assert_eq!(self.layout().len(), expected.len(), "{case:?}");
        for (offset, &value) in self.layout().offsets().zip(expected) {
            memory[offset] = value;
        }
        assert_same(&self.memory_now(), &memory, case);
    }

    /// Checks that nothing was written.
    #[track_caller]
    pub fn check_untouched(&self, case: impl std::fmt::Debug) {
        assert_same(&self.memory_now(), &self.memory, case);
    }
}

/// Whether two lists hold the same bits, where all NaNs are one.
pub fn same_values<T: Specimen>(xs: &[T], ys: &[T]) -> bool {
    xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| x.same(*y))
}

/// Checks that two lists hold the same bits.
#[track_caller]
pub fn assert_same<T: Specimen>(found: &[T], expected: &[T], case: impl std::fmt::Debug) {
    assert_eq!(found.len(), expected.len(), "{case:?}");
    let wrong = found.iter().zip(expected).position(|(x, y)| !x.same(*y));
    if let Some(i) = wrong {
        panic!("{case:?}: {:?} and not {:?} at {i} of {}", found[i], expected[i], found.len());
    }
}
