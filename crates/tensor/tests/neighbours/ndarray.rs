//! `ndarray`: elements are compared index by index, and addresses show that nothing was copied.

use crate::counted;
use crate::zoo::{self, Freedom, GuardedTensor, TestRng};
use belvedere::prelude::*;
use ndarray::{
    Array, Array1, Array2, Array3, ArrayD, ArrayView2, ArrayViewD, ArrayViewMutD, Axis, Dimension,
    IxDyn, ShapeBuilder, Slice, array,
};

/// Returns all layouts of the zoo, and random ones.
fn layouts() -> Vec<Layout> {
    let mut rng = TestRng::new(3);
    let mut layouts = zoo::layouts();
    for _ in 0..zoo::rounds(200) {
        let shape = rng.shape(5, 200);
        layouts.push(rng.random_layout(&shape, Freedom::Any));
    }
    layouts
}

/// Checks that an array has the values at each index, and the strides where they matter.
fn assert_same<D: Dimension>(
    array: &ndarray::ArrayView<'_, i32, D>,
    layout: &Layout,
    values: &[i32],
) {
    assert_eq!(array.shape(), &*layout.shape());
    let found: Vec<i32> = array.iter().copied().collect();
    assert_eq!(found, values, "{layout:?}");
    for (axis, &stride) in layout.axes().iter().zip(array.strides()) {
        assert!(axis.len <= 1 || layout.is_empty() || axis.stride == stride, "{layout:?}");
    }
    // Index by index, in an order of their own.
    let array = array.view().into_dyn();
    for (position, offset) in layout.offsets().enumerate() {
        let index = belvedere_index(layout, position);
        assert_eq!(array[IxDyn(&index)], values[position], "{layout:?} at {offset}");
    }
}

/// Returns the index of a position in row-major order.
fn belvedere_index(layout: &Layout, mut position: usize) -> Vec<usize> {
    let mut index = vec![0; layout.rank()];
    for (at, len) in index.iter_mut().zip(&*layout.shape()).rev() {
        *at = position % len;
        position /= len;
    }
    index
}

#[test]
fn views_of_every_layout_are_arrays_and_back() {
    for layout in layouts() {
        let x = GuardedTensor::<i32>::new(&layout, 2);
        let values = x.values();
        let guard = x.tensor.read::<i32>().unwrap();
        let (array, n_copies) = counted(|| ArrayViewD::try_from(guard.view()).unwrap());
        assert_eq!(n_copies, 0);
        assert_same(&array, &layout, &values);
        let first = x.tensor.storage().address() + 4 * x.tensor.offset();
        assert!(layout.is_empty() || array.as_ptr().addr() == first);

        let back = View::from(array);
        assert_eq!(back.shape(), layout.shape());
        assert_eq!(back.strides(), layout.strides());
        assert_eq!(back.to_vec().unwrap(), values, "{layout:?}");
    }
}

/// Returns whether each stride exceeds the extent of all smaller ones.
fn has_nested_strides(layout: &Layout) -> bool {
    let mut axes: Vec<_> = layout.axes().iter().filter(|axis| axis.len > 1).collect();
    axes.sort_by_key(|axis| axis.stride.unsigned_abs());
    let mut extent = 0;
    layout.is_empty()
        || axes.iter().all(|axis| {
            let exceeds = axis.stride.unsigned_abs() > extent;
            extent += axis.stride.unsigned_abs() * (axis.len - 1);
            exceeds
        })
}

#[test]
fn writes_through_every_view_reach_the_elements_and_nothing_else() {
    for layout in layouts().into_iter().filter(zoo::is_injective) {
        let x = GuardedTensor::<i32>::new(&layout, 2);
        let values = x.values();
        let mut guard = x.tensor.write::<i32>().unwrap();
        let array = ArrayViewMutD::try_from(guard.view_mut());
        if !has_nested_strides(&layout) {
            let text = array.unwrap_err().to_string();
            assert!(text.contains("strides that exceed the extent of all smaller ones"), "{text}");
            continue;
        }
        let mut array = array.unwrap();
        assert_same(&array.view(), &layout, &values);
        array.iter_mut().enumerate().for_each(|(i, it)| *it = i as i32);
        let mut back = ViewMut::from(array);
        assert_eq!(back.strides(), layout.strides());
        back.map(|it| it + 1000);
        drop(guard);
        let expected: Vec<i32> = (0..values.len()).map(|i| i as i32 + 1000).collect();
        x.assert_elements(&expected, &layout);
    }
}

