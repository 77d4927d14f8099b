//! Sequences of view operations of a chain, compared with element-by-element evaluation; chains too large to list are
//! compared for some elements, each traced through the operations.

#![no_main]

use arbitrary::{Result, Unstructured};
use belvedere_fuzz::grid::Grid;
use belvedere_fuzz::moves::Move;
use belvedere_fuzz::trace::{Trace, unravel};
use belvedere_fuzz::{any, assert_sound, checked_ok, wild};
use belvedere_layout::{Chain, ChainRun, Layout};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    if u.ratio(1, 8)? { check_large(u) } else { check_small(u) }
}

fn check_small(u: &mut Unstructured) -> Result<()> {
    let layout = any::layout(u)?;
    let (mut chain, mut grid) = (Chain::new(layout.clone()), Grid::from_layout(&layout));
    let mut moves = Vec::new();
    assert_agree(&chain, &grid, &layout, &moves);
    for _ in 0..u.int_in_range(1..=5)? {
        let next = Move::any(u, &grid.shape)?;
        moves.push(next.clone());
        let (moved, wanted) = (checked_ok(next.on_chain(&chain)), next.on_grid(&grid));
        assert_eq!(moved.is_some(), wanted.is_some(), "{layout:?} after {moves:?}");
        let (Some(moved), Some(wanted)) = (moved, wanted) else { return Ok(()) };
        (chain, grid) = (moved, wanted);
        assert_agree(&chain, &grid, &layout, &moves);
    }
    Ok(())
}

fn assert_agree(chain: &Chain, grid: &Grid, layout: &Layout, moves: &[Move]) {
    let context = || format!("{layout:?} after {moves:?} is {chain:?}");
    assert_eq!(chain.shape(), grid.shape, "{}", context());
    assert!(chain.offsets().eq(grid.items.iter().copied()), "{} not {grid:?}", context());
    assert!(expand_runs(chain).eq(grid.items.iter().copied()), "{} by runs", context());

    let found = chain.as_layout();
    let wanted = grid.as_layout();
    assert_eq!(found, wanted, "{}", context());
    let is_single = wanted.is_some() || padded_box(grid).is_some();
    assert_eq!(chain.depth() == 1, is_single, "{}", context());
    chain.stages().iter().filter_map(|it| it.inside()).for_each(assert_sound);
}

fn expand_runs(chain: &Chain) -> impl Iterator<Item = Option<usize>> {
    chain.runs().flat_map(|run| (0..run.len()).map(move |i| run_at(run, i)))
}

fn run_at(run: ChainRun, i: usize) -> Option<usize> {
    match run {
        ChainRun::Padding { .. } => None,
        ChainRun::Elements { offset, stride, .. } => {
            Some((offset as isize + i as isize * stride) as usize)
        }
    }
}

/// Returns the layout of the elements that are not padding, if they form a box of a strided layout.
fn padded_box(grid: &Grid) -> Option<Layout> {
    let Some(first) = grid.items.iter().position(|it| it.is_some()) else {
        return Layout::row_major(&[0]).ok();
    };
    let last = grid.items.iter().rposition(|it| it.is_some())?;
    let (mut first, mut last) = (first, last);
    let mut inside = grid.clone();
    let mut n_inside = 1;
    for k in (0..grid.shape.len()).rev() {
        let (low, high) = (first % grid.shape[k], last % grid.shape[k]);
        if low > high {
            return None;
        }
        (first, last) = (first / grid.shape[k], last / grid.shape[k]);
        inside = inside.select_positions(k, &(low..=high).map(Some).collect::<Vec<_>>());
        n_inside *= high - low + 1;
    }
    let n_valid = grid.items.iter().flatten().count();
    inside.as_layout().filter(|_| n_inside == n_valid)
}

fn check_large(u: &mut Unstructured) -> Result<()> {
    let layout = wild::layout(u)?;
    let mut chain = Chain::new(layout.clone());
    let mut trace = Trace::new(layout);
    for _ in 0..u.int_in_range(1..=5)? {
        let next = Move::large(u, chain.shape())?;
        let Some(moved) = checked_ok(next.on_chain(&chain)) else { continue };
        trace.push(next, chain.shape());
        chain = moved;
        chain.as_layout().iter().for_each(assert_sound);
        chain.stages().iter().filter_map(|it| it.inside()).for_each(assert_sound);
    }
    if !chain.is_empty() {
        check_elements(u, &chain, &trace)?;
    }
    Ok(())
}

/// Compares some elements: the ends and the middle of the first runs, and four random ones.
fn check_elements(u: &mut Unstructured, chain: &Chain, trace: &Trace) -> Result<()> {
    let mut at = 0;
    for run in chain.runs().take(4) {
        for i in [0, run.len() / 2, run.len() - 1] {
            let wanted = trace.offset(&unravel(chain.shape(), at + i));
            assert_eq!(run_at(run, i), wanted, "{i} of {run:?} from {at} on in {chain:?}");
        }
        at += run.len();
    }
    for _ in 0..4 {
        let lengths = chain.shape().iter();
        let index = lengths.map(|&len| u.int_in_range(0..=len - 1)).collect::<Result<Vec<_>>>()?;
        let found = chain.index(&index).expect("the index is in range");
        assert_eq!(found, trace.offset(&index), "{index:?} of {chain:?}");
    }
    Ok(())
}
