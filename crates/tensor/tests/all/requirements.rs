//! The requirements of the source documents on tensors. K-numbers are the numbers of the requirements, which
//! the test names paraphrase.

use crate::zoo::GuardedTensor;
use belvedere::*;

fn arange(n: i32) -> Tensor {
    Tensor::arange(0..n).unwrap()
}

fn ints(x: &Tensor) -> Vec<i32> {
    x.to_vec::<i32>().unwrap()
}

/// Three rows of four: 0 to 11.
fn z() -> Tensor {
    arange(12).view([3, 4]).unwrap()
}

#[test]
fn k6_scalars_and_empty_tensors_work() {
    let scalar = Tensor::full([0usize; 0], 3.5).unwrap();
    assert_eq!((scalar.rank(), scalar.len(), scalar.item::<f64>().unwrap()), (0, 1, 3.5));
    let empty = Tensor::zeros([2, 0, 3], DType::Float32).unwrap();
    assert_eq!((empty.len(), empty.flatten(0, -1).unwrap().shape()), (0, [0].into()));
    assert_eq!(empty.reshape([0]).unwrap().shape(), [0]);
    assert_eq!(scalar.add(&empty.astype(DType::Float64).unwrap()).unwrap().shape(), [2, 0, 3]);
}

#[test]
fn k9_new_tensors_are_zero_on_recycled_memory() {
    for _ in 0..4 {
        let x = Tensor::zeros([700, 700], DType::Int32).unwrap();
        assert!(ints(&x).iter().all(|&it| it == 0));
        x.fill(-1).unwrap();
    }
}

#[test]
fn k11_drop_order_is_irrelevant() {
    let x = arange(10);
    let y = x.slice(s![3..7]).unwrap();
    let z = y.flip(&[0]).unwrap();
    drop(x);
    drop(y);
    assert_eq!(ints(&z), [6, 5, 4, 3]);
    assert_eq!(z.storage().n_shares(), 1);
}

#[test]
fn k12_a_view_copies_no_data() {
    let x = Tensor::zeros([1000, 1000], DType::Float64).unwrap();
    let (view, log) = copies::record(|| copies::forbid(|| x.clone()));
    assert!(log.is_empty() && view.storage().is_same(x.storage()) && view.layout() == x.layout());
    assert!(size_of::<Tensor>() < 1024);
}

