//! A tour of strided views: layouts, views, reshapes that need a copy and why, overlap, chains.
//!
//! `cargo run --example tour`

use belvedere_layout::{
    Answer, Chain, Layout, LayoutError, Rearranged, Reshape, broadcast, explain_view, s,
};

fn main() -> Result<(), LayoutError> {
    heading("A layout is a start, and a length and a stride for each axis");
    let rows = Layout::row_major(&[3, 4])?;
    show("row_major([3, 4])", &rows);
    println!("  element [1, 3] lies at offset {}\n", rows.offset(&[1, 3])?);

    heading("Views change start, lengths and strides; no element moves");
    let columns = rows.t()?;
    show("t()", &columns);
    show("slice [1.., ..;2]", &rows.slice(&s![1.., ..;2])?);
    show("flip both axes", &rows.flip(&[0, 1])?);
    show("diagonal", &rows.diagonal(0, 0, 1)?);
    show("row 1, repeated 3 times", &rows.slice(&s![1..2, ..])?.broadcast_to([3, 4])?);
    show("windows of 3 over 6", &Layout::row_major(&[6])?.windows(0, 3, 1)?);

    heading("A reshape is a view whenever a strided view exists");
    for shape in [&[2, 2, 3][..], &[6, 2]] {
        match columns.reshape(shape)? {
            Reshape::View(view) => show(&format!("t() as {shape:?}"), &view),
            Reshape::Copy { why } => println!("  t() as {shape:?} needs a copy: {why}\n"),
        }
    }

    heading("An error says why there is no view, and which shapes are views");
    say(&columns.view([6, 2]).unwrap_err());
    say(&explain_view(&columns, [2, 2, 3])?);

    heading("Patterns name the axes");
    let image = Layout::row_major(&[2, 6, 3])?;
    match image.rearrange("b (h w) c -> b c h w", &[("h", 2)])? {
        Rearranged::View(planes) => show("b (h w) c -> b c h w of [2, 6, 3]", &planes),
        Rearranged::Copy { why, .. } => println!("  needs a copy: {why}"),
    }
    say(&image.rearrange("b (h w c -> b c h w", &[]).unwrap_err());

    heading("Overlap is decided exactly");
    let memory = Layout::row_major(&[24])?;
    let (even, odd) = (memory.slice(&s![..;2])?, memory.slice(&s![1..;2])?);
    println!("  even and odd positions share an element:  {:?}", even.overlaps(&odd));
    println!("  strides (3, 2) over [2, 3] are injective: {:?}", {
        Layout::from_strides(0, &[2, 3], &[3, 2])?.injective()
    });
    assert_eq!(memory.windows(0, 3, 1)?.injective(), Answer::No);
    println!("  sliding windows of 3 are injective:       No\n");

    heading("A chain expresses what strides cannot: any reshape, padding, repetition");
    let flat = Chain::new(columns).reshape([12])?;
    println!("  t() flattened: {} stages, {}", flat.depth(), list(&flat));
    let every_third = flat.slice(&s![..;3])?;
    println!("  every third:   {} stage,  {}", every_third.depth(), list(&every_third));
    let padded = every_third.pad(&[(1, 2)])?;
    println!("  padded:        {} stage,  {}\n", padded.depth(), list(&padded));

    heading("Several layouts broadcast to one shape, or the error names the one that does not");
    let (batch, bias) = (Layout::row_major(&[32, 128])?, Layout::row_major(&[128])?);
    show("bias broadcast to a batch of 32", &broadcast(&[&batch, &bias])?[1]);
    println!("  {}", broadcast(&[&batch, &rows]).unwrap_err());
    Ok(())
}

fn heading(text: &str) {
    println!("{text}\n{}\n", "─".repeat(text.chars().count()));
}

/// Prints an explanation of several lines, indented.
fn say(explanation: &impl std::fmt::Display) {
    for line in explanation.to_string().lines() {
        println!("  {line}");
    }
    println!();
}

/// Prints a layout, and its offsets as a table if there are at most 24.
fn show(what: &str, layout: &Layout) {
    println!(
        "  {what}: shape {:?}, strides {:?}, start {}",
        layout.shape(),
        layout.strides(),
        layout.start()
    );
    let n_columns = layout.axes().last().map_or(1, |it| it.len);
    if layout.len() <= 24 {
        let offsets: Vec<usize> = layout.offsets().collect();
        for row in offsets.chunks(n_columns) {
            let cells: Vec<String> = row.iter().map(|it| format!("{it:>3}")).collect();
            println!("    {}", cells.join(" "));
        }
    }
    println!();
}

fn list(chain: &Chain) -> String {
    let cell = |it: Option<usize>| it.map_or("·".to_string(), |offset| offset.to_string());
    chain.offsets().map(cell).collect::<Vec<_>>().join(" ")
}
