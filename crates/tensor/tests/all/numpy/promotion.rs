//! Dtype promotion and casts.

use crate::numpy::close::Tolerance::{Exact, Scaled};
use crate::numpy::operand::Operand;
use crate::numpy::random::{Random, Values, types};
use crate::numpy::session::Session;
use belvedere::{
    Complex, DType, DTypeKind, Tensor, can_assign, can_cast, finfo, iinfo, isdtype, result_type,
};

#[test]
fn promotion_matches_numpy() {
    let Some(mut session) = Session::new("promotion") else { return };
    for a in types() {
        for b in types() {
            let python = format!("np.result_type('{a}', '{b}').name");
            session.ask_text("result_type", &[], python, || result_type(a, b).name().into());
            for (rule, ours) in [("safe", can_cast(a, b)), ("same_kind", can_assign(a, b))] {
                let python = format!("np.can_cast('{a}', '{b}', '{rule}')");
                let ours = if ours { "True" } else { "False" };
                session.ask_text(rule, &[], python, || ours.into());
            }
        }
    }
    session.finish();
}

#[test]
fn dtype_limits_match_numpy() {
    let Some(mut session) = Session::new("limits") else { return };
    for dtype in types() {
        if let Ok(info) = finfo(dtype) {
            let ours = [info.eps, info.max, info.min, info.smallest_normal, f64::from(info.bits)];
            let python = format!(
                "(lambda it: np.array([it.eps, it.max, it.min, it.smallest_normal, it.bits], 'f8'))\
                 (np.finfo('{dtype}'))"
            );
            session.ask("finfo", &[], python, Exact, || Tensor::from_vec(ours.to_vec(), [5]));
        }
        if let Ok(info) = iinfo(dtype) {
            let python =
                format!("(lambda it: f'{{it.min}} {{it.max}} {{it.bits}}')(np.iinfo('{dtype}'))");
            let ours = format!("{} {} {}", info.min, info.max, info.bits);
            session.ask_text("iinfo", &[], python, || ours);
        }
        let kinds = [
            "bool",
            "signed integer",
            "unsigned integer",
            "integral",
            "real floating",
            "complex floating",
            "numeric",
        ];
        for kind in kinds {
            let python = format!("np.isdtype(np.dtype('{dtype}'), '{kind}')");
            let kind = DTypeKind::from_name(kind).expect("a sort of types");
            let ours = if isdtype(dtype, kind) { "True" } else { "False" };
            session.ask_text("isdtype", &[], python, || ours.into());
        }
        assert_eq!(finfo(dtype).is_ok(), isdtype(dtype.real(), DTypeKind::RealFloating));
        assert_eq!(iinfo(dtype).is_ok(), dtype.is_integer());
    }
    session.finish();
}

#[test]
fn casts_match_numpy() {
    let Some(mut session) = Session::new("conversions") else { return };
    let mut random = Random::new(3);
    for from in types() {
        for to in types() {
            // NumPy drops the imaginary part with a warning; here it must be dropped explicitly.
            if from.is_complex() && !to.is_complex() && !to.is_bool() {
                continue;
            }
            for _ in 0..session.times(6) {
                let shape = random.shape();
                let x = Operand::new(&mut random, &shape, from, in_range(from, to));
                let python = format!("{}.astype('{to}')", x.named("a"));
                session.ask("astype", &[&x.base], python, Exact, || x.view.astype(to));
            }
        }
    }
    session.finish();
}

/// Values in the range of the other dtype. Conversion of others is undefined behaviour in C, and so in
/// NumPy; here floats saturate.
fn in_range(from: DType, to: DType) -> Values {
    let is_float = |dtype: DType| dtype.is_floating() || dtype.is_complex();
    match is_float(from) && to.is_integer() {
        true if to.is_unsigned() => Values::Within(0.0, 255.9),
        true => Values::Within(-128.9, 127.9),
        false => Values::Any,
    }
}

#[test]
fn arange_linspace_and_eye_match_numpy() {
    let Some(mut session) = Session::new("creation") else { return };
    let mut random = Random::new(4);
    let numbers: Vec<DType> = types().filter(|it| !it.is_bool() && !it.is_complex()).collect();
    for _ in 0..session.times(400) {
        let dtype = random.pick(&numbers);
        // Multiples of 1/4 are exact in every float dtype.
        let unit = if dtype.is_floating() { 0.25 } else { 1.0 };
        let low = if dtype.is_unsigned() { 0 } else { 50 };
        let mut number = || (random.below(100) as f64 - f64::from(low)) * unit;
        let (start, stop) = (number(), number());
        let step = random.pick(&[1.0, 2.0, 3.0, 7.0, -1.0, -2.0, -5.0]) * unit;
        let python = format!("np.arange({start}, {stop}, {step}, dtype='{dtype}')");
        session.ask("arange", &[], python, Exact, || Tensor::arange_step(start, stop, step, dtype));

        let count = random.below(20);
        let python = format!("np.linspace({start}, {stop}, {count}, dtype='{dtype}')");
        session.ask("linspace", &[], python, Exact, || Tensor::linspace(start, stop, count, dtype));

        let python = format!("np.arange({start}, {stop}, {step}, dtype='{dtype}')");
        if dtype.is_integer() {
            let [start, stop, step] = [start, stop, step].map(|it| it as i128);
            session.ask("arange_integers", &[], python, Exact, || {
                Tensor::arange_integers(start, stop, step, dtype)
            });
        }

        let wide = random.pick(&[DType::Complex64, DType::Complex128]);
        let (from, to) = (Complex::new(start, 0.25 * stop), Complex::new(stop, start));
        let endpoint = random.once_in(2);
        let python = format!(
            "np.linspace({}+{}j, {}+{}j, {count}, endpoint={}, dtype='{wide}')",
            from.re,
            from.im,
            to.re,
            to.im,
            if endpoint { "True" } else { "False" }
        );
        session.ask("linspace complex", &[], python.replace("+-", "-"), Scaled(8.0), || {
            match endpoint {
                true => Tensor::linspace(from, to, count, wide),
                false => Tensor::linspace_open(from, to, count, wide),
            }
        });

        let (rows, cols, shift) = (random.below(6), random.below(6), random.below(13) as isize - 6);
        let python = format!("np.eye({rows}, {cols}, {shift}, dtype='{dtype}')");
        session.ask("eye", &[], python, Exact, || Tensor::eye_with((rows, cols), shift, dtype));
    }
    session.finish();
}
