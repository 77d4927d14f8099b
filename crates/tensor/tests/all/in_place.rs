//! The three forms of each elementwise operation of the table agree: the method, `…_into` another tensor, and `…_into`
//! its input, exactly or shifted by a few elements.

use crate::operations::{OPERATIONS, Operation};
use belvedere::prelude::*;
use belvedere::*;

/// More elements than a block, so that an iteration in the wrong direction is detected.
const LEN: usize = 3000;

fn memory(dtype: DType) -> Tensor {
    let x = Tensor::linspace(-2.0, 3.0, LEN, DType::Float64).unwrap();
    let x = if dtype.is_integer() { x.mul(20).unwrap() } else { x };
    x.astype(dtype).unwrap()
}

fn bytes(x: &Tensor) -> Vec<u8> {
    x.copy().unwrap().bitcast(DType::UInt8).unwrap().to_vec().unwrap()
}

/// Checks `write`, which reads one part of a storage and writes to another.
fn check(
    name: &str,
    dtype: DType,
    expected: impl Fn(&Tensor) -> Result<Tensor, Error>,
    write: impl Fn(&Tensor, &Tensor) -> Result<(), Error>,
) {
    let part = |x: &Tensor, from: usize| {
        let n = (LEN - 100) as isize;
        x.slice(s![from as isize..from as isize + n]).unwrap()
    };
    for (to, from) in [(0, 0), (3, 0), (0, 3), (50, 7)] {
        let x = memory(dtype);
        let expected = expected(&part(&x, from).copy().unwrap()).unwrap();
        let (source, out) = (part(&x, from), part(&x, to));
        copies::forbid(|| write(&source, &out)).unwrap();
        assert!(bytes(&out) == bytes(&expected), "{name} {dtype} {from} {to}");
    }
    // Backwards, each element is read where another was written.
    let x = memory(dtype);
    let wanted = expected(&x.flip(&[0]).unwrap().copy().unwrap()).unwrap();
    let (_, log) = copies::record(|| write(&x.flip(&[0]).unwrap(), &x).unwrap());
    let is_overlap = |it: &copies::CopyEvent| it.reason == copies::CopyReason::Overlap;
    assert!(log.iter().any(is_overlap), "{name} {dtype}");
    assert!(bytes(&x) == bytes(&wanted), "{name} {dtype}");
}

/// Whether a class of dtypes of the table has one.
fn accepts(class: &str, dtype: DType) -> bool {
    match class {
        "any" | "field" => true,
        "number" => !dtype.is_bool(),
        "ordered" | "float" => !dtype.is_complex(),
        "real" => !dtype.is_bool() && !dtype.is_complex(),
        "integer" => dtype.is_integer(),
        "bits" => dtype.is_integer() || dtype.is_bool(),
        _ => panic!("no class of dtypes is called {class}"),
    }
}

/// The operations with `n` operands, each with the dtypes among `dtypes` whose results have the same one.
fn operations_of(n: usize, dtypes: &[DType]) -> Vec<(&'static Operation, DType)> {
    let mut found = Vec::new();
    for operation in OPERATIONS.iter().filter(|it| it.n_operands == n) {
        let mut is_tested = false;
        for &dtype in dtypes.iter().filter(|&&it| accepts(operation.dtypes, it)) {
            // Negative integer exponents are refused.
            if operation.name == "pow" && dtype.is_integer() {
                continue;
            }
            let operands = vec![memory(dtype); n];
            let result = (operation.method)(&operands).unwrap();
            is_tested = true;
            if result.dtype() == dtype {
                found.push((operation, dtype));
                continue;
            }
            let out = Tensor::zeros([LEN], result.dtype()).unwrap();
            (operation.into)(&operands, &out).unwrap();
            assert!(bytes(&out) == bytes(&result), "{} {dtype}", operation.name);
        }
        assert!(is_tested, "{}", operation.name);
    }
    found
}

#[test]
fn unary_functions_may_write_to_their_input() {
    let dtypes = [DType::Float64, DType::Float16, DType::Int32, DType::UInt8, DType::Bool];
    for (Operation { name, method, into, .. }, dtype) in operations_of(1, &dtypes) {
        // The conjugate of a real tensor is the tensor itself.
        let method = |x: &Tensor| method(std::slice::from_ref(x))?.copy();
        check(name, dtype, method, |x, out| into(std::slice::from_ref(x), out));
    }
}

