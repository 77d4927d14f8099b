//! A scalar operand takes the dtype of the other operand unless it is of a higher kind, and is refused if that
//! dtype cannot hold it. Integer arithmetic wraps around; integer division gives floats.

use belvedere::*;

/// Returns the dtype of the sum of a tensor and a scalar.
fn sum_type<'a>(dtype: DType, number: impl Into<Operand<'a>>) -> DType {
    let ones = Tensor::ones([3], dtype).unwrap();
    ones.add(number).unwrap().dtype()
}

#[test]
fn scalars_take_the_dtype_of_the_tensor_unless_of_a_wider_kind() {
    use DType::*;
    for dtype in DType::ALL.into_iter().filter(|&it| it != Bool) {
        assert_eq!(sum_type(dtype, true), dtype);
        assert_eq!(sum_type(dtype, 1), dtype);
        let is_integer = dtype.is_integer();
        assert_eq!(sum_type(dtype, 0.5), if is_integer { Float64 } else { dtype });
        assert_eq!(sum_type(dtype, f16::from_f32(0.5)), if is_integer { Float64 } else { dtype });
        let wide = match dtype {
            Float16 | BFloat16 | Float32 | Complex64 => Complex64,
            _ => Complex128,
        };
        assert_eq!(sum_type(dtype, Complex::new(1.0f32, 2.0)), wide, "{dtype}");
        assert_eq!(sum_type(dtype, Complex::new(1.0f64, 2.0)), wide, "{dtype}");
    }
    assert_eq!(sum_type(Bool, 1), Int64);
    assert_eq!(sum_type(Bool, 1u8), Int64);
    assert_eq!(sum_type(Bool, 0.5f32), Float64);
    assert_eq!(sum_type(Bool, Complex::new(0.0f32, 1.0)), Complex128);
}

#[test]
fn scalars_alone_have_the_default_dtype_of_their_kind() {
    let yes = tensor![true];
    let dtype = |made: Result<Tensor, Error>| made.unwrap().dtype();
    assert_eq!(dtype(where_(&yes, true, false)), DType::Bool);
    assert_eq!(dtype(where_(&yes, 1, true)), DType::Int64);
    assert_eq!(dtype(where_(&yes, true, 1u8)), DType::Int64);
    assert_eq!(dtype(where_(&yes, 1, 0.5f32)), DType::Float64);
    assert_eq!(dtype(where_(&yes, 0.5, Complex::new(0.0f32, 1.0))), DType::Complex128);
    assert_eq!(where_(true, 3, 4).unwrap().item::<i64>().unwrap(), 3);
}

#[test]
fn integers_of_every_rust_type_are_scalars() {
    let x = tensor![1i64];
    let sums = [
        x.add(1i8),
        x.add(1i16),
        x.add(1i32),
        x.add(1i64),
        x.add(1u8),
        x.add(1u16),
        x.add(1u32),
        x.add(1u64),
        x.add(1isize),
        x.add(1usize),
        x.add(true),
    ];
    for sum in sums {
        assert_eq!(sum.unwrap().item::<i64>().unwrap(), 2);
    }
}

#[test]
fn scalars_keep_their_full_precision() {
    let get = |x: Tensor| x.add(0).unwrap();
    let zeros = |dtype| Tensor::zeros([1], dtype).unwrap();
    let sum = get(zeros(DType::UInt64).add(u64::MAX).unwrap());
    assert_eq!(sum.item::<u64>().unwrap(), u64::MAX);
    let sum = get(zeros(DType::Int64).add(i64::MIN).unwrap());
    assert_eq!(sum.item::<i64>().unwrap(), i64::MIN);
    assert_eq!(zeros(DType::Float32).add(0.1).unwrap().item::<f32>().unwrap(), 0.1);
    assert_eq!(zeros(DType::Float64).add(0.1f32).unwrap().item::<f64>().unwrap(), 0.1f32 as f64);
    let odd = (1u64 << 53) + 1;
    let sum = zeros(DType::Float64).add(odd).unwrap();
    assert_eq!(sum.item::<f64>().unwrap(), odd as f64);
    assert!(zeros(DType::Float16).add(1e9).unwrap().item::<f16>().unwrap().is_infinite());
}

