//! Copying a strided operand first, compared with reading it with its own strides, with what the library
//! chooses, and with its estimates.
//!
//! Half of the cases are on either side of where a copy begins to pay. This is also the table that the
//! constants of `crates/tensor/src/plan/cost.rs` are fitted to.

use super::progress;
use super::race::guarded;
use crate::table::{aligned, markdown_table};
use belvedere::add_into;
use belvedere::copies::{self, CopyReason};
use belvedere::plan::{Estimate, Plan, Width};
use belvedere::prelude::*;
use std::time::Instant;

/// The name that `--only` is compared with.
pub const NAME: &str = "copy first, or walk";

/// A sum of two operands, of which the second may be copied first.
struct Case {
    name: &'static str,
    left: fn() -> Result<Tensor, Error>,
    right: fn() -> Result<Tensor, Error>,
}

use DType::{Float16, Float32, Float64};

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { name: "(256,64,64) + (64,64)ᵀ", left: || input(&[256, 64, 64], Float32), right: || input(&[64, 64], Float32)?.t() },
    Case { name: "(256,64,64) + (64,64)ᵀ, float64", left: || input(&[256, 64, 64], Float64), right: || input(&[64, 64], Float64)?.t() },
    Case { name: "(16,512,512) + (512,512)ᵀ", left: || input(&[16, 512, 512], Float32), right: || input(&[512, 512], Float32)?.t() },
    Case { name: "(1024,512) + b[::7]", left: || input(&[1024, 512], Float32), right: || input(&[7 * 512], Float32)?.slice(s![..;7]) },
    Case { name: "(64,8192) + b[::-1]", left: || input(&[64, 8192], Float32), right: || input(&[8192], Float32)?.slice(s![..;-1]) },
    Case { name: "(1024,512) + (512) float16", left: || input(&[1024, 512], Float32), right: || input(&[512], Float16) },
    Case { name: "(1024,512) + (1024,1) float16", left: || input(&[1024, 512], Float32), right: || input(&[1024, 1], Float16) },
    Case { name: "(16,512,512) + (512,512)ᵀ float16", left: || input(&[16, 512, 512], Float32), right: || input(&[512, 512], Float16)?.t() },
    Case { name: "(2,512,512) + (512,512)ᵀ", left: || input(&[2, 512, 512], Float32), right: || input(&[512, 512], Float32)?.t() },
    Case { name: "(2,512,512) + (512,512) float16", left: || input(&[2, 512, 512], Float32), right: || input(&[512, 512], Float16) },
    Case { name: "(2,2048,2048) + (2048,2048)ᵀ", left: || input(&[2, 2048, 2048], Float32), right: || input(&[2048, 2048], Float32)?.t() },
    Case { name: "(2,2048,2048) + (2048,2048) float16", left: || input(&[2, 2048, 2048], Float32), right: || input(&[2048, 2048], Float16) },
    Case { name: "(4096,4096) + (4096,4096)ᵀ", left: || input(&[4096, 4096], Float32), right: || input(&[4096, 4096], Float32)?.t() },
    Case { name: "(2048,2048) + (2048,2048) float16", left: || input(&[2048, 2048], Float32), right: || input(&[2048, 2048], Float16) },
    Case { name: "(2048,2048) + b[:, ::-1]", left: || input(&[2048, 2048], Float32), right: || input(&[2048, 2048], Float32)?.slice(s![.., ..;-1]) },
    Case { name: "(1024,1024) + b[::2, ::2]", left: || input(&[1024, 1024], Float32), right: || input(&[2048, 2048], Float32)?.slice(s![..;2, ..;2]) },
    Case { name: "(1024,512) + (512)", left: || input(&[1024, 512], Float32), right: || input(&[512], Float32) },
    Case { name: "(1024,512) + (1024,1)", left: || input(&[1024, 512], Float32), right: || input(&[1024, 1], Float32) },
    Case { name: "(200000,3) + (3)", left: || input(&[200_000, 3], Float32), right: || input(&[3], Float32) },
];

/// The time of both alternatives, in nanoseconds.
struct Choice {
    name: &'static str,
    /// With its own strides: copies are forbidden.
    walked: f64,
    /// Copied by hand.
    copied: f64,
    /// Left to the library.
    chosen: f64,
    copies: bool,
    estimate: Estimate,
}

/// The rows that could be measured, and the failures.
pub struct Choices {
    about: String,
    rows: Vec<Result<Choice, String>>,
}

/// Times all cases.
pub fn run(about: String, quick: bool) -> Choices {
    let (rounds, seconds) = if quick { (5, 0.06) } else { (15, 0.6) };
    let mut rows = Vec::new();
    for (n, case) in CASES.iter().enumerate() {
        progress(n, CASES.len(), case.name);
        let measured = guarded(|| {
            case.measure(rounds, seconds).unwrap_or_else(|error| Err(error.to_string()))
        });
        rows.push(measured.map_err(|error| format!("{}: {error}", case.name)));
    }
    progress(CASES.len(), CASES.len(), "");
    Choices { about, rows }
}

