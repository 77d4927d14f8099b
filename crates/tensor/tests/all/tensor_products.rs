//! `vecdot`, `tensordot`, `outer`, `trace` and `cross` against loops; and that they copy only if necessary.

use crate::zoo::{Freedom, TestRng, rounds};
use belvedere::copies::{CopyReason, forbid, record};
use belvedere::*;

type Number = Complex<f64>;

/// Returns small integers of a dtype in a random layout.
fn numbers(rng: &mut TestRng, shape: &[usize], dtype: DType) -> Tensor {
    let layout = rng.random_layout(shape, Freedom::Any);
    let n = layout.span().end;
    let mut part = || rng.below(5) as f64 - if dtype.is_unsigned() { 0.0 } else { 2.0 };
    let values: Vec<Number> = (0..n).map(|_| Complex::new(part(), part())).collect();
    let all = Tensor::from_vec(values, [n]).unwrap();
    let all = if dtype.is_complex() { all } else { all.real().unwrap() };
    let all = all.astype(dtype).unwrap();
    Tensor::from_storage(all.storage().clone(), layout, dtype).unwrap()
}

fn at(x: &Tensor, index: &[usize]) -> Number {
    let index: Vec<Index> = index.iter().map(|&i| Index::At(i as isize)).collect();
    x.slice(index).unwrap().astype(DType::Complex128).unwrap().item().unwrap()
}

/// Returns every index of a shape in row-major order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |all, &len| {
        all.iter().flat_map(|index| (0..len).map(move |i| [&index[..], &[i]].concat())).collect()
    })
}

#[track_caller]
fn assert_is(found: &Tensor, dtype: DType, shape: &[usize], expected: impl Fn(&[usize]) -> Number) {
    assert_eq!((found.dtype(), found.shape()), (dtype, shape.into()));
    for index in indices(shape) {
        assert_eq!(at(found, &index), expected(&index), "{dtype} {shape:?} at {index:?}");
    }
}

const TYPES: [DType; 6] = [
    DType::Int8,
    DType::UInt32,
    DType::Float16,
    DType::Float64,
    DType::Complex64,
    DType::Complex128,
];

#[test]
fn tensordot_matches_loops() {
    let mut rng = TestRng::new(12);
    for _ in 0..rounds(150) {
        let dtype = *rng.pick(&TYPES);
        let (free_a, free_b) = (rng.below(3), rng.below(3));
        let n_summed = rng.below(3);
        let mut len = || 1 + rng.below(3);
        let lens: Vec<usize> = (0..n_summed).map(|_| len()).collect();
        let left: Vec<usize> = (0..free_a).map(|_| len()).collect();
        let right: Vec<usize> = (0..free_b).map(|_| len()).collect();
        // Where the axes of each side end up: first those that are left, then those that are summed.
        let mut orders = [free_a + n_summed, free_b + n_summed].map(|n| (0..n).collect::<Vec<_>>());
        orders.iter_mut().for_each(|order| rng.shuffle(order));
        let shape = |free: &[usize], order: &[usize]| {
            let all = [free, &lens[..]].concat();
            order.iter().map(|&k| all[k]).collect::<Vec<usize>>()
        };
        let a = numbers(&mut rng, &shape(&left, &orders[0]), dtype);
        let b = numbers(&mut rng, &shape(&right, &orders[1]), dtype);
        let place = |side: usize, k: usize| orders[side].iter().position(|&it| it == k).unwrap();
        let axes = |side: usize, free: usize| {
            (0..n_summed).map(|k| place(side, free + k) as isize).collect::<Vec<isize>>()
        };
        let (axes_a, axes_b) = (axes(0, free_a), axes(1, free_b));
        let found = a.tensordot(&b, (&axes_a[..], &axes_b[..])).unwrap();
        // Axes that are left stay in the order they had.
        let kept = |order: &[usize], free: usize| {
            order.iter().copied().filter(|&k| k < free).collect::<Vec<usize>>()
        };
        let (kept_a, kept_b) = (kept(&orders[0], free_a), kept(&orders[1], free_b));
        let lens_of =
            |kept: &[usize], free: &[usize]| kept.iter().map(|&k| free[k]).collect::<Vec<usize>>();
        let result = [lens_of(&kept_a, &left), lens_of(&kept_b, &right)].concat();
        assert_is(&found, dtype, &result, |index| {
            let sum = indices(&lens).iter().fold(Complex::new(0.0, 0.0), |sum, summed| {
                let pick = |order: &[usize], kept: &[usize], free: usize, index: &[usize]| {
                    let one = |&k: &usize| match k < free {
                        true => index[kept.iter().position(|&it| it == k).unwrap()],
                        false => summed[k - free],
                    };
                    order.iter().map(one).collect::<Vec<usize>>()
                };
                let (i, j) = index.split_at(free_a);
                let x = at(&a, &pick(&orders[0], &kept_a, free_a, i));
                sum + x * at(&b, &pick(&orders[1], &kept_b, free_b, j))
            });
            // Small integers wrap around.
            if dtype == DType::Int8 { Complex::new((sum.re as i64 as i8) as f64, 0.0) } else { sum }
        });
    }
}

