//! Dtype promotion: operands of different dtypes have the result dtype of the tables, scalars adapt to tensors,
//! and nothing is implicitly cast to a lower kind.

use crate::zoo::guarded_tensor::assert_same;
use crate::zoo::values::{DTypeVisitor, NumericValue, with_dtype};
use crate::zoo::{self, Freedom, GuardedTensor, TestElement, TestRng};
use belvedere::*;

/// Every `n`-th layout of the zoo, or all.
fn some_layouts(n: usize) -> Vec<Layout> {
    zoo::layouts().into_iter().step_by(if zoo::full() { 1 } else { n }).collect()
}

/// A guarded tensor of a dtype known at run time.
fn tensor_of(dtype: DType, layout: &Layout, seed: usize) -> Tensor {
    struct Make<'a>(&'a Layout, usize, Option<Tensor>);

    impl DTypeVisitor for Make<'_> {
        fn visit<T: TestElement>(&mut self) {
            self.2 = Some(GuardedTensor::<T>::new(self.0, self.1).tensor);
        }
    }

    let mut make = Make(layout, seed, None);
    with_dtype(dtype, &mut make);
    make.2.unwrap()
}

/// Returns the elements of a tensor as numbers.
fn worths(tensor: &Tensor) -> Vec<NumericValue> {
    struct Read<'a>(&'a Tensor, Vec<NumericValue>);

    impl DTypeVisitor for Read<'_> {
        fn visit<T: TestElement>(&mut self) {
            self.1 = self.0.to_vec::<T>().unwrap().into_iter().map(T::numeric_value).collect();
        }
    }

    let mut read = Read(tensor, Vec::new());
    with_dtype(tensor.dtype(), &mut read);
    read.1
}

/// Checks that a tensor holds these numbers.
#[track_caller]
fn check_worths(found: &Tensor, worths: &[NumericValue], case: impl std::fmt::Debug) {
    struct Check<'a, C>(&'a Tensor, &'a [NumericValue], C);

    impl<C: std::fmt::Debug> DTypeVisitor for Check<'_, C> {
        fn visit<T: TestElement>(&mut self) {
            let expected: Vec<T> = self.1.iter().map(|&worth| T::from_numeric(worth)).collect();
            assert_same(&self.0.to_vec::<T>().unwrap(), &expected, &self.2);
        }
    }

    with_dtype(found.dtype(), &mut Check(found, worths, case));
}

#[test]
fn astype_matches_the_reference_cast() {
    for from in DType::ALL {
        for (n, layout) in zoo::layouts().into_iter().enumerate() {
            let x = tensor_of(from, &layout, n);
            let worths = worths(&x);
            for to in DType::ALL {
                let is_lossy = from.is_complex() && !to.is_complex() && !to.is_bool();
                match x.astype(to) {
                    Ok(found) => {
                        assert!(!is_lossy && found.dtype() == to, "{from} {to}");
                        check_worths(&found, &worths, (from, to, &layout));
                        assert_eq!(found.storage().is_same(x.storage()), from == to);
                    }
                    Err(error) => assert!(is_lossy && matches!(error, Error::Cast { .. })),
                }
            }
        }
    }
}

/// Casts of floats saturate, and NaN becomes 0, as `as` does in Rust: around the limits of each integer type, in blocks long
/// enough for vectors and in their remainders.
#[test]
fn floats_saturate_at_the_limits_of_integers() {
    fn check<T: TestElement>(of_f32: fn(f32) -> T, of_f64: fn(f64) -> T) {
        let limits = [31, 32, 63, 64].map(|n| 2f64.powi(n));
        let small = [7, 8, 15, 16].map(|n| 2f64.powi(n));
        let mut values =
            vec![0.0, -0.0, 0.4, -0.9, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e30, -1e30];
        for limit in limits.into_iter().chain(small) {
            let near = [limit, limit.next_down(), limit.next_up(), limit - 1.0, limit + 1.0];
            let near_single = [(limit as f32).next_down(), (limit as f32).next_up()].map(f64::from);
            values.extend(near.into_iter().chain(near_single).flat_map(|it| [it, -it]));
        }
        for rotation in 0..values.len() {
            values.rotate_left(rotation);
            let x = Tensor::from_vec(values.clone(), [values.len()]).unwrap();
            let expected: Vec<T> = values.iter().map(|&it| of_f64(it)).collect();
            assert_same(&x.astype(T::DTYPE).unwrap().to_vec::<T>().unwrap(), &expected, &values);
            let single: Vec<f32> = values.iter().map(|&it| it as f32).collect();
            let x = Tensor::from_vec(single.clone(), [single.len()]).unwrap();
            let expected: Vec<T> = single.iter().map(|&it| of_f32(it)).collect();
            assert_same(&x.astype(T::DTYPE).unwrap().to_vec::<T>().unwrap(), &expected, &single);
        }
    }
    macro_rules! check_all {
        ($($integer:ident)*) => { $(check::<$integer>(|x| x as $integer, |x| x as $integer);)* };
    }
    check_all!(i8 i16 i32 i64 u8 u16 u32 u64);
}

