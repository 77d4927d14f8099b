//! Index expressions with arbitrary integers, compared with Python's rules applied element by element.

#![no_main]

use arbitrary::{Result, Unstructured};
use belvedere_fuzz::grid::{Grid, python_indices, python_position, python_positions};
use belvedere_fuzz::{any, assert_sound, checked_ok, wild};
use belvedere_layout::{Index, Layout, LayoutError, Slice};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    let layout = any::layout(u)?;
    let mut index = any::index(u, layout.rank())?;
    if u.ratio(1, 32)? {
        let n_new = u.int_in_range(58..=66)?;
        index.resize(index.len() + n_new, Index::NewAxis);
    }
    assert_agree(layout.slice(&index), Grid::from_layout(&layout).slice(&index), &layout, &index);
    check_overlap(u, &layout, &index)?;
    check_one_axis(u, &layout)?;
    check_resolve(u)
}

/// Checks that two expressions overlap exactly if they select a common index.
fn check_overlap(u: &mut Unstructured, layout: &Layout, one: &[Index]) -> Result<()> {
    let two = any::index(u, layout.rank())?;
    let all =
        Grid::from_layout(&Layout::row_major(&layout.shape()).expect("a layout's shape is one"));
    let taken = all.slice(one).zip(all.slice(&two));
    let wanted = taken.map(|(one, two)| one.items.iter().any(|it| two.items.contains(it)));
    let found = checked_ok(layout.slices_overlap(one, &two));
    assert_eq!(found, wanted, "{one:?} and {two:?} of {layout:?}");
    Ok(())
}

/// Checks the operations on a single axis, each a special case of an index expression.
fn check_one_axis(u: &mut Unstructured, layout: &Layout) -> Result<()> {
    let axis = any::axis(u, layout.rank())?;
    let (slice, at) = (any::slice(u)?, wild::int(u)?);
    let (start, count) = (wild::len(u)?, wild::len(u)?);
    let grid = Grid::from_layout(layout);
    let k = python_position(axis, layout.rank());
    let entry = |k: usize, entry: Index| {
        let mut index = vec![Index::from(..); k];
        index.push(entry);
        grid.slice(&index)
    };
    let requested = (axis, slice, at, start, count);
    let sliced = k.and_then(|k| entry(k, slice.into()));
    assert_agree(layout.slice_axis(axis, slice), sliced, layout, &requested);
    let selected = k.and_then(|k| entry(k, Index::At(at)));
    assert_agree(layout.select(axis, at), selected, layout, &requested);
    let stepped = k.and_then(|k| entry(k, Index::Slice(Slice::ALL.by(slice.step))));
    assert_agree(layout.step(axis, slice.step), stepped, layout, &requested);
    let narrowed = k.and_then(|k| {
        let end = start.checked_add(count).filter(|&end| end <= grid.shape[k])?;
        Some(grid.select_positions(k, &(start..end).map(Some).collect::<Vec<_>>()))
    });
    assert_agree(layout.narrow(axis, start, count), narrowed, layout, &requested);
    Ok(())
}

/// Checks the first position and the length of a slice of an axis of any length.
fn check_resolve(u: &mut Unstructured) -> Result<()> {
    let (slice, len) = (any::slice(u)?, wild::len(u)?.min(isize::MAX as usize));
    let Some((start, stop, step)) = python_indices(slice, len) else {
        assert_eq!(slice.resolve(len), None);
        return Ok(());
    };
    // The number of positions before the stop.
    let distance = if step > 0 { stop - start } else { start - stop }.max(0);
    let n = (distance + step.abs() - 1) / step.abs();
    let (first, n_found) = slice.resolve(len).expect("the step is not 0");
    assert_eq!(n_found as i128, n, "{slice:?} of {len}");
    assert!(n == 0 || first as i128 == start, "{slice:?} of {len} begins at {first}");
    if len < 100 {
        assert_eq!(python_positions(slice, len).map(|it| it.len()), Some(n_found));
    }
    Ok(())
}

fn assert_agree(
    found: std::result::Result<Layout, LayoutError>,
    wanted: Option<Grid>,
    layout: &Layout,
    requested: &dyn std::fmt::Debug,
) {
    let found = checked_ok(found).inspect(assert_sound);
    assert_eq!(
        found.as_ref().map(Grid::from_layout),
        wanted,
        "{requested:?} of {layout:?} is {found:?}"
    );
}