#[test]
fn binary_functions_may_write_to_their_input() {
    for (Operation { name, method, into, .. }, dtype) in
        operations_of(2, &[DType::Float32, DType::Int16, DType::UInt8, DType::Bool])
    {
        let y = memory(dtype).slice(s![50..-50]).unwrap();
        let other = |x: &Tensor| if x.len() == y.len() { y.clone() } else { memory(dtype) };
        let pair = |x: &Tensor| [x.clone(), other(x)];
        let reversed = |x: &Tensor| [other(x), x.clone()];
        let twice = |x: &Tensor| [x.clone(), x.clone()];
        check(name, dtype, |x| method(&pair(x)), |x, out| into(&pair(x), out));
        check(name, dtype, |x| method(&reversed(x)), |x, out| into(&reversed(x), out));
        check(name, dtype, |x| method(&twice(x)), |x, out| into(&twice(x), out));
    }
}

#[test]
fn ternary_functions_may_write_to_their_input() {
    let dtype = DType::Float64;
    check("clip", dtype, |x| x.clip(-1, 2), |x, out| clip_into(x, -1, 2, out));
    check("clip below", dtype, |x| x.clip(-1, ()), |x, out| clip_into(x, -1, (), out));
    check("clip above", dtype, |x| x.clip((), 2), |x, out| clip_into(x, (), 2, out));
    check("clip not", dtype, |x| x.clip((), ()), |x, out| clip_into(x, (), (), out));
    check("mul_add", dtype, |x| x.mul_add(x, 0.5), |x, out| mul_add_into(x, x, 0.5, out));
    check("lerp", dtype, |x| x.lerp(2, x), |x, out| lerp_into(x, 2, x, out));
    check("addcmul", dtype, |x| x.addcmul(2, 3, 4), |x, out| addcmul_into(x, 2, 3, 4, out));
    check("addcdiv", dtype, |x| x.addcdiv(2, 3, 4), |x, out| addcdiv_into(x, 2, 3, 4, out));
    let into = |x: &Tensor, out: &Tensor| nan_to_num_into(x, None, None, Some(1.0), out);
    check("nan_to_num", dtype, |x| x.nan_to_num(None, None, Some(1.0)), into);
}

#[test]
fn predicates_write_bool() {
    let x = tensor![f64::NAN, f64::INFINITY, -0.0, 3.0];
    let out = Tensor::zeros([4], DType::Bool).unwrap();
    let check = |done: Result<(), Error>, expected: [bool; 4]| {
        done.unwrap();
        assert_eq!(out.to_vec::<bool>().unwrap(), expected);
    };
    check(isnan_into(&x, &out), [true, false, false, false]);
    check(isinf_into(&x, &out), [false, true, false, false]);
    check(isfinite_into(&x, &out), [false, false, true, true]);
    check(signbit_into(&x, &out), [x.signbit().unwrap().get(&[0]).unwrap(), false, true, false]);
    check(isclose_into(&x, &x, 0.0, 0.0, false, &out), [false, true, true, true]);
    check(isclose_into(&x, &x, 0.0, 0.0, true, &out), [true; 4]);
    check(less_into(&x, 0.5, &out), [false, false, true, false]);
}

#[test]
fn bitwise_and_remainder_operators_work() {
    let (x, y) = (tensor![12, -7, 5], tensor![10, 3, -3]);
    let of = |x: Tensor| x.to_vec::<i32>().unwrap();
    assert_eq!(of(&x & &y), [8, 1, 5]);
    assert_eq!(of(&x | &y), [14, -5, -3]);
    assert_eq!(of(&x ^ &y), [6, -6, -8]);
    assert_eq!(of(!&x), [-13, 6, -6]);
    assert_eq!(of(&x << 2), [48, -28, 20]);
    assert_eq!(of(&x >> 1), [6, -4, 2]);
    assert_eq!(of(&x % &y), [2, 2, -1]);
    assert_eq!(of(7 % &tensor![4, -4]), [3, -1]);
    assert_eq!(of(6 & &x), [4, 0, 4]);
    let not = !tensor![true, false];
    assert_eq!(not.to_vec::<bool>().unwrap(), [false, true]);
    assert_eq!((true ^ &not).to_vec::<bool>().unwrap(), [true, false]);
    let mut z = x.copy().unwrap();
    z &= &y;
    z |= 16;
    z ^= 1;
    z <<= 3;
    z >>= 1;
    z %= 50;
    let expected = [8, 1, 5].map(|it: i32| ((((it | 16) ^ 1) << 3) >> 1).rem_euclid(50));
    assert_eq!(of(z), expected);
    let panic = std::panic::catch_unwind(|| &tensor![0.5] & 1).unwrap_err();
    let text = "bitwise_and is not supported for float64".to_string();
    assert_eq!(panic.downcast_ref::<String>(), Some(&text));
}

