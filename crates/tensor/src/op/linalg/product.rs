//! Dot, outer, inner, Kronecker and cross products, tensor contractions and traces.

use super::contract::{Contraction, column, conjugated_matmul, signed, sum_of_last};
use super::matmul::product_of;
use crate::op::convert::as_type;
use crate::trace::{Call, composite};
use crate::{DType, Error, Integers, Layout, Tensor, broadcast_shapes, mul_into, result_type};

/// The pairs of axes that [`Tensor::tensordot`] sums over.
///
/// A number `n` means the last `n` axes of the left tensor and the first `n` of the right one; two lists name them
/// pair by pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs(AxisPairs);

#[derive(Clone, Debug, PartialEq, Eq)]
enum AxisPairs {
    Count(usize),
    Axes(Vec<isize>, Vec<isize>),
}

impl From<usize> for Pairs {
    fn from(count: usize) -> Pairs {
        Pairs(AxisPairs::Count(count))
    }
}

impl<A: Integers, B: Integers> From<(A, B)> for Pairs {
    fn from((left, right): (A, B)) -> Pairs {
        Pairs(AxisPairs::Axes(left.to_signed().to_vec(), right.to_signed().to_vec()))
    }
}

impl Pairs {
    /// Returns the pairs of axes, for tensors of these layouts.
    fn resolve(&self, [a, b]: [&Layout; 2]) -> Result<Vec<[usize; 2]>, Error> {
        match &self.0 {
            AxisPairs::Count(n) => {
                let least = a.rank().min(b.rank());
                if *n > least {
                    let needs = "no more axes than both tensors have";
                    return Err(Error::Argument { op: "tensordot", needs, given: (*n).into() });
                }
                Ok((0..*n).map(|i| [a.rank() - n + i, i]).collect())
            }
            AxisPairs::Axes(left, right) => {
                if left.len() != right.len() {
                    let needs = "as many axes of the right tensor as of the left one";
                    let given = right.len().into();
                    return Err(Error::Argument { op: "tensordot", needs, given });
                }
                let mut pairs: Vec<[usize; 2]> = Vec::new();
                for (&left, &right) in left.iter().zip(right) {
                    let pair = [a.resolve_axis(left)?, b.resolve_axis(right)?];
                    for (side, &axis) in pair.iter().enumerate() {
                        if pairs.iter().any(|other| other[side] == axis) {
                            return Err(crate::LayoutError::RepeatedAxis { axis }.into());
                        }
                    }
                    pairs.push(pair);
                }
                Ok(pairs)
            }
        }
    }
}

impl Tensor {
    /// Contracts two tensors over pairs of axes.
    ///
    /// The axes of the result are the other axes of `self`, followed by those of `other`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let a = Tensor::ones([2, 3, 4], DType::Float64)?;
    /// let b = Tensor::ones([4, 3, 5], DType::Float64)?;
    /// assert_eq!(a.tensordot(&b, ([1, 2], [1, 0]))?.shape(), [2, 5]);
    /// assert_eq!(a.tensordot(&b, 1)?.shape(), [2, 3, 3, 5]);
    /// assert_eq!(a.tensordot(&b, ([1, 2], [1, 0]))?.get::<f64>(&[0, 0])?, 12.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an axis does not exist, is named twice, or its lengths differ; if the dtype is `bool`; if a copy is
    /// needed and forbidden, or there is not enough memory.
    ///
    /// # Memory
    /// The axes are merged by a view. A tensor whose summed axes, or whose other axes, cannot be merged is copied,
    /// and so is one of another dtype than the result.
    #[track_caller]
    pub fn tensordot(&self, other: &Tensor, axes: impl Into<Pairs>) -> Result<Tensor, Error> {
        contracted_over(Call::new("tensordot"), self, other, &axes.into())
    }

