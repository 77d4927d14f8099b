//! Loops over vectors return what loops over single elements do, at every length and for special values.

use belvedere::{Complex, concat, prelude::*};

/// Floats around the limits of integer types, and special ones.
fn floats() -> Vec<f64> {
    let mut values =
        vec![f64::NAN, f64::INFINITY, -f64::INFINITY, 0.0, -0.0, 0.9, -0.9, 1e30, -1e30];
    for bits in [7, 8, 15, 16, 31, 32] {
        let limit = 2_f64.powi(bits);
        for offset in [-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5] {
            values.extend([limit + offset, -limit + offset]);
        }
    }
    values
}

#[test]
fn floats_are_cast_to_integers_as_single_ones_are() -> Result<(), Error> {
    let wide = floats();
    let narrow: Vec<f32> = wide.iter().map(|&x| x as f32).collect();
    let (x, y) = (Tensor::from(wide.clone()), Tensor::from(narrow.clone()));
    macro_rules! check {
        ($($dtype:ident $type:ty)*) => {$(
            let expected: Vec<$type> = wide.iter().map(|&x| x as $type).collect();
            assert_eq!(x.astype(DType::$dtype)?.to_vec::<$type>()?, expected);
            let expected: Vec<$type> = narrow.iter().map(|&x| x as $type).collect();
            assert_eq!(y.astype(DType::$dtype)?.to_vec::<$type>()?, expected);
        )*};
    }
    check! { Int8 i8 Int16 i16 Int32 i32 Int64 i64 UInt8 u8 UInt16 u16 UInt32 u32 }
    Ok(())
}

/// Returns the quotient rounded down and the remainder, by definition.
fn floor_division(x: i128, y: i128) -> (i128, i128) {
    if y == 0 {
        return (0, 0);
    }
    let remainder = ((x % y) + y) % y;
    ((x - remainder) / y, remainder)
}

#[test]
fn integers_are_divided_exactly() -> Result<(), Error> {
    macro_rules! check {
        ($($type:ty)*) => {$(
            let mut values: Vec<$type> = vec![0, 1, 2, 3, 7, 10, <$type>::MIN, <$type>::MAX];
            for shift in 0..<$type>::BITS {
                let power = (1 as $type) << shift;
                values.extend([power, power.wrapping_sub(1), power.wrapping_add(1)]);
                values.extend([(0 as $type).wrapping_sub(power), (1 as $type).wrapping_sub(power)]);
            }
            let n = values.len() as isize;
            let (x, y) = (Tensor::from(values.clone()), Tensor::from(values.clone()));
            let (x, y) = (x.reshape([n, 1])?.broadcast_to([n, n])?.copy()?, y.broadcast_to([n, n])?.copy()?);
            let pairs = || values.iter().flat_map(|&x| values.iter().map(move |&y| (x, y)));
            let expected = |f: fn((i128, i128)) -> i128| -> Vec<$type> {
                pairs().map(|(x, y)| f(floor_division(x as i128, y as i128)) as $type).collect()
            };
            assert_eq!(x.floor_divide(&y)?.to_vec::<$type>()?, expected(|it| it.0));
            assert_eq!(x.remainder(&y)?.to_vec::<$type>()?, expected(|it| it.1));
        )*};
    }
    check! { i8 i16 i32 i64 u8 u16 u32 u64 }
    Ok(())
}

#[test]
fn clip_with_numbers_is_clip_with_tensors() -> Result<(), Error> {
    let values = [f64::NAN, -0.0, 0.0, 1.0, -1.0, 2.5, f64::INFINITY, -f64::INFINITY];
    let x = Tensor::from(values.repeat(9));
    for low in values {
        for high in values {
            let filled = |value: f64| Tensor::from(vec![value; x.len()]);
            let (a, b) = (x.clip(low, high)?, x.clip(&filled(low), &filled(high))?);
            let bits = |it: &Tensor| -> Result<Vec<u64>, Error> {
                Ok(it.to_vec::<f64>()?.into_iter().map(f64::to_bits).collect())
            };
            assert_eq!(bits(&a)?, bits(&b)?, "clip to {low} … {high}");
        }
    }
    Ok(())
}

#[test]
fn extrema_find_a_nan_at_every_position() -> Result<(), Error> {
    for len in [1, 15, 16, 17, 31, 33, 64, 100, 1030, 4200] {
        for at in [0, len / 3, len / 2, len - 1] {
            let mut values: Vec<f64> = (0..len).map(|i| (i * 7 % 11) as f64).collect();
            let least = values.iter().position(|&x| x == 0.0).unwrap_or(0);
            assert_eq!(Tensor::from(values.clone()).argmin(())?.item::<i64>()?, least as i64);
            values[at] = f64::NAN;
            let x = Tensor::from(values);
            assert!(x.max(())?.item::<f64>()?.is_nan() && x.min(())?.item::<f64>()?.is_nan());
            assert_eq!(x.argmax(())?.item::<i64>()?, at as i64);
            let rows = x.reshape([1, -1])?.broadcast_to([3, len as isize])?.copy()?;
            assert_eq!(rows.argmin(1)?.to_vec::<i64>()?, [at as i64; 3]);
        }
    }
    Ok(())
}

