//! Parallel iteration with rayon: the splittable iterators of views as indexed parallel iterators.

use super::{Elements, Iter, IterMut, Lanes, LanesMut, SubViews, SubViewsMut};
use crate::Error;
use rayon::iter::plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use sealed::SplitIter;

/// A parallel iterator over elements or parts of a view, in logical order; returned by [`Elements::par_iter`] and others.
///
/// The type parameter is the iterator that each thread uses for its share.
#[derive(Clone)]
pub struct ParIter<I>(I);

mod sealed {
    /// An iterator that can be divided at any position.
    pub trait SplitIter: ExactSizeIterator + DoubleEndedIterator + Send {
        /// Returns iterators over the first `n` items and over the others.
        fn split_iter(self, n: usize) -> (Self, Self)
        where
            Self: Sized;
    }
}

macro_rules! split_iters {
    ($($iter:ident)*) => {$(
        impl<T: Copy + Send + Sync> SplitIter for $iter<'_, T> {
            fn split_iter(self, n: usize) -> (Self, Self) {
                self.split_at(n)
            }
        }
    )*};
}

split_iters!(Iter IterMut Lanes LanesMut SubViews SubViewsMut);

impl<I: SplitIter> ParallelIterator for ParIter<I>
where
    I::Item: Send,
{
    type Item = I::Item;

    fn drive_unindexed<C: UnindexedConsumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

impl<I: SplitIter> IndexedParallelIterator for ParIter<I>
where
    I::Item: Send,
{
    fn len(&self) -> usize {
        self.0.len()
    }

    fn drive<C: Consumer<I::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn with_producer<B: ProducerCallback<I::Item>>(self, callback: B) -> B::Output {
        callback.callback(SplitProducer(self.0))
    }
}

/// The share of a thread, which rayon divides further.
struct SplitProducer<I>(I);

impl<I: SplitIter> Producer for SplitProducer<I> {
    type Item = I::Item;
    type IntoIter = I;

    fn into_iter(self) -> I {
        self.0
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.0.split_iter(index);
        (SplitProducer(left), SplitProducer(right))
    }
}

impl<T: Copy + Send + Sync> Elements<T> {
    /// Iterates over the elements in parallel. Needs the feature `rayon`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use rayon::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.read::<i32>()?.par_iter().map(|value| value * value).sum::<i32>(), 30);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn par_iter(&self) -> ParIter<Iter<'_, T>> {
        ParIter(self.iter())
    }

    /// Iterates over references to the elements in parallel. Needs the feature `rayon`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use rayon::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// x.write::<i32>()?.par_iter_mut().enumerate().for_each(|(k, value)| *value *= k as i32);
    /// assert_eq!(x.to_vec::<i32>()?, [0, 2, 6, 12]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn par_iter_mut(&mut self) -> ParIter<IterMut<'_, T>> {
        ParIter(self.iter_mut())
    }

    /// Iterates over the rows in parallel. Needs the feature `rayon`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use rayon::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// let sums: Vec<i32> = x.read::<i32>()?.par_rows().map(|row| row.sum()).collect();
    /// assert_eq!(sums, [3, 7]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn par_rows(&self) -> ParIter<Lanes<'_, T>> {
        ParIter(self.rows())
    }

    /// Iterates over the rows in parallel, for writing. Needs the feature `rayon`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use rayon::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// x.write::<i32>()?.par_rows_mut().for_each(|mut row| row[0] = 0);
    /// assert_eq!(x.to_vec::<i32>()?, [0, 2, 0, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn par_rows_mut(&mut self) -> ParIter<LanesMut<'_, T>> {
        ParIter(self.rows_mut())
    }

    /// Iterates over the positions of an axis in parallel. Needs the feature `rayon`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use rayon::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// let sums: Vec<i32> = x.read::<i32>()?.par_axis_iter(1)?.map(|column| column.sum()).collect();
    /// assert_eq!(sums, [4, 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn par_axis_iter(&self, axis: isize) -> Result<ParIter<SubViews<'_, T>>, Error> {
        Ok(ParIter(self.axis_iter(axis)?))
    }

    /// Iterates over the positions of an axis in parallel, for writing. Needs the feature `rayon`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use rayon::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// x.write::<i32>()?.par_axis_iter_mut(1)?.for_each(|mut column| column.fill(7));
    /// assert_eq!(x.to_vec::<i32>()?, [7; 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such axis.
    pub fn par_axis_iter_mut(&mut self, axis: isize) -> Result<ParIter<SubViewsMut<'_, T>>, Error> {
        Ok(ParIter(self.axis_iter_mut(axis)?))
    }
}
