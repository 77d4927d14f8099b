//! The guide for users of candle: both expressions of each row are run, and their values compared. The page itself is
//! checked by `tests/all/candle_guide.rs` of the tensor crate.

// The results of the guide for ndarray have more types, and the page needs more of them.
#[allow(dead_code)]
#[path = "../../crates/tensor/tests/guides/outcome.rs"]
mod outcome;
#[path = "../../crates/tensor/tests/guides/candle_rows.rs"]
mod rows;

use candle_core::{DType, Device};
use outcome::Outcome;

/// The operands of the rows, and the device.
struct CandleTensors {
    list: [candle_core::Tensor; 5],
    cpu: Device,
}

struct CandleRow {
    theirs: &'static str,
    ours: &'static str,
    run_theirs: fn(&CandleTensors) -> candle_core::Result<Outcome>,
    run_ours: fn(&[belvedere::Tensor; 5]) -> Result<Outcome, belvedere::Error>,
}

struct CandleChapter {
    title: &'static str,
    rows: &'static [CandleRow],
}

/// Chapters whose rows return a value (`value`) or write to `a` (`changes`). The names are those of the operands, and of
/// candle's device.
macro_rules! chapters {
    ($names:tt $($kind:ident $title:literal ($($theirs:expr => $ours:expr;)*))*) => {
        &[$(CandleChapter {
            title: $title,
            rows: &[$(chapters!(@row $kind $names $theirs, $ours)),*],
        }),*]
    };
    (@row $kind:ident [$a:ident $b:ident $c:ident $v:ident $i:ident $cpu:ident] $theirs:expr, $ours:expr) => {
        CandleRow {
            theirs: stringify!($theirs),
            ours: stringify!($ours),
            run_theirs: |tensors| {
                #[allow(unused_imports)]
                use candle_core::{DType, IndexOp, Tensor};
                #[allow(unused_variables)]
                let ([$a, $b, $c, $v, $i], $cpu) = (&tensors.list, &tensors.cpu);
                chapters!(@result $kind $a $theirs)
            },
            run_ours: |tensors| {
                #[allow(unused_imports)]
                use belvedere::prelude::*;
                #[allow(unused_variables)]
                let [$a, $b, $c, $v, $i] = tensors;
                chapters!(@result $kind $a $ours)
            },
        }
    };
    (@result value $a:ident $expression:expr) => { Ok($expression.into()) };
    (@result changes $a:ident $expression:expr) => {{
        $expression;
        Ok($a.clone().into())
    }};
}

use chapters;

#[test]
fn every_row_of_the_guide_matches_candle() {
    for chapter in rows::CHAPTERS {
        for row in chapter.rows {
            let theirs = operands().and_then(|operands| (row.run_theirs)(&operands));
            let theirs = theirs.unwrap_or_else(|error| panic!("{}: {error}", row.theirs));
            let tensors = operands().expect("small tensors").list.map(|it| to_belvedere(&it));
            let ours = (row.run_ours)(&tensors);
            let ours = ours.unwrap_or_else(|error| panic!("{}: {error}", row.ours));
            ours.assert_near(&theirs, 1e-6, &format!("{} ({})", row.ours, chapter.title));
        }
    }
}

/// Returns the operands: two matrices of 3 × 4 numbers, a stack of two of them, four numbers, and two indices.
fn operands() -> candle_core::Result<CandleTensors> {
    use candle_core::Tensor;
    let cpu = Device::Cpu;
    let numbers = |shape: &[usize], factor: usize| {
        let n: usize = shape.iter().product();
        let values = (0..n).map(|k| (k * factor % n) as f32 + 0.25).collect();
        Tensor::from_vec(values, shape, &cpu)
    };
    let a = (numbers(&[3, 4], 5)? - 4.0)?;
    let i = Tensor::new(&[2u32, 0], &cpu)?;
    let list = [a, numbers(&[3, 4], 7)?, numbers(&[2, 3, 4], 11)?, numbers(&[4], 3)?, i];
    Ok(CandleTensors { list, cpu })
}

/// Returns an operand of Belvedere.
fn to_belvedere(tensor: &candle_core::Tensor) -> belvedere::Tensor {
    let flat = tensor.flatten_all().expect("contiguous elements");
    let result = match tensor.dtype() {
        DType::U32 => {
            belvedere::Tensor::from_vec(flat.to_vec1::<u32>().expect("u32"), tensor.dims())
        }
        _ => belvedere::Tensor::from_vec(flat.to_vec1::<f32>().expect("f32"), tensor.dims()),
    };
    result.expect("as many values as elements")
}

impl From<candle_core::Tensor> for Outcome {
    fn from(tensor: candle_core::Tensor) -> Outcome {
        let values = tensor.to_dtype(DType::F64).and_then(|it| it.flatten_all()?.to_vec1());
        Outcome::new(tensor.dims(), values.expect("real numbers"))
    }
}
