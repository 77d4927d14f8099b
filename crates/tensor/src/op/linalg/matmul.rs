//! Matrix products.

use crate::kernel::matmul::{is_one_tile, matmul, multiply};
use crate::op::convert::converted;
use crate::op::execute::{InputIsOutput, SmallOperands, SmallShape, compute_into, compute_new};
use crate::op::number::common_type;
use crate::op::operand::{Operand, Target};
use crate::trace::{Call, composite, composite_into};
use crate::view::{AnyView, AnyViewMut, Source, Written};
use crate::{Axis, DType, Error, Layout, Shape, Tensor};
use belvedere_layout::broadcast_shapes;

/// How two operands are multiplied by [`matmul_with`].
///
/// ```
/// use belvedere::Product;
///
/// let product = Product { transpose_b: true, ..Product::default() };
/// assert!(!product.transpose_a && !product.accumulate);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Product {
    /// Whether the last two axes of the left operand are transposed. A vector is not.
    pub transpose_a: bool,
    /// Whether the last two axes of the right operand are transposed. A vector is not.
    pub transpose_b: bool,
    /// Whether the product is added to the output instead of overwriting it.
    pub accumulate: bool,
}

impl Tensor {
    /// Computes matrix products: the last two axes are rows and columns, and the axes before them are
    /// broadcast.
    ///
    /// A vector is a row on the left and a column on the right, and that axis is dropped from the result.
    ///
    /// Integers wrap; `float16` and `bfloat16` are accumulated in `float32` and rounded once. On one machine the
    /// result is bit-identical for every number of threads.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let a = tensor![[1, 2], [3, 4]];
    /// let b = tensor![[5, 6], [7, 8]];
    /// assert_eq!(a.matmul(&b)?.to_vec::<i32>()?, [19, 22, 43, 50]);
    ///
    /// let x = tensor![1, 10];
    /// assert_eq!(a.matmul(&x)?.to_vec::<i32>()?, [21, 43]);
    /// assert_eq!(x.matmul(&a)?.to_vec::<i32>()?, [31, 42]);
    /// assert_eq!(x.matmul(&x)?.item::<i32>()?, 101);
    ///
    /// let stack = Tensor::ones([7, 2, 3], DType::Int32)?;
    /// assert_eq!(a.matmul(&stack)?.shape(), [7, 2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shapes do not match, an operand is a scalar, the dtype is `bool`, or there is not enough memory.
    ///
    /// # Memory
    /// Views of any strides are read in place. An operand of another dtype than the result is copied to cast it, and
    /// so is a lens that is not a strided view.
    #[track_caller]
    pub fn matmul<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Tensor, Error> {
        product_of(Call::new("matmul"), self, other.into())
    }
}

/// Computes a product into a new tensor.
pub(super) fn product_of(call: Call<'_>, a: &Tensor, b: Operand<'_>) -> Result<Tensor, Error> {
    if let Some(b) = b.tensor() {
        if let Some(product) = small_product(call, a, b) {
            return product;
        }
        if let Some(lens) = plain_product(a, b) {
            let (inputs, dtype) = ([a.into(), b.into()], a.dtype());
            let layout = Layout::row_major(&lens)?;
            return compute_new(call, layout, dtype, &inputs, |out, [a, b]| {
                matmul(out, &a, &b, false)
            });
        }
    }
    let factors = Factors::new(a.into(), b, Product::default())?;
    match factors.needs_copies() {
        false => factors.compute(call),
        true => composite(call, &[factors.a.clone(), factors.b.clone()], || {
            factors.compute(call.part())
        }),
    }
}

