//! Lists of integers are taken in every form, by value and by reference, and mean the same everywhere.

use belvedere::prelude::*;
use belvedere::{Axes, Integers, Shape};
use std::fmt::Debug;

/// Calls a function with the list `[3, 4]` in every form, and checks that all results are equal.
macro_rules! same_for_every_form {
    (|$list:ident| $call:expr) => {{
        let expected = {
            let $list = [3_usize, 4];
            $call
        };
        let vector = vec![3_i64, 4];
        let shape = Shape::from([3, 4]);
        let boxed: Box<[u32]> = Box::from([3, 4]);
        macro_rules! check {
            ($form:expr) => {{
                let $list = $form;
                same(&expected, &$call, stringify!($form))
            }};
        }
        check!([3, 4]);
        check!(&[3, 4]);
        check!([3_u8, 4]);
        check!([3_i16, 4]);
        check!(&[3_isize, 4][..]);
        check!(&[3_usize, 4][..]);
        check!(&vector);
        check!(vector.clone());
        check!(&vector[..]);
        check!(&shape);
        check!(shape.clone());
        check!(&boxed);
        check!(boxed.clone());
        check!((3, 4));
        check!(&(3, 4));
        check!((3_usize, 4));
        check!((3_u64, 4_i8));
        check!(&&[3_u16, 4]);
    }};
}

fn same<T: PartialEq + Debug>(expected: &T, found: &T, form: &str) {
    assert_eq!(found, expected, "given as {form}");
}

fn numbers() -> Tensor {
    Tensor::arange(0..12).unwrap()
}

#[test]
fn shapes_are_taken_in_every_form() {
    let x = numbers();
    let (row, lens) = (x.narrow(0, 0, 4).unwrap(), x.lens());
    same_for_every_form!(|shape| x.reshape(shape).unwrap().shape());
    same_for_every_form!(|shape| x.view(shape).unwrap().strides());
    same_for_every_form!(|shape| row.broadcast_to(shape).unwrap().strides());
    same_for_every_form!(|shape| row.expand(shape).unwrap().strides());
    same_for_every_form!(|shape| x.unflatten(0, shape).unwrap().shape());
    same_for_every_form!(|shape| lens.reshape(shape).unwrap().shape());
    same_for_every_form!(|shape| lens.unflatten(0, shape).unwrap().shape());
    same_for_every_form!(|shape| row.lens().broadcast_to(shape).unwrap().shape());
    same_for_every_form!(|shape| Layout::row_major(shape).unwrap());
    same_for_every_form!(|shape| Layout::col_major(shape).unwrap());
    same_for_every_form!(|shape| x.layout().resolve_shape(shape).unwrap());
    same_for_every_form!(|shape| belvedere::explain_view(x.layout(), shape).unwrap());
    same_for_every_form!(|shape| x.as_strided(shape, (4, 1), 0).unwrap().shape());
    same_for_every_form!(|strides| x.as_strided([2, 2], strides, 0).unwrap().strides());
}

#[test]
fn constructors_take_shapes_in_every_form() {
    let values: Vec<f32> = (0..12).map(|i| i as f32).collect();
    same_for_every_form!(|shape| Tensor::zeros(shape, DType::Int8).unwrap().shape());
    same_for_every_form!(|shape| Tensor::zeros_col_major(shape, DType::Int8).unwrap().strides());
    same_for_every_form!(|shape| Tensor::ones(shape, DType::Int8).unwrap().shape());
    same_for_every_form!(|shape| Tensor::full(shape, 1.5).unwrap().shape());
    same_for_every_form!(|shape| Tensor::full_as(shape, 1, DType::Int8).unwrap().shape());
    same_for_every_form!(|shape| Tensor::empty(shape, DType::Int8).unwrap().shape());
    same_for_every_form!(|shape| Tensor::eye(shape, DType::Int8).unwrap().shape());
    same_for_every_form!(|shape| Tensor::from_vec(values.clone(), shape).unwrap().shape());
    same_for_every_form!(|shape| Tensor::from_slice(&values, shape).unwrap().shape());
    same_for_every_form!(|shape| Tensor::from_fn(shape, |at| at[0] as f64).unwrap().shape());
    same_for_every_form!(|shape| {
        let mut generator = random::Generator::new(7);
        generator.rand(shape, DType::Float32).unwrap().to_vec::<f32>().unwrap()
    });
    same_for_every_form!(|shape| {
        let mut generator = random::Generator::new(7);
        generator.gamma(2.0, 1.0, shape, DType::Float64).unwrap().to_vec::<f64>().unwrap()
    });
    same_for_every_form!(|shape| {
        Arena::new().scope(|scope| scope.zeros::<f32>(shape).unwrap().layout().clone())
    });
}