#[test]
fn vecdot_conjugates_the_left_operand_along_any_axis() {
    let mut rng = TestRng::new(13);
    for dtype in TYPES {
        for axis in [-1isize, -2, -3] {
            let a = numbers(&mut rng, &[2, 3, 4], dtype);
            let k = (3 + axis) as usize;
            let mut other = vec![2, 3, 4];
            other[(k + 1) % 3] = 1;
            let b = numbers(&mut rng, &other, dtype);
            let mut shape = vec![2, 3, 4];
            let len = shape.remove(k);
            let found = a.vecdot(&b, axis).unwrap();
            assert_is(&found, dtype, &shape, |index| {
                (0..len).fold(Complex::new(0.0, 0.0), |sum, i| {
                    let mut index = index.to_vec();
                    index.insert(k, i);
                    let x = at(&a, &index).conj();
                    index[(k + 1) % 3] = 0;
                    sum + x * at(&b, &index)
                })
            });
        }
        let (m, v) = (numbers(&mut rng, &[3, 1, 2, 4], dtype), numbers(&mut rng, &[5, 4], dtype));
        let found = m.matvec(&v).unwrap();
        assert_is(&found, dtype, &[3, 5, 2], |index| {
            (0..4).fold(Complex::new(0.0, 0.0), |sum, i| {
                sum + at(&m, &[index[0], 0, index[2], i]) * at(&v, &[index[1], i])
            })
        });
        let v = numbers(&mut rng, &[5, 2], dtype);
        let found = v.vecmat(&m).unwrap();
        assert_is(&found, dtype, &[3, 5, 4], |index| {
            (0..2).fold(Complex::new(0.0, 0.0), |sum, i| {
                sum + at(&v, &[index[1], i]).conj() * at(&m, &[index[0], 0, i, index[2]])
            })
        });
    }
}

#[test]
fn outer_trace_and_cross_match_their_formulas() {
    let mut rng = TestRng::new(14);
    for dtype in TYPES {
        let [a, b] = [[2, 3], [3, 2]].map(|shape| numbers(&mut rng, &shape, dtype));
        let found = a.kron(&b).unwrap();
        assert_is(&found, dtype, &[6, 6], |index| {
            at(&a, &[index[0] / 3, index[1] / 2]) * at(&b, &[index[0] % 3, index[1] % 2])
        });
        assert!(found.is_contiguous());
        let (x, y) = (a.select(0, 1).unwrap(), b.select(1, 0).unwrap());
        let found = x.outer(&y).unwrap();
        assert_is(&found, dtype, &[3, 3], |index| at(&x, &index[..1]) * at(&y, &index[1..]));
        let found = x.inner(&y).unwrap();
        let sum = (0..3).fold(Complex::new(0.0, 0.0), |sum, i| sum + at(&x, &[i]) * at(&y, &[i]));
        assert_is(&found, dtype, &[], |_| sum);
        assert_is(&x.dot(&y).unwrap(), dtype, &[], |_| sum);
        let cube = numbers(&mut rng, &[2, 3, 4], dtype);
        let found = belvedere::copies::forbid(|| cube.trace_as(1, dtype)).unwrap();
        assert_is(&found, dtype, &[2], |index| {
            (0..3).fold(Complex::new(0.0, 0.0), |sum, i| sum + at(&cube, &[index[0], i, i + 1]))
        });
        if dtype.is_unsigned() {
            continue;
        }
        let (a, b) = (numbers(&mut rng, &[3, 1, 4], dtype), numbers(&mut rng, &[3, 2, 1], dtype));
        let found = a.cross(&b, 0).unwrap();
        assert_is(&found, dtype, &[3, 2, 4], |index| {
            let (j, k) = ((index[0] + 1) % 3, (index[0] + 2) % 3);
            let (x, y) = (|i| at(&a, &[i, 0, index[2]]), |i| at(&b, &[i, index[1], 0]));
            x(j) * y(k) - x(k) * y(j)
        });
    }
}

