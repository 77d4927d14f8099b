//! Loops over rows, lanes, positions of an axis, windows and chunks.

use belvedere::prelude::*;
use ndarray::{ArrayView3, Axis};

use super::inputs::Inputs;
use super::rows::Rows;

/// The length of a chunk, and of the first axis of a tensor of rank 3.
const CHUNK: usize = 16;

/// Loops over rows and other lanes, and over the positions of an axis.
pub fn add_rows<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs) {
    let side = inputs.side;
    let (x, a) = inputs.x();
    rows.add(
        ("rows, sum", side),
        move || Ok(x.read::<f32>()?.rows().map(|row| row.sum()).collect::<Vec<f32>>()),
        move || a.rows().into_iter().map(|row| row.sum()).collect::<Vec<f32>>(),
    );
    rows.add(
        ("rows, maximum", side),
        move || {
            let maximum = |row: belvedere::FixedView<f32, 1>| row.iter().fold(0.0, f32::max);
            Ok(x.read::<f32>()?.rows().map(maximum).collect::<Vec<f32>>())
        },
        move || {
            let maximum = |row: ndarray::ArrayView1<f32>| row.iter().copied().fold(0.0, f32::max);
            a.rows().into_iter().map(maximum).collect::<Vec<f32>>()
        },
    );
    rows.add(
        ("lanes of axis 0, sum", side),
        move || Ok(x.read::<f32>()?.lanes(0)?.map(|lane| lane.sum()).collect::<Vec<f32>>()),
        move || a.lanes(Axis(0)).into_iter().map(|lane| lane.sum()).collect::<Vec<f32>>(),
    );
    rows.add(
        ("axis_iter of axis 1, sum", side),
        move || Ok(x.read::<f32>()?.axis_iter(1)?.map(|column| column.sum()).collect::<Vec<f32>>()),
        move || a.axis_iter(Axis(1)).map(|column| column.sum()).collect::<Vec<f32>>(),
    );
    rows.add(
        ("outer_iter, sum", side),
        move || Ok(x.read::<f32>()?.outer_iter()?.map(|row| row.sum()).collect::<Vec<f32>>()),
        move || a.outer_iter().map(|row| row.sum()).collect::<Vec<f32>>(),
    );
    add_rows_in_place(rows, inputs);
}

/// Loops over matrices.
pub fn add_matrices<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs) {
    let side = inputs.side;
    let (x, a) = inputs.x();
    let n_blocks = side / CHUNK;
    let whole = x.narrow(0, 0, n_blocks * CHUNK);
    let cube = whole.and_then(|it| it.view([n_blocks, CHUNK, side]));
    let cube = cube.expect("whole rows are contiguous");
    let cube_array: ArrayView3<f32> = a
        .slice(ndarray::s![..n_blocks * CHUNK, ..])
        .into_shape_with_order((n_blocks, CHUNK, side))
        .expect("whole rows are contiguous");
    rows.add(
        ("outer_iter of rank 3, maximum", side),
        move || {
            let guard = cube.read::<f32>()?;
            let maximum = |block: View<f32>| block.iter().fold(0.0, f32::max);
            Ok(guard.outer_iter()?.map(maximum).collect::<Vec<f32>>())
        },
        move || {
            let maxima = cube_array.outer_iter().map(|it| it.iter().copied().fold(0.0, f32::max));
            maxima.collect::<Vec<f32>>()
        },
    );
}

/// Loops over rows that write.
fn add_rows_in_place<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs) {
    let (side, out, out_array) = (inputs.side, &inputs.out, &inputs.out_array);
    rows.add(
        ("rows_mut, subtract the mean", side),
        move || {
            for mut row in out.write::<f32>()?.rows_mut() {
                let mean = row.as_fixed().sum() / side as f32;
                row.iter_mut().for_each(|it| *it -= mean);
            }
            Ok(out)
        },
        move || {
            for mut row in out_array.borrow_mut().rows_mut() {
                row -= row.sum() / side as f32;
            }
            out_array
        },
    );
}

/// Loops over windows.
pub fn add_windows<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs) {
    let side = inputs.side;
    let (x, a) = inputs.x();
    rows.add(
        ("windows 3 × 3, sum", side),
        move || {
            let guard = x.read::<f32>()?;
            let windows = guard.fixed::<2>()?.window_iter([3, 3])?;
            Ok(windows.map(|window| window.sum()).collect::<Vec<f32>>())
        },
        move || a.windows((3, 3)).into_iter().map(|window| window.sum()).collect::<Vec<f32>>(),
    );
    rows.add(
        ("windows 3 × 3, Laplacian", side),
        move || {
            let guard = x.read::<f32>()?;
            let windows = guard.fixed::<2>()?.window_iter([3, 3])?;
            let laplacian = windows
                .map(|it| it[[0, 1]] + it[[1, 0]] + it[[1, 2]] + it[[2, 1]] - 4.0 * it[[1, 1]]);
            Ok(laplacian.collect::<Vec<f32>>())
        },
        move || {
            let laplacian = a
                .windows((3, 3))
                .into_iter()
                .map(|it| it[[0, 1]] + it[[1, 0]] + it[[1, 2]] + it[[2, 1]] - 4.0 * it[[1, 1]]);
            laplacian.collect::<Vec<f32>>()
        },
    );
    let any_rank = a.view().into_dyn();
    rows.add(
        ("windows 3 × 3, any rank, sum", side),
        move || {
            let guard = x.read::<f32>()?;
            let windows = guard.window_iter([3, 3])?;
            Ok(windows.map(|window| window.sum()).collect::<Vec<f32>>())
        },
        move || {
            let windows = any_rank.windows(ndarray::IxDyn(&[3, 3]));
            windows.into_iter().map(|window| window.sum()).collect::<Vec<f32>>()
        },
    );
    let (series, flat) = (x.reshape(-1).expect("a view"), a.flatten());
    rows.add(
        ("windows of 16, sum", side),
        move || {
            let guard = series.read::<f32>()?;
            let windows = guard.fixed::<1>()?.window_iter([16])?;
            Ok(windows.map(|window| window.sum()).collect::<Vec<f32>>())
        },
        move || flat.windows(16).into_iter().map(|window| window.sum()).collect::<Vec<f32>>(),
    );
}

/// Loops over chunks.
pub fn add_chunks<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs) {
    let side = inputs.side;
    let (x, a) = inputs.x();
    for axis in [0, 1] {
        rows.add(
            (format!("chunks of {CHUNK}, axis {axis}, sum"), side),
            move || {
                let guard = x.read::<f32>()?;
                let chunks = guard.chunks(axis as isize, CHUNK)?;
                Ok(chunks.map(|chunk| chunk.sum()).collect::<Vec<f32>>())
            },
            move || {
                let chunks = a.axis_chunks_iter(Axis(axis), CHUNK);
                chunks.map(|chunk| chunk.sum()).collect::<Vec<f32>>()
            },
        );
    }
    let (out, out_array) = (&inputs.out, &inputs.out_array);
    rows.add(
        (format!("chunks_mut of {CHUNK}, axis 1, fill"), side),
        move || {
            for (k, mut chunk) in out.write::<f32>()?.chunks_mut(1, CHUNK)?.enumerate() {
                chunk.fill(k as f32);
            }
            Ok(out)
        },
        move || {
            let mut out = out_array.borrow_mut();
            for (k, mut chunk) in out.axis_chunks_iter_mut(Axis(1), CHUNK).enumerate() {
                chunk.fill(k as f32);
            }
            out_array
        },
    );
}