#[test]
fn integers_out_of_range_of_the_dtype_are_refused() {
    let limits: [(DType, i128, i128); 8] = [
        (DType::Int8, i8::MIN.into(), i8::MAX.into()),
        (DType::Int16, i16::MIN.into(), i16::MAX.into()),
        (DType::Int32, i32::MIN.into(), i32::MAX.into()),
        (DType::Int64, i64::MIN.into(), i64::MAX.into()),
        (DType::UInt8, 0, u8::MAX.into()),
        (DType::UInt16, 0, u16::MAX.into()),
        (DType::UInt32, 0, u32::MAX.into()),
        (DType::UInt64, 0, u64::MAX.into()),
    ];
    for (dtype, low, high) in limits {
        for value in [low - 1, low, low + 1, high - 1, high, high + 1] {
            let number: Operand<'_> = match (i64::try_from(value), u64::try_from(value)) {
                (Ok(value), _) => value.into(),
                (_, Ok(value)) => value.into(),
                _ => continue,
            };
            let x = Tensor::ones([2, 2], dtype).unwrap();
            let fits = (low..=high).contains(&value);
            check_range(x.add(number.clone()).map(drop), fits, value, dtype);
            // Comparisons are defined for every scalar.
            let is_less = x.less(number.clone()).unwrap().to_vec::<bool>().unwrap();
            assert_eq!(is_less, [1 < value; 4], "{value} {dtype}");
            let y = Tensor::ones([2, 2], dtype).unwrap();
            check_range(y.fill(number.clone()), fits, value, dtype);
            check_range(x.add_assign(number.clone()), fits, value, dtype);
            check_range(x.full_like(number).map(drop), fits, value, dtype);
            if !fits {
                let ones = Tensor::ones([2, 2], dtype).unwrap();
                let same = y.equal(&ones).unwrap().to_vec::<bool>().unwrap();
                assert_eq!(same, [true; 4], "nothing was written");
            }
        }
    }
}

fn check_range(outcome: Result<(), Error>, fits: bool, value: i128, dtype: DType) {
    match outcome {
        Ok(()) => assert!(fits, "{value} {dtype}"),
        Err(error) => {
            assert_eq!(error.to_string(), format!("{value} does not fit in {dtype}"));
            assert!(!fits && error.kind() == ErrorKind::Value);
        }
    }
}

#[test]
fn scalars_of_a_wider_kind_are_not_assigned() {
    let refused = |outcome: Result<(), Error>, text: &str| {
        let error = outcome.unwrap_err();
        assert_eq!((error.to_string().as_str(), error.kind()), (text, ErrorKind::DType));
    };
    let x = tensor![1, 2];
    refused(x.fill(1.0), "cannot cast float64 to int32 implicitly; use astype");
    refused(x.scale(0.5), "cannot cast float64 to int32 implicitly; use astype");
    refused(x.div_assign(2), "cannot cast float64 to int32 implicitly; use astype");
    let complex = Complex::new(0.0, 1.0);
    refused(
        tensor![1.0].fill(complex),
        "cannot cast complex128 to float64: the imaginary part would be lost; use real or imag",
    );
    refused(tensor![true].fill(1), "cannot cast int64 to bool implicitly; use astype");
    assert_eq!(x.to_vec::<i32>().unwrap(), [1, 2]);
}

#[test]
fn integers_wrap_around() {
    let x = tensor![i8::MAX, i8::MIN, -1];
    assert_eq!(x.add(1).unwrap().to_vec::<i8>().unwrap(), [i8::MIN, i8::MIN + 1, 0]);
    assert_eq!(x.sub(1).unwrap().to_vec::<i8>().unwrap(), [126, i8::MAX, -2]);
    assert_eq!(x.mul(2).unwrap().to_vec::<i8>().unwrap(), [-2, 0, -2]);
    assert_eq!(x.negative().unwrap().to_vec::<i8>().unwrap(), [-127, i8::MIN, 1]);
    assert_eq!(x.abs().unwrap().to_vec::<i8>().unwrap(), [127, i8::MIN, 1]);
    assert_eq!(tensor![0u64].sub(1).unwrap().to_vec::<u64>().unwrap(), [u64::MAX]);
    assert_eq!(tensor![1u32].negative().unwrap().to_vec::<u32>().unwrap(), [u32::MAX]);
    let wide = tensor![300i64, -1];
    let narrow = Tensor::zeros([2], DType::Int8).unwrap();
    add_into(&wide, 0, &narrow).unwrap();
    assert_eq!(narrow.to_vec::<i8>().unwrap(), [44, -1]);
}

