//! Reshape, injectivity and memory order against enumeration: every view is right, and where none is returned none exists.

use crate::zoo;
use crate::zoo::{for_each_layout, full, layout_that_visits, offsets, shapes_with_units};
use belvedere_layout::{Answer, Layout, Reshape, explain_view};

/// The sampling interval for layouts of rank 4, unless all are enumerated.
const SAMPLE: usize = 61;

fn check_reshape(layout: &Layout, visited: &[usize], shape: &[usize]) -> bool {
    let exists = layout_that_visits(visited, shape);
    match layout.reshape(shape).unwrap() {
        Reshape::View(view) => {
            // Equal maps are `==`: this compares shape, strides and start at once.
            assert_eq!(Some(view), exists, "{layout:?} to {shape:?}");
            true
        }
        Reshape::Copy { why } => {
            assert_eq!(exists, None, "{layout:?} to {shape:?} refused for {why:?}");
            check_blame(layout, shape);
            false
        }
    }
}

/// The seam named in a refusal is one: merging its two axes alone is not a view, and the new axis
/// named has elements on both sides of it.
fn check_blame(layout: &Layout, shape: &[usize]) {
    let Reshape::Copy { why } = layout.reshape(shape).unwrap() else { unreachable!() };
    let (outer, inner) = why.axes;
    assert_ne!(i128::from(why.stride as i64), why.needed);
    assert_eq!(layout.axes()[outer].stride, why.stride);
    let inside: usize = layout.axes()[inner..].iter().map(|it| it.len).product();
    assert_eq!(inside, why.mark);
    assert!(layout.axes()[outer + 1..inner].iter().all(|it| it.len == 1));
    let within: usize = shape[why.new_axis + 1..].iter().product();
    assert!(within < why.mark && why.mark < within * shape[why.new_axis]);
}

#[test]
fn reshape_is_a_view_exactly_when_one_exists() {
    let (mut n_views, mut n_copies) = (0u64, 0u64);
    let shapes_by_size: Vec<Vec<Vec<usize>>> = (0..=4usize.pow(4))
        .map(|n| match n {
            0 => vec![vec![0], vec![3, 0], vec![0, 0, 2]],
            n => shapes_with_units(n),
        })
        .collect();
    for rank in 0..=4 {
        let every = if rank == 4 && !full() { SAMPLE } else { 1 };
        for_each_layout(rank, every, |layout| {
            let visited = offsets(layout);
            for shape in &shapes_by_size[visited.len()] {
                match check_reshape(layout, &visited, shape) {
                    true => n_views += 1,
                    false => n_copies += 1,
                }
            }
        });
    }
    println!("reshape: {n_views} views and {n_copies} copies, each as it must be");
    assert!(n_views > 100_000 && n_copies > 100_000);
}

#[test]
fn reshape_is_exact_on_the_zoo() {
    for layout in zoo::layouts() {
        let visited = offsets(&layout);
        for shape in shapes_with_units(visited.len().max(1)) {
            if !visited.is_empty() {
                check_reshape(&layout, &visited, &shape);
            }
        }
    }
}

#[test]
fn explain_view_agrees_with_reshape() {
    for_each_layout(3, 7, |layout| {
        for shape in zoo::shapes_of(layout.len().max(1)).iter().filter(|_| !layout.is_empty()) {
            let explanation = explain_view(layout, shape).unwrap();
            assert_eq!(explanation.outcome, layout.reshape(shape).unwrap());
            assert_eq!(explanation.boundaries.len(), explanation.runs.len().saturating_sub(1));
            let crossed = explanation.boundaries.iter().any(|it| it.crossed_by.is_some());
            assert_eq!(crossed, explanation.outcome.clone().into_view().is_none());
            if let Reshape::View(view) = &explanation.outcome {
                for it in &explanation.matched {
                    assert_eq!(view.axes()[it.new_axis].stride, it.stride);
                }
                assert_eq!(explanation.matched.len(), shape.len());
            }
        }
    });
}

#[test]
fn suggested_shapes_are_views() {
    let mut n_refused = 0;
    for_each_layout(3, 11, |layout| {
        for shape in zoo::shapes_of(layout.len().max(1)).iter().filter(|_| !layout.is_empty()) {
            let Err(belvedere_layout::LayoutError::NeedsCopy(refusal)) = layout.view(shape) else {
                continue;
            };
            n_refused += 1;
            let nearby = refusal.nearby();
            assert!(!nearby.is_empty(), "{refusal}");
            for suggestion in nearby {
                assert!(layout.view(&suggestion).is_ok(), "{suggestion:?} in {refusal}");
            }
        }
    });
    assert!(n_refused > 10_000);
}

#[test]
fn injective_agrees_with_enumeration() {
    let mut counts = [0u64; 2];
    for rank in 0..=4 {
        let every = if rank == 4 && !full() { 7 } else { 1 };
        for_each_layout(rank, every, |layout| {
            // Four axes with three steps of at most six have offsets up to 72: one bit each in a `u128`.
            let mut seen = 0u128;
            let mut repeats = false;
            for offset in layout.offsets() {
                repeats |= seen & (1 << offset) != 0;
                seen |= 1 << offset;
            }
            let expected = if repeats { Answer::No } else { Answer::Yes };
            assert_eq!(layout.injective(), expected, "{layout:?}");
            counts[usize::from(repeats)] += 1;
        });
    }
    println!("injective: {} are, {} are not, none was too hard", counts[0], counts[1]);
    assert!(counts.iter().all(|&n| n > 10_000));
}

#[test]
fn contiguity_queries_agree_with_the_offsets() {
    for rank in 0..=4 {
        for_each_layout(rank, if rank == 4 { SAMPLE } else { 1 }, |layout| {
            let visited = offsets(layout);
            let in_order = visited.windows(2).all(|pair| pair[1] == pair[0] + 1);
            assert_eq!(layout.is_contiguous(), in_order, "{layout:?}");
            assert_eq!(layout.is_col_major(), layout.reverse().is_contiguous(), "{layout:?}");
            let (low, high) = (visited.iter().min(), visited.iter().max());
            let span = low.map_or(0..0, |&low| low..high.unwrap() + 1);
            assert_eq!(layout.span(), span, "{layout:?}");
            // Dense: positive strides, injective, and as many elements as the length of the span.
            let forwards = layout.axes().iter().all(|it| it.stride >= 0);
            let fills = span.len() == visited.len() && layout.injective() == Answer::Yes;
            assert_eq!(layout.is_dense(), visited.is_empty() || (forwards && fills), "{layout:?}");
        });
    }
}

#[test]
fn coalesced_visits_the_same_offsets_with_the_fewest_axes() {
    for rank in 0..=3 {
        for_each_layout(rank, 1, |layout| {
            let visited = offsets(layout);
            let coalesced = layout.coalesced();
            assert_eq!(offsets(&coalesced), visited, "{layout:?}");
            if visited.is_empty() {
                assert_eq!(coalesced.shape(), [0]);
                return;
            }
            for shape in zoo::shapes_of(visited.len()) {
                if shape.len() < coalesced.rank() {
                    assert_eq!(layout_that_visits(&visited, &shape), None, "{layout:?}");
                }
            }
        });
    }
}
