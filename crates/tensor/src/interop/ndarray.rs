//! Owned arrays of `ndarray` as tensors, and tensors as arrays; `view/ndarray.rs` has the conversions of views.

use crate::trace::{Call, EventKind, announce_tensor};
use crate::{Error, Layout, Storage, Tensor, Value};
use ndarray::{
    Array, ArrayD, ArrayViewMut, Axis, Dimension, IxDyn, ShapeBuilder, Slice, StrideShape,
};

/// Takes over an array of `ndarray`, with its strides.
///
/// ```
/// use belvedere::prelude::*;
/// use ndarray::{Array2, ShapeBuilder};
///
/// let columns = Array2::from_shape_vec((2, 3).f(), vec![1, 2, 3, 4, 5, 6]).unwrap();
/// let x = Tensor::from(columns);
/// assert_eq!(x.strides(), [1, 2]);
/// assert_eq!(x, tensor![[1, 3, 5], [2, 4, 6]]);
/// ```
///
/// # Panics
/// If there are more than 64 axes.
///
/// # Memory
/// Never copies.
impl<T: Value, D: Dimension> From<Array<T, D>> for Tensor {
    #[track_caller]
    fn from(array: Array<T, D>) -> Tensor {
        let (shape, strides) = (array.shape().to_vec(), array.strides().to_vec());
        let (values, first) = array.into_raw_vec_and_offset();
        let layout = Layout::from_strides(first.unwrap_or(0), &shape, &strides);
        let layout = layout.expect("an array in memory of at most 64 axes has a layout");
        let tensor = Tensor::from_storage(Storage::from_vec(values), layout, T::DTYPE);
        let tensor = tensor.expect("the elements of an array are in its vector");
        announce_tensor(Call::new("from_ndarray"), EventKind::Import, &tensor);
        tensor
    }
}

/// Converts to an array of `ndarray`.
///
/// ```
/// use belvedere::prelude::*;
/// use ndarray::{Array2, array};
///
/// let x = Tensor::from_vec(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
/// let columns = Array2::<i32>::try_from(x.t()?)?;
/// assert_eq!(columns, array![[1, 4], [2, 5], [3, 6]]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the array's type has another element type or another number of axes (`ArrayD` takes any), a guard holds elements
/// for writing, or there is not enough memory.
///
/// # Memory
/// Does not copy if the memory is that of a `Vec<T>`, no other tensor or guard shares it, and `ndarray` can own an array
/// with these strides: no element may have two indices, and each stride must exceed the extent of all smaller ones. Strides
/// are kept then. Otherwise copies, in row-major order.
impl<T: Value, D: Dimension> TryFrom<Tensor> for Array<T, D> {
    type Error = Error;

    #[track_caller]
    fn try_from(mut tensor: Tensor) -> Result<Array<T, D>, Error> {
        let call = Call::new("into_ndarray");
        tensor.check_type::<T::Element>()?;
        check_rank::<D>("Array::try_from", tensor.layout())?;
        let memory = tensor.storage().len() / size_of::<T>();
        let array = match EnclosingArray::new(tensor.layout(), memory) {
            Some(enclosing) if tensor.can_take_vec::<T>() => {
                let (values, layout) = tensor.take_vec(call);
                enclosing.part(values, &layout)
            }
            _ => {
                let values = tensor.copied_to_vec(call)?;
                let array = ArrayD::from_shape_vec(&*tensor.shape(), values);
                array.expect("as many values as elements")
            }
        };
        Ok(array.into_dimensionality().expect("the rank was checked"))
    }
}

/// Checks that a layout has as many axes as the dimension type `D`.
///
/// # Errors
/// If it has more or fewer.
pub(crate) fn check_rank<D: Dimension>(op: &'static str, layout: &Layout) -> Result<(), Error> {
    const AXES: [&str; 7] = ["0 axes", "1 axis", "2 axes", "3 axes", "4 axes", "5 axes", "6 axes"];
    match D::NDIM {
        Some(n) if n != layout.rank() => {
            Err(Error::Form { op, needs: AXES[n], given: layout.shape().into() })
        }
        _ => Ok(()),
    }
}

/// Returns whether `ndarray` writes through these strides in a memory of `n_elements`: it refuses those for which it is not
/// obvious that each element has one index.
pub(crate) fn can_be_written<D: Dimension>(shape: &StrideShape<D>, n_elements: usize) -> bool {
    // Elements without a size stand for those of the memory: the answer does not depend on them.
    let mut elements = vec![(); n_elements];
    ArrayViewMut::from_shape(shape.clone(), &mut elements).is_ok()
}

/// An array that begins with the first element of a vector, of which another array is a part.
///
/// `ndarray` makes an array of a vector only from its first element on. An array that begins later is a slice of one
/// with longer axes: those of the layout, with the distance to its lowest element divided by each stride in turn, and one
/// axis of stride 1 for the remainder.
struct EnclosingArray {
    shape: Vec<usize>,
    strides: Vec<usize>,
    /// Where the part begins on each axis.
    first: Vec<usize>,
}

impl EnclosingArray {
    /// Returns the array for a layout in a vector of `memory` elements; `None` if `ndarray` refuses it.
    fn new(layout: &Layout, memory: usize) -> Option<EnclosingArray> {
        let mut shape: Vec<usize> = layout.axes().iter().map(|axis| axis.len).collect();
        let mut strides: Vec<usize> =
            layout.axes().iter().map(|axis| axis.stride.unsigned_abs()).collect();
        let mut first = vec![0; shape.len()];
        let mut distance = layout.span().start;
        let mut outermost_first: Vec<usize> = (0..shape.len()).filter(|&k| shape[k] > 1).collect();
        outermost_first.sort_by_key(|&k| std::cmp::Reverse(strides[k]));
        for k in outermost_first {
            first[k] = distance.checked_div(strides[k])?;
            shape[k] += first[k];
            distance %= strides[k];
        }
        shape.push(distance + 1);
        strides.push(1);
        first.push(distance);
        let array = EnclosingArray { shape, strides, first };
        can_be_written(&array.stride_shape(), memory).then_some(array)
    }

    fn stride_shape(&self) -> StrideShape<IxDyn> {
        IxDyn(&self.shape).strides(IxDyn(&self.strides))
    }

    /// Returns the array with the layout that this one was made for.
    fn part<T>(&self, values: Vec<T>, layout: &Layout) -> ArrayD<T> {
        let array = ArrayD::from_shape_vec(self.stride_shape(), values);
        let mut array = array.expect("`new` has checked the strides");
        for (k, axis) in layout.axes().iter().enumerate() {
            array.slice_axis_inplace(Axis(k), Slice::from(self.first[k]..));
            if axis.stride < 0 {
                array.invert_axis(Axis(k));
            }
        }
        array.index_axis_move(Axis(layout.rank()), self.first[layout.rank()])
    }
}