impl Case {
    /// Compares the results of the alternatives, and times them in turns.
    fn measure(&self, rounds: usize, seconds: f64) -> Result<Result<Choice, String>, Error> {
        let (a, b) = ((self.left)()?, (self.right)()?);
        let (expected, log) = copies::record(|| a.add(&b));
        let expected = expected?;
        let copies = log.iter().any(|it| it.reason == CopyReason::Reused);
        let estimate = estimate(&a, &b, &expected)?;
        let out = Tensor::zeros(&*expected.shape(), expected.dtype())?;
        let walk = || copies::forbid(|| add_into(&a, &b, &out));
        let copy = || {
            let copy = match b.dtype() == out.dtype() {
                true => b.copy()?,
                false => b.astype(out.dtype())?.contiguous()?,
            };
            add_into(&a, &copy, &out)
        };
        let choose = || add_into(&a, &b, &out);
        let alternatives: [&dyn Fn() -> Result<(), Error>; 3] = [&walk, &copy, &choose];
        for alternative in alternatives {
            out.fill(0)?;
            alternative()?;
            if !out.equal(&expected)?.all(())?.item::<bool>()? {
                return Ok(Err("the alternatives give different sums".to_string()));
            }
        }
        let mut best = [f64::INFINITY; 3];
        let (begin, mut round) = (Instant::now(), 0);
        while round < rounds || begin.elapsed().as_secs_f64() < seconds {
            for step in 0..3 {
                let n = (round + step) % 3;
                let begin = Instant::now();
                alternatives[n]()?;
                best[n] = best[n].min(begin.elapsed().as_secs_f64() * 1e9);
            }
            round += 1;
        }
        let [walked, copied, chosen] = best;
        Ok(Ok(Choice { name: self.name, walked, copied, chosen, copies, estimate }))
    }
}

/// What the library estimates about the second operand.
fn estimate(a: &Tensor, b: &Tensor, out: &Tensor) -> Result<Estimate, Error> {
    let shape = out.shape();
    let (left, right) = (a.broadcast_to(&*shape)?, b.broadcast_to(&*shape)?);
    let width = |it: &Tensor| match it.dtype() == out.dtype() {
        true => Width::of(it.dtype().size()),
        false => Width::converted(it.dtype().size(), out.dtype().size()),
    };
    let layouts = [out.layout(), left.layout(), right.layout()];
    let [_, _, estimate] = Plan::estimates(layouts, [width(out), width(a), width(b)])?;
    Ok(estimate)
}

fn input(shape: &[usize], dtype: DType) -> Result<Tensor, Error> {
    let len: usize = shape.iter().product();
    let values: Vec<f32> = (0..len).map(|at| super::engines::value(at, 1)).collect();
    Tensor::from_vec(values, shape)?.astype(dtype)
}

impl Choice {
    /// Whether what was chosen took at most 10 % longer than the better alternative.
    fn is_right(&self) -> bool {
        // If the library does not copy, `chosen` and `walked` time the same call.
        let chosen = if self.copies { self.chosen } else { self.chosen.min(self.walked) };
        chosen <= 1.1 * self.walked.min(self.copied)
    }

    fn cells(&self) -> Vec<String> {
        let micro = |nanoseconds: f64| format!("{:.1}", nanoseconds / 1e3);
        let Estimate { visited, distinct, .. } = self.estimate;
        vec![
            self.name.to_string(),
            visited.to_string(),
            distinct.to_string(),
            micro(self.walked),
            micro(self.copied),
            format!("{:.2}", self.walked / self.copied),
            micro(self.estimate.as_is_ns),
            self.estimate.copied_ns.map_or("–".to_string(), micro),
            if self.copies { "copied" } else { "walked" }.to_string(),
            micro(self.chosen),
            if self.is_right() { "met" } else { "MISSED" }.to_string(),
        ]
    }
}

const HEADING: [&str; 11] = [
    "µs",
    "visited",
    "distinct",
    "walked",
    "copied first",
    "walked ÷ copied",
    "estimate: walked",
    "estimate: copied",
    "chosen",
    "as chosen",
    "≤ 1.1× the better",
];

impl Choices {
    /// Headings and rows.
    fn rows(&self) -> Vec<Vec<String>> {
        let heading = HEADING.map(str::to_string).to_vec();
        let rows = self.rows.iter().flatten().map(Choice::cells);
        [heading].into_iter().chain(rows).collect()
    }

    /// For a terminal.
    pub fn text(&self) -> String {
        format!(
            "copy first, or walk: {}\n\n{}{}",
            self.about,
            aligned(&self.rows()),
            self.summary()
        )
    }

    pub fn markdown(&self) -> String {
        format!(
            "# Copy first, or walk\n\nA sum whose second operand is walked with its own strides, \
             copied first by hand, and left to the library; {}.\n\n{}{}",
            self.about,
            markdown_table(&self.rows()),
            self.summary()
        )
    }

    fn summary(&self) -> String {
        let right = self.rows.iter().flatten().filter(|it| it.is_right()).count();
        let mut text = format!("\n{right} of {} choices are right\n", self.rows.len());
        for trouble in self.troubles() {
            text += &format!("FAILED: {trouble}\n");
        }
        text
    }

    /// The messages of cases that could not be measured.
    pub fn troubles(&self) -> impl Iterator<Item = &String> {
        self.rows.iter().filter_map(|it| it.as_ref().err())
    }
}
