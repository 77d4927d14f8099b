//! The shape of a batch of products, as few and as large as they can be made.

use crate::Layout;
use crate::plan::{Loop, Plan};

/// How far apart the rows and the columns of a matrix are, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Walk {
    pub row: isize,
    pub col: isize,
}

impl Walk {
    /// That of the transposed matrix.
    fn turned(self) -> Walk {
        Walk { row: self.col, col: self.row }
    }
}

/// Products of one shape: `m × k` times `k × n`.
///
/// Columns of the result are at least as close together as its rows, so kernels run along them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Batch {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    /// The result, the left factor and the right one.
    pub walks: [Walk; 3],
    /// Whether all three are transposed, so that the left factor is what was right before.
    pub is_turned: bool,
    starts: [usize; 3],
    /// The axes of the batch that are left, outermost first.
    loops: Vec<Loop<3>>,
}

impl Batch {
    /// The products of a result `[…, m, n]` and its factors `[…, m, k]` and `[…, k, n]`.
    ///
    /// # Panics
    /// If the shapes are not of this form.
    pub(super) fn new(layouts: [&Layout; 3]) -> Batch {
        let rank = layouts[0].rank();
        let is_ranked = rank >= 2 && layouts.iter().all(|layout| layout.rank() == rank);
        assert!(is_ranked, "a product is of matrices");
        let [out, a, b] = layouts.map(|layout| [rank - 2, rank - 1].map(|k| layout.axes()[k]));
        let is_fit = out[0].len == a[0].len && a[1].len == b[0].len && b[1].len == out[1].len;
        assert!(is_fit, "the shapes of a product fit");
        let (starts, loops) = match rank {
            2 => (layouts.map(Layout::start), Vec::new()),
            _ => axes_before(layouts, rank - 2),
        };
        let mut batch = Batch {
            m: out[0].len,
            n: out[1].len,
            k: a[1].len,
            walks: [out, a, b].map(|[row, col]| Walk { row: row.stride, col: col.stride }),
            is_turned: false,
            starts,
            loops,
        };
        if !batch.loops.is_empty() {
            batch.fold();
        }
        batch.turn();
        batch
    }

    /// Makes axes of the batch part of the rows or of the columns if they continue them, and the
    /// factor that is not concerned is the same all along. `[8, 32, k]` times `[k, n]` is one
    /// product of 256 rows.
    fn fold(&mut self) {
        let mut kept = Vec::new();
        for it in std::mem::take(&mut self.loops).into_iter().rev() {
            let [out, a, b] = it.steps;
            let walks = &mut self.walks;
            if b == 0 && continues(self.m, [walks[0].row, walks[1].row], [out, a]) {
                if self.m == 1 {
                    (walks[0].row, walks[1].row) = (out, a);
                }
                self.m *= it.len;
            } else if a == 0 && continues(self.n, [walks[0].col, walks[2].col], [out, b]) {
                if self.n == 1 {
                    (walks[0].col, walks[2].col) = (out, b);
                }
                self.n *= it.len;
            } else {
                kept.push(it);
            }
        }
        kept.reverse();
        self.loops = kept;
    }

    /// Transposes everything if the rows of the result are closer together than its columns.
    fn turn(&mut self) {
        let distance = |len: usize, step: isize| match len {
            0 | 1 => usize::MAX,
            _ => step.unsigned_abs(),
        };
        let [out, a, b] = self.walks;
        self.is_turned = distance(self.m, out.row) < distance(self.n, out.col);
        if self.is_turned {
            (self.m, self.n) = (self.n, self.m);
            self.walks = [out, b, a].map(Walk::turned);
            self.starts.swap(1, 2);
            self.loops.iter_mut().for_each(|it| it.steps.swap(1, 2));
        }
    }

    /// Whether there is one product only.
    pub(super) fn is_one(&self) -> bool {
        self.loops.is_empty()
    }

    /// How many products there are.
    pub(super) fn len(&self) -> usize {
        self.loops.iter().map(|it| it.len).product()
    }

    /// How many multiplications each of them takes.
    pub(super) fn work(&self) -> usize {
        self.m.saturating_mul(self.n).saturating_mul(self.k)
    }

