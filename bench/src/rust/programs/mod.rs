//! Six programs in both libraries. The guide `programs` of the documentation shows their source.

mod attention;
mod image;
mod interop;
mod neighbours;
mod rolling;
mod stencil;

use std::cell::Cell;

use belvedere::prelude::*;
use ndarray::{Array1, Array2, Array3};

use super::inputs::{Inputs, tensor, values};
use super::rows::Rows;

/// All programs, with inputs for one size.
pub fn add<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs) {
    add_image(rows, inputs.side);
    add_rolling(rows, inputs.side);
    add_neighbours(rows, inputs.side);
    add_attention(rows, inputs.side);
    add_stencil(rows, inputs);
    add_interop(rows, inputs.side);
}

fn add_image(rows: &mut Rows<'_>, side: usize) {
    let pixels = values(side * side * 3, 1).into_iter().map(|it| (256.0 * (it + 0.5)) as u8);
    let pixels: Vec<u8> = pixels.collect();
    let image = Tensor::from_vec(pixels.clone(), [side, side, 3]).expect("as many values");
    let array = Array3::from_shape_vec((side, side, 3), pixels).expect("as many values");
    rows.add(
        ("program: image processing", side),
        move || image::belvedere::sharpen(&image),
        move || image::ndarray::sharpen(array.view()),
    );
}

fn add_rolling(rows: &mut Rows<'_>, side: usize) {
    let series: Vec<f64> = values(side * side / 16, 1).into_iter().map(f64::from).collect();
    let (tensor, array) = (Tensor::from(series.clone()), Array1::from(series));
    rows.add(
        ("program: rolling statistics", side),
        move || rolling::belvedere::z_scores(&tensor, 32),
        move || rolling::ndarray::z_scores(array.view(), 32),
    );
}

fn add_neighbours(rows: &mut Rows<'_>, side: usize) {
    let (n_queries, width) = (side / 2, 32);
    let (queries, points) = (tensor(1, [n_queries, width]), tensor(2, [side, width]));
    let array = |n, seed| {
        Array2::from_shape_vec((n, width), values(n * width, seed)).expect("as many values")
    };
    let arrays = (array(n_queries, 1), array(side, 2));
    rows.add(
        ("program: nearest neighbours", side),
        move || neighbours::belvedere::nearest(&queries, &points),
        move || neighbours::ndarray::nearest(arrays.0.view(), arrays.1.view()),
    );
}

fn add_attention(rows: &mut Rows<'_>, side: usize) {
    let (tokens, heads, width) = (side / 4, 4, 64);
    let [q, k, v] = [1, 2, 3].map(|seed| tensor(seed, [tokens, heads, width]));
    let [a, b, c] = [1, 2, 3].map(|seed| {
        let values = values(tokens * heads * width, seed);
        Array3::from_shape_vec((tokens, heads, width), values).expect("as many values")
    });
    rows.add(
        ("program: attention", side),
        move || attention::belvedere::attention(&q, &k, &v),
        move || attention::ndarray::attention(a.view(), b.view(), c.view()),
    );
}

fn add_stencil<'a>(rows: &mut Rows<'a>, inputs: &'a Inputs) {
    let (x, a) = inputs.x();
    let (out, out_array) = (&inputs.out, &inputs.out_array);
    rows.add(
        ("program: stencil on two threads", inputs.side),
        move || stencil::belvedere::diffuse(x, out).map(|()| out),
        move || {
            stencil::ndarray::diffuse(a.view(), out_array.borrow_mut().view_mut());
            out_array
        },
    );
}

fn add_interop(rows: &mut Rows<'_>, side: usize) {
    // The memory goes around: a result is the next argument.
    let [ours, theirs] = [(); 2].map(|()| Cell::new(values(side * side, 1)));
    let sample = |result: Vec<f32>, memory: &Cell<Vec<f32>>| {
        let sample: Vec<f32> = result.iter().copied().step_by(1009).collect();
        memory.set(result);
        sample
    };
    rows.add(
        ("program: interop", side),
        move || Ok(sample(interop::belvedere::unit_columns(ours.take(), side)?, &ours)),
        move || sample(interop::ndarray::unit_columns(theirs.take(), side), &theirs),
    );
}

#[cfg(test)]
mod tests {
    /// The page that shows the programs.
    const PAGE: &str = include_str!("../../../../crates/tensor/docs/programs.md");

    const SOURCES: [(&str, &str); 6] = [
        ("image", include_str!("image.rs")),
        ("rolling", include_str!("rolling.rs")),
        ("neighbours", include_str!("neighbours.rs")),
        ("attention", include_str!("attention.rs")),
        ("stencil", include_str!("stencil.rs")),
        ("interop", include_str!("interop.rs")),
    ];

    /// Returns the body of a module of a program's source, without its indentation.
    fn module(source: &str, name: &str) -> String {
        let begin = format!("pub mod {name} {{\n");
        let (_, rest) = source.split_once(&begin).expect("a module for each library");
        let (body, _) = rest.split_once("\n}\n").expect("the end of the module");
        let lines = body.lines().map(|line| line.strip_prefix("    ").unwrap_or(line));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The number of lines that are neither empty nor a comment.
    fn n_code_lines(text: &str) -> usize {
        let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
        text.lines().filter(is_code).count()
    }

    #[test]
    fn the_page_shows_the_source_of_every_program() {
        for (program, source) in SOURCES {
            for (library, fence) in [("belvedere", "```rust\n"), ("ndarray", "```rust,ignore\n")] {
                let shown = format!("{fence}{}\n", module(source, library));
                assert!(PAGE.contains(&shown), "{program}, {library}: the page lacks\n{shown}");
            }
        }
    }

    #[test]
    fn no_program_is_longer_than_the_one_with_ndarray() {
        for (program, source) in SOURCES {
            let [ours, theirs] =
                ["belvedere", "ndarray"].map(|it| n_code_lines(&module(source, it)));
            assert!(0 < ours && ours <= theirs, "{program}: {ours} lines, ndarray {theirs}");
        }
    }
}
