//! Creation of tensors: zeros, ones, vectors, functions.

use super::Tensor;
use crate::copies::CopyReason;
use crate::kernel::copy::copy;
use crate::op::execute::compute_new;
use crate::storage::creates_meta;
use crate::trace::{
    Call, EventKind, Param, announce_new, announce_tensor, composite, is_listening,
};
use crate::view::Cell;
use crate::{DType, Element, Error, Integers, Layout, Operand, Storage, Value};

impl Tensor {
    /// Creates a tensor of zeros in row-major order.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([2, 3], DType::Float32)?;
    /// assert_eq!(x.to_vec::<f32>()?, [0.0; 6]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn zeros(shape: impl Integers, dtype: DType) -> Result<Tensor, Error> {
        Tensor::zeros_in(Call::new("zeros"), Layout::row_major(shape)?, dtype)
    }

    /// Creates a tensor of zeros with the dtype of a Rust type.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros_of::<f32>((2, 3))?;
    /// assert_eq!((x.dtype(), x.shape()), (DType::Float32, [2, 3].into()));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn zeros_of<T: Value>(shape: impl Integers) -> Result<Tensor, Error> {
        Tensor::zeros(shape, T::DTYPE)
    }

    /// Creates a tensor of zeros in column-major order: the first axis has stride 1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros_col_major([2, 3], DType::Float64)?;
    /// assert_eq!(x.strides(), [1, 2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn zeros_col_major(shape: impl Integers, dtype: DType) -> Result<Tensor, Error> {
        Tensor::zeros_in(
            Call::new("zeros_col_major"),
            Layout::col_major(&Layout::row_major(shape)?.shape())?,
            dtype,
        )
    }

    /// Creates zeros in a dense layout.
    pub(super) fn zeros_in(call: Call<'_>, layout: Layout, dtype: DType) -> Result<Tensor, Error> {
        if creates_meta() {
            let zeros = Tensor::meta_in(layout, dtype)?;
            announce_new(call, &zeros);
            return Ok(zeros);
        }
        let bytes = layout.len().checked_mul(dtype.size());
        let storage = Storage::zeroed(bytes.ok_or(Error::OutOfMemory { bytes: usize::MAX })?)?;
        let zeros = Tensor::from_storage(storage, layout, dtype)?;
        announce_new(call, &zeros);
        Ok(zeros)
    }

    /// Creates a tensor of ones.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::ones([3], DType::Int16)?.to_vec::<i16>()?, [1, 1, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn ones(shape: impl Integers, dtype: DType) -> Result<Tensor, Error> {
        let one = 1u8.cast_cell(dtype);
        Tensor::fresh_full(Call::new("ones"), Layout::row_major(shape)?, one, Param::None)
    }

    /// Creates a tensor of ones with the dtype of a Rust type.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::ones_of::<u8>(3)?.to_vec::<u8>()?, [1, 1, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn ones_of<T: Value>(shape: impl Integers) -> Result<Tensor, Error> {
        Tensor::ones(shape, T::DTYPE)
    }

    /// Creates a tensor of one value; its type is the dtype.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::full([2], 1.5f32)?;
    /// assert_eq!(x.dtype(), DType::Float32);
    /// assert_eq!(x.to_vec::<f32>()?, [1.5, 1.5]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn full<T: Value>(shape: impl Integers, value: T) -> Result<Tensor, Error> {
        let cell = Cell::new(value.into_element());
        let value = Param::if_heard(|| cell.to_param());
        Tensor::fresh_full(Call::new("full"), Layout::row_major(shape)?, cell, value)
    }

    /// Creates a tensor of one value with a given dtype.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::full_as([2], 7, DType::Float32)?.to_vec::<f32>()?, [7.0, 7.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dtype cannot hold the value, or there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn full_as<'a>(
        shape: impl Integers,
        value: impl Into<Operand<'a>>,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let value: Operand<'_> = value.into();
        let params = [
            ("shape", Param::if_heard(|| Param::lengths(&shape))),
            ("fill_value", Param::if_heard(|| value.to_param())),
            ("dtype", dtype.into()),
        ];
        composite(Call::new("full").with(&params), std::slice::from_ref(&value), || {
            let result = Tensor::zeros(&shape, dtype)?;
            result.fill(value.clone())?;
            Ok(result)
        })
    }

    /// Creates a tensor of one value in a dense layout.
    pub(super) fn fresh_full(
        call: Call<'_>,
        layout: Layout,
        cell: Cell,
        value: Param<'_>,
    ) -> Result<Tensor, Error> {
        let shape = layout.shape();
        let dtype = cell.dtype();
        let n_params = if value == Param::None { 2 } else { 3 };
        let params = [("shape", (&*shape).into()), ("dtype", dtype.into()), ("fill_value", value)];
        let call = call.with(&params[..n_params]);
        compute_new(call, layout, dtype, &[cell.into()], |out, [value]| {
            copy(out, &value.broadcast_to(&shape).expect("a scalar broadcasts to every shape"))
        })
    }

    /// Creates a matrix with ones on the diagonal and zeros elsewhere. A single length gives a square matrix.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::eye(2, DType::Int8)?.to_vec::<i8>()?, [1, 0, 0, 1]);
    /// assert_eq!(Tensor::eye((2, 3), DType::Int8)?.to_vec::<i8>()?, [1, 0, 0, 0, 1, 0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are more than two lengths, or there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn eye(shape: impl Integers, dtype: DType) -> Result<Tensor, Error> {
        Tensor::eye_with(shape, 0, dtype)
    }

    /// Creates a matrix with ones on the diagonal and the dtype of a Rust type.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// assert_eq!(Tensor::eye_of::<f64>(2)?.to_vec::<f64>()?, [1.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::eye`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn eye_of<T: Value>(shape: impl Integers) -> Result<Tensor, Error> {
        Tensor::eye_with(shape, 0, T::DTYPE)
    }

    /// Creates a matrix with ones on a diagonal that is shifted to the right, or for a negative shift down.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::eye_with((2, 3), 1, DType::Int8)?;
    /// assert_eq!(x.to_vec::<i8>()?, [0, 1, 0, 0, 0, 1]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Tensor::eye`].
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn eye_with(shape: impl Integers, shift: isize, dtype: DType) -> Result<Tensor, Error> {
        let shape = shape.lengths("lengths")?;
        let (rows, cols) = match shape[..] {
            [n] => (n, n),
            [rows, cols] => (rows, cols),
            _ => {
                let given = shape[..].into();
                return Err(Error::Form { op: "eye", needs: "one or two lengths", given });
            }
        };
        let params = [
            ("n_rows", rows.into()),
            ("n_cols", cols.into()),
            ("k", shift.into()),
            ("dtype", dtype.into()),
        ];
        composite(Call::new("eye").with(&params), &[], || {
            let matrix = Tensor::zeros([rows, cols], dtype)?;
            let fits =
                if shift < 0 { shift.unsigned_abs() < rows } else { (shift as usize) < cols };
            if fits {
                let diagonal = matrix.layout.diagonal(shift, 0, 1)?;
                matrix.with_layout(diagonal).fill(true)?;
            }
            Ok(matrix)
        })
    }

    /// Takes over the memory of a vector, in row-major order; one length may be -1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::from_vec(vec![1, 2, 3, 4, 5, 6], [2, -1])?;
    /// assert_eq!(x.shape(), [2, 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape has another number of elements.
    ///
    /// # Memory
    /// Never copies.
    #[track_caller]
    pub fn from_vec<T: Value>(values: Vec<T>, shape: impl Integers) -> Result<Tensor, Error> {
        let flat = Layout::row_major(&[values.len()])?;
        let layout = flat.view(shape)?;
        let tensor = Tensor::from_storage(Storage::from_vec(values), layout, T::DTYPE)?;
        announce_tensor(Call::new("from_vec"), EventKind::Import, &tensor);
        Ok(tensor)
    }

    /// Copies a slice, in row-major order; one length may be -1.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::from_slice(&[1, 2, 3, 4], [2, 2])?;
    /// assert_eq!(x.get::<i32>(&[1, 0])?, 3);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the shape has another number of elements, or there is not enough memory.
    ///
    /// # Memory
    /// Always copies.
    #[track_caller]
    pub fn from_slice<T: Value>(values: &[T], shape: impl Integers) -> Result<Tensor, Error> {
        if !is_listening()
            && let Some(storage) = Storage::inline_copy(values)
        {
            let layout = Layout::row_major(&[values.len()])?.view(shape)?;
            return Tensor::from_storage(storage, layout, T::DTYPE);
        }
        let call = Call::new("from_slice").copying(CopyReason::Requested);
        composite(call, &[], || {
            let mut copied = reserve(values.len())?;
            copied.extend_from_slice(values);
            Tensor::from_vec(copied, shape)
        })
    }

    /// Creates a tensor by calling a function with each index.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::from_fn([2, 3], |index| (index[0] * 10 + index[1]) as i32)?;
    /// assert_eq!(x.to_vec::<i32>()?, [0, 1, 2, 10, 11, 12]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Allocates the result.
    #[track_caller]
    pub fn from_fn<T: Value>(
        shape: impl Integers,
        mut f: impl FnMut(&[usize]) -> T,
    ) -> Result<Tensor, Error> {
        let call = Call::new("from_fn");
        let layout = Layout::row_major(shape)?;
        if creates_meta() {
            return composite(call, &[], || Tensor::meta_in(layout, T::DTYPE));
        }
        let shape = layout.shape();
        let count = shape.iter().product();
        let mut values = reserve(count)?;
        let mut index = vec![0; shape.len()];
        for _ in 0..count {
            values.push(f(&index));
            for (at, len) in index.iter_mut().zip(&*shape).rev() {
                *at += 1;
                if *at < *len {
                    break;
                }
                *at = 0;
            }
        }
        composite(call, &[], || Tensor::from_vec(values, &*shape))
    }
}