#[test]
fn a_dot_of_complex_views_copies_nothing() {
    let x = numbers(&mut TestRng::new(2), &[6, 8], DType::Complex128);
    let y = x.flip(&[0]).unwrap();
    forbid(|| x.vecdot(&y, 0)).unwrap();
    forbid(|| x.vecdot(&y.step(1, -1).unwrap(), 1)).unwrap();
    forbid(|| x.t().unwrap().vecmat(&y)).unwrap();
    forbid(|| x.t().unwrap().matvec(&y.t().unwrap())).unwrap();
}

#[test]
fn mergeable_axes_are_not_copied_and_other_copies_are_events() {
    let a = Tensor::ones([2, 3, 4], DType::Float32).unwrap();
    let b = Tensor::ones([3, 4, 5], DType::Float32).unwrap();
    forbid(|| a.tensordot(&b, 2)).unwrap();
    forbid(|| a.tensordot(&b, ([2, 1], [1, 0]))).unwrap();
    forbid(|| a.permute_dims(&[2, 0, 1]).unwrap().tensordot(&b, ([2, 0], [0, 1]))).unwrap();
    forbid(|| a.tensordot(&b, 0)).unwrap();
    forbid(|| a.kron(&b)).unwrap();
    // The rows of the first matrix would be axes 0 and 2, which cannot be merged.
    let (found, log) = record(|| a.tensordot(&b, ([1], [0])).unwrap());
    assert_eq!(found.shape(), [2, 4, 4, 5]);
    let copied: Vec<_> = log.iter().map(|it| (it.op, it.reason, it.bytes)).collect();
    assert_eq!(copied, [("tensordot", CopyReason::NoView, 96)]);
    assert!(log[0].caller.file().ends_with("tensor_products.rs"));
    let (_, log) = record(|| a.tensordot(&b.astype(DType::Float64).unwrap(), 2).unwrap());
    let copied: Vec<_> = log.iter().skip(1).map(|it| (it.op, it.reason, it.bytes)).collect();
    assert_eq!(copied, [("tensordot", CopyReason::Cast, 192)]);
    let error = forbid(|| a.tensordot(&b, ([1], [0]))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Copy);
}

#[test]
fn sum_over_zero_elements_is_zero() {
    let [a, b] = [[2, 0], [0, 3]].map(|shape| Tensor::zeros(shape, DType::Complex64).unwrap());
    assert_eq!(
        a.tensordot(&b, 1).unwrap().to_vec::<Complex<f32>>().unwrap(),
        [Complex::default(); 6]
    );
    assert_eq!(
        a.vecdot(&a, -1).unwrap().to_vec::<Complex<f32>>().unwrap(),
        [Complex::default(); 2]
    );
    assert_eq!(a.kron(&b).unwrap().shape(), [0, 0]);
    let numbers = tensor![2.0].select(0, 0).unwrap();
    assert_eq!(numbers.tensordot(&numbers, 0).unwrap().item::<f64>().unwrap(), 4.0);
    assert_eq!(numbers.kron(&numbers).unwrap().item::<f64>().unwrap(), 4.0);
    assert_eq!(numbers.inner(&tensor![1.0, 2.0]).unwrap().to_vec::<f64>().unwrap(), [2.0, 4.0]);
}

type Request = fn(&Tensor) -> Result<Tensor, Error>;

#[test]
fn mismatched_shapes_are_refused() {
    let x = Tensor::ones([2, 3], DType::Int32).unwrap();
    #[rustfmt::skip]
    let cases: [(&str, ErrorKind, Request); 15] = [
        ("vecdot sums over axis 1 of [2, 3] and axis 0 of [2], whose lengths differ", ErrorKind::Shape, |x| x.vecdot(&tensor![1, 2], -1)),
        ("axis 3 is out of range: the axes are -2..=1", ErrorKind::Axis, |x| x.vecdot(x, 3)),
        ("tensordot sums over axis 1 of [2, 3] and axis 0 of [2, 3], whose lengths differ", ErrorKind::Shape, |x| x.tensordot(x, 1)),
        ("tensordot needs no more axes than both tensors have, got 3", ErrorKind::Value, |x| x.tensordot(x, 3)),
        ("tensordot needs as many axes of the right tensor as of the left one, got 2", ErrorKind::Value, |x| x.tensordot(x, (&[0][..], &[0, 1][..]))),
        ("axis 1 is given twice", ErrorKind::Axis, |x| x.tensordot(x, ([1, -1], [0, 1]))),
        ("tensordot is not supported for bool", ErrorKind::Unsupported, |_| tensor![true].tensordot(&tensor![true], 1)),
        ("outer needs vectors, got shape [2, 3]", ErrorKind::Shape, |x| x.outer(x)),
        ("matvec needs matrices, got shape [2]", ErrorKind::Shape, |x| tensor![1, 2].matvec(x)),
        ("vecmat sums over axis 1 of [2, 3] and axis 0 of [2, 3], whose lengths differ", ErrorKind::Shape, |x| x.vecmat(x)),
        ("inner sums over axis 1 of [2, 3] and axis 0 of [2], whose lengths differ", ErrorKind::Shape, |x| x.inner(&tensor![1, 2])),
        ("cross needs length 3 along the axis, got shape [2, 3]", ErrorKind::Shape, |x| x.cross(x, 0)),
        ("cross is not supported for bool", ErrorKind::Unsupported, |x| { let y = x.astype(DType::Bool)?; y.cross(&y, 1) }),
        ("trace needs matrices, got shape [3]", ErrorKind::Shape, |_| tensor![1, 2, 3].trace(0)),
        ("dot sums over axis 1 of [2, 3] and axis 0 of [2, 3], whose lengths differ", ErrorKind::Shape, |x| x.dot(x)),
    ];
    for (text, kind, request) in cases {
        let error = request(&x).expect_err(text);
        assert_eq!((error.to_string().as_str(), error.kind()), (text, kind));
    }
    assert_eq!(x.trace(isize::MIN).unwrap().item::<i64>().unwrap(), 0);
    assert_eq!(x.trace(isize::MAX).unwrap().item::<i64>().unwrap(), 0);
    assert!(x.tensordot(&x, usize::MAX).is_err());
    assert!(x.vecdot(&x, isize::MIN).is_err());
}

