//! Unusual layouts, test values and reference implementations, shared by the tests.

#![allow(dead_code, reason = "each test program uses a part of it")]

pub(crate) mod guarded_tensor;
pub(crate) mod reference;
pub(crate) mod values;

#[allow(unused_imports, reason = "each test program uses a part of it")]
pub(crate) use guarded_tensor::{GuardedTensor, same_values};
pub(crate) use values::TestElement;

use belvedere::{Axis, Layout, s};

/// Returns whether to test exhaustively instead of by samples: `cargo xtask test --full`.
pub(crate) fn full() -> bool {
    std::env::var_os("BELVEDERE_FULL").is_some()
}

/// Returns `n`, or ten times as many in an exhaustive run.
pub(crate) fn rounds(n: usize) -> usize {
    if full() { 10 * n } else { n }
}

/// Sets a flag when it is dropped, also on unwinding: a thread that runs until the flag is set always ends.
pub(crate) struct SetOnDrop<'a>(pub &'a std::sync::atomic::AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Runs a computation that might deadlock, and aborts the process if it takes ten minutes.
pub(crate) fn with_watchdog<R>(run: impl FnOnce() -> R) -> R {
    let (is_over, over) = std::sync::mpsc::channel();
    let watchdog = std::thread::spawn(move || {
        let limit = std::time::Duration::from_secs(600);
        if over.recv_timeout(limit) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            eprintln!("no progress for ten minutes");
            std::process::abort();
        }
    });
    // Dropped on return or unwinding, which ends the watchdog.
    let is_over: std::sync::mpsc::Sender<()> = is_over;
    let result = run();
    drop(is_over);
    watchdog.join().expect("the watchdog does not panic");
    result
}

/// Returns layouts of all kinds: empty, 0-d, permuted, strided, flipped, broadcast, overlapping.
pub(crate) fn layouts() -> Vec<Layout> {
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

/// Which layouts [`TestRng::random_layout`] may return.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freedom {
    /// Injective layouts: no two indices map to the same element.
    Injective,
    /// Any layout, with broadcast axes and overlapping windows.
    Any,
}

/// A deterministic random number generator (xorshift) to choose test cases.
pub(crate) struct TestRng(u64);

impl TestRng {
    pub(crate) fn new(seed: u64) -> TestRng {
        TestRng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    /// Returns true with probability `1 / n`.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns a random item of a list.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Shuffles a list.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// Returns a shape of at most `rank` axes and about `len` elements.
    pub(crate) fn shape(&mut self, rank: usize, len: usize) -> Vec<usize> {
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

    /// Returns a random layout of a shape: permuted, with negative strides and gaps; and with broadcast and
    /// overlapping axes if `freedom` allows them.
    pub(crate) fn random_layout(&mut self, shape: &[usize], freedom: Freedom) -> Layout {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if !self.one_in(3) {
            self.shuffle(&mut order);
        }
        let mut axes = vec![Axis::new(1, 0); shape.len()];
        // The extent in memory of the axes so far.
        let (mut extent, mut lowest) = (1, 0);
        let has_gaps = self.one_in(2);
        for &k in order.iter().rev() {
            let len = shape[k].max(1) as isize;
            let mut step = extent;
            if freedom == Freedom::Any && self.one_in(5) {
                step = self.below(3) as isize;
            } else if has_gaps && self.one_in(2) {
                step *= 1 + self.below(3) as isize;
                extent += step * (len - 1) + self.below(2) as isize;
            } else {
                extent *= len;
            }
            if self.one_in(4) {
                step = -step;
                lowest += step * (len - 1);
            }
            axes[k] = Axis::new(shape[k], step);
        }
        Layout::new(lowest.unsigned_abs(), &axes).unwrap()
    }

    /// Returns a random shape that broadcasts to `shape`.
    pub(crate) fn broadcastable_shape(&mut self, shape: &[usize]) -> Vec<usize> {
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

/// Returns the offsets of a layout as a list.
pub(crate) fn offsets(layout: &Layout) -> Vec<usize> {
    layout.offsets().collect()
}

/// Returns whether no two indices map to the same offset, by enumeration.
pub(crate) fn is_injective(layout: &Layout) -> bool {
    let mut offsets = offsets(layout);
    offsets.sort_unstable();
    offsets.windows(2).all(|pair| pair[0] != pair[1])
}
