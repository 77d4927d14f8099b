//! Elementwise operations match the reference for every layout, dtype and broadcast, into a new tensor, an
//! existing one, or in place.

use crate::zoo::guarded_tensor::assert_same;
use crate::zoo::reference::{ReferenceArithmetic, ReferenceOrder, is_nonzero};
use crate::zoo::values::{DTypeVisitor, for_each_dtype};
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::*;

/// Operands and an output, as layouts, and the shape they broadcast to.
struct Case {
    shape: Vec<usize>,
    operands: [Layout; 3],
    out: Layout,
}

/// Every layout of the zoo with layouts that broadcast to its shape.
fn cases() -> Vec<Case> {
    let mut rng = TestRng::new(1);
    let mut cases = Vec::new();
    for layout in zoo::layouts() {
        let shape = layout.shape().to_vec();
        for round in 0..zoo::rounds(12) {
            let mut operands = [0, 1, 2].map(|_| {
                let below = rng.broadcastable_shape(&shape);
                rng.random_layout(&below, Freedom::Any)
            });
            operands[round % 2] = layout.clone();
            let out = rng.random_layout(&shape, Freedom::Injective);
            cases.push(Case { shape: shape.clone(), operands, out });
        }
    }
    cases
}

type Made = Result<Tensor, Error>;
type Done = Result<(), Error>;

/// Compares an operation on two operands with its reference.
fn check_binary<T: TestElement, O: TestElement>(
    name: &str,
    make: impl Fn(&Tensor, &Tensor) -> Made,
    write: impl Fn(&Tensor, &Tensor, &Tensor) -> Done,
    twin: impl Fn(T, T) -> O,
) {
    for Case { shape, operands: [one, two, _], out } in cases() {
        let case = (name, T::DTYPE, &one, &two, &out);
        let (a, b) = (GuardedTensor::<T>::new(&one, 1), GuardedTensor::<T>::new(&two, 7));
        let pairs = a.values_as(&shape).into_iter().zip(b.values_as(&shape));
        let expected: Vec<O> = pairs.map(|(x, y)| twin(x, y)).collect();

        let made = make(&a.tensor, &b.tensor).unwrap();
        assert_eq!((made.shape().to_vec(), made.dtype()), (shape.clone(), O::DTYPE), "{case:?}");
        assert_same(&made.to_vec::<O>().unwrap(), &expected, case);

        let target = GuardedTensor::<O>::new(&out, 3);
        write(&a.tensor, &b.tensor, &target.tensor).unwrap();
        target.assert_elements(&expected, case);
        a.assert_unchanged(case);
        b.assert_unchanged(case);

        check_in_place::<T, O>(case, &a, &shape, &expected, |a| write(a, &b.tensor, a));
        check_in_place::<T, O>(case, &b, &shape, &expected, |b| write(&a.tensor, b, b));
    }
}

/// Checks that an operand which has the result's shape and type can also be the output.
fn check_in_place<T: TestElement, O: TestElement>(
    case: impl std::fmt::Debug,
    operand: &GuardedTensor<T>,
    shape: &[usize],
    expected: &[O],
    write: impl Fn(&Tensor) -> Done,
) {
    if operand.tensor.shape() != shape || T::DTYPE != O::DTYPE {
        return;
    }
    let outcome = write(&operand.tensor);
    if zoo::is_injective(operand.layout()) {
        outcome.unwrap();
        let expected: Vec<T> = expected.iter().map(|&x| x.cast()).collect();
        operand.assert_elements(&expected, &case);
    } else {
        assert!(matches!(outcome, Err(Error::Overlapping { .. })), "{case:?}");
        operand.assert_unchanged(&case);
    }
    // The other half of the case needs it as it was.
    let memory = operand.memory.clone();
    let all = Layout::row_major(&[memory.len()]).unwrap();
    let all = Tensor::from_storage(operand.tensor.storage().clone(), all, T::DTYPE).unwrap();
    all.copy_from(&Tensor::from_vec(memory, [-1]).unwrap()).unwrap();
}

