//! Convolutions against SciPy's `correlate`, and pooling against maxima and means of windows.

use crate::numpy::close::Tolerance::{Exact, Scaled};
use crate::numpy::operand::Operand;
use crate::numpy::random::{Random, Values, types};
use crate::numpy::session::Session;
use belvedere::DType;
use belvedere::nn::{self, Conv, Padding, Pool};

#[test]
fn convolutions_match_scipy_correlate() {
    let Some(mut session) = Session::new("conv") else { return };
    let mut random = Random::new(80);
    let of = [DType::Int32, DType::Int64, DType::Float32, DType::Float64, DType::Complex128];
    for _ in 0..session.times(60) {
        let dtype = random.pick(&of);
        let (n, channels, outputs) =
            (1 + random.below(2), 1 + random.below(3), 1 + random.below(6));
        let (h, w) = (1 + random.below(4), 1 + random.below(4));
        let image = [n, channels, h + random.below(12), w + random.below(12)];
        let x = Operand::new(&mut random, &image, dtype, Values::Within(-9.0, 9.0));
        let window = [outputs, channels, h, w];
        let weight = Operand::new(&mut random, &window, dtype, Values::Within(-9.0, 9.0));
        let (mode, padding) = match random.below(3) {
            0 => ("valid", Padding::Valid),
            // For an odd amount of padding SciPy pads more before, ours more after.
            1 if h % 2 == 1 && w % 2 == 1 => ("same", Padding::Same),
            _ => ("full", Padding::Zeros([h - 1, w - 1])),
        };
        let stride = match padding {
            Padding::Same => [1, 1],
            _ => [1 + random.below(2), 1 + random.below(3)],
        };
        let conv = Conv { stride, padding, ..Conv::default() };
        // SciPy conjugates the second operand.
        let python = format!(
            "(lambda images, windows: np.array([[sum(scipy.signal.correlate2d(image[c], \
             window[c].conj(), '{mode}') for c in range({channels}))[::{}, ::{}] \
             for window in windows] for image in images], images.dtype))({}, {})",
            stride[0],
            stride[1],
            x.named("a"),
            weight.named("b"),
        );
        let tolerance = if dtype.is_integer() { Exact } else { Scaled(32.0) };
        session.ask(format!("conv2d {mode}"), &[&x.base, &weight.base], python, tolerance, || {
            nn::conv2d(&x.view, &weight.view, None, conv)
        });
    }
    session.finish();
}

#[test]
fn pooling_matches_numpy_sliding_windows() {
    let Some(mut session) = Session::new("pool") else { return };
    let mut random = Random::new(81);
    let ordered: Vec<DType> = types().filter(|it| !it.is_complex()).collect();
    for _ in 0..session.times(80) {
        let size = [1 + random.below(3), 1 + random.below(4)];
        let stride = [1 + random.below(3), 1 + random.below(3)];
        let (n, channels) = (1 + random.below(2), 1 + random.below(3));
        let image = [n, channels, size[0] + random.below(9), size[1] + random.below(9)];
        let windows = |name: &str, x: &Operand| {
            format!(
                "window({}, {size:?}, (2, 3))[:, :, ::{}, ::{}].{name}((4, 5))",
                x.named("a"),
                stride[0],
                stride[1]
            )
        };
        let pool = Pool { stride, ..Pool::new(size) };
        let dtype = random.pick(&ordered);
        let x = Operand::new(&mut random, &image, dtype, Values::Whole(-99, 99));
        session.ask("max_pool2d", &[&x.base], windows("max", &x), Exact, || {
            nn::max_pool2d(&x.view, pool)
        });
        let dtype = random.pick(&[DType::Float32, DType::Float64]);
        let x = Operand::new(&mut random, &image, dtype, Values::Within(0.5, 9.0));
        session.ask("avg_pool2d", &[&x.base], windows("mean", &x), Scaled(16.0), || {
            nn::avg_pool2d(&x.view, pool)
        });
    }
    session.finish();
}
