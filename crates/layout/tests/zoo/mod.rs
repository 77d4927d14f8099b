//! Unusual layouts and slow reference implementations, shared by the tests.

#![allow(dead_code, reason = "each test uses its own part of the zoo")]

use belvedere_layout::{Axis, Layout, s};

/// Whether to enumerate everything instead of a sample: `cargo xtask test --full`.
pub(super) fn full() -> bool {
    std::env::var_os("BELVEDERE_FULL").is_some()
}

/// Layouts of all kinds that have caused bugs, here or in other libraries.
pub(super) fn layouts() -> Vec<Layout> {
    let row = |shape: &[usize]| Layout::row_major(shape).unwrap();
    let strided = |start, shape: &[usize], strides: &[isize]| {
        Layout::from_strides(start, shape, strides).unwrap()
    };
    vec![
        Layout::scalar(0).unwrap(),
        Layout::scalar(7).unwrap(),
        row(&[1]),
        row(&[1, 1, 1]),
        row(&[0]),
        row(&[2, 0, 3]),
        row(&[12]),
        row(&[3, 4]),
        row(&[2, 3, 4]),
        row(&[2, 1, 3, 1, 2]),
        Layout::col_major(&[3, 4]).unwrap(),
        Layout::col_major(&[2, 3, 4]).unwrap(),
        row(&[3, 4]).t().unwrap(),
        row(&[2, 3, 4]).permute(&[1, 2, 0]).unwrap(),
        row(&[2, 3, 4]).permute(&[2, 0, 1]).unwrap(),
        row(&[2, 3, 4, 5]).permute(&[0, 2, 3, 1]).unwrap(),
        row(&[12]).step(0, 2).unwrap(),
        row(&[12]).step(0, -3).unwrap(),
        row(&[4, 6]).slice(&s![.., 0..3]).unwrap(),
        row(&[4, 6]).slice(&s![1..3, ..;2]).unwrap(),
        row(&[4, 6]).slice(&s![..;-1, ..;-2]).unwrap(),
        row(&[4, 6]).flip(&[0]).unwrap(),
        row(&[4, 6]).flip(&[0, 1]).unwrap(),
        row(&[4, 6]).select(1, 2).unwrap(),
        row(&[3, 1]).broadcast_to([3, 4]).unwrap(),
        row(&[4]).broadcast_to([3, 4]).unwrap(),
        row(&[1]).broadcast_to([3, 4]).unwrap(),
        row(&[2, 1, 3]).broadcast_to([2, 4, 3]).unwrap(),
        row(&[6]).windows(0, 3, 1).unwrap(),
        row(&[9]).windows(0, 3, 2).unwrap(),
        row(&[5, 6]).sliding_window(&[0, 1], &[3, 2]).unwrap(),
        row(&[4, 4]).diagonal(0, 0, 1).unwrap(),
        row(&[3, 4, 5]).diagonal(-1, 2, 0).unwrap(),
        row(&[2, 3, 4]).rot90(1, 1, 2).unwrap(),
        strided(0, &[2, 3], &[3, 2]),
        strided(0, &[2, 2], &[1, 1]),
        strided(3, &[2, 2], &[1, -1]),
        strided(0, &[3, 2, 2], &[12, 10, 1]),
        strided(0, &[2, 3, 2, 3], &[100, 6, 50, 1]),
        strided(50, &[3, 4], &[-16, 4]),
        strided(0, &[2, 1, 3], &[3, 99, 1]),
        strided(0, &[7; 2], &[8, 1]),
        row(&[1, 2, 1, 2, 1, 2, 1, 2, 1]),
        row(&[2; 8]).reverse(),
    ]
}

/// The offsets of a layout as a list.
pub(super) fn offsets(layout: &Layout) -> Vec<usize> {
    layout.offsets().collect()
}

/// The oracle for views: reads the only possible strides off the list of offsets, and keeps them if
/// they reproduce it.
pub(super) fn layout_that_visits(offsets: &[usize], shape: &[usize]) -> Option<Layout> {
    assert_eq!(offsets.len(), shape.iter().product::<usize>());
    if offsets.is_empty() {
        return Layout::row_major(shape).ok();
    }
    let mut inside = 1;
    let mut axes = vec![Axis::new(1, 0); shape.len()];
    for (axis, &len) in axes.iter_mut().zip(shape).rev() {
        let stride = if len > 1 { offsets[inside] as isize - offsets[0] as isize } else { 0 };
        *axis = Axis::new(len, stride);
        inside *= len;
    }
    // Strides that lead to negative offsets do not reproduce the list.
    let layout = Layout::new(offsets[0], &axes).ok()?;
    layout.offsets().eq(offsets.iter().copied()).then_some(layout)
}

/// All shapes of `n` elements without axes of length 1, each in every order.
pub(super) fn shapes_of(n: usize) -> Vec<Vec<usize>> {
    if n == 1 {
        return vec![vec![]];
    }
    let mut shapes = Vec::new();
    for first in (2..=n).filter(|first| n.is_multiple_of(*first)) {
        for mut rest in shapes_of(n / first) {
            rest.insert(0, first);
            shapes.push(rest);
        }
    }
    shapes
}

/// The shapes of [`shapes_of`], and variants with axes of length 1 inserted.
pub(super) fn shapes_with_units(n: usize) -> Vec<Vec<usize>> {
    let mut shapes = Vec::new();
    for shape in shapes_of(n) {
        for places in [&[][..], &[0], &[shape.len() / 2], &[shape.len()], &[0, shape.len() + 1]] {
            let mut with_units = shape.clone();
            places.iter().for_each(|&at| with_units.insert(at, 1));
            shapes.push(with_units);
        }
    }
    shapes.sort();
    shapes.dedup();
    shapes
}

/// A deterministic pseudo-random generator (xorshift) for test cases.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    /// One of a list.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A list in random order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// Every axis with a length of 0 to 4 and a stride of `-6..=6`, once each: strides of axes that are
/// not stepped along make no difference.
pub(super) fn axes() -> Vec<Axis> {
    let mut axes = vec![Axis::new(0, 0), Axis::new(1, 0)];
    for len in 2..=4 {
        axes.extend((-6..=6).map(|stride| Axis::new(len, stride)));
    }
    axes
}

/// The layout with these axes whose lowest offset is 0.
pub(super) fn lowest_at_zero(axes: &[Axis]) -> Layout {
    let below = axes.iter().map(|it| it.stride.min(0) * (it.len as isize - 1).max(0));
    Layout::new(below.sum::<isize>().unsigned_abs(), axes).unwrap()
}

/// Every layout of `rank` axes of [`axes`], or every `every`-th of them.
pub(super) fn for_each_layout(rank: u32, every: usize, mut visit: impl FnMut(&Layout)) {
    let choices = axes();
    let n = choices.len().pow(rank);
    let mut picked = vec![Axis::default(); rank as usize];
    for number in (0..n).step_by(every) {
        let mut rest = number;
        for axis in &mut picked {
            *axis = choices[rest % choices.len()];
            rest /= choices.len();
        }
        visit(&lowest_at_zero(&picked));
    }
}

pub(super) mod model;
pub(super) mod moves;