/// Multiplies matrices and vectors of one dtype that are one tile of the microkernel. `None` if they are not, or another
/// thread has borrowed their memory.
fn small_product(call: Call<'_>, a: &Tensor, b: &Tensor) -> Option<Result<Tensor, Error>> {
    const ONE: Axis = Axis::new(1, 0);
    let dtype = a.dtype();
    if b.dtype() != dtype || dtype.is_bool() {
        return None;
    }
    // A vector is a row on the left. On the right it is a column, and the product is computed transposed, as a row.
    let (left, right, rank, is_transposed) = match (a.layout().axes(), b.layout().axes()) {
        (&[m, k], &[inner, n]) => ([m, k], [inner, n], 2, false),
        (&[k], &[inner, n]) => ([ONE, k], [inner, n], 1, false),
        (&[m, inner], &[k]) => ([ONE, k], [inner, m], 1, true),
        (&[k], &[inner]) => ([ONE, k], [inner, ONE], 0, false),
        _ => return None,
    };
    let lens = [left[0].len, right[1].len, left[1].len];
    let is_tile = is_one_tile(lens, [left[1].stride, right[0].stride], dtype);
    if left[1].len != right[0].len || !is_tile {
        return None;
    }
    let (inputs, event) = ([a, b].map(Operand::from), call.announce());
    let matrices = if is_transposed { [right, left] } else { [left, right] };
    let small = SmallOperands::borrow_matrices(&inputs, matrices)?;
    let shape = SmallShape::Rows { lens: [lens[0], lens[1]], rank };
    Some(small.compute(&event, shape, dtype, |out, [a, b]| match is_transposed {
        true => multiply(out, [b, a]),
        false => multiply(out, [a, b]),
    }))
}

/// Returns the lengths `[m, n]` of a product of two matrices of one dtype, which needs no broadcasting and no cast.
fn plain_product(a: &Tensor, b: &Tensor) -> Option<[usize; 2]> {
    let ([m, k], [inner, n]) = (a.layout().axes(), b.layout().axes()) else { return None };
    let is_plain = k.len == inner.len && a.dtype() == b.dtype() && !a.dtype().is_bool();
    is_plain.then_some([m.len, n.len])
}

/// Writes [`Tensor::matmul`] of `a` and `b` to `out`.
///
/// ```
/// use belvedere::prelude::*;
///
/// let (a, b) = (tensor![[1, 2], [3, 4]], tensor![[5, 6], [7, 8]]);
/// let out = Tensor::zeros([2, 4], DType::Int32)?;
/// belvedere::matmul_into(&a, &b, &out.slice(s![.., ..;2])?)?;
/// assert_eq!(out.to_vec::<i32>()?, [19, 0, 22, 0, 43, 0, 50, 0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for the method; and if `out` has another shape or dtype than the product, shares memory with an operand, or
/// is read-only.
///
/// # Memory
/// As for [`Tensor::matmul`]; `out` may have any strides.
#[track_caller]
pub fn matmul_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    write(Call::new("matmul"), a.into(), b.into(), out.into(), Product::default())
}

/// Adds [`Tensor::matmul`] of `a` and `b` to `out`.
///
/// ```
/// use belvedere::prelude::*;
///
/// let (a, b) = (tensor![[1.0, 2.0]], tensor![[3.0], [4.0]]);
/// let sum = tensor![[100.0]];
/// belvedere::matmul_add_into(&a, &b, &sum)?;
/// assert_eq!(sum.item::<f64>()?, 111.0);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`matmul_into`].
///
/// # Memory
/// As for [`matmul_into`].
#[track_caller]
pub fn matmul_add_into<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
) -> Result<(), Error> {
    let product = Product { accumulate: true, ..Product::default() };
    let params = [("accumulate", true.into())];
    write(Call::new("matmul").with(&params), a.into(), b.into(), out.into(), product)
}