    /// Computes the dot products of vectors along an axis, `Σ conj(xᵢ) yᵢ`. The other axes are broadcast.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.vecdot(&tensor![1, 10], -1)?.to_vec::<i32>()?, [21, 43]);
    /// let i = tensor![Complex::new(0.0, 1.0)];
    /// assert_eq!(i.vecdot(&i, -1)?.item::<Complex<f64>>()?, Complex::new(1.0, 0.0));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist, the lengths along it differ, the other axes do not broadcast, or the dtype is
    /// `bool`.
    ///
    /// # Memory
    /// Views of any strides are read in place. A tensor of another dtype than the result is copied.
    #[track_caller]
    pub fn vecdot(&self, other: &Tensor, axis: isize) -> Result<Tensor, Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("vecdot").with(&params);
        composite(call, &[self.into(), other.into()], || {
            let [a, b] = self.promoted(other, call)?;
            check_lengths(call, [self, other], [axis, axis])?;
            let (a, b) = (a.move_axis(axis, -1)?, b.move_axis(axis, -1)?);
            // Single dot products are those of vectors with a matrix, which threads share.
            if !a.dtype().is_complex() && !a.dtype().is_bool() && a.rank().max(b.rank()) > 1 {
                return sum_of_last(&a, &b, 1, call);
            }
            conjugated_matmul(&a.unsqueeze(-2)?, &b.unsqueeze(-1)?)?.squeeze(&[-2, -1])
        })
    }

    /// Computes matrix-vector products.
    ///
    /// The last two axes of `self` are the matrices, the last axis of `other` the vectors, and the axes
    /// before them are broadcast.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let a = tensor![[1, 2], [3, 4]];
    /// let vectors = tensor![[1, 0], [0, 1], [1, 1]];
    /// assert_eq!(a.matvec(&vectors)?.to_vec::<i32>()?, [1, 3, 2, 4, 3, 7]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `self` has fewer than two axes or `other` has none, the shapes do not match, or the dtype is `bool`.
    ///
    /// # Memory
    /// As for [`Tensor::matmul`].
    #[track_caller]
    pub fn matvec(&self, other: &Tensor) -> Result<Tensor, Error> {
        let call = Call::new("matvec");
        composite(call, &[self.into(), other.into()], || {
            if self.rank() < 2 {
                return Err(no_matrices(call.op, self));
            }
            check_lengths(call, [self, other], [-1, -1])?;
            self.matmul(&other.unsqueeze(-1)?)?.squeeze(&[-1])
        })
    }

    /// Computes products of conjugated vectors and matrices.
    ///
    /// The last axis of `self` are the vectors, the last two axes of `other` the matrices, and the axes
    /// before them are broadcast.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let a = tensor![[1, 2], [3, 4]];
    /// assert_eq!(tensor![1, 10].vecmat(&a)?.to_vec::<i32>()?, [31, 42]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `self` has no axis or `other` has fewer than two, the shapes do not match, or the dtype is `bool`.
    ///
    /// # Memory
    /// As for [`Tensor::vecdot`].
    #[track_caller]
    pub fn vecmat(&self, other: &Tensor) -> Result<Tensor, Error> {
        let call = Call::new("vecmat");
        composite(call, &[self.into(), other.into()], || {
            if other.rank() < 2 {
                return Err(no_matrices(call.op, other));
            }
            let [a, b] = self.promoted(other, call)?;
            check_lengths(call, [self, other], [-1, -2])?;
            conjugated_matmul(&a.unsqueeze(-2)?, &b)?.squeeze(&[-2])
        })
    }

    /// Computes the outer product of two vectors.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let table = tensor![1, 2].outer(&tensor![10, 20, 30])?;
    /// assert_eq!(table.shape(), [2, 3]);
    /// assert_eq!(table.to_vec::<i32>()?, [10, 20, 30, 20, 40, 60]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If one of them is not 1-D, or there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor; copies nothing else.
    #[track_caller]
    pub fn outer(&self, other: &Tensor) -> Result<Tensor, Error> {
        let call = Call::new("outer");
        composite(call, &[self.into(), other.into()], || {
            for x in [self, other] {
                if x.rank() != 1 {
                    return Err(Error::Form {
                        op: call.op,
                        needs: "vectors",
                        given: x.shape().into(),
                    });
                }
            }
            self.unsqueeze(-1)?.mul(other)
        })
    }

    /// Contracts the last axes of two tensors; multiplies if one of them is 0-D.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let a = tensor![[1, 2], [3, 4]];
    /// assert_eq!(a.inner(&tensor![1, 10])?.to_vec::<i32>()?, [21, 43]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the last lengths differ, or the dtype is `bool`.
    ///
    /// # Memory
    /// As for [`Tensor::tensordot`].
    #[track_caller]
    pub fn inner(&self, other: &Tensor) -> Result<Tensor, Error> {
        let call = Call::new("inner");
        composite(call, &[self.into(), other.into()], || {
            if self.rank() == 0 || other.rank() == 0 {
                return self.mul(other);
            }
            contracted(call, self, other, vec![[self.rank() - 1, other.rank() - 1]])
        })
    }

    /// Computes NumPy's `dot`: contracts the last axis of `self` and the second to last of `other`, or its only one;
    /// multiplies if one of them is 0-D.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(tensor![1, 2].dot(&tensor![3, 4])?.item::<i32>()?, 11);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the lengths differ, or the dtype is `bool`.
    ///
    /// # Memory
    /// As for [`Tensor::tensordot`].
    #[track_caller]
    pub fn dot(&self, other: &Tensor) -> Result<Tensor, Error> {
        let call = Call::new("dot");
        if is_matrix_product(self, other) {
            return product_of(call, self, other.into());
        }
        composite(call, &[self.into(), other.into()], || {
            if self.rank() == 0 || other.rank() == 0 {
                return self.mul(other);
            }
            contracted(call, self, other, vec![[self.rank() - 1, other.rank().saturating_sub(2)]])
        })
    }

    /// Computes the Kronecker product: each element of `self` times all of `other`.
    ///
    /// Axes of length 1 are prepended to the tensor of lower rank.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![1, 10].kron(&tensor![[1, 2, 3]])?;
    /// assert_eq!(x.shape(), [1, 6]);
    /// assert_eq!(x.to_vec::<i32>()?, [1, 2, 3, 10, 20, 30]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor; copies nothing else.
    #[track_caller]
    pub fn kron(&self, other: &Tensor) -> Result<Tensor, Error> {
        let call = Call::new("kron");
        composite(call, &[self.into(), other.into()], || {
            let rank = self.rank().max(other.rank());
            let (mut a, mut b) = (self.clone(), other.clone());
            while a.rank() < rank {
                a = a.unsqueeze(0)?;
            }
            while b.rank() < rank {
                b = b.unsqueeze(0)?;
            }
            let lens: Vec<[usize; 2]> = a
                .shape()
                .iter()
                .copied()
                .zip(b.shape().iter().copied())
                .map(|(a, b)| [a, b])
                .collect();
            for k in 0..rank as isize {
                (a, b) = (a.unsqueeze(2 * k + 1)?, b.unsqueeze(2 * k)?);
            }
            // A row-major output, whatever the layouts of the operands are, so that pairs of axes can be merged.
            let out = Tensor::zeros(lens.concat(), result_type(a.dtype(), b.dtype()))?;
            mul_into(&a, &b, &out)?;
            // If a length is 0, the product of others may overflow.
            let whole: Vec<usize> = lens.iter().map(|[a, b]| a.saturating_mul(*b)).collect();
            out.view(whole)
        })
    }

    /// Sums a diagonal of the last two axes; a positive `shift` is above the main diagonal.
    ///
    /// Integers are summed in 64 bits.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    /// assert_eq!(x.trace(0)?.item::<f64>()?, 5.0);
    /// assert_eq!(x.trace(1)?.item::<f64>()?, 2.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are fewer than two axes.
    ///
    /// # Memory
    /// The diagonal is a view.
    #[track_caller]
    pub fn trace(&self, shift: isize) -> Result<Tensor, Error> {
        let params = [("offset", shift.into())];
        let call = Call::new("trace").with(&params);
        composite(call, &[self.into()], || {
            if self.rank() < 2 {
                return Err(no_matrices(call.op, self));
            }
            self.diagonal(shift, -2, -1)?.sum(-1)
        })
    }

    /// Returns [`Tensor::trace`] of the elements cast to `dtype`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[200u8, 0], [0, 100]];
    /// assert_eq!(x.trace_as(0, DType::UInt8)?.item::<u8>()?, 44);
    /// assert_eq!(x.trace_as(0, DType::Float32)?.item::<f32>()?, 300.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::trace`]; and if complex numbers would be cast to real ones, or the dtype is `bool`.
    ///
    /// # Memory
    /// Copies nothing: elements of the diagonal are cast block by block.
    #[track_caller]
    pub fn trace_as(&self, shift: isize, dtype: DType) -> Result<Tensor, Error> {
        let params = [("offset", shift.into()), ("dtype", dtype.into())];
        let call = Call::new("trace").with(&params);
        composite(call, &[self.into()], || {
            if self.rank() < 2 {
                return Err(no_matrices(call.op, self));
            }
            self.diagonal(shift, -2, -1)?.sum_as(-1, dtype)
        })
    }

    /// Computes the cross products of vectors of length 3 along an axis. The other axes are broadcast.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let (x, y) = (tensor![1, 0, 0], tensor![0, 1, 0]);
    /// assert_eq!(x.cross(&y, -1)?.to_vec::<i32>()?, [0, 0, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist, a length along it is not 3, the other axes do not broadcast, or the dtype is
    /// `bool`.
    ///
    /// # Memory
    /// Always allocates a new tensor, and a temporary one for each component.
    #[track_caller]
    pub fn cross(&self, other: &Tensor, axis: isize) -> Result<Tensor, Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("cross").with(&params);
        composite(call, &[self.into(), other.into()], || {
            let mut sides = [self, other].into_iter().map(|x| {
                let k = x.layout().resolve_axis(axis)?;
                if x.shape()[k] != 3 {
                    let needs = "length 3 along the axis";
                    return Err(Error::Form { op: call.op, needs, given: x.shape().into() });
                }
                x.move_axis(axis, -1)
            });
            let (Some(a), Some(b)) = (sides.next(), sides.next()) else {
                unreachable!("there are two sides")
            };
            let (a, b) = (a?, b?);
            let dtype = result_type(a.dtype(), b.dtype());
            if dtype.is_bool() {
                return Err(Error::Unsupported { op: call.op, dtype });
            }
            let shape = broadcast_shapes(&[&a.shape(), &b.shape()])?;
            let out = Tensor::zeros(shape, dtype)?;
            for i in 0..3 {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let part = out.select(-1, i)?;
                mul_into(&a.select(-1, j)?, &b.select(-1, k)?, &part)?;
                part.sub_assign(&a.select(-1, k)?.mul(&b.select(-1, j)?)?)?;
            }
            out.move_axis(-1, axis)
        })
    }

    /// Returns both tensors, cast to their common dtype.
    fn promoted(&self, other: &Tensor, call: Call<'_>) -> Result<[Tensor; 2], Error> {
        let dtype = result_type(self.dtype(), other.dtype());
        if dtype.is_bool() {
            return Err(Error::Unsupported { op: call.op, dtype });
        }
        Ok([as_type(self, dtype, call)?, as_type(other, dtype, call)?])
    }
}