#[test]
fn owned_arrays_become_tensors_without_a_copy() {
    let mut rng = TestRng::new(11);
    for _ in 0..zoo::rounds(300) {
        let mut shape = rng.shape(4, 300);
        shape.iter_mut().for_each(|len| *len += rng.below(3));
        let n: usize = shape.iter().product();
        let values: Vec<i32> = (0..n as i32).collect();
        let shape = IxDyn(&shape);
        let shape = if rng.one_in(2) { shape.f() } else { shape.into_shape_with_order() };
        let mut a = ArrayD::from_shape_vec(shape, values).unwrap();
        for k in 0..a.ndim() {
            let len = a.len_of(Axis(k)) as isize;
            let start = rng.below(len as usize + 1) as isize;
            let step = [1, 2, -1, -3][rng.below(4)];
            a.slice_axis_inplace(Axis(k), Slice::new(start, None, step));
        }
        if a.ndim() > 1 && rng.one_in(2) {
            a.swap_axes(0, 1);
        }
        let expected: Vec<i32> = a.iter().copied().collect();
        let (shape, address) = (a.shape().to_vec(), a.as_ptr().addr());
        let strides = a.strides().to_vec();
        let (x, n_copies) = counted(|| Tensor::from(a));
        assert_eq!((x.to_vec::<i32>().unwrap(), &*x.shape(), n_copies), (expected, &shape[..], 0));
        for (axis, stride) in x.layout().axes().iter().zip(strides) {
            assert!(axis.len <= 1 || x.is_empty() || axis.stride == stride);
        }
        if !x.is_empty() {
            assert_eq!(x.storage().address() + 4 * x.offset(), address);
            // And back, with the same strides.
            let (a, n_copies) = counted(|| ArrayD::<i32>::try_from(x).unwrap());
            assert_eq!((a.as_ptr().addr(), n_copies), (address, 0), "{shape:?}");
        }
    }
}

#[test]
fn tensors_of_every_layout_become_owned_arrays() {
    let mut n_taken = 0;
    for layout in layouts() {
        let x = GuardedTensor::<i32>::new(&layout, 2);
        let (values, address) = (x.values(), x.tensor.storage().address() + 4 * x.tensor.offset());
        let shared = x.tensor.clone();
        let (copied, n_copies) = counted(|| ArrayD::<i32>::try_from(shared).unwrap());
        assert_eq!((copied.iter().copied().collect::<Vec<_>>(), n_copies), (values.clone(), 1));
        assert!(copied.is_standard_layout());

        let (array, n_copies) = counted(|| ArrayD::<i32>::try_from(x.tensor).unwrap());
        assert_eq!(array.iter().copied().collect::<Vec<_>>(), values, "{layout:?}");
        assert_eq!(array.shape(), &*layout.shape());
        if !zoo::is_injective(&layout) {
            assert_eq!(n_copies, 1, "{layout:?}");
        } else if !layout.is_empty() {
            assert!(n_copies == 1 || has_nested_strides(&layout), "{layout:?}");
            assert_eq!(n_copies == 0, array.as_ptr().addr() == address, "{layout:?}");
            n_taken += usize::from(n_copies == 0);
            if n_copies == 0 {
                assert_same(&array.view(), &layout, &values);
            }
        }
    }
    assert!(n_taken > 90, "{n_taken} of the layouts were taken over");
}

#[test]
fn column_major_and_flipped_memory_is_not_scrambled() {
    let columns = Array2::from_shape_vec((2, 3).f(), vec![1, 2, 3, 4, 5, 6]).unwrap();
    let expected = tensor![[1, 3, 5], [2, 4, 6]];
    assert_eq!(Tensor::from(columns.clone()), expected);
    let view = View::from(&columns);
    assert_eq!((view.strides(), view.get(&[0, 2]).unwrap()), ([1, 2].into(), 5));
    let mut flipped = columns;
    flipped.invert_axis(Axis(1));
    assert_eq!(Tensor::from(flipped), expected.flip(&[1]).unwrap());
    let x = Tensor::from_vec(vec![1, 2, 3, 4, 5, 6], [2, 3]).unwrap();
    let y = x.t().unwrap();
    drop(x);
    let (a, n_copies) = counted(|| Array2::<i32>::try_from(y).unwrap());
    assert_eq!((a.strides(), n_copies), (&[1, 3][..], 0));
    assert_eq!(a, array![[1, 4], [2, 5], [3, 6]]);
}

#[test]
fn every_element_type_and_rank_is_converted() {
    let a = Array3::from_shape_fn((2, 1, 2), |(i, _, k)| i != k);
    let x = Tensor::from(a.clone());
    assert_eq!((x.dtype(), x.shape()), (DType::Bool, [2, 1, 2].into()));
    assert_eq!(Array3::<bool>::try_from(x).unwrap(), a);
    let x = tensor![Complex::new(1.0f32, 2.0)];
    let b = Array1::<Complex<f32>>::try_from(x).unwrap();
    assert_eq!(b[0].im, 2.0);
    let scalar = Array::from_elem((), 7u8);
    assert_eq!(Tensor::from(scalar).item::<u8>().unwrap(), 7);
    let error = Array2::<i32>::try_from(tensor![1, 2]).unwrap_err();
    assert_eq!(error.to_string(), "Array::try_from needs 2 axes, got shape [2]");
    let error = Array1::<f32>::try_from(tensor![1, 2]).unwrap_err();
    assert_eq!(error.to_string(), "expected a tensor of float32, got int32");
    let guard = tensor![1, 2].read::<i32>().unwrap();
    let error = ArrayView2::try_from(guard.view()).unwrap_err();
    assert_eq!(error.to_string(), "ArrayView::try_from needs 2 axes, got shape [2]");
}
