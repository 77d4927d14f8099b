//! The stack itself.

use super::stage::Stage;
use super::{merge_pair, merge_stack};
use crate::offsets::unravel;
use crate::{Layout, LayoutError, Shape};
use alloc::vec::Vec;

/// A stack of layouts with padding: any movement of elements, as a value.
///
/// An index goes through the outermost stage; the offset that comes out is a position, in row-major
/// order, of the next stage's shape; the last offset is one of memory. Every movement operation
/// succeeds, whatever the strides: reshapes of transposed layouts, padding, repetition.
///
/// Stages are merged as soon as one layout does what two did, so that in ordinary use there is one.
///
/// ```
/// use belvedere_layout::{Chain, Layout};
///
/// let columns = Layout::row_major(&[2, 3])?.t()?;
/// let flat = Chain::new(columns).reshape([6])?; // 0 3 1 4 2 5: no single stride does that
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
/// Chains are equal when their stages are; two that read the same elements by other stages are not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chain {
    /// The stage over memory first, the one that takes the index last; never none.
    ///
    /// Each stage's offsets are positions in the shape of the stage before it.
    stages: Vec<Stage>,
}

impl Chain {
    /// The chain that does what `layout` does.
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

    /// The length of each axis, padding included.
    pub fn shape(&self) -> &[usize] {
        self.top().shape()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// The number of elements, padding included.
    pub fn len(&self) -> usize {
        self.shape().iter().product()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.shape().contains(&0)
    }

    /// How many stages there are: 1 when a single layout, with padding around it perhaps, does it.
    pub fn depth(&self) -> usize {
        self.stages.len()
    }

    /// The stages, the one over memory first.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The one strided layout that equals this chain, if there is one and it was found.
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

    /// The layout over memory: every element that is reached is one of its. `None` when all is padding
    /// or nothing.
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

    /// The same movements of a copy of the [base](Chain::base), in row-major order from offset 0 on.
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

    /// The offset of one element; `None` when it is padding.
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
    /// When there are not as many indices as axes, or one is out of range.
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

    /// All offsets in logical order, `None` for padding: the slow truth about a chain.
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

    /// The chain with another outermost stage, merged as far as it goes.
    pub(super) fn with_top(&self, top: Stage) -> Chain {
        let mut stages = self.stages[..self.depth() - 1].to_vec();
        stages.push(top);
        Chain { stages }.merged()
    }

    /// The chain seen through one more layout, whose offsets are positions in this chain's shape.
    pub(super) fn through(&self, layout: Layout) -> Chain {
        let mut stages = self.stages.clone();
        stages.push(Stage::whole(layout));
        Chain { stages }.merged()
    }

    /// Merges the outermost stages for as long as one can be found that does what several do.
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

/// How many of the outermost stages one stage can stand for, and that stage.
fn merged_top(stages: &[Stage]) -> Option<(usize, Stage)> {
    let [.., inner, outer] = stages else { return None };
    if let Some(stage) = merge_pair::merge(outer, inner) {
        return Some((2, stage));
    }
    // The most stages first: they may be one although no two of them are.
    (0..stages.len() - 1).find_map(|from| {
        let part = &stages[from..];
        merge_stack::merge(part).map(|stage| (part.len(), stage))
    })
}

/// The offset of an index in range, read through stages of which the last takes the index.
pub(super) fn read(stages: &[Stage], index: &[usize]) -> Option<usize> {
    let (top, below) = stages.split_last().expect("a chain is never without a stage");
    let mut offset = top.offset(index)?;
    for stage in below.iter().rev() {
        offset = stage.offset(&unravel(stage.shape(), offset))?;
    }
    Some(offset)
}