/// Contracts two tensors over pairs of axes as an operation, whose parameters are the axes of each tensor.
fn contracted_over(call: Call<'_>, a: &Tensor, b: &Tensor, pairs: &Pairs) -> Result<Tensor, Error> {
    let summed = pairs.resolve([a.layout(), b.layout()])?;
    let [axes_a, axes_b] = [0, 1].map(|side| signed(&column(&summed, side)));
    let params = [("axes_a", (&axes_a[..]).into()), ("axes_b", (&axes_b[..]).into())];
    let call = call.with(&params);
    composite(call, &[a.into(), b.into()], || contracted(call, a, b, summed))
}

/// Contracts two tensors over pairs of axes.
#[track_caller]
fn contracted(
    call: Call<'_>,
    a: &Tensor,
    b: &Tensor,
    summed: Vec<[usize; 2]>,
) -> Result<Tensor, Error> {
    for pair in &summed {
        check_lengths(call, [a, b], pair.map(|k| k as isize))?;
    }
    let free = |x: &Tensor, side: usize| {
        (0..x.rank()).filter(|k| summed.iter().all(|pair| pair[side] != *k)).collect()
    };
    let (left, right) = (free(a, 0), free(b, 1));
    let [a, b] = a.promoted(b, call)?;
    Contraction { batch: Vec::new(), left, right, summed }.contract(&a, &b, call)
}

/// Checks that two axes have the same length.
fn check_lengths(call: Call<'_>, sides: [&Tensor; 2], axes: [isize; 2]) -> Result<(), Error> {
    let [a, b] = sides;
    let pair = (a.layout().resolve_axis(axes[0])?, b.layout().resolve_axis(axes[1])?);
    let (left, right) = (a.shape(), b.shape());
    if left[pair.0] != right[pair.1] {
        let (left, right) = (left.into(), right.into());
        return Err(Error::Contraction { op: call.op, axes: pair, left, right });
    }
    Ok(())
}

/// Returns the error of a tensor of fewer than two axes.
pub(super) fn no_matrices(op: &'static str, x: &Tensor) -> Error {
    Error::Form { op, needs: "matrices", given: x.shape().into() }
}

/// Returns whether NumPy's `dot` of two tensors is their matrix product, without a cast: they are vectors or matrices.
fn is_matrix_product(x: &Tensor, y: &Tensor) -> bool {
    let ([k] | [_, k], [inner] | [inner, _]) = (x.layout().axes(), y.layout().axes()) else {
        return false;
    };
    k.len == inner.len && x.dtype() == y.dtype() && !x.dtype().is_bool()
}
