//! Fourier transforms compared with NumPy, one line each.

use crate::numpy::close::Tolerance::{self, Exact, Scaled, Steps};
use crate::numpy::operand::{Operand, python_tuple};
use crate::numpy::random::{Random, Values, types};
use crate::numpy::session::Session;
use belvedere::fft::{self, Norm};
use belvedere::{DType, Error, Tensor};

type One = fn(&Tensor, Option<usize>, isize, Norm) -> Result<Tensor, Error>;
type Many = fn(&Tensor, Option<&[usize]>, Option<&[isize]>, Norm) -> Result<Tensor, Error>;

/// Whether NumPy accepts complex operands.
const REAL: bool = false;
const ANY: bool = true;

#[rustfmt::skip]
const ONE: &[(&str, bool, One)] = &[
    ("fft", ANY, |x, n, axis, norm| fft::fft_with(x, n, axis, norm)),
    ("ifft", ANY, |x, n, axis, norm| fft::ifft_with(x, n, axis, norm)),
    ("rfft", REAL, |x, n, axis, norm| fft::rfft_with(x, n, axis, norm)),
    ("irfft", ANY, |x, n, axis, norm| fft::irfft_with(x, n, axis, norm)),
    ("hfft", ANY, |x, n, axis, norm| fft::hfft_with(x, n, axis, norm)),
    ("ihfft", REAL, |x, n, axis, norm| fft::ihfft_with(x, n, axis, norm)),
];

const MANY: &[(&str, bool, Many)] = &[
    ("fftn", ANY, fft::fftn_with),
    ("ifftn", ANY, fft::ifftn_with),
    ("rfftn", REAL, fft::rfftn_with),
    ("irfftn", ANY, fft::irfftn_with),
];

const NORMS: [(&str, Norm); 3] =
    [("backward", Norm::Backward), ("ortho", Norm::Ortho), ("forward", Norm::Forward)];

/// Dtypes that NumPy transforms with our precision. It also transforms float16,
/// but rounds the results.
fn some_type(random: &mut Random, takes_complex: bool) -> DType {
    let of: Vec<DType> =
        types().filter(|it| *it != DType::Float16 && (takes_complex || !it.is_complex())).collect();
    random.pick(&of)
}

const CLOSE: Tolerance = Scaled(32.0);

#[test]
fn transforms_along_an_axis_match_numpy() {
    let Some(mut session) = Session::new("fft") else { return };
    let mut random = Random::new(70);
    for &(name, takes_complex, ours) in ONE {
        for _ in 0..session.times(150) {
            let (shape, dtype) = (random.shape(), some_type(&mut random, takes_complex));
            if shape.is_empty() {
                continue;
            }
            let operand = Operand::new(&mut random, &shape, dtype, Values::Within(-9.0, 9.0));
            let n = match random.below(3) {
                0 => Some(random.below(shape.iter().copied().max().unwrap_or(0) + 9)),
                _ => None,
            };
            // Sometimes an invalid axis.
            let rank = shape.len() + usize::from(random.once_in(40));
            let axis =
                random.below(rank) as isize - if random.once_in(3) { rank as isize } else { 0 };
            let (norm, ours_norm) = random.pick(&NORMS);
            let points = n.map_or("None".to_string(), |n| n.to_string());
            let python = format!(
                "np.fft.{name}({}, n={points}, axis={axis}, norm='{norm}')",
                operand.named("a")
            );
            session.ask(name, &[&operand.base], python, CLOSE, || {
                ours(&operand.view, n, axis, ours_norm)
            });
        }
    }
    session.finish();
}

#[test]
fn transforms_along_several_axes_match_numpy() {
    let Some(mut session) = Session::new("fftn") else { return };
    let mut random = Random::new(71);
    for &(name, takes_complex, ours) in MANY {
        for _ in 0..session.times(150) {
            let (shape, dtype) = (random.shape(), some_type(&mut random, takes_complex));
            let operand = Operand::new(&mut random, &shape, dtype, Values::Within(-9.0, 9.0));
            let rank = shape.len();
            let some = 1 + random.below(rank.max(1));
            let axes: Vec<isize> =
                random.order(rank).into_iter().take(some).map(|it| it - rank as isize).collect();
            let s: Vec<usize> = axes.iter().map(|_| random.below(9)).collect();
            let (axes, s) = (random.once_in(2).then_some(axes), random.once_in(2).then_some(s));
            // A 0-d array has no axis to transform; NumPy differs.
            if rank == 0 || axes.is_none() && s.is_some() {
                continue;
            }
            let (norm, ours_norm) = random.pick(&NORMS);
            let python = format!(
                "np.fft.{name}({}, s={}, axes={}, norm='{norm}')",
                operand.named("a"),
                s.as_ref().map_or("None".to_string(), |s| python_tuple(s)),
                axes.as_ref().map_or("None".to_string(), |axes| python_tuple(axes)),
            );
            session.ask(name, &[&operand.base], python, CLOSE, || {
                ours(&operand.view, s.as_deref(), axes.as_deref(), ours_norm)
            });
        }
    }
    session.finish();
}

#[test]
fn fftfreq_and_fftshift_match_numpy() {
    let Some(mut session) = Session::new("fftfreq") else { return };
    let mut random = Random::new(72);
    for n in 1..20usize {
        let d = random.pick(&[1.0, 0.1, 3.0, -0.5]);
        session.ask("fftfreq", &[], format!("np.fft.fftfreq({n}, {d})"), Steps(1), || {
            fft::fftfreq_with(n, d, DType::Float64)
        });
        session.ask("rfftfreq", &[], format!("np.fft.rfftfreq({n}, {d})"), Steps(1), || {
            fft::rfftfreq_with(n, d, DType::Float64)
        });
    }
    for _ in 0..session.times(100) {
        let (shape, dtype) = (random.shape(), random.pick(&types().collect::<Vec<_>>()));
        // NumPy cannot roll a 0-d array.
        if shape.is_empty() {
            continue;
        }
        let operand = Operand::new(&mut random, &shape, dtype, Values::Any);
        let some = random.below(shape.len() + 1);
        let axes: Vec<isize> = random.order(shape.len()).into_iter().take(some).collect();
        let (x, axes_of) = (operand.named("a"), python_tuple(&axes));
        session.ask(
            "fftshift",
            &[&operand.base],
            format!("np.fft.fftshift({x}, {axes_of})"),
            Exact,
            || fft::fftshift(&operand.view, &axes[..]),
        );
        session.ask(
            "ifftshift",
            &[&operand.base],
            format!("np.fft.ifftshift({x}, {axes_of})"),
            Exact,
            || fft::ifftshift(&operand.view, &axes[..]),
        );
    }
    session.finish();
}