#[test]
fn real_part_of_complex_is_a_view_and_of_real_the_tensor() {
    let z = tensor![Complex::new(1.0f32, 2.0), Complex::new(3.0, -4.0)];
    for part in [z.real().unwrap(), z.imag().unwrap()] {
        assert!(part.storage().is_same(z.storage()) && part.dtype() == DType::Float32);
    }
    z.real().unwrap().mul_assign(10).unwrap();
    z.imag().unwrap().fill(0.5).unwrap();
    let expected = [Complex::new(10.0, 0.5), Complex::new(30.0, 0.5)];
    assert_eq!(z.to_vec::<Complex<f32>>().unwrap(), expected);

    let x = tensor![1.5, 2.5];
    assert!(x.real().unwrap().storage().is_same(x.storage()));
    assert!(x.conj().unwrap().storage().is_same(x.storage()));
    let none = x.imag().unwrap();
    assert_eq!(none.to_vec::<f64>().unwrap(), [0.0, 0.0]);
    assert!(matches!(none.fill(1), Err(Error::Overlapping { .. })));
}

#[test]
fn complex_expm1_of_infinities_follows_the_standard() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let table = [
        ((inf, 0.0), (inf, 0.0)),
        ((-inf, 2.0), (-1.0, 0.0)),
        ((-inf, inf), (-1.0, 0.0)),
        ((-inf, nan), (-1.0, 0.0)),
        ((inf, inf), (inf, nan)),
        ((inf, nan), (inf, nan)),
        ((1.0, inf), (nan, nan)),
        ((nan, 0.0), (nan, 0.0)),
        ((nan, 1.0), (nan, nan)),
    ];
    for ((re, im), (wanted_re, wanted_im)) in table {
        let found = tensor![Complex::new(re, im)].expm1().unwrap().item::<Complex<f64>>().unwrap();
        let is_same = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan();
        assert!(is_same(found.re, wanted_re) && is_same(found.im, wanted_im), "{re} {im} {found}");
    }
}

#[test]
fn nextafter_uses_the_dtype_of_the_operands() {
    fn check<T: Value + PartialEq + std::fmt::Debug>(x: T, y: T, next: T) {
        let made = Tensor::full([2], 0).unwrap().astype(T::DTYPE).unwrap();
        let (from, to) = (made.copy().unwrap(), made.copy().unwrap());
        from.set(&[0], x).unwrap();
        to.set(&[0], y).unwrap();
        assert_eq!(from.nextafter(&to).unwrap().get::<T>(&[0]).unwrap(), next);
    }
    check(f16::ONE, f16::INFINITY, f16::from_bits(f16::ONE.to_bits() + 1));
    check(bf16::ONE, bf16::NEG_INFINITY, bf16::from_bits(bf16::ONE.to_bits() - 1));
    check(bf16::ZERO, bf16::NEG_ONE, bf16::from_bits(0x8001));
    check(bf16::MAX, bf16::INFINITY, bf16::INFINITY);
    check(f32::INFINITY, 0.0, f32::MAX);
    check(-1.0f64, -2.0, (-1.0f64).next_down());
}

#[test]
fn elementwise_functions_accept_lenses() {
    let x = tensor![1.5, -2.5, 3.5];
    let lens = x.lens().tile(&[2]).unwrap().pad(&[(1, 0)]).unwrap();
    let seen = lens.copy().unwrap();
    let out = Tensor::zeros([7], DType::Float64).unwrap();
    remainder_into(&lens, 2, &out).unwrap();
    assert!(bytes(&out) == bytes(&seen.remainder(2).unwrap()));
    clip_into(&lens, -1, &lens, &out).unwrap();
    assert!(bytes(&out) == bytes(&seen.clip(-1, &seen).unwrap()));
    addcmul_into(&lens, 2, &seen, &lens, &out).unwrap();
    assert!(bytes(&out) == bytes(&seen.addcmul(2, &seen, &seen).unwrap()));
    sin_into(&lens, &out).unwrap();
    assert!(bytes(&out) == bytes(&seen.sin().unwrap()));
}

