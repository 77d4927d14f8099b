//! [`Few`]: a list that is not allocated while it has one item.

use std::{iter, option, vec};

/// A list of usually one item: the tapes that record a thread. An allocation costs a fifth of a recorded operation.
pub(crate) struct Few<T> {
    first: Option<T>,
    /// Empty if there is no first one.
    rest: Vec<T>,
}

impl<T> Few<T> {
    pub(crate) const fn new() -> Few<T> {
        Few { first: None, rest: Vec::new() }
    }

    pub(crate) fn push(&mut self, item: T) {
        match self.first {
            None => self.first = Some(item),
            Some(_) => self.rest.push(item),
        }
    }

    pub(crate) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.rest.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().chain(&self.rest)
    }

    pub(crate) fn map<U>(self, f: impl FnMut(T) -> U) -> Few<U> {
        let mut mapped = Few::new();
        self.into_iter().map(f).for_each(|it| mapped.push(it));
        mapped
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = iter::Chain<option::IntoIter<T>, vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stay_in_the_order_of_their_push() {
        let mut few = Few::new();
        for n in 0..4 {
            assert_eq!((few.len(), few.is_empty()), (n, n == 0));
            few.push(n);
            assert!(few.iter().copied().eq(0..=n));
        }
        assert!(few.map(|n| 2 * n).into_iter().eq([0, 2, 4, 6]));
    }
}
