//! Batches of products, simplified to as few and as large products as possible.

use crate::Layout;
use crate::plan::{Loop, Plan};

/// The strides of the rows and of the columns of a matrix, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MatrixStrides {
    pub row: isize,
    pub col: isize,
}

impl MatrixStrides {
    /// Returns the strides of the transposed matrix.
    fn transposed(self) -> MatrixStrides {
        MatrixStrides { row: self.col, col: self.row }
    }
}

/// Products of one shape: `m × k` by `k × n`.
///
/// The column stride of the result is at most its row stride, so kernels loop along columns innermost.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MatmulBatch {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    /// The strides of the result, the left factor and the right factor.
    pub strides: [MatrixStrides; 3],
    /// Whether all three are transposed, which swaps the factors.
    pub is_transposed: bool,
    starts: [usize; 3],
    /// The batch axes that were not merged, outermost first.
    loops: Vec<Loop<3>>,
}

impl MatmulBatch {
    /// Returns the products of a result `[…, m, n]` and its factors `[…, m, k]` and `[…, k, n]`.
    ///
    /// # Panics
    /// If the shapes are not of this form.
    pub(super) fn new(layouts: [&Layout; 3]) -> MatmulBatch {
        let rank = layouts[0].rank();
        let is_ranked = rank >= 2 && layouts.iter().all(|layout| layout.rank() == rank);
        assert!(is_ranked, "a product of matrices");
        let [out, a, b] = layouts.map(|layout| [rank - 2, rank - 1].map(|k| layout.axes()[k]));
        let is_fit = out[0].len == a[0].len && a[1].len == b[0].len && b[1].len == out[1].len;
        assert!(is_fit, "the shapes of a product match");
        let (starts, loops) = match rank {
            2 => (layouts.map(Layout::start), Vec::new()),
            _ => batch_loops(layouts, rank - 2),
        };
        let mut batch = MatmulBatch {
            m: out[0].len,
            n: out[1].len,
            k: a[1].len,
            strides: [out, a, b]
                .map(|[row, col]| MatrixStrides { row: row.stride, col: col.stride }),
            is_transposed: false,
            starts,
            loops,
        };
        if !batch.loops.is_empty() {
            batch.merge_axes();
        }
        batch.transpose_if_column_major();
        batch
    }

    /// Merges batch axes with the rows (or columns) where they continue them and the other factor is
    /// broadcast: `[8, 32, k]` by `[k, n]` is one product of 256 rows.
    fn merge_axes(&mut self) {
        let mut kept = Vec::new();
        for it in std::mem::take(&mut self.loops).into_iter().rev() {
            let [out, a, b] = it.steps;
            let strides = &mut self.strides;
            if b == 0 && continues(self.m, [strides[0].row, strides[1].row], [out, a]) {
                if self.m == 1 {
                    (strides[0].row, strides[1].row) = (out, a);
                }
                self.m *= it.len;
            } else if a == 0 && continues(self.n, [strides[0].col, strides[2].col], [out, b]) {
                if self.n == 1 {
                    (strides[0].col, strides[2].col) = (out, b);
                }
                self.n *= it.len;
            } else {
                kept.push(it);
            }
        }
        kept.reverse();
        self.loops = kept;
    }

    /// Transposes all three matrices if the row stride of the result is less than its column stride.
    fn transpose_if_column_major(&mut self) {
        let distance = |len: usize, step: isize| match len {
            0 | 1 => usize::MAX,
            _ => step.unsigned_abs(),
        };
        let [out, a, b] = self.strides;
        self.is_transposed = distance(self.m, out.row) < distance(self.n, out.col);
        if self.is_transposed {
            (self.m, self.n) = (self.n, self.m);
            self.strides = [out, b, a].map(MatrixStrides::transposed);
            self.starts.swap(1, 2);
            self.loops.iter_mut().for_each(|it| it.steps.swap(1, 2));
        }
    }

    /// Whether there is exactly one product.
    pub(super) fn is_one(&self) -> bool {
        self.loops.is_empty()
    }

    /// Returns the number of products.
    pub(super) fn len(&self) -> usize {
        self.loops.iter().map(|it| it.len).product()
    }

    /// Returns the multiplications of each product.
    pub(super) fn work(&self) -> usize {
        self.m.saturating_mul(self.n).saturating_mul(self.k)
    }

    /// Returns the offsets of the first elements of the matrices of product `i`.
    pub(super) fn starts(&self, i: usize) -> [usize; 3] {
        let (mut starts, mut rest) = (self.starts, i);
        for it in self.loops.iter().rev() {
            let iteration = (rest % it.len) as isize;
            rest /= it.len;
            for (start, step) in starts.iter_mut().zip(it.steps) {
                *start = start.wrapping_add_signed(iteration * step);
            }
        }
        starts
    }
}

/// Returns the offsets of the first matrices, and the loops over the first `n` axes, in the order of the result.
fn batch_loops(layouts: [&Layout; 3], n: usize) -> ([usize; 3], Vec<Loop<3>>) {
    let before = layouts.map(|layout| {
        let axes = &layout.axes()[..n];
        Layout::new(layout.start(), axes).expect("some axes of a layout are a layout")
    });
    let plan = Plan::elementwise(before.each_ref(), [1; 3]).expect("batches have one shape");
    (plan.starts(), plan.loops().to_vec())
}

/// Whether an outer axis continues an inner axis of length `len`, in both operands.
fn continues(len: usize, inner: [isize; 2], outer: [isize; 2]) -> bool {
    // The product may overflow although all offsets fit; then the axes are not merged.
    let whole = inner.map(|step| step.checked_mul(len as isize));
    len == 1 || whole == outer.map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(out: &Layout, a: &Layout, b: &Layout) -> MatmulBatch {
        MatmulBatch::new([out, a, b])
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
        assert_eq!((batch.strides[0].row, batch.strides[1].row), (5, -7));
        assert_eq!(batch.starts(0), [0, 35, 0]);
    }

    #[test]
    fn a_column_major_result_is_transposed() {
        let out = Layout::col_major(&[3, 4]).unwrap();
        let (a, b) = (Layout::row_major(&[3, 5]).unwrap(), Layout::row_major(&[5, 4]).unwrap());
        let batch = batch(&out, &a, &b);
        assert!(batch.is_transposed);
        assert_eq!((batch.m, batch.n), (4, 3));
        assert_eq!(batch.strides[0], MatrixStrides { row: 3, col: 1 });
        assert_eq!(batch.strides[1], MatrixStrides { row: 1, col: 4 });
        assert_eq!(batch.strides[2], MatrixStrides { row: 1, col: 5 });
    }

    #[test]
    fn a_result_of_one_column_is_transposed() {
        let out = Layout::row_major(&[9, 1]).unwrap();
        let (a, b) = (Layout::row_major(&[9, 5]).unwrap(), Layout::row_major(&[5, 1]).unwrap());
        let batch = batch(&out, &a, &b);
        assert_eq!((batch.is_transposed, batch.m, batch.n), (true, 1, 9));
    }

    #[test]
    fn offsets_of_all_products_are_those_of_the_layouts() {
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