#[test]
fn integers_are_compared_exactly() {
    let (signed, unsigned) = (tensor![i64::MAX, -1, 0], tensor![1u64 << 63, u64::MAX, 0]);
    let is = |made: Result<Tensor, Error>| made.unwrap().to_vec::<bool>().unwrap();
    assert_eq!(is(signed.equal(&unsigned)), [false, false, true]);
    assert_eq!(is(signed.less(&unsigned)), [true, true, false]);
    assert_eq!(is(unsigned.less_equal(&signed)), [false, false, true]);
    assert_eq!(is(unsigned.not_equal(&signed)), [true, true, false]);
    let small = tensor![-1i8, 5, 0];
    assert_eq!(is(small.greater(&unsigned)), [false, false, false]);
    assert_eq!(is(unsigned.greater_equal(&small)), [true, true, true]);
    // Scalars outside of the range of the dtype compare as less or greater than all elements.
    assert_eq!(is(small.less(300)), [true, true, true]);
    assert_eq!(is(small.equal(u64::MAX)), [false, false, false]);
    assert_eq!(is(unsigned.greater(-1)), [true, true, true]);
    assert_eq!(is(unsigned.less_equal(-1)), [false, false, false]);
    assert_eq!(is(tensor![5u8, 7].not_equal(-5)), [true, true]);
    assert_eq!(is(signed.less(u64::MAX)), [true, true, true]);
}

#[test]
fn negative_integer_exponents_are_refused() {
    let none = Tensor::zeros([0, 2], DType::Int32).unwrap();
    assert_eq!(none.pow(&tensor![-1, 2]).unwrap().shape(), [0, 2]);
    assert_eq!(none.pow(-1).unwrap().shape(), [0, 2]);
    assert!(matches!(tensor![1, 2].pow(-1), Err(Error::NegativePower { exponent: -1 })));
}

#[test]
fn clip_bounds_outside_of_the_dtype_are_refused() {
    let last = Tensor::arange_step(0.0, 256.0, 1.0, DType::UInt8).unwrap();
    assert_eq!(last.get::<u8>(&[255]).unwrap(), 255);
    let refused = Tensor::arange_step(0.0, 257.0, 1.0, DType::UInt8);
    assert!(matches!(refused, Err(Error::ScalarRange { value: 256, dtype: DType::UInt8 })));
    let refused = Tensor::arange_step(0.0, -129.0, -128.5, DType::Int8);
    assert!(refused.is_ok(), "-128.5 becomes -128");
    assert!(Tensor::linspace(0.0, 128.0, 3, DType::Int8).is_err());
    assert!(Tensor::arange_step(300.0, 0.0, 1.0, DType::Int8).unwrap().is_empty());
}

#[test]
fn assigning_variants_match_the_methods() {
    type Assign = fn(&Tensor, &Tensor) -> Result<(), Error>;
    type Method = fn(&Tensor, &Tensor) -> Result<Tensor, Error>;
    /// The operations by name.
    macro_rules! pairs {
        ($($method:ident $assign:ident,)*) => {
            vec![$((stringify!($assign), |x, y| x.$method(y), |x, y| x.$assign(y))),*]
        };
    }
    let numbers: Vec<(&str, Method, Assign)> = pairs![
        add add_assign, sub sub_assign, mul mul_assign, floor_divide floor_divide_assign,
        remainder remainder_assign, fmod fmod_assign,
    ];
    let integers: Vec<(&str, Method, Assign)> = pairs![
        bitwise_and bitwise_and_assign, bitwise_or bitwise_or_assign,
        bitwise_xor bitwise_xor_assign, bitwise_left_shift bitwise_left_shift_assign,
        bitwise_right_shift bitwise_right_shift_assign,
    ];
    let floats = numbers.iter().map(|it| (it, DType::Float32));
    let whole = numbers.iter().chain(&integers).map(|it| (it, DType::Int16));
    for ((name, method, assign), dtype) in floats.chain(whole) {
        let n = LEN as isize - 100;
        for (to, from, is_flipped) in [(0, 0, false), (3, 0, false), (0, 3, false), (0, 3, true)] {
            let x = memory(dtype);
            let part = |from: isize| x.slice(s![from..from + n]).unwrap();
            let (out, mut other) = (part(to), part(from));
            if is_flipped {
                other = other.flip(0).unwrap();
            }
            let expected = method(&out.copy().unwrap(), &other.copy().unwrap()).unwrap();
            assign(&out, &other).unwrap();
            assert!(bytes(&out) == bytes(&expected), "{name} {dtype} {to} {from} {is_flipped}");
        }
    }
}
