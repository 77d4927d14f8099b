//! `Chain`: the stack of stages, its accessors and the merging of its outermost stages.

use super::stage::Stage;
use super::{merge_pair, merge_stack};
use crate::layout::dims;
use crate::offsets::unravel;
use crate::{Layout, LayoutError, Shape};
use alloc::vec::Vec;

/// A stack of layouts with padding, which can express every movement operation without a copy.
///
/// An index is mapped by the outermost stage; the resulting offset is a flat (row-major) index into
/// the shape of the next stage; the offset of the last stage is one of memory. Every movement operation
/// succeeds for any strides: reshapes of transposed layouts, padding, repetition.
///
/// Adjacent stages are merged whenever a single one is equivalent, so most chains have one stage.
///
/// ```
/// use belvedere_layout::{Chain, Layout};
///
/// let columns = Layout::row_major(&[2, 3])?.t()?;
/// let flat = Chain::new(columns).reshape([6])?; // 0 3 1 4 2 5: not a single stride
/// assert_eq!(flat.depth(), 2);
/// assert_eq!(flat.index(&[3])?, Some(4));
/// assert_eq!(flat.as_layout(), None);
///
/// let every_other = flat.slice(&belvedere_layout::s![..;2])?; // 0 1 2
/// assert_eq!(every_other.as_layout().unwrap().strides(), [1]);
///
/// let padded = every_other.pad(&[(1, 2)])?;
/// let seen: Vec<_> = padded.offsets().collect();
/// assert_eq!(seen, [None, Some(0), Some(1), Some(2), None, None]);
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
///
/// Chains are equal when their stages are. Two chains that map every index to the same offset through
/// different stages are not equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chain {
    /// From the stage over memory to the outermost one, which takes the index; never empty.
    ///
    /// The offsets of a stage are flat indices into the shape of the stage before it.
    stages: Vec<Stage>,
}