/// Compares an operation on one operand with its reference.
fn check_unary<T: TestElement, O: TestElement>(
    name: &str,
    make: impl Fn(&Tensor) -> Made,
    write: impl Fn(&Tensor, &Tensor) -> Done,
    twin: impl Fn(T) -> O,
) {
    for Case { operands: [one, ..], .. } in cases() {
        let mut rng = TestRng::new(one.len() as u64 + 5);
        let out = rng.random_layout(&one.shape(), Freedom::Injective);
        let case = (name, T::DTYPE, &one, &out);
        let a = GuardedTensor::<T>::new(&one, 2);
        let expected: Vec<O> = a.values().into_iter().map(&twin).collect();
        let made = make(&a.tensor).unwrap();
        assert_eq!((made.shape(), made.dtype()), (a.tensor.shape(), O::DTYPE), "{case:?}");
        assert_same(&made.to_vec::<O>().unwrap(), &expected, case);
        let target = GuardedTensor::<O>::new(&out, 3);
        write(&a.tensor, &target.tensor).unwrap();
        target.assert_elements(&expected, case);
        check_in_place::<T, O>(case, &a, &a.tensor.shape(), &expected, |a| write(a, a));
    }
}

/// Checks an operation of two operands in its three forms; the macro only spells its names.
macro_rules! binary {
    ($type:ty => $out:ty, $make:ident, $write:ident, $twin:expr) => {
        check_binary::<$type, $out>(
            stringify!($make),
            |x, y| x.$make(y),
            |x, y, out| $write(x, y, out),
            $twin,
        )
    };
}

macro_rules! for_types {
    ($check:ident: $($type:ty)*) => { $($check::<$type>();)* };
}

#[test]
fn add_sub_and_mul_match_the_reference() {
    fn check<T: ReferenceArithmetic>() {
        binary!(T => T, add, add_into, T::plus);
        binary!(T => T, sub, sub_into, T::minus);
        binary!(T => T, mul, mul_into, T::times);
        check_unary::<T, T>("negative", |x| x.negative(), |x, y| negative_into(x, y), T::negated);
    }
    for_types!(check: i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex<f32> Complex<f64>);
}

#[test]
fn minimum_and_maximum_propagate_nan() {
    fn check<T: ReferenceOrder>() {
        // The order of zeros of different signs is unspecified.
        let unsigned = |x: T| if x == T::default() { T::default() } else { x };
        let of = |made: Made| made?.add(0);
        let into = |done: Done, out: &Tensor| done.and_then(|_| add_into(out, 0, out));
        check_binary::<T, T>(
            "minimum",
            |x, y| of(x.minimum(y)),
            |x, y, out| into(minimum_into(x, y, out), out),
            |x, y| unsigned(x.least(y)),
        );
        check_binary::<T, T>(
            "maximum",
            |x, y| of(x.maximum(y)),
            |x, y, out| into(maximum_into(x, y, out), out),
            |x, y| unsigned(x.most(y)),
        );
    }
    for_types!(check: i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64);
    check_binary::<Bool, Bool>(
        "minimum",
        |x, y| x.minimum(y),
        |x, y, out| minimum_into(x, y, out),
        |x, y| Bool::from(x.is_true() && y.is_true()),
    );
}

#[test]
fn comparisons_match_the_reference() {
    fn check<T: ReferenceOrder>() {
        binary!(T => Bool, less, less_into, |x, y| (x < y).into());
        binary!(T => Bool, less_equal, less_equal_into, |x, y| (x <= y).into());
        binary!(T => Bool, greater, greater_into, |x, y| (x > y).into());
        binary!(T => Bool, greater_equal, greater_equal_into, |x, y| (x >= y).into());
    }
    for_types!(check: i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64);
    let is = |x: Bool| x.is_true() as u8;
    binary!(Bool => Bool, less, less_into, |x, y| (is(x) < is(y)).into());
    binary!(Bool => Bool, greater_equal, greater_equal_into, |x, y| (is(x) >= is(y)).into());
}

#[test]
fn equality_and_logic_work_for_every_dtype() {
    struct Logic;

    impl DTypeVisitor for Logic {
        fn visit<T: TestElement>(&mut self) {
            binary!(T => Bool, equal, equal_into, |x, y| (x == y).into());
            binary!(T => Bool, not_equal, not_equal_into, |x, y| (x != y).into());
            binary!(T => Bool, logical_and, logical_and_into, |x, y| (is_nonzero(x) & is_nonzero(y)).into());
            binary!(T => Bool, logical_or, logical_or_into, |x, y| (is_nonzero(x) | is_nonzero(y)).into());
            binary!(T => Bool, logical_xor, logical_xor_into, |x, y| (is_nonzero(x) ^ is_nonzero(y)).into());
            let not = |x: T| Bool::from(!is_nonzero(x));
            check_unary("logical_not", |x| x.logical_not(), |x, y| logical_not_into(x, y), not);
        }
    }

    for_each_dtype(&mut Logic);
}