/// Allocates an empty vector with capacity for `count` values.
pub(crate) fn reserve<T>(count: usize) -> Result<Vec<T>, Error> {
    let mut values = Vec::new();
    let bytes = count.saturating_mul(size_of::<T>());
    values.try_reserve_exact(count).map_err(|_| Error::OutOfMemory { bytes })?;
    Ok(values)
}

/// Collects items in a vector of their number, which `size_hint` must know.
///
/// # Errors
/// If there is not enough memory for them.
pub(crate) fn try_collect<T>(items: impl Iterator<Item = T>) -> Result<Vec<T>, Error> {
    let (count, upper) = items.size_hint();
    debug_assert_eq!(upper, Some(count), "a known number of items");
    let mut values = reserve(count)?;
    values.extend(items);
    Ok(values)
}

/// A small integer as a [`Cell`] of any dtype.
pub(super) trait CastCell {
    fn cast_cell(self, dtype: DType) -> Cell;
}

impl CastCell for u8 {
    fn cast_cell(self, dtype: DType) -> Cell {
        struct MakeCell(u8);

        impl crate::dtype::AnyTask for MakeCell {
            type Output = Cell;

            fn run<T: Element>(self) -> Cell {
                Cell::new(self.0.cast::<T>())
            }
        }

        dtype.with_any(MakeCell(self))
    }
}
