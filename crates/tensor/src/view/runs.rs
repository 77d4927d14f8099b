//! Iteration by the longest runs of one stride.

use super::Elements;
use super::element_ptrs::ElementRuns;
use super::element_run::ElementRun;
use std::iter::FusedIterator;
use std::marker::PhantomData;

/// An iterator over the longest runs of one stride in a view; returned by [`Elements::runs`].
///
/// ```
/// use belvedere::{Layout, Strided, View};
///
/// let data = [0, 1, 2, 3, 4, 5, 6, 7];
/// let view = View::new(&data, Layout::row_major(&[2, 4])?)?.narrow(1, 1, 2)?;
/// let sums: Vec<i32> = view.runs().map(|run| run.sum()).collect();
/// assert_eq!(sums, [1 + 2, 5 + 6]);
/// # Ok::<(), belvedere::Error>(())
/// ```
pub struct Runs<'v, T> {
    /// Invariant: the elements are initialised, and readable for `'v`, during which they are not written.
    runs: ElementRuns<T>,
    memory: PhantomData<&'v T>,
}

impl<T: Copy> Elements<T> {
    /// Iterates over the longest runs of one stride, in logical order.
    ///
    /// ```
    /// use belvedere::{Layout, View};
    ///
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let x = View::new(&data, Layout::row_major(&[2, 3])?)?;
    /// assert_eq!(x.runs().count(), 1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn runs(&self) -> Runs<'_, T> {
        // SAFETY: the layout is in bounds of the memory. It is readable while `self` is borrowed: the invariant.
        Runs { runs: unsafe { ElementRuns::new(self.ptr(), self.layout()) }, memory: PhantomData }
    }
}

impl<'v, T: Copy> Iterator for Runs<'v, T> {
    type Item = RunValues<'v, T>;

    #[inline]
    fn next(&mut self) -> Option<RunValues<'v, T>> {
        self.runs.next().map(|run| RunValues { run, memory: PhantomData })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.runs.len(), Some(self.runs.len()))
    }
}

impl<'v, T: Copy> DoubleEndedIterator for Runs<'v, T> {
    fn next_back(&mut self) -> Option<RunValues<'v, T>> {
        self.runs.next_back().map(|run| RunValues { run, memory: PhantomData })
    }
}

impl<T: Copy> ExactSizeIterator for Runs<'_, T> {}

impl<T: Copy> FusedIterator for Runs<'_, T> {}

/// An iterator over the elements of one run; returned by [`Runs`].
#[derive(Clone)]
pub struct RunValues<'v, T> {
    /// Invariant: the elements are initialised, and readable for `'v`, during which they are not written.
    run: ElementRun<T>,
    memory: PhantomData<&'v T>,
}

impl<T> RunValues<'_, T> {
    /// Returns the stride, in elements.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let view = View::new(&data, Layout::row_major(&[6])?)?.step(0, 2)?;
    /// assert_eq!(view.runs().next().map(|run| run.stride()), Some(2));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn stride(&self) -> isize {
        self.run.stride()
    }
}

impl<'v, T: Copy> RunValues<'v, T> {
    /// Returns the elements that are left as a slice, if they are contiguous.
    ///
    /// ```
    /// use belvedere::{Layout, Strided, View};
    ///
    /// let data = [0, 1, 2, 3, 4, 5];
    /// let view = View::new(&data, Layout::row_major(&[2, 3])?)?.narrow(1, 1, 2)?;
    /// assert_eq!(view.runs().next().and_then(|run| run.as_slice()), Some(&data[1..3]));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn as_slice(&self) -> Option<&'v [T]> {
        match self.run.stride() {
            // SAFETY: consecutive elements from the first one on are readable and not written for `'v`.
            1 => Some(unsafe { std::slice::from_raw_parts(self.run.first(), self.run.len()) }),
            _ => None,
        }
    }

    /// Appends the elements that are left to a vector.
    ///
    /// Contiguous elements are read by an iterator of trusted length, so that the compiler vectorises the loop. Not as a
    /// slice: another library may write to its memory meanwhile.
    pub(crate) fn append_to<U>(self, values: &mut Vec<U>, mut convert: impl FnMut(T) -> U) {
        match self.run.stride() {
            1 => {
                let (first, len) = (self.run.first(), self.run.len());
                // SAFETY: the elements are contiguous, initialised and readable, by the invariant.
                values.extend((0..len).map(|i| convert(unsafe { first.add(i).read() })));
            }
            _ => values.extend(self.map(convert)),
        }
    }
}

impl<T: Copy> Iterator for RunValues<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        // SAFETY: the element is initialised and readable, by the invariant.
        self.run.next().map(|at| unsafe { at.read() })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.run.len(), Some(self.run.len()))
    }

    #[inline]
    fn fold<A, F: FnMut(A, T) -> A>(self, first: A, mut f: F) -> A {
        // SAFETY: the elements are initialised and readable, by the invariant.
        self.run.fold(first, |total, at| f(total, unsafe { at.read() }))
    }
}

impl<T: Copy> DoubleEndedIterator for RunValues<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        // SAFETY: the element is initialised and readable, by the invariant.
        self.run.next_back().map(|at| unsafe { at.read() })
    }
}

impl<T: Copy> ExactSizeIterator for RunValues<'_, T> {}

impl<T: Copy> FusedIterator for RunValues<'_, T> {}