/// Multiplies `a` and `b`, transposed or not, and writes the product to `out` or adds it.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::{Product, matmul_with};
///
/// let (a, b) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![[5.0, 6.0], [7.0, 8.0]]);
/// let g = Tensor::ones([2, 2], DType::Float64)?;
/// let (grad_a, grad_b) = (a.zeros_like()?, b.zeros_like()?);
/// matmul_with(&g, &b, &grad_a, Product { transpose_b: true, ..Product::default() })?;
/// matmul_with(&a, &g, &grad_b, Product { transpose_a: true, ..Product::default() })?;
/// assert_eq!(grad_a.to_vec::<f64>()?, [11.0, 15.0, 11.0, 15.0]);
/// assert_eq!(grad_b.to_vec::<f64>()?, [4.0, 4.0, 6.0, 6.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`matmul_into`]; shapes in messages are those after transposing.
///
/// # Memory
/// As for [`matmul_into`]; transposing copies nothing.
#[track_caller]
pub fn matmul_with<'a>(
    a: impl Into<Operand<'a>>,
    b: impl Into<Operand<'a>>,
    out: impl Into<Target<'a>>,
    product: Product,
) -> Result<(), Error> {
    let params = [
        ("transpose_a", product.transpose_a.into()),
        ("transpose_b", product.transpose_b.into()),
        ("accumulate", product.accumulate.into()),
    ];
    write(Call::new("matmul").with(&params), a.into(), b.into(), out.into(), product)
}

fn write(
    call: Call<'_>,
    a: Operand<'_>,
    b: Operand<'_>,
    out: Target<'_>,
    product: Product,
) -> Result<(), Error> {
    let factors = Factors::new(a, b, product)?;
    out.check_shape(call.op, &factors.shape)?;
    if out.dtype() != factors.dtype {
        return Err(Error::WrongDType { asked: factors.dtype, found: out.dtype() });
    }
    match factors.needs_copies() {
        false => factors.compute_into(call, out),
        true => composite_into(call, &[factors.a.clone(), factors.b.clone()], out, |out| {
            factors.compute_into(call.part(), out)
        }),
    }
}

/// Two operands of a product, whose shapes and dtypes have been checked.
struct Factors<'a> {
    a: Operand<'a>,
    b: Operand<'a>,
    product: Product,
    /// Their common dtype.
    dtype: DType,
    /// The shape of the product.
    shape: Shape,
    /// The shapes `[…, m, k]` and `[…, k, n]` that they are broadcast to.
    stacks: [Shape; 2],
}

/// Operands that had to be cast.
type CastFactors = [Option<Box<Tensor>>; 2];