    /// Where the matrices of product `i` begin.
    pub(super) fn starts(&self, i: usize) -> [usize; 3] {
        let (mut starts, mut rest) = (self.starts, i);
        for it in self.loops.iter().rev() {
            let turn = (rest % it.len) as isize;
            rest /= it.len;
            for (start, step) in starts.iter_mut().zip(it.steps) {
                *start = start.wrapping_add_signed(turn * step);
            }
        }
        starts
    }
}

/// Where the first matrices begin, and the loops over the first `n` axes, in the order of the result.
fn axes_before(layouts: [&Layout; 3], n: usize) -> ([usize; 3], Vec<Loop<3>>) {
    let before = layouts.map(|layout| {
        let axes = &layout.axes()[..n];
        Layout::new(layout.start(), axes).expect("a part of a layout is a layout")
    });
    let plan = Plan::elementwise(before.each_ref(), [1; 3]).expect("batches are of one shape");
    (plan.starts(), plan.loops().to_vec())
}

/// Whether steps of an outer axis continue `len` steps of an inner one, in both operands.
fn continues(len: usize, inner: [isize; 2], outer: [isize; 2]) -> bool {
    // A product of steps may overflow where one step less would not; then nothing continues.
    let whole = inner.map(|step| step.checked_mul(len as isize));
    len == 1 || whole == outer.map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(out: &Layout, a: &Layout, b: &Layout) -> Batch {
        Batch::new([out, a, b])
    }

    #[test]
    fn a_batch_with_one_right_factor_is_one_product() {
        let (out, a) = (Layout::row_major(&[8, 32, 5]), Layout::row_major(&[8, 32, 7]));
        let b = Layout::row_major(&[7, 5]).unwrap().broadcast_to([8, 7, 5]).unwrap();
        let batch = batch(&out.unwrap(), &a.unwrap(), &b);
        assert_eq!((batch.m, batch.n, batch.k, batch.len()), (256, 5, 7, 1));
    }

    #[test]
    fn a_batch_of_vectors_is_one_product() {
        let (out, a) = (Layout::row_major(&[6, 1, 5]).unwrap(), Layout::row_major(&[6, 1, 7]));
        let b = Layout::row_major(&[7, 5]).unwrap().broadcast_to([6, 7, 5]).unwrap();
        let batch = batch(&out, &a.unwrap().flip(&[0]).unwrap(), &b);
        assert_eq!((batch.m, batch.len()), (6, 1));
        assert_eq!((batch.walks[0].row, batch.walks[1].row), (5, -7));
        assert_eq!(batch.starts(0), [0, 35, 0]);
    }

    #[test]
    fn a_result_that_runs_down_its_columns_is_turned() {
        let out = Layout::col_major(&[3, 4]).unwrap();
        let (a, b) = (Layout::row_major(&[3, 5]).unwrap(), Layout::row_major(&[5, 4]).unwrap());
        let batch = batch(&out, &a, &b);
        assert!(batch.is_turned);
        assert_eq!((batch.m, batch.n), (4, 3));
        assert_eq!(batch.walks[0], Walk { row: 3, col: 1 });
        assert_eq!(batch.walks[1], Walk { row: 1, col: 4 });
        assert_eq!(batch.walks[2], Walk { row: 1, col: 5 });
    }

    #[test]
    fn a_column_is_a_row() {
        let out = Layout::row_major(&[9, 1]).unwrap();
        let (a, b) = (Layout::row_major(&[9, 5]).unwrap(), Layout::row_major(&[5, 1]).unwrap());
        let batch = batch(&out, &a, &b);
        assert_eq!((batch.is_turned, batch.m, batch.n), (true, 1, 9));
    }

    #[test]
    fn every_product_begins_where_its_layouts_say() {
        let out = Layout::row_major(&[2, 3, 4, 6]).unwrap().permute(&[1, 0, 2, 3]).unwrap();
        let a = Layout::row_major(&[2, 4, 5]).unwrap().broadcast_to([3, 2, 4, 5]).unwrap();
        let b = Layout::row_major(&[3, 1, 5, 6]).unwrap().broadcast_to([3, 2, 5, 6]).unwrap();
        let batch = batch(&out, &a, &b.flip(&[0]).unwrap());
        let mut found: Vec<_> = (0..batch.len()).map(|i| batch.starts(i)).collect();
        let starts = |i: usize, j: usize| [24 * (3 * j + i), 20 * j, 30 * (2 - i)];
        let mut wanted: Vec<_> = (0..6).map(|i| starts(i / 2, i % 2)).collect();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted);
    }
}
