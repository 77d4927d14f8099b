//! The 57 transpositions of the TTC benchmark, which HPTT is evaluated with, scaled to 200 MB each.
//!
//! Shapes and permutations are given for row-major order.

use super::engines::{Fingerprint, value};
use super::memory::Memcpy;
use belvedere::{DType, Tensor, astype_into};
use std::time::Instant;

#[rustfmt::skip]
const CASES: &[(&[usize], &[isize])] = &[
    (&[4992, 5008], &[1, 0]),
    (&[832, 30048], &[1, 0]),
    (&[30048, 832], &[1, 0]),
    (&[260, 261, 368], &[1, 0, 2]),
    (&[265, 44, 2144], &[1, 0, 2]),
    (&[1579, 43, 368], &[1, 0, 2]),
    (&[169, 384, 384], &[0, 2, 1]),
    (&[28, 384, 2320], &[0, 2, 1]),
    (&[28, 2320, 384], &[0, 2, 1]),
    (&[384, 169, 384], &[2, 1, 0]),
    (&[384, 28, 2320], &[2, 1, 0]),
    (&[2320, 28, 384], &[2, 1, 0]),
    (&[73, 58, 73, 80], &[2, 1, 0, 3]),
    (&[76, 59, 12, 464], &[2, 1, 0, 3]),
    (&[448, 58, 12, 80], &[2, 1, 0, 3]),
    (&[52, 96, 52, 96], &[3, 0, 2, 1]),
    (&[53, 96, 8, 608], &[3, 0, 2, 1]),
    (&[53, 608, 8, 96], &[3, 0, 2, 1]),
    (&[52, 96, 52, 96], &[2, 0, 3, 1]),
    (&[53, 96, 8, 608], &[2, 0, 3, 1]),
    (&[53, 608, 8, 96], &[2, 0, 3, 1]),
    (&[52, 52, 96, 96], &[1, 0, 3, 2]),
    (&[53, 8, 96, 608], &[1, 0, 3, 2]),
    (&[53, 8, 608, 96], &[1, 0, 3, 2]),
    (&[96, 52, 52, 96], &[3, 2, 1, 0]),
    (&[96, 53, 8, 608], &[3, 2, 1, 0]),
    (&[608, 53, 8, 96], &[3, 2, 1, 0]),
    (&[38, 23, 23, 38, 32], &[1, 3, 2, 0, 4]),
    (&[41, 24, 24, 6, 176], &[1, 3, 2, 0, 4]),
    (&[246, 23, 23, 6, 32], &[1, 3, 2, 0, 4]),
    (&[22, 48, 22, 22, 48], &[4, 0, 3, 2, 1]),
    (&[22, 48, 22, 3, 352], &[4, 0, 3, 2, 1]),
    (&[22, 352, 22, 3, 48], &[4, 0, 3, 2, 1]),
    (&[22, 22, 48, 22, 48], &[1, 3, 0, 4, 2]),
    (&[22, 22, 48, 3, 352], &[1, 3, 0, 4, 2]),
    (&[22, 22, 352, 3, 48], &[1, 3, 0, 4, 2]),
    (&[22, 22, 22, 48, 48], &[2, 0, 4, 1, 3]),
    (&[22, 22, 3, 48, 352], &[2, 0, 4, 1, 3]),
    (&[22, 22, 3, 352, 48], &[2, 0, 4, 1, 3]),
    (&[48, 22, 22, 22, 48], &[4, 3, 2, 1, 0]),
    (&[48, 22, 22, 3, 352], &[4, 3, 2, 1, 0]),
    (&[352, 22, 22, 3, 48], &[4, 3, 2, 1, 0]),
    (&[12, 13, 27, 13, 28, 16], &[4, 1, 0, 3, 2, 5]),
    (&[12, 13, 28, 13, 9, 48], &[4, 1, 0, 3, 2, 5]),
    (&[12, 12, 92, 13, 9, 16], &[4, 1, 0, 3, 2, 5]),
    (&[12, 12, 32, 13, 13, 32], &[1, 4, 0, 5, 3, 2]),
    (&[12, 12, 32, 12, 4, 112], &[1, 4, 0, 5, 3, 2]),
    (&[12, 12, 112, 12, 4, 32], &[1, 4, 0, 5, 3, 2]),
    (&[12, 12, 13, 32, 13, 32], &[2, 0, 4, 1, 5, 3]),
    (&[12, 12, 12, 32, 4, 112], &[2, 0, 4, 1, 5, 3]),
    (&[12, 12, 12, 112, 4, 32], &[2, 0, 4, 1, 5, 3]),
    (&[12, 12, 32, 13, 13, 32], &[1, 5, 4, 0, 3, 2]),
    (&[12, 12, 32, 12, 4, 112], &[1, 5, 4, 0, 3, 2]),
    (&[12, 12, 112, 12, 4, 32], &[1, 5, 4, 0, 3, 2]),
    (&[32, 12, 12, 13, 13, 32], &[5, 4, 3, 2, 1, 0]),
    (&[32, 12, 12, 12, 4, 112], &[5, 4, 3, 2, 1, 0]),
    (&[112, 12, 12, 12, 4, 32], &[5, 4, 3, 2, 1, 0]),
];