#[test]
fn where_selects_elementwise() {
    struct Where;

    impl DTypeVisitor for Where {
        fn visit<T: TestElement>(&mut self) {
            for Case { shape, operands: [one, two, three], out } in cases() {
                let case = (T::DTYPE, &one, &two, &three, &out);
                let condition = GuardedTensor::<Bool>::new(&one, 4);
                let (x, y) = (GuardedTensor::<T>::new(&two, 1), GuardedTensor::<T>::new(&three, 9));
                let pairs = x.values_as(&shape).into_iter().zip(y.values_as(&shape));
                let choose = |(c, (x, y)): (Bool, (T, T))| if c.is_true() { x } else { y };
                let conditions = condition.values_as(&shape).into_iter();
                let expected: Vec<T> = conditions.zip(pairs).map(choose).collect();

                let made = where_(&condition.tensor, &x.tensor, &y.tensor).unwrap();
                assert_eq!((made.shape().to_vec(), made.dtype()), (shape.clone(), T::DTYPE));
                assert_same(&made.to_vec::<T>().unwrap(), &expected, case);
                let target = GuardedTensor::<T>::new(&out, 3);
                where_into(&condition.tensor, &x.tensor, &y.tensor, &target.tensor).unwrap();
                target.assert_elements(&expected, case);
                let write = |x: &Tensor| where_into(&condition.tensor, x, &y.tensor, x);
                check_in_place(case, &x, &shape, &expected, write);
                let write = |y: &Tensor| where_into(&condition.tensor, &x.tensor, y, y);
                check_in_place(case, &y, &shape, &expected, write);
            }
        }
    }

    for_each_dtype(&mut Where);
}

#[test]
fn assignment_broadcasts_between_all_layouts() {
    struct Assign;

    impl DTypeVisitor for Assign {
        fn visit<T: TestElement>(&mut self) {
            for Case { shape, operands: [one, ..], out } in cases() {
                let case = (T::DTYPE, &one, &out);
                let (source, target) =
                    (GuardedTensor::<T>::new(&one, 1), GuardedTensor::<T>::new(&out, 5));
                assign_into(&source.tensor, &target.tensor).unwrap();
                target.assert_elements(&source.values_as(&shape), case);
                if source.tensor.shape() == shape {
                    let target = GuardedTensor::<T>::new(&out, 6);
                    target.tensor.copy_from(&source.tensor).unwrap();
                    target.assert_elements(&source.values(), case);
                }
                source.assert_unchanged(case);
            }
        }
    }

    for_each_dtype(&mut Assign);
}

#[test]
fn the_absolute_value_of_a_complex_number_is_real() {
    let cases = [
        (tensor![-3, 4, i32::MIN], tensor![3, 4, i32::MIN]),
        (tensor![3u8, 255], tensor![3u8, 255]),
        (tensor![-0.5, -0.0, f64::NEG_INFINITY], tensor![0.5, 0.0, f64::INFINITY]),
        (tensor![Complex::new(3.0f32, -4.0)], tensor![5.0f32]),
    ];
    for (x, expected) in cases {
        let same = x.abs().unwrap().equal(&expected).unwrap();
        assert!(same.to_vec::<bool>().unwrap().iter().all(|&it| it), "{x}");
        assert_eq!(x.abs().unwrap().dtype(), expected.dtype());
    }
    assert!(matches!(tensor![true].abs(), Err(Error::Unsupported { op: "abs", .. })));
}

#[test]
fn powers_of_integers_are_repeated_products() {
    fn check<T: ReferenceArithmetic>(exponents: &[usize]) {
        for &n in exponents {
            let layout = Layout::row_major(&[9, 7]).unwrap().t().unwrap();
            let x = GuardedTensor::<T>::new(&layout, n);
            let power = |x: T| (0..n).fold(T::from_small(1), |product, _| product.times(x));
            let expected: Vec<T> = x.values().into_iter().map(power).collect();
            let found = x.tensor.pow(n as u64).unwrap();
            assert_same(&found.to_vec::<T>().unwrap(), &expected, (T::DTYPE, n));
        }
    }
    check::<i8>(&[0, 1, 2, 3, 7, 8, 64, 127]);
    check::<u8>(&[0, 1, 2, 3, 7, 8, 64, 255]);
    check::<i16>(&[0, 1, 2, 3, 15, 16, 1000]);
    check::<u16>(&[0, 1, 2, 3, 15, 16, 1000]);
    check::<i32>(&[0, 1, 2, 3, 31, 32, 1000]);
    check::<u32>(&[0, 1, 2, 3, 31, 32, 1000]);
    check::<i64>(&[0, 1, 2, 3, 63, 64, 1000]);
    check::<u64>(&[0, 1, 2, 3, 63, 64, 1000]);
}