#[test]
fn products_of_rows_neither_overflow_nor_underflow_in_between() -> Result<(), Error> {
    // Several rows are multiplied at once. The exact product of each column is a power of two.
    let exponents = [1000, 1000, -1000, -1000, -1074, 900, 174, 0, 3, -2, 512, -512];
    let cols = 37;
    for turn in 0..exponents.len() {
        let mut rows = exponents;
        rows.rotate_left(turn);
        let column: Vec<f64> = rows.iter().map(|&it| libm::ldexp(1.0, it)).collect();
        let x: Vec<f64> = column.iter().flat_map(|&x| vec![x; cols]).collect();
        let x = Tensor::from(x).reshape([-1, cols as isize])?;
        assert_eq!(x.prod(0)?.to_vec::<f64>()?, vec![2.0; cols], "turn {turn}");
        assert_eq!(x.t()?.copy()?.prod(1)?.to_vec::<f64>()?, vec![2.0; cols], "turn {turn}");
        let narrow: Vec<f32> = rows.iter().map(|&it| libm::ldexpf(1.0, it / 8)).collect();
        let expected: i32 = rows.iter().map(|&it| it / 8).sum();
        let y: Vec<f32> = narrow.iter().flat_map(|&x| vec![x; cols]).collect();
        let y = Tensor::from(y).reshape([-1, cols as isize])?;
        assert_eq!(y.prod(0)?.to_vec::<f32>()?, vec![libm::ldexpf(1.0, expected); cols]);
    }
    Ok(())
}

#[test]
fn signs_of_complex_numbers_do_not_depend_on_their_neighbours() -> Result<(), Error> {
    let parts = [0.0, -0.0, 1.5, -3.0, 1e-45, 3e38, f32::INFINITY, -f32::INFINITY, f32::NAN];
    let pairs = parts.iter().flat_map(|&re| parts.iter().map(move |&im| Complex::new(re, im)));
    let values: Vec<Complex<f32>> = pairs.collect();
    let together = Tensor::from(values.clone()).sign()?.to_vec::<Complex<f32>>()?;
    for (z, sign) in values.into_iter().zip(together) {
        let alone = Tensor::from(vec![z]).sign()?.to_vec::<Complex<f32>>()?[0];
        let bits = |z: Complex<f32>| [z.re, z.im].map(|x| if x.is_nan() { 1 } else { x.to_bits() });
        assert_eq!(bits(sign), bits(alone), "the sign of {z}");
        if z.re.is_finite() && z.im.is_finite() && (z.re, z.im) != (0.0, 0.0) {
            let norm = f64::from(z.re).hypot(f64::from(z.im));
            assert!((f64::from(sign.re) - f64::from(z.re) / norm).abs() < 1e-7, "the sign of {z}");
        }
    }
    Ok(())
}

#[test]
fn a_sum_in_place_with_its_own_shift_reads_before_it_writes() -> Result<(), Error> {
    for len in [5, 1000, 20_000] {
        for (to, from) in [(1, 0), (0, 1), (3, 0), (0, 7)] {
            let values: Vec<u8> = (0..len + 7).map(|i| (i * 13 % 251) as u8).collect();
            let x = Tensor::from(values.clone());
            let part = |first: usize| x.slice(s![first..first + len]);
            part(to)?.add_assign(&part(from)?)?;
            let mut expected = values.clone();
            for i in 0..len {
                expected[to + i] = values[to + i].wrapping_add(values[from + i]);
            }
            assert_eq!(x.to_vec::<u8>()?, expected, "{len} elements, {from} added to {to}");
        }
    }
    Ok(())
}

#[test]
fn few_rows_are_taken_and_joined_as_many_are() -> Result<(), Error> {
    let x = Tensor::arange(0..12)?.reshape([3, 4])?;
    for view in [x.clone(), x.t()?, x.flip(1)?] {
        let [n_rows, n_cols] = view.dims()?;
        let element =
            |r: usize, c: usize| view.select(0, r as isize)?.select(0, c as isize)?.item::<i32>();
        let list = [2, -1, 0, 1, -3];
        let at = |i: i64, len: usize| (if i < 0 { i + len as i64 } else { i }) as usize;
        let mut expected = Vec::new();
        for i in list {
            for c in 0..n_cols {
                expected.push(element(at(i, n_rows), c)?);
            }
        }
        assert_eq!(view.take(&Tensor::from(list.to_vec()), 0)?.to_vec::<i32>()?, expected);
        let mut expected = Vec::new();
        for r in 0..n_rows {
            for i in list {
                expected.push(element(r, at(i, n_cols))?);
            }
        }
        assert_eq!(view.take(&Tensor::from(list.to_vec()), -1)?.to_vec::<i32>()?, expected);
        assert!(view.take(&tensor![5_i64], 0).is_err());
        for axis in [0, 1, -1] {
            let joined = concat(&[&view, &view], axis)?;
            let large = concat(&[&view.astype(DType::Int64)?, &view], axis)?;
            assert_eq!(joined.astype(DType::Int64)?.to_vec::<i64>()?, large.to_vec::<i64>()?);
        }
    }
    assert!(concat(&[&x, &x.t()?], 0).is_err());
    Ok(())
}
