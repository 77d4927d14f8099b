//! Reshapes, compared with the only strides that a view could have.

#![no_main]

use arbitrary::{Result, Unstructured};
use belvedere_fuzz::grid::Grid;
use belvedere_fuzz::{any, assert_sound, checked_ok, wild};
use belvedere_layout::{Layout, LayoutError, Refusal, Reshape, explain_view};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    let layout = any::layout(u)?;
    let shape = any::shape(u, layout.len())?;
    let requested = any::requested_shape(u, &shape)?;
    check_requested_shape(&layout, &requested);
    check_flatten(u, &layout)?;
    check_unflatten(u, &layout)
}

/// Checks that `reshape`, `view` and `explain_view` agree and are correct.
fn check_requested_shape(layout: &Layout, requested: &[isize]) {
    let resolved = checked_ok(layout.resolve_shape(requested));
    let wanted = resolve(requested, layout.len());
    let outcome = checked_ok(layout.reshape(requested));
    assert_eq!(outcome.is_some(), wanted.is_some(), "{layout:?} as {requested:?}");
    let explained = checked_ok(explain_view(layout, requested));
    assert_eq!(explained.as_ref().map(|it| &it.outcome), outcome.as_ref());
    let viewed = layout.view(requested);
    let (Some(wanted), Some(explained), Some(outcome)) = (wanted, explained, outcome) else {
        assert!(viewed.is_err());
        return;
    };
    assert_eq!(resolved.as_deref(), Some(&wanted[..]));
    assert!(!explained.to_string().is_empty());
    check_reshape(layout, &wanted, outcome, viewed);
    let runs = explained.runs.iter().map(|it| it.len).collect::<Vec<_>>();
    let own = if layout.is_empty() { vec![] } else { layout.coalesced().shape().to_vec() };
    assert_eq!(runs, own);
    let n_crossed = explained.boundaries.iter().filter(|it| it.crossed_by.is_some()).count();
    assert_eq!(n_crossed > 0, viewed_as(layout, &wanted).is_none(), "{explained}");
}

/// Checks that a view is the one that exists, and that a refusal means that there is none and suggests shapes that are
/// views.
fn check_reshape(
    layout: &Layout,
    shape: &[usize],
    outcome: Reshape,
    strict: std::result::Result<Layout, LayoutError>,
) {
    let wanted = viewed_as(layout, shape);
    assert_eq!(outcome.clone().into_view(), wanted, "{layout:?} as {shape:?}");
    match strict {
        Ok(view) => {
            assert_sound(&view);
            assert_eq!(Some(view), wanted);
        }
        Err(LayoutError::NeedsCopy(refusal)) => check_refusal(&refusal, outcome),
        Err(other) => panic!("{layout:?} as {shape:?} is refused with {other}"),
    }
}

fn check_refusal(refusal: &Refusal, outcome: Reshape) {
    assert_eq!(outcome, Reshape::Copy { why: refusal.why });
    assert!(!refusal.to_string().is_empty() && !refusal.why.to_string().is_empty());
    assert!(!refusal.with_element_size(usize::MAX).to_string().is_empty());
    let nearby = refusal.nearby();
    assert!(!nearby.is_empty());
    for shape in nearby {
        assert!(refusal.from.view(&shape).is_ok(), "{refusal:?} suggests {shape:?}");
    }
}

fn check_flatten(u: &mut Unstructured, layout: &Layout) -> Result<()> {
    let (start, end) = (any::axis(u, layout.rank())?, any::axis(u, layout.rank())?);
    // A scalar is treated as one axis of length 1.
    let rank = layout.rank().max(1) as isize;
    let from_front = |axis: isize| if axis < 0 { axis.saturating_add(rank) } else { axis };
    let (first, last) = (from_front(start), from_front(end));
    let Some(outcome) = checked_ok(layout.flatten(start, end)) else {
        assert!(first < 0 || last < first || last >= rank, "{layout:?} from {start} to {end}");
        assert!(checked_ok(layout.merge(start, end)).is_none());
        return Ok(());
    };
    let mut shape = layout.shape().to_vec();
    if shape.is_empty() {
        shape.push(1);
    }
    let (first, last) = (first as usize, last as usize);
    let joined = shape[first..=last].iter().product();
    shape.splice(first..=last, [joined]);
    check_reshape(layout, &shape, outcome, layout.merge(start, end));
    Ok(())
}

/// Checks that `unflatten` succeeds exactly if the lengths multiply to that of the axis, and is then a view.
fn check_unflatten(u: &mut Unstructured, layout: &Layout) -> Result<()> {
    if layout.rank() == 0 {
        return Ok(());
    }
    let k = any::index_below(u, layout.rank())?;
    let len = layout.axes()[k].len;
    let shape = any::shape(u, len)?;
    let requested = any::requested_shape(u, &shape)?;
    let parts = resolve(&requested, len);
    let cut = checked_ok(layout.unflatten(k as isize, &requested)).inspect(assert_sound);
    let in_place = |parts: Vec<usize>| {
        let mut shape = layout.shape().to_vec();
        shape.splice(k..=k, parts);
        viewed_as(layout, &shape)
    };
    let expected = parts.and_then(in_place);
    assert_eq!(cut, expected, "axis {k} of {layout:?} as {requested:?}");

    let size = if u.arbitrary()? { u.int_in_range(0..=4)? } else { wild::len(u)? };
    let split = checked_ok(layout.split_axis(k as isize, size)).inspect(assert_sound);
    let n_blocks = len.checked_div(size).filter(|n| n * size == len);
    let expected = n_blocks.and_then(|n| in_place(vec![n, size]));
    assert_eq!(split, expected, "axis {k} of {layout:?} in blocks of {size}");
    Ok(())
}

/// Returns the layout that visits the same elements in this shape, if there is one.
fn viewed_as(layout: &Layout, shape: &[usize]) -> Option<Layout> {
    Grid::from_layout(layout).reshape(shape).as_layout()
}

/// Infers a length of -1 in a shape of `n` elements; `None` if no shape, or more than one, is possible.
fn resolve(requested: &[isize], n: usize) -> Option<Vec<usize>> {
    let n_open = requested.iter().filter(|it| **it < 0).count();
    if n_open > 1 || requested.iter().any(|it| *it < -1) {
        return None;
    }
    let known = requested.iter().filter(|it| **it >= 0).map(|&len| len as u128);
    let product = known.clone().try_fold(1u128, |product, len| product.checked_mul(len))?;
    let is_countable = known.filter(|len| *len > 0).product::<u128>() <= isize::MAX as u128;
    let open = if n_open == 1 { (n as u128).checked_div(product)? } else { 1 };
    let shape = requested.iter().map(|&len| if len < 0 { open as usize } else { len as usize });
    (is_countable && product * open == n as u128).then(|| shape.collect())
}