impl<'a> Factors<'a> {
    /// Checks dtypes and shapes.
    fn new(a: Operand<'a>, b: Operand<'a>, product: Product) -> Result<Factors<'a>, Error> {
        let shapes = [shape_of(&a, product.transpose_a), shape_of(&b, product.transpose_b)];
        let Some(stacks) = stacks_of(&shapes) else {
            let [left, right] = shapes;
            return Err(Error::Matmul { left: left.into(), right: right.into() });
        };
        let dtype = common_type(&[&a, &b]);
        if dtype.is_bool() {
            return Err(Error::Unsupported { op: "matmul", dtype });
        }
        let [.., m, _] = stacks[0][..] else { unreachable!("a stack is of matrices") };
        let [ref before @ .., _, n] = stacks[1][..] else { unreachable!("a stack is of matrices") };
        if !before.is_empty() {
            // Broadcasting copies nothing, but the number of elements must not overflow.
            Layout::row_major(&stacks[0])?;
            Layout::row_major(&stacks[1])?;
        }
        let ends = [(m, &shapes[0]), (n, &shapes[1])].into_iter();
        let ends = ends.filter(|(_, shape)| shape.len() > 1).map(|(len, _)| len);
        let shape = before.iter().copied().chain(ends).collect();
        Ok(Factors { a, b, product, dtype, shape, stacks })
    }

    /// Returns whether an operand is copied first: it has another dtype, or is a lens without strides.
    fn needs_copies(&self) -> bool {
        let is_copied = |it: &Operand<'_>| it.lens().is_some() || it.dtype() != Some(self.dtype);
        is_copied(&self.a) || is_copied(&self.b)
    }

    /// Computes the product into a new tensor.
    fn compute(&self, call: Call<'_>) -> Result<Tensor, Error> {
        let converted = self.converted(call)?;
        let layout = Layout::row_major(&self.shape)?;
        compute_new(call, layout, self.dtype, &self.inputs(&converted), |out, views| {
            self.matrices(out, views).multiply(false)
        })
    }

    /// Writes the product to `out`, or adds it.
    fn compute_into(&self, call: Call<'_>, out: Target<'_>) -> Result<(), Error> {
        let converted = self.converted(call)?;
        let inputs = self.inputs(&converted);
        compute_into(call, out, &inputs, InputIsOutput::Refuse, |out, sources| {
            let views = sources.map(|source| match source {
                Source::View(view) => view,
                Source::Output(_) | Source::Shifted(_) => {
                    unreachable!("an output that shares memory with an operand was refused")
                }
            });
            self.matrices(out, views).multiply(self.product.accumulate);
        })
    }

    /// Returns the operands that have another dtype, cast to the common one.
    fn converted(&self, call: Call<'_>) -> Result<CastFactors, Error> {
        Ok([converted(&self.a, self.dtype, call)?, converted(&self.b, self.dtype, call)?])
    }

    fn inputs<'b>(&'b self, converted: &'b CastFactors) -> [Operand<'b>; 2] {
        let input = |operand: &'b Operand<'a>, converted: &'b Option<Box<Tensor>>| match converted {
            Some(tensor) => Operand::from(&**tensor),
            None => operand.clone(),
        };
        [input(&self.a, &converted[0]), input(&self.b, &converted[1])]
    }

    /// Returns the result and the operands as stacks of matrices of one batch shape.
    fn matrices<'x>(&self, mut out: AnyViewMut<'x>, [a, b]: [AnyView<'x>; 2]) -> ProductViews<'x> {
        let [is_row, is_column] = [&a, &b].map(|view| view.layout().rank() == 1);
        if is_column {
            out = out.unsqueeze(-1).expect("an axis was left out");
        }
        if is_row {
            out = out.unsqueeze(-2).expect("an axis was left out");
        }
        let a = match self.product.transpose_a && !is_row {
            true => a.mt().expect("a matrix has two axes"),
            false => a,
        };
        let b = match self.product.transpose_b {
            _ if is_column => b.unsqueeze(-1).expect("a vector has room for another axis"),
            true => b.mt().expect("a matrix has two axes"),
            false => b,
        };
        let a = a.broadcast_to(&self.stacks[0]).expect("the shapes were broadcast");
        let b = b.broadcast_to(&self.stacks[1]).expect("the shapes were broadcast");
        ProductViews { out, a, b }
    }
}

/// The views of a product: `[…, m, n]`, `[…, m, k]` and `[…, k, n]`.
struct ProductViews<'x> {
    out: AnyViewMut<'x>,
    a: AnyView<'x>,
    b: AnyView<'x>,
}

impl<'x> ProductViews<'x> {
    fn multiply(self, add: bool) -> Written<'x> {
        matmul(self.out, &self.a, &self.b, add)
    }
}

/// Returns the shape of an operand, with the last two axes swapped if it is to be transposed.
fn shape_of(operand: &Operand<'_>, is_transposed: bool) -> Shape {
    let mut shape = operand.shape();
    if let ([.., rows, cols], true) = (&mut shape[..], is_transposed) {
        std::mem::swap(rows, cols);
    }
    shape
}

/// Returns the shapes `[…, m, k]` and `[…, k, n]` of two operands, if they can be multiplied.
fn stacks_of([a, b]: &[Shape; 2]) -> Option<[Shape; 2]> {
    let (before_a, m, k) = match a[..] {
        [] => return None,
        [k] => (&[][..], 1, k),
        [ref before @ .., m, k] => (before, m, k),
    };
    let (before_b, n, inner) = match b[..] {
        [] => return None,
        [k] => (&[][..], 1, k),
        [ref before @ .., k, n] => (before, n, k),
    };
    let before = broadcast_shapes(&[before_a, before_b]).ok()?;
    let with = |ends: [usize; 2]| before.iter().copied().chain(ends).collect();
    (k == inner).then(|| [with([m, k]), with([k, n])])
}
