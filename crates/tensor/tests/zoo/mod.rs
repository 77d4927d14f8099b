//! Odd tensors and slow oracles, shared by the tests.

#![allow(dead_code, reason = "each test uses its own part of the zoo")]

pub mod animal;
pub mod specimen;
pub mod twin;

#[allow(unused_imports, reason = "each test file uses a part of the zoo")]
pub use animal::{Animal, same_values};
pub use specimen::Specimen;

use belvedere::{Axis, Layout, s};

/// Whether to enumerate everything instead of a sample: `cargo xtask test --full`.
pub fn full() -> bool {
    std::env::var_os("BELVEDERE_FULL").is_some()
}

/// So many cases, or ten times as many when everything is wanted.
pub fn rounds(n: usize) -> usize {
    if full() { 10 * n } else { n }
}

/// A number of threads.
pub fn threads(n: usize) -> std::num::NonZeroUsize {
    std::num::NonZeroUsize::new(n).expect("at least one thread")
}

/// Runs something that might wait for ever, and ends the test if it takes ten minutes.
pub fn watched<R>(run: impl FnOnce() -> R) -> R {
    let (is_over, over) = std::sync::mpsc::channel();
    let watchdog = std::thread::spawn(move || {
        let limit = std::time::Duration::from_secs(600);
        if over.recv_timeout(limit) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            eprintln!("no progress for ten minutes");
            std::process::abort();
        }
    });
    // Dropped on the way out, also by a panic: then the watchdog ends, too.
    let is_over: std::sync::mpsc::Sender<()> = is_over;
    let result = run();
    drop(is_over);
    watchdog.join().expect("the watchdog does not panic");
    result
}

/// Layouts of all kinds that have gone wrong somewhere.
pub fn layouts() -> Vec<Layout> {
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
        row(&[9, 11]).t().unwrap(),
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
        row(&[1, 2, 1, 2, 1, 2, 1, 2]),
        row(&[2; 8]).reverse(),
        row(&[2, 70]),
        row(&[70, 2]).t().unwrap(),
    ]
}

/// How free [`Dice::arrange`] is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Freedom {
    /// Each index has an element of its own.
    Injective,
    /// Axes may stand still, and windows overlap.
    Any,
}

/// Small numbers in a fixed, shuffled order: xorshift, good enough to pick test cases.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    /// Whether something with a chance of one in `n` happens.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of a list.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A list in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// A shape of at most `rank` axes and some `len` elements.
    pub fn shape(&mut self, rank: usize, len: usize) -> Vec<usize> {
        let rank = self.below(rank + 1);
        let mut left = len;
        let mut shape = Vec::new();
        for k in 0..rank {
            let most = if k + 1 == rank { left } else { left.min(2 + self.below(left.max(1))) };
            let len = 1 + self.below(most.max(1));
            left /= len;
            shape.push(len);
        }
        if self.one_in(40) && !shape.is_empty() {
            let k = self.below(shape.len());
            shape[k] = 0;
        }
        self.shuffle(&mut shape);
        shape
    }

    /// Some arrangement of a shape in memory: axes in any order, backwards, with gaps; or with axes
    /// that stand still or overlap.
    pub fn arrange(&mut self, shape: &[usize], freedom: Freedom) -> Layout {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if !self.one_in(3) {
            self.shuffle(&mut order);
        }
        let mut axes = vec![Axis::new(1, 0); shape.len()];
        // What is inside of an axis takes so much room.
        let (mut room, mut lowest) = (1, 0);
        let has_gaps = self.one_in(2);
        for &k in order.iter().rev() {
            let len = shape[k].max(1) as isize;
            let mut step = room;
            if freedom == Freedom::Any && self.one_in(5) {
                step = self.below(3) as isize;
            } else if has_gaps && self.one_in(2) {
                step *= 1 + self.below(3) as isize;
                room += step * (len - 1) + self.below(2) as isize;
            } else {
                room *= len;
            }
            if self.one_in(4) {
                step = -step;
                lowest += step * (len - 1);
            }
            axes[k] = Axis::new(shape[k], step);
        }
        Layout::new(lowest.unsigned_abs(), &axes).unwrap()
    }

    /// A shape that broadcasts to another one.
    pub fn shape_below(&mut self, shape: &[usize]) -> Vec<usize> {
        let dropped = if self.one_in(3) { self.below(shape.len() + 1) } else { 0 };
        let mut below = shape[dropped..].to_vec();
        below.iter_mut().for_each(|len| {
            if self.one_in(4) {
                *len = 1;
            }
        });
        below
    }
}

/// The offsets of a layout as a list.
pub fn offsets(layout: &Layout) -> Vec<usize> {
    layout.offsets().collect()
}

/// Whether no two indices lead to one element: by listing them.
pub fn is_injective(layout: &Layout) -> bool {
    let mut offsets = offsets(layout);
    offsets.sort_unstable();
    offsets.windows(2).all(|pair| pair[0] != pair[1])
}