#[test]
fn axes_and_sizes_are_taken_in_every_form() {
    let x = Tensor::arange(0..120).unwrap().reshape([1, 2, 3, 4, 5]).unwrap();
    let (view, cut) = (x.read::<i32>().unwrap(), Tensor::arange(0..7).unwrap());
    same_for_every_form!(|axes| x.sum(axes).unwrap().to_vec::<i64>().unwrap());
    same_for_every_form!(|axes| x.mean(keep(axes)).unwrap().to_vec::<f64>().unwrap());
    same_for_every_form!(|axes| x.flip(axes).unwrap().strides());
    same_for_every_form!(|axes| x.lens().flip(axes).unwrap().shape());
    same_for_every_form!(|axes| x.layout().flip(axes).unwrap());
    same_for_every_form!(|axes| x.expand_dims(axes).unwrap().shape());
    same_for_every_form!(|axes| x.moveaxis(axes, (0, 1)).unwrap().shape());
    same_for_every_form!(|axes| x.layout().move_axes(axes, (0, 1)).unwrap());
    same_for_every_form!(|axes| x.sliding_window_view((2, 2), axes).unwrap().shape());
    same_for_every_form!(|sizes| x.sliding_window_view(sizes, (3, 4)).unwrap().shape());
    same_for_every_form!(|axes| view.view().flip(axes).unwrap().layout().clone());
    same_for_every_form!(|shifts| x.roll(shifts, (3, 4)).unwrap().to_vec::<i32>().unwrap());
    same_for_every_form!(|axes| x.roll(1, axes).unwrap().to_vec::<i32>().unwrap());
    same_for_every_form!(|times| x.tile(times).unwrap().shape());
    same_for_every_form!(|times| x.lens().tile(times).unwrap().shape());
    same_for_every_form!(|axes| x.tensordot(&x, (axes, (3, 4))).unwrap().shape());
    same_for_every_form!(|sizes| {
        cut.split_sizes(0, sizes).unwrap().iter().map(Tensor::len).collect::<Vec<_>>()
    });
}

#[test]
fn one_integer_is_a_list_of_one() {
    let (x, n) = (numbers(), 12_usize);
    assert_eq!(x.reshape(12).unwrap().shape(), [12]);
    assert_eq!(x.reshape(&n).unwrap().shape(), x.reshape(-1).unwrap().shape());
    assert_eq!(
        Tensor::zeros_of::<f32>(5).unwrap().shape(),
        Tensor::ones_of::<i8>((5,)).unwrap().shape()
    );
    let square = x.reshape((3, 4)).unwrap();
    for axis in [1_usize, 1] {
        assert_eq!(square.sum(axis).unwrap().shape(), square.sum(-1).unwrap().shape());
        assert_eq!(
            square.flip(axis).unwrap().strides(),
            square.layout().flip(1).unwrap().strides()
        );
    }
    assert_eq!(x.tile(2).unwrap().len(), 24);
    let order = (4, 3, 2, 1, 0, 5);
    let six = Tensor::zeros_of::<u8>((1, 2, 3, 4, 5, 6)).unwrap();
    assert_eq!(six.permute_dims(order).unwrap().shape(), [5, 4, 3, 2, 1, 6]);
    assert_eq!(six.permute(&order).unwrap().shape(), [5, 4, 3, 2, 1, 6]);
}