#[test]
fn k13_transpose_swaps_shape_and_strides() {
    let t = z().transpose(0, 1).unwrap();
    assert_eq!((t.shape(), t.strides()), ([4, 3].into(), [1, 4].into()));
    assert_eq!(ints(&t), [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    assert_eq!(t.transpose(0, 1).unwrap().layout(), z().layout());
    assert_eq!(z().transpose(1, 1).unwrap().layout(), z().layout());
    assert_eq!(z().transpose(0, 2).unwrap_err().kind(), ErrorKind::Axis);
    // It stays contiguous exactly if the axes longer than 1 keep their order.
    let is_contiguous = |shape: [usize; 3], a, b| {
        Tensor::zeros(shape, DType::Int8).unwrap().transpose(a, b).unwrap().is_contiguous()
    };
    assert!(!is_contiguous([1, 3, 4], 0, 2) && !is_contiguous([3, 4, 1], 0, 2));
    assert!(is_contiguous([3, 1, 4], 0, 1) && is_contiguous([3, 1, 4], 1, 2));
}

#[test]
fn k14_axes_are_permuted_squeezed_and_inserted() {
    let x = arange(24).view([2, 3, 4]).unwrap();
    assert_eq!(x.permute_dims(&[2, 0, 1]).unwrap().shape(), [4, 2, 3]);
    assert!(x.permute_dims(&[0, 1]).is_err() && x.permute_dims(&[0, 1, 1]).is_err());
    assert_eq!(x.swap_axes(0, 2).unwrap().get::<i32>(&[3, 2, 1]).unwrap(), 23);
    assert_eq!(x.unsqueeze(1).unwrap().squeeze(&[1]).unwrap().layout(), x.layout());
    assert!(x.squeeze(&[0]).is_err() && x.unsqueeze(5).is_err());
}

#[test]
fn k15_slices_have_an_offset() {
    let part = arange(10).slice(s![3..7]).unwrap();
    assert_eq!((ints(&part), part.offset()), (vec![3, 4, 5, 6], 3));
    assert_eq!(ints(&arange(10).narrow(0, 5, 3).unwrap()), [5, 6, 7]);
    let storage = Storage::from_vec((0..10).collect::<Vec<i32>>());
    let layout = Layout::from_strides(5, &[3], &[1]).unwrap();
    assert_eq!(ints(&Tensor::from_storage(storage, layout, DType::Int32).unwrap()), [5, 6, 7]);
    assert_eq!(part.get::<i32>(&[1]).unwrap(), 4, "the offset is added once");
}

#[test]
fn k16_slices_have_steps() {
    assert_eq!(ints(&arange(10).slice(s![..;2]).unwrap()), [0, 2, 4, 6, 8]);
    let x = arange(24).view([4, 6]).unwrap();
    assert_eq!(ints(&x.slice(s![2, 1..6;2]).unwrap()), [13, 15, 17]);
    assert_eq!(ints(&arange(8).step(0, 3).unwrap()), [0, 3, 6]);
    assert!(arange(8).step(0, 0).is_err());
}

#[test]
fn k17_flip_negates_the_stride_and_moves_the_start() {
    let flipped = arange(5).flip(&[0]).unwrap();
    assert_eq!(ints(&flipped), [4, 3, 2, 1, 0]);
    assert_eq!((flipped.strides(), flipped.offset()), ([-1].into(), 4));
    assert_eq!(flipped.layout().byte_strides(8).unwrap(), [-8]);
}

#[test]
fn k18_expanded_axes_have_stride_zero() {
    let x = tensor![[1], [2], [3]].broadcast_to([3, 4]).unwrap();
    assert_eq!((x.strides(), ints(&x)), ([1, 0].into(), vec![1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]));
    assert_eq!(x.broadcast_to([2, -1, 4]).unwrap().shape(), [2, 3, 4]);
    assert!(x.broadcast_to([4]).is_err() && x.broadcast_to([2, 4]).is_err());
    let bias = Tensor::ones([1, 128], DType::Float32).unwrap();
    let batch = Tensor::zeros([32, 128], DType::Float32).unwrap();
    let (sum, log) = copies::record(|| batch.add(&bias).unwrap());
    assert!(log.is_empty() && sum.shape() == [32, 128], "not 32 copies of the bias");
}

#[test]
fn k19_windows_are_strides_within_bounds() {
    let windows = arange(6).as_strided(&[4, 3], &[1, 1], 0).unwrap();
    assert_eq!(ints(&windows), [0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5]);
    assert!(arange(6).as_strided(&[5, 3], &[1, 1], 0).is_err());
    assert_eq!(ints(&arange(6).windows(0, 3, 1).unwrap()), ints(&windows));
    assert!(matches!(windows.add_assign(1), Err(Error::Overlapping { .. })));
}

#[test]
fn k20_slices_are_written_as_in_python() {
    let x = arange(24).view([4, 3, 2]).unwrap();
    assert_eq!(x.slice(s![1..3]).unwrap().shape(), [2, 3, 2]);
    assert_eq!(x.slice(s![1]).unwrap().shape(), [3, 2]);
    assert_eq!(x.slice(s![0..4;2]).unwrap().shape(), [2, 3, 2]);
    assert_eq!(x.slice(s![-1, .., -1]).unwrap().shape(), [3]);
    assert_eq!(x.slice(s![1..2, 0, 0]).unwrap().shape(), [1]);
    assert_eq!(x.slice(s![3..1]).unwrap().shape(), [0, 3, 2]);
    assert!(x.slice(s![4]).is_err() && x.slice(s![0, 0, 0, 0]).is_err());
    assert!(x.slice(s![..;0]).is_err());
}

#[test]
fn k21_slices_of_slices_are_one_view() {
    let x = arange(48).view([6, 8]).unwrap();
    let twice = x.slice(s![1..5;2]).unwrap().slice(s![.., 2..6]).unwrap();
    assert_eq!(ints(&twice), [10, 11, 12, 13, 26, 27, 28, 29]);
    assert_eq!(twice.layout(), x.slice(s![1..5;2, 2..6]).unwrap().layout());
    let by_hand = x.narrow(0, 1, 4).unwrap().step(0, 2).unwrap().narrow(1, 2, 4).unwrap();
    assert_eq!(twice.layout(), by_hand.layout());
    assert_eq!(x.slice(s![1..50;3]).unwrap().shape(), [2, 8], "an end beyond the axis");
}

#[test]
fn k22_views_share_memory_and_copies_do_not() {
    let a = arange(12);
    let b = a.view([3, 4]).unwrap();
    let c = a.view([2, 2, 3]).unwrap();
    a.set(&[0], 999).unwrap();
    assert_eq!((b.get::<i32>(&[0, 0]).unwrap(), c.get::<i32>(&[0, 0, 0]).unwrap()), (999, 999));
    b.t().unwrap().set(&[3, 2], -1).unwrap();
    assert_eq!(a.get::<i32>(&[11]).unwrap(), -1);
    assert_eq!(b.shares_memory(&c), Some(true));
    assert_eq!(b.copy().unwrap().shares_memory(&b), Some(false));
    assert!(b.storage().is_same(a.storage()));
}

#[test]
fn k23_writes_through_repeated_elements_are_rejected() {
    let x = tensor![[1], [2]].broadcast_to([2, 3]).unwrap();
    for outcome in [x.fill(0), x.add_assign(1), x.copy_from(&x.copy().unwrap()), x.clear()] {
        assert!(matches!(outcome, Err(Error::Overlapping { .. })));
    }
    assert_eq!(ints(&x), [1, 1, 1, 2, 2, 2]);
}

#[test]
fn k24_strides_of_views_are_those_of_pytorch() {
    let t = z().t().unwrap();
    let cases: [(&[usize], &[isize]); 6] = [
        (&[2, 2, 3], &[2, 1, 4]),
        (&[4, 3, 1], &[1, 4, 1]),
        (&[2, 2, 1, 3], &[2, 1, 12, 4]),
        (&[4, 1, 3], &[1, 12, 4]),
        (&[1, 4, 3], &[4, 1, 4]),
        (&[2, 2, 3, 1], &[2, 1, 4, 1]),
    ];
    for (shape, strides) in cases {
        let view = t.view(shape).unwrap();
        let same = (0..shape.len()).all(|k| shape[k] == 1 || view.strides()[k] == strides[k]);
        assert!(same, "{shape:?} {:?}", view.strides());
        assert_eq!(ints(&view), ints(&t));
    }
    for shape in [&[12][..], &[2, 6], &[6, 2], &[3, 4]] {
        assert_eq!(t.view(shape).unwrap_err().kind(), ErrorKind::View, "{shape:?}");
    }
    let wide = tensor![[1], [2], [3]].broadcast_to([3, 4]).unwrap();
    assert_eq!(wide.view([3, 2, 2]).unwrap().strides(), [1, 0, 0]);
    assert!(wide.view([12]).is_err());
}

#[test]
fn k25_reshape_is_a_view_or_one_copy() {
    let t = z().t().unwrap();
    let (flat, log) = copies::record(|| t.reshape([2, 6]).unwrap());
    assert_eq!(ints(&flat), [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    assert_eq!((log.len(), flat.shares_memory(&t)), (1, Some(false)));
    assert_eq!(ints(&t.contiguous().unwrap().view([2, 6]).unwrap()), ints(&flat));
    let (view, log) = copies::record(|| z().reshape([6, 2]).unwrap());
    assert!(log.is_empty() && view.strides() == [2, 1]);
    let x = z();
    assert!(x.contiguous().unwrap().storage().is_same(x.storage()));
    let text = t.view([6, 2]).unwrap_err().to_string();
    assert!(text.contains("[4, 3]") && text.contains("strides [1, 4]"), "{text}");
}

#[test]
fn k26_strict_reshape_requires_contiguous_elements() {
    let strict = |x: &Tensor, shape: [usize; 2]| x.layout().reshape_contiguous(shape).is_ok();
    assert!(strict(&z(), [6, 2]) && !strict(&z(), [5, 2]));
    assert!(!strict(&z().t().unwrap(), [4, 3]), "although a view exists");
    assert!(strict(&z().t().unwrap().copy().unwrap(), [2, 6]));
}

#[test]
fn k27_reshape_round_trip_copies_nothing() {
    let x = Tensor::zeros([32, 784], DType::Float32).unwrap();
    let back = copies::forbid(|| x.reshape([25_088])?.reshape([32, 784])).unwrap();
    assert!(back.storage().is_same(x.storage()) && back.layout() == x.layout());
}

#[test]
fn k28_one_length_may_be_inferred() {
    assert_eq!(z().reshape([2, -1]).unwrap().shape(), [2, 6]);
    assert_eq!(z().reshape([-1]).unwrap().shape(), [12]);
    assert_eq!(z().reshape([3, 1, 4, 1]).unwrap().shape(), [3, 1, 4, 1]);
    assert!(z().reshape([-1, -1]).is_err() && z().reshape([5, -1]).is_err());
    let empty = Tensor::zeros([2, 0, 3], DType::Int8).unwrap();
    assert_eq!(empty.reshape([0, 7]).unwrap().shape(), [0, 7]);
    assert!(empty.reshape([0, -1]).is_err(), "any length would do");
}

#[test]
fn k29_transposed_tensor_cannot_be_flattened_as_a_view() {
    assert_eq!(ints(&z().view([4, 3]).unwrap()), (0..12).collect::<Vec<_>>());
    assert_ne!(ints(&z().t().unwrap()), ints(&z().view([4, 3]).unwrap()));
    assert_eq!(ints(&z().t().unwrap())[..3], [0, 4, 8]);
}

#[test]
fn k41_writes_stay_within_views() {
    let row = Layout::row_major(&[6, 8]).unwrap();
    let layouts = [
        row.clone(),
        row.slice(&s![2..4]).unwrap(),
        row.slice(&s![.., 1..6;2]).unwrap(),
        row.flip(&[0, 1]).unwrap(),
        row.t().unwrap(),
        row.slice(&s![4..1;-1, ..;-3]).unwrap(),
    ];
    for layout in layouts {
        let x = GuardedTensor::<f32>::small_integers(&layout, 1);
        x.tensor.fill(3.25).unwrap();
        x.assert_elements(&vec![3.25; layout.len()], &layout);
        x.tensor.scale(-2).unwrap();
        x.assert_elements(&vec![-6.5; layout.len()], &layout);
        x.tensor.clear().unwrap();
        x.assert_elements(&vec![0.0; layout.len()], &layout);
    }
}

#[test]
fn k42_copies_check_shapes_and_survive_overlap() {
    let x = arange(9).view([3, 3]).unwrap();
    x.copy_from(&x.t().unwrap()).unwrap();
    assert_eq!(ints(&x), [0, 3, 6, 1, 4, 7, 2, 5, 8]);
    assert!(x.copy_from(&arange(9)).is_err() && x.copy_from(&arange(3)).is_err());
    assert_eq!(ints(&x), [0, 3, 6, 1, 4, 7, 2, 5, 8], "untouched");
}

#[test]
fn k43_shapes_broadcast_from_the_right_also_if_empty() {
    let sum = |a: &[usize], b: &[usize]| {
        let (a, b) = (Tensor::ones(a, DType::Int8).unwrap(), Tensor::ones(b, DType::Int8).unwrap());
        a.add(&b).map(|it| it.shape().to_vec())
    };
    assert_eq!(sum(&[5, 1, 4], &[3, 1]).unwrap(), [5, 3, 4]);
    assert_eq!(sum(&[1, 3], &[0, 3]).unwrap(), [0, 3]);
    assert_eq!(sum(&[], &[2, 2]).unwrap(), [2, 2]);
    assert!(sum(&[2, 3], &[2]).is_err() && sum(&[0], &[2]).is_err());
}

#[test]
fn k44_outputs_are_checked_and_may_be_inputs() {
    let (a, b) = (z(), tensor![[100], [200], [300]]);
    let out = Tensor::zeros([4, 3], DType::Int32).unwrap().t().unwrap();
    sub_into(&b, &a.flip(&[1]).unwrap(), &out).unwrap();
    assert_eq!(out.get::<i32>(&[1, 0]).unwrap(), 193);
    mul_into(&a, &b, &a).unwrap();
    assert_eq!(ints(&a)[..5], [0, 100, 200, 300, 800]);
    assert_eq!(add_into(&a, &b, &tensor![1]).unwrap_err().kind(), ErrorKind::Shape);
    assert_eq!(add_into(&b, &b, &a).unwrap_err().kind(), ErrorKind::Shape);
}

#[test]
fn k49_activations_work_on_strided_inputs() {
    let x = Tensor::linspace(-4.0, 4.0, 24, DType::Float64).unwrap().view([4, 6]).unwrap();
    let strided = x.slice(s![..;-1, ..;2]).unwrap().t().unwrap();
    let plain = strided.copy().unwrap();
    type Function = fn(&Tensor) -> Result<Tensor, Error>;
    let functions: [Function; 12] = [
        |x| x.relu(),
        |x| x.leaky_relu(0.01),
        |x| x.relu6(),
        |x| x.elu(1.0),
        |x| x.gelu(),
        |x| x.sigmoid(),
        |x| x.hard_sigmoid(),
        |x| x.tanh(),
        |x| x.softplus(),
        |x| x.swish(),
        |x| x.hard_swish(),
        |x| x.softmax(-1),
    ];
    for function in functions {
        let (one, two) = (function(&strided).unwrap(), function(&plain).unwrap());
        assert_eq!(one.to_vec::<f64>().unwrap(), two.to_vec::<f64>().unwrap());
    }
}

#[test]
fn k23_single_elements_of_overlapping_views_are_not_writable() {
    let x = Tensor::arange(0..6).unwrap();
    let expanded = x.broadcast_to([2, 6]).unwrap();
    assert_eq!(expanded.set(&[0, 1], 9i32).unwrap_err().kind(), ErrorKind::Borrow);
    let windows = x.windows(0, 3, 1).unwrap();
    assert_eq!(windows.set(&[1, 1], 9i32).unwrap_err().kind(), ErrorKind::Borrow);
    assert_eq!(x.to_vec::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn k49_softmax_of_integers_does_not_wrap_around_and_its_gradient_is_the_slope() {
    let shares = tensor![0u8, 3].softmax(0).unwrap();
    let expected = tensor![0.0, 3.0].softmax(0).unwrap();
    assert!(shares.allclose_with(&expected, 1e-12, 0.0).unwrap().holds());
    let wide = tensor![-128i8, 127].softmax(0).unwrap().to_vec::<f64>().unwrap();
    assert!(wide[0] < 1e-100 && wide[1] == 1.0);
    let (x, upstream) = (tensor![[0.3, -1.0, 2.0]], tensor![[0.5, 2.0, -1.0]]);
    let gradient = x.softmax_grad(&upstream, 1).unwrap().to_vec::<f64>().unwrap();
    for k in 0..3 {
        let loss = |step: f64| {
            let moved = x.copy().unwrap();
            moved.slice(s![.., k..k + 1]).unwrap().add_assign(step).unwrap();
            moved
                .softmax(1)
                .unwrap()
                .mul(&upstream)
                .unwrap()
                .sum(())
                .unwrap()
                .item::<f64>()
                .unwrap()
        };
        let slope = (loss(1e-5) - loss(-1e-5)) / 2e-5;
        assert!((slope - gradient[k as usize]).abs() < 1e-8);
    }
    let tanh = tensor![0.7].tanh_grad(2.0).unwrap().item::<f64>().unwrap();
    assert!((tanh - 2.0 * (1.0 - 0.7f64.tanh().powi(2))).abs() < 1e-15);
}

#[test]
fn k14_view_operations_have_the_names_of_other_libraries() {
    let x = Tensor::arange(0..24).unwrap().view([2, 3, 4]).unwrap();
    let same = |a: Tensor, b: Tensor| assert_eq!(a.layout(), b.layout());
    same(x.permute(&[2, 0, 1]).unwrap(), x.permute_dims(&[2, 0, 1]).unwrap());
    same(x.swapaxes(0, 2).unwrap(), x.transpose(0, 2).unwrap());
    same(x.moveaxis(0, 2).unwrap(), x.move_axis(0, 2).unwrap());
    same(x.movedim(0, 2).unwrap(), x.move_axis(0, 2).unwrap());
    same(x.matrix_transpose().unwrap(), x.mt().unwrap());
    same(x.expand([5, 2, 3, 4]).unwrap(), x.broadcast_to([5, 2, 3, 4]).unwrap());
    same(x.unfold(2, 2, 1).unwrap(), x.windows(2, 2, 1).unwrap());
    same(x.ravel().unwrap(), x.flatten(0, -1).unwrap());
    assert_eq!(
        x.neg().unwrap().to_vec::<i32>().unwrap(),
        x.negative().unwrap().to_vec::<i32>().unwrap()
    );
}

#[test]
fn operands_may_be_owned_and_outputs_of_every_kind() {
    let x = tensor![1.0, 2.0];
    let sum = &x * 2.0 + &x * 3.0 - 1.0 / x.add(0.0).unwrap();
    assert_eq!(sum.to_vec::<f64>().unwrap(), [4.0, 9.5]);
    let out = Tensor::zeros([2], DType::Float64).unwrap();
    softmax_into(&x, 0, &out).unwrap();
    assert_eq!(out.sum(()).unwrap().item::<f64>().unwrap(), 1.0);
    sum_to_shape_into(&tensor![[1.0, 2.0], [3.0, 4.0]], &out).unwrap();
    assert_eq!(out.to_vec::<f64>().unwrap(), [4.0, 6.0]);
    relu_grad_into(&tensor![-1.0, 1.0], 3, &out).unwrap();
    assert_eq!(out.to_vec::<f64>().unwrap(), [0.0, 3.0]);
    x.pow_assign(2).unwrap();
    assert_eq!(x.to_vec::<f64>().unwrap(), [1.0, 4.0]);
    let lens = x.lens().tile(&[2]).unwrap();
    assert_eq!((&lens + 1).to_vec::<f64>().unwrap(), [2.0, 5.0, 2.0, 5.0]);
    assert_eq!(
        lens.reshape([2, 2]).unwrap().t().unwrap().to_vec::<f64>().unwrap(),
        [1.0, 1.0, 4.0, 4.0]
    );
}
