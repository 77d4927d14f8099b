//! Belvedere: `Layout`, through its public methods.

use std::fmt::Debug;
use std::hint::black_box;

use belvedere_layout::{Answer as Verdict, Index, Layout, LayoutError, Slice, s};

use super::definitions::{Answer, Engine, Entry, full_shape, reversal, split_shape, thin_shape};

/// The layouts that operations begin with, and their larger arguments.
pub struct Belvedere {
    full: Layout,
    thin: Layout,
    /// `full` with its axes reversed.
    reversed: Layout,
    /// `full` with all axes but the first reversed.
    shuffled: Layout,
    full_shape: Vec<usize>,
    split_shape: Vec<usize>,
    /// The split shape with all axes but the first two reversed.
    shuffled_shape: Vec<usize>,
    reversal: Vec<isize>,
    inner: Vec<Index>,
    lower: Layout,
    upper: Layout,
    even: Layout,
    odd: Layout,
}

impl Belvedere {
    /// The engine at a rank.
    pub fn new(rank: usize) -> Result<Belvedere, LayoutError> {
        let full = Layout::row_major(&full_shape(rank))?;
        let reversal: Vec<isize> = reversal(rank).iter().map(|&k| k as isize).collect();
        let shuffle: Vec<isize> = [0].into_iter().chain((1..rank as isize).rev()).collect();
        let inner = Slice { start: Some(1), stop: Some(-1), step: 1 };
        let mut shuffled_shape = split_shape(rank);
        shuffled_shape[2..].reverse();
        Ok(Belvedere {
            thin: Layout::row_major(&thin_shape(rank))?,
            reversed: full.permute(&reversal)?,
            shuffled: full.permute(&shuffle)?,
            full_shape: full_shape(rank),
            split_shape: split_shape(rank),
            shuffled_shape,
            reversal,
            inner: vec![inner.into(); rank.min(2)],
            lower: full.slice(&s![..3])?,
            upper: full.slice(&s![3..])?,
            even: full.slice(&s![..;2])?,
            odd: full.slice(&s![1..;2])?,
            full,
        })
    }
}

impl Engine for Belvedere {
    fn transpose(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.full).transpose(black_box(0), black_box(-1)))
    }

    fn permute(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.full).permute(black_box(&self.reversal)))
    }

    fn slice(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.full).slice(black_box(&self.inner)))
    }

    fn slice_by_axis(&self) -> Option<Entry<'_>> {
        let inner = Slice { start: Some(1), stop: Some(-1), step: 1 };
        if self.full.rank() == 1 {
            return view(move || black_box(&self.full).slice_axis(0, black_box(inner)));
        }
        view(move || {
            black_box(&self.full).slice_axis(0, black_box(inner))?.slice_axis(1, black_box(inner))
        })
    }

    fn slice_backwards(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.full).slice_axis(black_box(0), black_box(Slice::ALL.by(-2))))
    }

    fn select(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.full).select(black_box(0), black_box(2)))
    }

    fn narrow(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.full).narrow(black_box(0), black_box(1), black_box(3)))
    }

    fn flip(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.full).flip(black_box(&[0])))
    }

    fn expand(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.thin).broadcast_to(black_box(&self.full_shape)))
    }

    fn reshape(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.full).view(black_box(&self.split_shape)))
    }

    fn reshape_permuted(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.shuffled).view(black_box(&self.shuffled_shape)))
    }

    fn merge(&self) -> Option<Entry<'_>> {
        if self.full.rank() < 2 {
            return None;
        }
        view(|| black_box(&self.full).merge(black_box(0), black_box(-1)))
    }

    fn unsqueeze(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.full).unsqueeze(black_box(1)))
    }

    fn squeeze(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.thin).squeeze(black_box(&[0])))
    }

    fn windows(&self) -> Option<Entry<'_>> {
        view(|| black_box(&self.full).windows(black_box(0), black_box(3), black_box(1)))
    }

    fn diagonal(&self) -> Option<Entry<'_>> {
        if self.full.rank() < 2 {
            return None;
        }
        view(|| black_box(&self.full).diagonal(black_box(0), black_box(0), black_box(1)))
    }

    fn duplicate(&self) -> Option<Entry<'_>> {
        Some(Entry::new(|| black_box(&self.full).clone(), to_answer))
    }

    fn is_contiguous(&self) -> Option<Entry<'_>> {
        Some(Entry::new(|| black_box(&self.full).is_contiguous(), Answer::Is))
    }

    fn span(&self) -> Option<Entry<'_>> {
        Some(Entry::new(|| black_box(&self.reversed).span(), Answer::Offsets))
    }

    fn coalesced(&self) -> Option<Entry<'_>> {
        Some(Entry::new(|| black_box(&self.full).coalesced(), to_answer))
    }

    fn injective(&self) -> Option<Entry<'_>> {
        Some(Entry::new(|| black_box(&self.reversed).injective(), verdict_to_answer))
    }

    fn overlaps_apart(&self) -> Option<Entry<'_>> {
        Some(Entry::new(
            || black_box(&self.lower).overlaps(black_box(&self.upper)),
            verdict_to_answer,
        ))
    }

    fn overlaps_interleaved(&self) -> Option<Entry<'_>> {
        Some(Entry::new(|| black_box(&self.even).overlaps(black_box(&self.odd)), verdict_to_answer))
    }
}

/// Returns an entry whose result is a layout.
fn view<'a, E: Debug>(call: impl Fn() -> Result<Layout, E> + 'a) -> Option<Entry<'a>> {
    Some(Entry::new(move || call().expect("the arguments suit the layout"), to_answer))
}

fn to_answer(layout: Layout) -> Answer {
    let strides: Vec<isize> = layout.axes().iter().map(|axis| axis.stride).collect();
    Answer::view(layout.start(), &layout.shape(), &strides)
}

fn verdict_to_answer(verdict: Verdict) -> Answer {
    assert_ne!(verdict, Verdict::TooHard, "the search decides layouts of this size");
    Answer::Is(verdict == Verdict::Yes)
}