impl Chain {
    /// Creates a chain of one stage.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let chain = Chain::new(Layout::row_major(&[3, 4])?);
    /// assert_eq!((chain.shape(), chain.depth()), (&[3, 4][..], 1));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn new(layout: Layout) -> Chain {
        Chain { stages: alloc::vec![Stage::whole(layout)] }
    }

    /// Returns the length of each axis, padding included.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let padded = Chain::new(Layout::row_major(&[2, 3])?).pad(&[(0, 0), (1, 1)])?;
    /// assert_eq!(padded.shape(), [2, 5]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        self.top().shape()
    }

    /// Returns the lengths of all axes as an array, for a rank that is known when compiling.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let [rows, columns] = Chain::new(Layout::row_major([3, 4])?).pad([(1, 1), (0, 0)])?.dims()?;
    /// assert_eq!((rows, columns), (5, 4));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the rank is not `N`.
    pub fn dims<const N: usize>(&self) -> Result<[usize; N], LayoutError> {
        dims(self.shape())
    }

    /// Returns the number of axes.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// assert_eq!(Chain::new(Layout::row_major(&[2, 3])?).rank(), 2);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// Returns the number of elements, padding included.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// assert_eq!(Chain::new(Layout::row_major(&[3])?).pad(&[(1, 1)])?.len(), 5);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn len(&self) -> usize {
        self.shape().iter().product()
    }

    /// Returns whether there are no elements, padding included.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let empty = Chain::new(Layout::row_major(&[0])?);
    /// assert!(empty.is_empty() && !empty.pad(&[(1, 0)])?.is_empty());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.shape().contains(&0)
    }

    /// Returns the number of stages: 1 if the chain is a single layout, with or without padding.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let columns = Chain::new(Layout::row_major(&[2, 3])?.t()?);
    /// assert_eq!((columns.depth(), columns.reshape([6])?.depth()), (1, 2));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn depth(&self) -> usize {
        self.stages.len()
    }

    /// Returns the stages, from the one over memory to the outermost one.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let flat = Chain::new(Layout::row_major(&[2, 3])?.t()?).reshape([6])?;
    /// let shapes: Vec<_> = flat.stages().iter().map(|it| it.shape()).collect();
    /// assert_eq!(shapes, [&[3, 2][..], &[6]]);
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Returns the strided layout that is equivalent to this chain, if there is one and it was found.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let columns = Layout::row_major(&[3, 4])?.t()?;
    /// let flat = Chain::new(columns.clone()).reshape([12])?;
    /// assert_eq!(flat.as_layout(), None);
    /// assert_eq!(flat.reshape([4, 3])?.as_layout(), Some(columns));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn as_layout(&self) -> Option<Layout> {
        match &self.stages[..] {
            [only] => only.as_layout(),
            _ => None,
        }
    }

    /// Returns the layout of the stage over memory, which contains every element of the chain, or
    /// `None` if all elements are padding or there are none.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let rows = Layout::row_major(&[2, 3])?;
    /// let chain = Chain::new(rows.t()?).reshape([6])?.pad(&[(1, 1)])?;
    /// assert_eq!(chain.base(), Some(&rows.t()?));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn base(&self) -> Option<&Layout> {
        self.stages[0].inside()
    }

    /// Returns the same chain over a row-major copy of its [base](Chain::base), starting at offset 0.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let every_other = Layout::from_strides(7, &[3], &[2])?;
    /// let padded = Chain::new(every_other).pad(&[(1, 0)])?;
    /// assert!(padded.offsets().eq([None, Some(7), Some(9), Some(11)]));
    /// assert!(padded.of_copy().offsets().eq([None, Some(0), Some(1), Some(2)]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn of_copy(&self) -> Chain {
        let mut stages = self.stages.clone();
        stages[0] = stages[0].of_copy();
        Chain { stages }
    }

    /// Returns the offset of the element at `index`, or `None` if it is padding.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let padded = Chain::new(Layout::row_major(&[3])?).pad(&[(1, 0)])?;
    /// assert_eq!(padded.index(&[0])?, None);
    /// assert_eq!(padded.index(&[1])?, Some(0));
    /// assert!(padded.index(&[4]).is_err());
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// When the number of indices is not the rank, or an index is out of range.
    pub fn index(&self, index: &[usize]) -> Result<Option<usize>, LayoutError> {
        if index.len() != self.rank() {
            return Err(LayoutError::IndexCount { given: index.len(), rank: self.rank() });
        }
        for (axis, (&i, &len)) in index.iter().zip(self.shape()).enumerate() {
            if i >= len {
                return Err(LayoutError::IndexOutOfRange { index: i as i128, axis, len });
            }
        }
        Ok(read(&self.stages, index))
    }

    /// Iterates over all offsets in logical (row-major) order, `None` for padding.
    ///
    /// It computes each offset from its index, without shortcuts. Everything else is tested against it.
    ///
    /// ```
    /// # use belvedere_layout::{Chain, Layout};
    /// let padded = Chain::new(Layout::row_major(&[2])?).pad(&[(1, 0)])?;
    /// assert!(padded.offsets().eq([None, Some(0), Some(1)]));
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn offsets(&self) -> impl ExactSizeIterator<Item = Option<usize>> {
        (0..self.len()).map(|flat| read(&self.stages, &unravel(self.shape(), flat)))
    }

    pub(super) fn top(&self) -> &Stage {
        self.stages.last().expect("a chain is never without a stage")
    }

    /// Returns the chain with another outermost stage, merged.
    pub(super) fn with_top(&self, top: Stage) -> Chain {
        let mut stages = self.stages[..self.depth() - 1].to_vec();
        stages.push(top);
        Chain { stages }.merged()
    }

    /// Returns the chain with one more stage, whose offsets are flat indices into this chain's shape,
    /// merged.
    pub(super) fn with_stage(&self, layout: Layout) -> Chain {
        let mut stages = self.stages.clone();
        stages.push(Stage::whole(layout));
        Chain { stages }.merged()
    }

    /// Merges the outermost stages for as long as an equivalent single stage is found.
    fn merged(mut self) -> Chain {
        if self.top().inside().is_none() {
            let shape: Shape = self.shape().into();
            return Chain { stages: alloc::vec![Stage::padding(shape)] };
        }
        while let Some((n, stage)) = merged_top(&self.stages) {
            self.stages.truncate(self.depth() - n);
            self.stages.push(stage);
        }
        self
    }
}

/// Returns a stage that is equivalent to several of the outermost stages, and their number.
fn merged_top(stages: &[Stage]) -> Option<(usize, Stage)> {
    let [.., inner, outer] = stages else { return None };
    if let Some(stage) = merge_pair::merge(outer, inner) {
        return Some((2, stage));
    }
    // Larger groups first: several stages may be mergeable although no two adjacent ones are.
    (0..stages.len() - 1).find_map(|from| {
        let part = &stages[from..];
        merge_stack::merge(part).map(|stage| (part.len(), stage))
    })
}

/// Maps an index in range through stages, the last of which takes the index, to an offset.
pub(super) fn read(stages: &[Stage], index: &[usize]) -> Option<usize> {
    let (top, below) = stages.split_last().expect("a chain is never without a stage");
    let mut offset = top.offset(index)?;
    for stage in below.iter().rev() {
        offset = stage.offset(&unravel(stage.shape(), offset))?;
    }
    Some(offset)
}