#[test]
fn unit_is_the_empty_shape_and_all_axes() {
    let scalar = Tensor::full((), 2.5).unwrap();
    assert_eq!((scalar.rank(), scalar.item::<f64>().unwrap()), (0, 2.5));
    assert_eq!(tensor![7].reshape(()).unwrap().rank(), 0);
    assert_eq!(scalar.permute_dims(()).unwrap().rank(), 0);
    let x = numbers().reshape((3, 4)).unwrap();
    assert_eq!(x.sum(()).unwrap().item::<i64>().unwrap(), 66);
    assert_eq!(x.sum([0; 0]).unwrap().shape(), [3, 4], "an empty list is no axis");
    assert_eq!(Axes::from((0, -1)), Axes::from(&[0_i64, -1]));
}

/// These compile only if the types of plain literals are inferred.
#[test]
fn types_of_literals_are_inferred() -> Result<(), Error> {
    let (rows, columns) = (3_usize, 4_u32);
    let x = Tensor::zeros_of::<f32>((rows, columns))?;
    assert_eq!(x.reshape([2, -1])?.reshape((rows, -1))?.reshape(-1)?.len(), 12);
    assert_eq!(Tensor::full((2, 2), 1u8)?.dtype(), DType::UInt8);
    assert_eq!(Tensor::from_vec(vec![1.0; 12], [rows, 4])?.dtype(), DType::Float64);
    assert_eq!(Tensor::eye_of::<bool>(2)?.to_vec::<bool>()?, [true, false, false, true]);
    let shape: Vec<usize> = x.shape().iter().rev().copied().collect();
    assert_eq!(x.reshape(&shape)?.shape(), x.t()?.reshape(shape)?.shape());
    let axis = if rows > 2 { 1 } else { 0 };
    assert_eq!((x.sum(axis)?.rank(), x.select(axis, 0)?.rank()), (1, 1));

    fn batch<T: Value>(n: usize, item: impl Integers) -> Result<Tensor, Error> {
        let item = Layout::row_major(item)?.shape();
        Tensor::zeros_of::<T>([&[n], &item[..]].concat())
    }
    assert_eq!(batch::<f64>(8, (2, 3))?.shape(), [8, 2, 3]);
    Ok(())
}

#[test]
fn index_expressions_are_taken_by_value_and_by_reference() {
    let x = numbers().reshape((3, 4)).unwrap();
    let index = s![1.., ..;2];
    let (list, expected) = (index.to_vec(), x.slice(index).unwrap().shape());
    assert_eq!(expected, [2, 2]);
    assert_eq!(x.slice(&index).unwrap().shape(), expected);
    assert_eq!(x.slice(&list).unwrap().shape(), expected);
    assert_eq!(x.slice(list).unwrap().shape(), expected);
    assert_eq!(x.lens().slice(index).unwrap().shape(), expected);
    assert_eq!(x.lens().slice(&index).unwrap().shape(), expected);
    assert_eq!(x.layout().slice(index).unwrap(), x.layout().slice(&index).unwrap());
    let padding = [(1, 1), (0, 2)];
    assert_eq!(x.pad(padding).unwrap().shape(), x.pad(&padding).unwrap().shape());
    assert_eq!(x.pad(Vec::from(padding)).unwrap().shape(), x.lens().pad(padding).unwrap().shape());
    assert_eq!(x.lens().shrink([1..2, 0..4]).unwrap().shape(), [1, 4]);
    let split = x.rearrange("(a b) c -> b a c", [("a", 3)]).unwrap();
    assert_eq!(split.shape(), x.rearrange("(a b) c -> b a c", &vec![("a", 3)]).unwrap().shape());
}