/// The name that `--only` is compared with.
pub const NAME: &str = "transpositions";

/// The speed of each transposition and of `memcpy`, in bytes per second.
pub struct Transpositions {
    speeds: Vec<f64>,
    memcpy: f64,
}

/// Times the copy of each case into an existing output, on one thread.
pub fn run(quick: bool, memory: &mut Memcpy) -> Transpositions {
    let rounds = if quick { 1 } else { 5 };
    let most = CASES.iter().map(|(shape, _)| shape.iter().product::<usize>()).max().unwrap_or(0);
    let values: Vec<f32> = (0..most).map(|at| value(at, 1)).collect();
    let from = Tensor::from_vec(values, [most]).expect("it fits in memory");
    let to = Tensor::zeros([most], DType::Float32).expect("it fits in memory");
    let mut speeds = Vec::new();
    for (n, (shape, order)) in CASES.iter().enumerate() {
        super::progress(n, CASES.len(), NAME);
        let len: usize = shape.iter().product();
        let part = |x: &Tensor, shape: &[usize]| x.narrow(0, 0, len)?.view(shape);
        let permuted = part(&from, shape).and_then(|it| it.permute_dims(order)).expect("a case");
        let out = part(&to, &permuted.shape()).expect("a case");
        let mut best = f64::INFINITY;
        memory.measure();
        for _ in 0..rounds {
            let begin = Instant::now();
            astype_into(&permuted, &out).expect("the shapes are the same");
            best = best.min(begin.elapsed().as_secs_f64());
        }
        check(&permuted, &out);
        speeds.push(2.0 * 4.0 * len as f64 / best);
    }
    super::progress(1, 1, "");
    Transpositions { speeds, memcpy: memory.best() }
}

/// Asserts that 50 elements are at their positions.
fn check(permuted: &Tensor, out: &Tensor) {
    let mut at = 12_345;
    for _ in 0..50 {
        at = (at * 69_069 + 1) % out.len();
        let mut rest = at;
        let mut index = out.shape().to_vec();
        for k in (0..index.len()).rev() {
            (index[k], rest) = (rest % out.shape()[k], rest / out.shape()[k]);
        }
        let element = |x: &Tensor| {
            let value: f32 = x.get(&index).expect("an index of the shape");
            Fingerprint::from_values([f64::from(value)].into_iter())
        };
        assert_eq!(element(permuted), element(out), "at {index:?}");
    }
}

impl Transpositions {
    pub fn text(&self) -> String {
        let list: Vec<String> =
            self.speeds.iter().map(|&it| format!("{:.1}", gibibytes(it))).collect();
        format!("57 transpositions, one thread, GiB/s: {}\n{}", list.join(" "), self.summary())
    }

    pub fn markdown(&self, about: &str) -> String {
        let heading = ["shape", "order of the axes", "GiB/s", "of memcpy"].map(str::to_string);
        let rows = CASES.iter().zip(&self.speeds).map(|((shape, order), &speed)| {
            vec![
                format!("{shape:?}"),
                format!("{order:?}"),
                format!("{:.1}", gibibytes(speed)),
                format!("{:.0} %", 100.0 * speed / self.memcpy),
            ]
        });
        let rows: Vec<Vec<String>> = [heading.to_vec()].into_iter().chain(rows).collect();
        format!(
            "# Transpositions\n\nThe 57 of the TTC benchmark, float32, into an existing output; \
             1 thread, on {about}\n\n{}\n{}",
            crate::table::markdown_table(&rows),
            self.summary().replace('\n', "  \n")
        )
    }

    fn summary(&self) -> String {
        let logarithms = self.speeds.iter().map(|it| it.ln()).sum::<f64>();
        let mean = (logarithms / self.speeds.len() as f64).exp();
        let least = self.speeds.iter().copied().fold(f64::INFINITY, f64::min);
        let (mean_share, least_share) = (mean / self.memcpy, least / self.memcpy);
        let met = |is_met: bool| if is_met { "met" } else { "MISSED" };
        format!(
            "geometric mean {:.1} GiB/s, {:.0} % of memcpy (goal 60 %): {}\n\
             slowest {:.1} GiB/s, {:.0} % of memcpy (goal 25 %): {}\n",
            gibibytes(mean),
            100.0 * mean_share,
            met(mean_share >= 0.6),
            gibibytes(least),
            100.0 * least_share,
            met(least_share >= 0.25),
        )
    }
}

fn gibibytes(speed: f64) -> f64 {
    speed / (1u64 << 30) as f64
}
