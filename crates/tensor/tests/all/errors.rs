//! Every error: its cause, its message and its kind, and that nothing was changed.

use crate::zoo;
use belvedere::*;
use std::error::Error as _;
use std::panic::AssertUnwindSafe;

type Failing = Box<dyn Fn(&Tensor) -> Result<(), Error>>;

/// A request that fails on a matrix of three rows and four columns of int32.
fn case<T>(
    text: &'static str,
    kind: ErrorKind,
    request: impl Fn(&Tensor) -> Result<T, Error> + 'static,
) -> (&'static str, ErrorKind, Failing) {
    (text, kind, Box::new(move |x| request(x).map(drop)))
}

fn cases() -> Vec<(&'static str, ErrorKind, Failing)> {
    use ErrorKind::DType as Type;
    use ErrorKind::{Axis, Borrow, Copy, Index, Limit, Memory, Shape, Unsupported, Value};
    vec![
        case("axis 2 is out of range: the axes are -2..=1", Axis, |x| x.transpose(0, 2)),
        case("axis -3 is out of range: the axes are -2..=1", Axis, |x| x.select(-3, 0)),
        case("axis 2 is out of range: the axes are -2..=1", Axis, |x| x.split(2, 1).map(|_| ())),
        case("axis 1 is given twice", Axis, |x| x.flip(&[1, -1])),
        case("[0, 0] is not a permutation of 2 axes", Axis, |x| x.permute_dims(&[0, 0])),
        case("index 3 is out of range for axis 0 of length 3", Index, |x| x.select(0, 3)),
        case("index -5 is out of range for axis 1 of length 4", Index, |x| x.slice(s![0, -5])),
        case("index 4 is out of range for axis 1 of length 4", Index, |x| x.get::<i32>(&[0, 4])),
        case("index 3 is out of range for axis 0 of length 3", Index, |x| x.set(&[3, 0], 1)),
        case("got 3 indices for 2 axes", Index, |x| x.get::<i32>(&[0, 0, 0])),
        case("index -4 at [0, 1] is out of range for axis 0 of length 3", Index, |x| {
            x.put(&tensor![[-3, -4]], 0, 1)
        }),
        case("the boolean mask has length 2 along axis 1, expected 4", Index, |x| {
            x.index_assign(at![.., &tensor![true, false]], 1)
        }),
        case("got 3 indices for 2 axes", Index, |x| x.assign(s![0, 0, 0], 1)),
        case("cannot reshape [3, 4] into [5, 2]: 12 elements are not 10", Shape, |x| {
            x.reshape([5, 2])
        }),
        case("cannot reshape [3, 4] into [5, 2]: 12 elements are not 10", Shape, |x| {
            x.view([5, 2])
        }),
        case("cannot reshape [2] into [3]: 2 elements are not 3", Shape, |_| {
            Tensor::from_vec(vec![1, 2], [3])
        }),
        case("cannot squeeze axis 0: its length is 3, not 1", Shape, |x| x.squeeze(&[0])),
        case("axis 0 of length 3 of operand 1 does not broadcast to 4", Shape, |x| {
            x.add(&tensor![1, 2, 3])
        }),
        case("axis 0 of length 3 does not broadcast to 2", Shape, |x| x.broadcast_to([2, 4])),
        case("add needs shape [3, 4], got [4, 3]", Shape, |x| {
            add_into(x, 1, &Tensor::zeros([4, 3], DType::Int32)?)
        }),
        case("add needs shape [2, 3, 4], got [3, 4]", Shape, |x| {
            x.add_assign(&Tensor::zeros([2, 3, 4], DType::Int32)?)
        }),
        case("copy_from needs shape [3, 4], got [4, 3]", Shape, |x| x.copy_from(&x.t()?)),
        case("expected a tensor of one element, got shape [3, 4]", Shape, |x| x.item::<i32>()),
        case("expected a tensor of float32, got int32", Type, |x| x.to_vec::<f32>()),
        case("expected a tensor of bool, got int32", Type, |x| x.get::<bool>(&[0, 0])),
        case("expected a tensor of int64, got int32", Type, |x| x.set(&[0, 0], 1i64)),
        case("expected a tensor of uint32, got int32", Type, |x| x.read::<u32>().map(|_| ())),
        case("expected a tensor of int32, got int8", Type, |x| {
            x.copy_from(&Tensor::zeros([3, 4], DType::Int8)?)
        }),
        case("cannot cast float64 to int32 implicitly; use astype", Type, |x| {
            assign_into(&tensor![1.5], x)
        }),
        case("cannot cast float64 to int32 implicitly; use astype", Type, |x| sqrt_into(x, x)),
        case(
            "cannot cast complex64 to float32: the imaginary part would be lost; use real or imag",
            Type,
            |x| x.astype(DType::Complex64)?.astype(DType::Float32),
        ),
        case("sub is not supported for bool", Unsupported, |_| tensor![true].sub(true)),
        case("less is not supported for complex128", Unsupported, |x| {
            x.less(Complex::new(0.0, 1.0))
        }),
        case("gcd is not supported for float64", Unsupported, |x| x.div(2)?.gcd(x)),
        case("bitwise_and is not supported for float64", Unsupported, |x| x.bitwise_and(0.5)),
        case("bitwise_left_shift is not supported for bool", Unsupported, |_| {
            tensor![true].bitwise_left_shift(&tensor![true])
        }),
        case("floor is not supported for complex128", Unsupported, |_| {
            tensor![Complex::new(0.5, 0.5)].floor()
        }),
        case("clip is not supported for complex128", Unsupported, |x| {
            x.clip(Complex::new(0.0, 1.0), ())
        }),
        case("finfo is not supported for int32", Unsupported, |x| finfo(x.dtype())),
        case("iinfo is not supported for bool", Unsupported, |_| iinfo(DType::Bool)),
        case("arange is not supported for bool", Unsupported, |_| {
            Tensor::arange_step(0.0, 2.0, 1.0, DType::Bool)
        }),
        case("5000000000 does not fit in int32", Value, |x| x.add(5_000_000_000i64)),
        case("-1 does not fit in uint8", Value, |_| tensor![1u8].sub(-1)),
        case("arange needs a step that is not 0, got 0", Value, |_| {
            Tensor::arange_step(0.0, 1.0, 0.0, DType::Int8)
        }),
        case("arange needs finite bounds, got inf", Value, |_| Tensor::arange(0.0..f64::INFINITY)),
        case("linspace needs finite bounds, got NaN", Value, |_| {
            Tensor::linspace(f64::NAN, 1.0, 3, DType::Float32)
        }),
        case("255 does not fit in int8", Value, |_| {
            Tensor::arange_step(0.0, 256.0, 1.0, DType::Int8)
        }),
        case("-3 does not fit in uint16", Value, |_| Tensor::linspace(-3.0, 1.0, 3, DType::UInt16)),
        case("300 does not fit in int8", Value, |_| tensor![1i8].clip(0, 300)),
        case("integers cannot be raised to the negative power -2; use a float dtype", Value, |x| {
            x.pow(-2)
        }),
        case("the step for axis 0 must not be 0", Value, |x| x.step(0, 0)),
        case("the layout reaches offsets 1..13, but the memory holds 12 elements", Value, |x| {
            x.as_strided(&[12], &[1], 1)
        }),
        case("shape [4611686018427387904, 4] has more elements than isize::MAX", Limit, |_| {
            Tensor::zeros([1usize << 62, 4], DType::Int8)
        }),
        case(
            "cannot write through a view of shape [2, 4] and strides [0, 1]: \
             several of its indices refer to the same element",
            Borrow,
            |x| x.slice(s![0])?.broadcast_to([2, 4])?.fill(1),
        ),
        case("cannot allocate 4611686018427387904 bytes", Memory, |_| {
            Tensor::zeros([1usize << 62], DType::UInt8)
        }),
        case(
            "contiguous would copy 48 bytes here, where copies are forbidden: \
             the elements are not contiguous",
            Copy,
            |x| copies::forbid(|| x.t()?.contiguous()),
        ),
    ]
}