#[test]
fn assignment_casts_to_the_same_or_a_wider_kind() {
    let mut rng = TestRng::new(3);
    for layout in some_layouts(3) {
        for (from, to) in pairs() {
            let out_layout = rng.random_layout(&layout.shape(), Freedom::Injective);
            let (x, out) = (tensor_of(from, &layout, 5), tensor_of(to, &out_layout, 6));
            let (case, before) = ((from, to, &layout, &out_layout), worths(&out));
            match assign_into(&x, &out) {
                Ok(()) => {
                    assert!(can_assign(from, to), "{case:?}");
                    check_worths(&out, &worths(&x), case);
                }
                Err(error) => {
                    assert!(matches!(error, Error::Cast { .. }) && !can_assign(from, to));
                    check_worths(&out, &before, case);
                }
            }
        }
    }
}

/// Every pair of types.
fn pairs() -> impl Iterator<Item = (DType, DType)> {
    DType::ALL.into_iter().flat_map(|a| DType::ALL.into_iter().map(move |b| (a, b)))
}

#[test]
fn mixed_dtypes_match_explicit_casts() {
    let mut rng = TestRng::new(4);
    for layout in some_layouts(4) {
        for (one, two) in pairs() {
            let x = tensor_of(one, &layout, 5);
            let y = tensor_of(two, &rng.random_layout(&layout.shape(), Freedom::Any), 6);
            let common = result_type(one, two);
            let (a, b) = (x.astype(common).unwrap(), y.astype(common).unwrap());
            let case = (one, two, &layout);
            same(x.mul(&y), a.mul(&b), case);
            same(x.div(&y), a.div(&b), case);
            // Comparisons of integers that promote to floats are exact; the NumPy tests cover them.
            if common.is_integer() || !(one.is_integer() && two.is_integer()) {
                same(x.less(&y), a.less(&b), case);
                same(x.equal(&y), a.equal(&b), case);
            }
            let condition = Tensor::full(&*layout.shape(), true).unwrap();
            same(where_(&condition, &x, &y), where_(&condition, &a, &b), case);
        }
    }
}

/// Checks that two results are equal, or both errors.
#[track_caller]
fn same(found: Result<Tensor, Error>, expected: Result<Tensor, Error>, case: impl std::fmt::Debug) {
    struct Compare<'a, C>(&'a Tensor, &'a Tensor, C);

    impl<C: std::fmt::Debug> DTypeVisitor for Compare<'_, C> {
        fn visit<T: TestElement>(&mut self) {
            let (x, y) = (self.0.to_vec::<T>().unwrap(), self.1.to_vec::<T>().unwrap());
            assert_same(&x, &y, &self.2);
        }
    }

    match (found, expected) {
        (Ok(found), Ok(expected)) => {
            assert_eq!((found.dtype(), found.shape()), (expected.dtype(), expected.shape()));
            with_dtype(found.dtype(), &mut Compare(&found, &expected, case));
        }
        (Err(Error::Unsupported { .. }), Err(Error::Unsupported { .. })) => {}
        (found, expected) => panic!("{case:?}: {found:?}, {expected:?}"),
    }
}

#[test]
fn outputs_of_other_dtypes_hold_the_cast_result() {
    let mut rng = TestRng::new(5);
    for layout in some_layouts(4) {
        for (from, to) in pairs() {
            let out_layout = rng.random_layout(&layout.shape(), Freedom::Injective);
            let y = tensor_of(from, &rng.random_layout(&layout.shape(), Freedom::Any), 2);
            let (x, out) = (tensor_of(from, &layout, 1), tensor_of(to, &out_layout, 3));
            let (case, before) = ((from, to, &layout, &out_layout), worths(&out));
            match maximum_into(&x, &y, &out) {
                Ok(()) => {
                    assert!(can_assign(from, to), "{case:?}");
                    check_worths(&out, &worths(&x.maximum(&y).unwrap()), case);
                }
                Err(error) => {
                    let is_expected = match error {
                        Error::Unsupported { .. } => from.is_complex(),
                        Error::Cast { .. } => !can_assign(from, to),
                        _ => false,
                    };
                    assert!(is_expected, "{case:?} {error}");
                    check_worths(&out, &before, case);
                }
            }
        }
    }
}

#[test]
fn bool_is_true_if_its_byte_is_nonzero() {
    let bytes: Vec<u8> = (0..=255).collect();
    let storage = Storage::from_vec(bytes.clone());
    let x = Tensor::from_storage(storage, Layout::row_major(&[256]).unwrap(), DType::Bool).unwrap();
    let truths: Vec<bool> = bytes.iter().map(|&byte| byte != 0).collect();
    assert_eq!(x.to_vec::<bool>().unwrap(), truths);
    assert!(x.equal(true).unwrap().to_vec::<bool>().unwrap()[1..].iter().all(|&it| it));
    let ones: Vec<u8> = truths.iter().map(|&it| it as u8).collect();
    assert_eq!(x.astype(DType::UInt8).unwrap().to_vec::<u8>().unwrap(), ones);
    assert_eq!(x.logical_not().unwrap().bitcast(DType::UInt8).unwrap().get::<u8>(&[0]).unwrap(), 1);
    let chosen = where_(&x, 1u8, &Tensor::zeros([256], DType::UInt8).unwrap()).unwrap();
    assert_eq!(chosen.to_vec::<u8>().unwrap(), ones);
    let least = x.minimum(&x).unwrap().bitcast(DType::UInt8).unwrap();
    assert_eq!(least.to_vec::<u8>().unwrap(), ones, "a result is 0 or 1");
    assert_eq!(x.bitcast(DType::UInt8).unwrap().to_vec::<u8>().unwrap(), bytes, "nothing changed");
}