#[test]
fn division_by_zero_is_infinity_or_nan() {
    let of = |x: &Tensor, y: &Tensor| x.div(y).unwrap().to_vec::<f64>().unwrap();
    let quotients = of(&tensor![1, -1, 0], &tensor![0, 0, 0]);
    assert_eq!(quotients[..2], [f64::INFINITY, f64::NEG_INFINITY]);
    assert!(quotients[2].is_nan());
    assert_eq!(of(&tensor![true, false], &tensor![true, true]), [1.0, 0.0]);
    assert_eq!(of(&tensor![1.0], &tensor![-0.0]), [f64::NEG_INFINITY]);
    let complex = tensor![Complex::new(1.0f32, -1.0)].div(0).unwrap();
    let complex = complex.item::<Complex<f32>>().unwrap();
    assert_eq!((complex.re, complex.im), (f32::INFINITY, f32::NEG_INFINITY));
}

#[test]
fn operators_match_the_methods_and_panic_with_their_messages() {
    let (x, y) = (tensor![6.0, 8.0], tensor![2.0, 4.0]);
    assert_eq!((&x + &y).to_vec::<f64>().unwrap(), [8.0, 12.0]);
    assert_eq!((&x - 1).to_vec::<f64>().unwrap(), [5.0, 7.0]);
    assert_eq!((&x * &y - &x).to_vec::<f64>().unwrap(), [6.0, 24.0]);
    assert_eq!((-(&x / &y)).to_vec::<f64>().unwrap(), [-3.0, -2.0]);
    let panic = std::panic::catch_unwind(|| &tensor![1, 2] + &tensor![1, 2, 3]).unwrap_err();
    let error = tensor![1, 2].add(&tensor![1, 2, 3]).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>(), Some(&error.to_string()));
}

#[test]
fn left_scalar_is_promoted_like_a_right_one() {
    use DType::*;
    let rows: [(DType, Operand<'static>, DType); 12] = [
        (Int8, 7.into(), Int8),
        (UInt8, 7.into(), UInt8),
        (Bool, 7.into(), Int64),
        (Bool, true.into(), Bool),
        (Int8, true.into(), Int8),
        (Int32, 0.5.into(), Float64),
        (Float16, 0.5.into(), Float16),
        (BFloat16, 3.into(), BFloat16),
        (Float32, Complex::new(0.0, 1.0).into(), Complex64),
        (Float64, Complex::new(0.0, 1.0).into(), Complex128),
        (Complex64, 0.5.into(), Complex64),
        (Int16, Complex::new(0.0, 1.0).into(), Complex128),
    ];
    for (dtype, number, expected) in rows {
        let x = Tensor::ones([2], dtype).unwrap();
        assert_eq!(result_type_with(&[dtype], std::slice::from_ref(&number)), Some(expected));
        let chosen = where_(true, number.clone(), &x).unwrap();
        assert_eq!(chosen.dtype(), expected, "{dtype}");
        // On the left, as on the right.
        let (left, right) = (number.clone().not_equal(&x), x.not_equal(number));
        assert_eq!(
            left.unwrap().to_vec::<bool>().unwrap(),
            right.unwrap().to_vec::<bool>().unwrap()
        );
    }
    let x = tensor![1i8, 2];
    assert_eq!(Operand::from(7).sub(&x).unwrap().to_vec::<i8>().unwrap(), [6, 5]);
    let error = Operand::from(300).sub(&x).unwrap_err();
    assert_eq!(error.to_string(), "300 does not fit in int8");
    assert_eq!(Operand::from(1).sub(2).unwrap().item::<i64>().unwrap(), -1);
    assert_eq!(result_type_with(&[], &[]), None);
    assert_eq!(result_type_with(&[Int8], &[(&tensor![1.5f32]).into(), 2.into()]), Some(Float32));
}

#[test]
fn clip_bounds_are_optional() {
    let x = tensor![-5, 0, 5];
    let limits: [Option<Operand<'_>>; 2] = [None, Some(3.into())];
    for low in limits.clone() {
        for high in limits.clone() {
            let found = x.clip(low.clone().map(|_| Operand::from(-3)), high.clone()).unwrap();
            let low = if low.is_some() { -3 } else { -5 };
            let high = if high.is_some() { 3 } else { 5 };
            assert_eq!(found.to_vec::<i32>().unwrap(), [low, 0, high]);
        }
    }
}