#[test]
fn each_failing_call_reports_why_and_changes_nothing() {
    let mut wrong = Vec::new();
    for (text, kind, request) in cases() {
        let x = Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap();
        let error = request(&x).expect_err(text);
        if (error.to_string().as_str(), error.kind()) != (text, kind) {
            wrong.push(format!("{text} ({kind:?})\n    {error} ({:?})", error.kind()));
        }
        // `unwrap` and a `main` that returns the error print its `Debug`.
        assert_eq!((format!("{error:?}"), format!("{error:#?}")), (text.into(), text.into()));
        let expected: Vec<i32> = (0..12).collect();
        assert_eq!(x.to_vec::<i32>().unwrap(), expected, "{text}");
        assert_eq!(x.storage().n_shares(), 1, "{text}");
        x.write::<i32>().map(drop).expect("nothing is borrowed after an error");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unwrap_prints_the_message() {
    let x = Tensor::arange(0..12).unwrap();
    let panic =
        std::panic::catch_unwind(AssertUnwindSafe(|| x.reshape([5, 2]).unwrap())).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.ends_with(": cannot reshape [12] into [5, 2]: 12 elements are not 10"), "{text}");
    let errors = [
        einsum("ij,jk->ik", &[&x, &x]).map(drop).unwrap_err(),
        io::npy::read_from(&b"not an array"[..]).map(drop).unwrap_err(),
        x.rearrange("(a b -> a b", &[]).map(drop).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(format!("{error:?}"), error.to_string());
        let source = error.source().expect("the error that the message is of");
        assert_eq!(format!("{source:?}"), source.to_string());
    }
}

#[test]
fn refused_reinterpretation_reports_bytes() {
    let x = Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap().t().unwrap();
    let error = x.view([6, 2]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::View);
    let lines: Vec<String> = error.to_string().lines().map(String::from).collect();
    assert_eq!(lines[0], "cannot view [4, 3] (strides [1, 4]) as [6, 2] without a copy");
    let seam = "axis 0 has stride 1; to merge with axis 1 it would need stride 12 (3 · 4)";
    assert!(lines[1].contains(seam));
    assert!(lines[2].contains("reshape([6, 2]) copies 48 bytes"), "{}", lines[2]);
    let wide = x.astype(DType::Complex128).unwrap().view([6, 2]).unwrap_err();
    assert!(wide.to_string().contains("copies 192 bytes"), "{wide}");
    let merged = x.merge(0, 1).unwrap_err();
    assert!(merged.to_string().contains("48 bytes") && merged.kind() == ErrorKind::View);
}

#[test]
fn layout_error_is_the_source_of_the_error() {
    let x = tensor![1, 2, 3];
    let error = x.select(1, 0).unwrap_err();
    let source = error.source().and_then(|it| it.downcast_ref::<LayoutError>());
    assert_eq!(source.map(|it| it.to_string()), Some(error.to_string()));
    assert!(x.item::<i32>().unwrap_err().source().is_none());
    let boxed: Box<dyn std::error::Error + Send + Sync> = error.into();
    assert!(boxed.to_string().starts_with("axis 1"));
}

/// Unaligned memory.
fn unaligned() -> Storage {
    static WORDS: [u64; 4] = [0; 4];
    // SAFETY: bytes 1 to 32 of the array, which is static and never written.
    unsafe { Storage::foreign(std::ptr::NonNull::from(&WORDS).cast().add(1), 31, false, || ()) }
}

#[test]
fn unaligned_memory_is_refused() {
    let storage = unaligned();
    let row = |n: usize| Layout::row_major(&[n]).unwrap();
    let address = storage.address();
    let error = Tensor::from_storage(storage.clone(), row(2), DType::Float64).unwrap_err();
    let text = format!("address {address:#x} is not a multiple of 8, as float64 requires");
    assert_eq!((error.to_string(), error.kind()), (text, ErrorKind::Value));
    for dtype in DType::ALL {
        let outcome = Tensor::from_storage(storage.clone(), row(1), dtype);
        assert_eq!(outcome.is_ok(), dtype.align() == 1, "{dtype}");
    }
    let bytes = Tensor::from_storage(storage.clone(), row(24), DType::UInt8).unwrap();
    assert!(matches!(bytes.bitcast(DType::Int16), Err(Error::Unaligned { .. })));
    assert!(bytes.bitcast(DType::Bool).is_ok());
}

#[test]
fn empty_tensors_have_no_unaligned_views() {
    let storage = unaligned();
    let empty = Layout::row_major(&[0]).unwrap();
    let x = Tensor::from_storage(storage, empty, DType::Float64).unwrap();
    assert!(matches!(x.as_strided(&[1], &[1], 0), Err(Error::Unaligned { .. })));
    assert!(x.as_strided(&[0, 3], &[1, 1], 0).is_ok());
    assert_eq!(x.reshape([3, 0]).unwrap().to_vec::<f64>().unwrap(), [0.0; 0]);
}

#[test]
fn messages_contain_the_given_values() {
    let error = Tensor::zeros([3, -7], DType::Int8).unwrap_err();
    assert_eq!(error.to_string(), "lengths must be at least 0, got -7 at position 1");
    assert!(Tensor::ones([-1], DType::Int8).is_err(), "there is nothing to infer from");
    assert!(Tensor::full([i64::MIN], 1).is_err());
    assert!(Tensor::from_fn([-2], |_| 1u8).is_err());
}

#[test]
fn outputs_are_refused_before_anything_is_written() {
    let x = Tensor::arange(0..12).unwrap().reshape([3, 4]).unwrap();
    let out = zoo::GuardedTensor::<i8>::new(&Layout::row_major(&[3, 4]).unwrap(), 1);
    let wrong_shape = out.tensor.slice(s![..2]).unwrap();
    assert!(mul_into(&x, &x, &wrong_shape).is_err());
    assert!(div_into(&x, &x, &out.tensor).is_err());
    assert!(mul_into(&x, &tensor![1, 2], &out.tensor).is_err());
    assert!(mul_into(&x, 1u64 << 40, &out.tensor).is_err());
    assert!(where_into(1.5, &x, &x, &out.tensor).is_err());
    assert!(assign_into(&x.t().unwrap(), &out.tensor).is_err());
    assert!(out.tensor.assign(s![9], 1).is_err());
    out.assert_unchanged("every request was wrong");
}