#[test]
fn dims_are_an_array_of_the_rank() {
    let x = Tensor::zeros_of::<f32>((2, 3, 4)).unwrap();
    let [b, t, c] = x.dims().unwrap();
    assert_eq!((b, t, c), (2, 3, 4));
    assert_eq!(x.lens().dims::<3>().unwrap(), x.layout().dims::<3>().unwrap());
    assert_eq!(Tensor::full((), 1).unwrap().dims::<0>().unwrap(), [0; 0]);
    let error = x.dims::<2>().unwrap_err();
    assert_eq!(error.to_string(), "expected 2 axes, got 3: shape [2, 3, 4]");
    assert_eq!(error.kind(), ErrorKind::Shape);
    assert_eq!(
        x.lens().dims::<1>().unwrap_err().to_string(),
        "expected 1 axis, got 3: shape [2, 3, 4]"
    );
}

#[test]
fn wrong_integers_are_errors() {
    let x = numbers();
    let huge = u64::MAX;
    for (error, message) in [
        (Tensor::zeros((3, -7), DType::Int8), "lengths must be at least 0, got -7 at position 1"),
        (Tensor::ones(-1, DType::Int8), "lengths must be at least 0, got -1 at position 0"),
        (x.reshape((-1, -1)), "only one length may be -1, but axes 0 and 1 both are"),
        (x.reshape((-2, 6)), "length -2 of axis 0 is negative; only -1 is allowed"),
        (x.tile((2, -1)), "repetitions must be at least 0, got -1 at position 1"),
        (x.sliding_window_view(-2, 0), "window sizes must be at least 0, got -2 at position 0"),
        (x.flip(huge), "axis 9223372036854775807 is out of range: the axes are -1..=0"),
        (x.sum((0, 0)), "axis 0 is given twice"),
        (x.permute((1, 0)), "[1, 0] is not a permutation of 1 axes"),
        (Tensor::eye((1, 2, 3), DType::Int8), "eye needs one or two lengths, got shape [1, 2, 3]"),
        (Tensor::eye((), DType::Int8), "eye needs one or two lengths, got shape []"),
    ] {
        assert_eq!(error.unwrap_err().to_string(), message);
    }
    let error = x.split_sizes(0, (13, -1)).unwrap_err();
    assert_eq!(error.to_string(), "sizes must be at least 0, got -1 at position 1");
}

#[test]
fn arguments_with_a_default_may_be_left_out() {
    let x = tensor![[1.0, 4.0], [9.0, 16.0]];
    let bits = |x: Tensor| x.to_vec::<f64>().unwrap();
    assert_eq!(bits(x.std(1).unwrap()), bits(x.std_with(1, 0.0).unwrap()));
    assert_eq!(bits(x.var(0).unwrap()), bits(x.var_with(0, 0.0).unwrap()));
    assert_eq!(bits(x.nanstd(()).unwrap()), bits(x.nanstd_with((), 0.0).unwrap()));
    assert_eq!(bits(x.nanvar(1).unwrap()), bits(x.nanvar_with(1, 0.0).unwrap()));
    assert_eq!(bits(x.lens().std(1).unwrap()), bits(x.std(1).unwrap()));
    assert_eq!(bits(x.norm(1).unwrap()), bits(x.norm_with(1, 2.0).unwrap()));
    assert_eq!(bits(x.diff(1).unwrap()), bits(x.diff_with(1, 1, None, None).unwrap()));
    let near = x.add(5e-9).unwrap();
    assert!(
        x.allclose(&near).unwrap().holds() && !x.allclose(&x.add(1.0).unwrap()).unwrap().holds()
    );
    assert!(x.isclose(&near).unwrap().all(()).unwrap().item::<bool>().unwrap());
    assert_eq!(
        bits(Tensor::eye_of::<f64>(3).unwrap()),
        bits(Tensor::eye_with((3, 3), 0, DType::Float64).unwrap())
    );
}
