//! `nalgebra`: matrices are column-major, and views have positive strides.

use crate::counted;
use crate::zoo::{self, Freedom, GuardedTensor, TestRng};
use belvedere::prelude::*;
use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut, DVector, DVectorView, Dyn, Matrix3x2};

type MatrixView<'a> = DMatrixView<'a, i32, Dyn, Dyn>;

/// Returns layouts of rank 1 and 2.
fn layouts() -> Vec<Layout> {
    let mut rng = TestRng::new(5);
    let mut layouts = zoo::layouts();
    for _ in 0..zoo::rounds(300) {
        let shape = rng.shape(2, 60);
        layouts.push(rng.random_layout(&shape, Freedom::Any));
    }
    layouts
}

/// Returns whether an axis is flipped or broadcast.
fn is_refused(layout: &Layout) -> bool {
    !layout.is_empty() && layout.axes().iter().any(|axis| axis.len > 1 && axis.stride <= 0)
}

#[test]
fn views_of_rank_2_are_matrices_and_back() {
    for layout in layouts() {
        let x = GuardedTensor::<i32>::new(&layout, 4);
        let guard = x.tensor.read::<i32>().unwrap();
        let matrix = MatrixView::try_from(guard.view());
        if layout.rank() != 2 || is_refused(&layout) {
            assert!(matrix.is_err(), "{layout:?}");
            continue;
        }
        let matrix = matrix.unwrap();
        let [rows, cols] = layout.shape()[..] else { unreachable!() };
        assert_eq!(matrix.shape(), (rows, cols));
        let found = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
        let found: Vec<i32> = found.map(|at| matrix[at]).collect();
        assert_eq!(found, x.values(), "{layout:?}");
        let by_columns = x.tensor.t().unwrap().to_vec::<i32>().unwrap();
        assert_eq!(matrix.iter().copied().collect::<Vec<_>>(), by_columns, "{layout:?}");
        assert_eq!(matrix.clone_owned().as_slice(), by_columns, "{layout:?}");
        let back = View::from(&matrix);
        assert_eq!(back.to_vec().unwrap(), x.values());
        assert_eq!(back.strides(), layout.strides(), "{layout:?}");
    }
}

#[test]
fn writes_through_matrices_reach_the_elements_and_nothing_else() {
    let is_matrix = |it: &Layout| it.rank() == 2 && !is_refused(it) && zoo::is_injective(it);
    for layout in layouts().into_iter().filter(is_matrix) {
        let x = GuardedTensor::<i32>::new(&layout, 4);
        let mut guard = x.tensor.write::<i32>().unwrap();
        let mut matrix: DMatrixViewMut<i32, Dyn, Dyn> = guard.view_mut().try_into().unwrap();
        let (rows, cols) = matrix.shape();
        for i in 0..rows {
            for j in 0..cols {
                matrix[(i, j)] = (i * cols + j) as i32;
            }
        }
        ViewMut::from(&mut matrix).map(|it| it + 5);
        drop(guard);
        let expected: Vec<i32> = (0..(rows * cols) as i32).map(|it| it + 5).collect();
        x.assert_elements(&expected, &layout);
    }
}

#[test]
fn matrices_are_taken_over() {
    let m = DMatrix::from_fn(3, 2, |i, j| (10 * i + j) as f32);
    let address = m.as_ptr();
    let (x, n_copies) = counted(|| Tensor::from(m));
    assert_eq!((x.strides(), n_copies), ([1, 3].into(), 0));
    assert_eq!(x, tensor![[0.0f32, 1.0], [10.0, 11.0], [20.0, 21.0]]);
    let (m, n_copies) = counted(|| DMatrix::<f32>::try_from(x).unwrap());
    assert_eq!((m.as_ptr(), m[(2, 1)], n_copies), (address, 21.0, 0));

    let v = DVector::from_vec(vec![1, 2, 3]);
    let address = v.as_ptr();
    let (x, n_copies) = counted(|| Tensor::from(v));
    assert_eq!((x.shape(), n_copies), ([3].into(), 0));
    let (v, n_copies) = counted(|| DVector::<i32>::try_from(x).unwrap());
    assert_eq!((v.as_ptr(), n_copies), (address, 0));

    let rows = Tensor::from_vec(vec![1, 2, 3, 4, 5, 6], [2, 3]).unwrap();
    let (m, n_copies) = counted(|| DMatrix::<i32>::try_from(rows).unwrap());
    assert_eq!((m.row(0)[2], m.column(0)[1], n_copies), (3, 4, 1));
}

#[test]
fn every_layout_becomes_a_matrix() {
    for layout in layouts().into_iter().filter(|it| it.rank() == 2) {
        let x = GuardedTensor::<i32>::new(&layout, 4);
        let values = x.values();
        let matrix = DMatrix::<i32>::try_from(x.tensor).unwrap();
        assert_eq!(matrix.transpose().as_slice(), values, "{layout:?}");
    }
}

#[test]
fn static_matrices_and_vectors_are_viewed() {
    let m = Matrix3x2::new(1, 2, 3, 4, 5, 6);
    assert_eq!(View::from(&m).to_vec().unwrap(), [1, 2, 3, 4, 5, 6]);
    let part = View::from(&m.row(1)).to_vec().unwrap();
    assert_eq!(part, [3, 4]);
    assert_eq!(View::from(&m.column(1)).shape(), [3]);
    assert_eq!(View::from(&m.transpose()).shape(), [2, 3]);
}

#[test]
fn errors_say_what_nalgebra_cannot_express() {
    let x = tensor![[1, 2], [3, 4]].flip(&[1]).unwrap();
    let guard = x.read::<i32>().unwrap();
    let text = MatrixView::try_from(guard.view()).unwrap_err().to_string();
    assert_eq!(text, "DMatrixView::try_from needs positive strides, got -1");
    let x = tensor![1, 2].broadcast_to([3, 2]).unwrap();
    let guard = x.read::<i32>().unwrap();
    let text = MatrixView::try_from(guard.view()).unwrap_err().to_string();
    assert_eq!(text, "DMatrixView::try_from needs positive strides, got 0");
    let guard = tensor![1, 2].read::<i32>().unwrap();
    let text = MatrixView::try_from(guard.view()).unwrap_err().to_string();
    assert_eq!(text, "DMatrixView::try_from needs 2 axes, got shape [2]");
    let v: DVectorView<i32, Dyn, Dyn> = guard.view().try_into().unwrap();
    assert_eq!(v[1], 2);
    let text = DMatrix::<i32>::try_from(tensor![1]).unwrap_err().to_string();
    assert_eq!(text, "DMatrix::try_from needs 2 axes, got shape [1]");
    let text = DVector::<i32>::try_from(tensor![[1]]).unwrap_err().to_string();
    assert_eq!(text, "DVector::try_from needs 1 axis, got shape [1, 1]");
    assert!(DMatrix::<f32>::try_from(tensor![[1]]).is_err());
}