#[test]
fn dot_products_of_rows_are_those_of_single_vectors() -> Result<(), Error> {
    for [rows, len] in [[1, 1], [3, 31], [64, 64], [65, 100], [150, 33]] {
        let wide = Tensor::arange(0..(4 * rows * len) as i64)?
            .remainder(17)?
            .reshape([2 * rows, 2 * len])?;
        for dtype in [DType::Int64, DType::Int32, DType::Float32] {
            let wide = wide.astype(dtype)?;
            let corner = wide.slice(s![..rows, 1..len + 1])?;
            let row = wide.slice(s![1, ..len])?.broadcast_to([rows, len])?;
            for (x, y) in
                [(&corner, &corner), (&corner.flip(&[0])?, &row), (&corner.copy()?, &corner)]
            {
                let found = x.vecdot(y, -1)?;
                assert_eq!(
                    found,
                    x.mul(y)?.astype(DType::Int64)?.sum(-1)?.astype(dtype)?,
                    "{x:?} {y:?}"
                );
                assert_eq!(found, belvedere::einsum("ij,ij->i", &[x, y])?);
            }
        }
    }
    Ok(())
}

/// Compares products of all pairs of views with those of copies, bit by bit.
fn check_dot_products(views: &[Tensor]) -> Result<(), Error> {
    let bits = |it: &Tensor| it.bitcast(DType::UInt8)?.to_vec::<u8>();
    for x in views {
        for y in views {
            let found = forbid(|| x.vecdot(y, -1))?;
            let wanted = x.copy()?.vecdot(&y.copy()?, -1)?;
            assert!(bits(&found)? == bits(&wanted)?, "{x:?} {y:?}");
        }
    }
    Ok(())
}

#[test]
fn dot_products_of_strided_rows_have_the_bits_of_those_of_copies() -> Result<(), Error> {
    for [rows, len] in [[1, 40], [3, 16], [64, 64], [65, 100], [7, 1024], [2, 1500]] {
        for dtype in [DType::Float32, DType::Float64, DType::Int32, DType::UInt8, DType::Complex64]
        {
            let n = 8 * rows * len;
            let fractions = Tensor::linspace(0.1, 7.0, n, DType::Float64)?.astype(dtype)?;
            let wide = fractions.reshape([2 * rows, 4 * len])?;
            let rows_of = |it: &Tensor| -> Result<Vec<Tensor>, Error> {
                let third = it.slice(s![..rows, ..len])?;
                Ok(vec![it.slice(s![..;2, ..;4])?, it.slice(s![..;2, 1..2 * len;2])?, third])
            };
            check_dot_products(&rows_of(&wide)?)?;
            // Columns and reversed rows are summed in another order, which does not matter for whole numbers.
            let numbers = Tensor::arange(0..n as i64)?.remainder(7)?.astype(dtype)?;
            let mut views = rows_of(&numbers.reshape([2 * rows, 4 * len])?)?;
            views.extend(rows_of(&numbers.reshape([4 * len, 2 * rows])?.t()?)?);
            views.push(views[0].flip(&[0, 1])?);
            views.push(views[0].slice(s![..1])?.broadcast_to([rows, len])?);
            check_dot_products(&views)?;
        }
    }
    Ok(())
}
