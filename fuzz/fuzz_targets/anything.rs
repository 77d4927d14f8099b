//! Every public function with arbitrary arguments: no panic, no overflow, and every
//! returned layout satisfies its invariants. Overlap has its own target.

#![no_main]

use arbitrary::{Result, Unstructured};
use belvedere_fuzz::{any, assert_sound, checked_ok, wild};
use belvedere_layout::compat::{FlattenMap, ShapeTracker, gradcore};
use belvedere_layout::{
    Axis, Chain, Index, InlineVec, Layout, LayoutError, Pattern, Rearranged, Refusal, Reshape,
    Seam, Slice, broadcast, broadcast_shapes, explain_view, unravel_index,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

/// The maximum number of items inspected of an iterator that may be huge.
const MAX_INSPECTED: usize = 8;

fn check(u: &mut Unstructured) -> Result<()> {
    let mut layout = wild::layout(u)?;
    for _ in 0..u.int_in_range(1..=2)? {
        let made = match u.int_in_range(0..=6u8)? {
            0 => reorder(u, &layout)?,
            1 => take(u, &layout)?,
            2 => split(u, &layout)?,
            3 => broadcast_or_window(u, &layout)?,
            4 => reinterpret(u, &layout)?,
            5 => reshape(u, &layout)?,
            _ => construct(u)?,
        };
        for result in made {
            let Some(next) = checked_ok(result) else { continue };
            assert_sound(&next);
            layout = next;
        }
    }
    query_layout(u, &layout)?;
    match u.int_in_range(0..=3u8)? {
        0 => chain(u, layout),
        1 => pattern(u, &layout),
        2 => compat(u, &layout),
        _ => values(u, layout),
    }
}

/// The results of several operations on one layout.
type Made = Vec<std::result::Result<Layout, LayoutError>>;

fn axis(u: &mut Unstructured, layout: &Layout) -> Result<isize> {
    any::axis(u, layout.rank())
}

fn axes(u: &mut Unstructured, layout: &Layout) -> Result<Vec<isize>> {
    let most = if u.ratio(1, 16)? { 70 } else { 4 };
    wild::list(u, most, |u| axis(u, layout))
}

fn lengths(u: &mut Unstructured) -> Result<Vec<usize>> {
    wild::axes(u, 1, wild::len)
}

fn ints(u: &mut Unstructured) -> Result<Vec<isize>> {
    wild::axes(u, 1, wild::int)
}

fn construct(u: &mut Unstructured) -> Result<Made> {
    let (start, shape, strides) = (wild::len(u)?, lengths(u)?, ints(u)?);
    let pairs = shape.iter().zip(&strides);
    let axes: Vec<Axis> = pairs.map(|(&len, &stride)| Axis::new(len, stride)).collect();
    let like = &shape[..strides.len().min(shape.len())];
    Ok(vec![
        Layout::new(start, &axes),
        Layout::scalar(start),
        Layout::row_major(&shape),
        Layout::col_major(&shape),
        gradcore::create(&shape),
        Layout::from_strides(start, &shape, &strides),
        Layout::from_strides(start, like, &strides[..like.len()]),
        Layout::as_strided(wild::len(u)?, start, like, &strides[..like.len()]),
    ])
}

fn reorder(u: &mut Unstructured, layout: &Layout) -> Result<Made> {
    let (one, two) = (axis(u, layout)?, axis(u, layout)?);
    let order = any::permutation(u, layout.rank())?;
    let order: Vec<isize> = order.iter().map(|&k| k as isize).collect();
    Ok(vec![
        layout.permute(&order),
        layout.permute(&axes(u, layout)?),
        layout.transpose(one, two),
        layout.swap_axes(one, two),
        layout.move_axis(one, two),
        layout.t(),
        layout.mt(),
        Ok(layout.reverse()),
        layout.flip(&axes(u, layout)?),
        layout.rot90(wild::int(u)?, one, two),
        Ok(layout.squeeze_all()),
        layout.squeeze(&axes(u, layout)?),
        layout.unsqueeze(one),
        Ok(layout.coalesced()),
    ])
}

fn take(u: &mut Unstructured, layout: &Layout) -> Result<Made> {
    let one = axis(u, layout)?;
    let index = any::index(u, layout.rank())?;
    checked_ok(layout.slices_overlap(&index, &any::index(u, layout.rank())?));
    let mut made = vec![
        layout.slice(&index),
        layout.slice_axis(one, any::slice(u)?),
        layout.select(one, wild::int(u)?),
        layout.narrow(one, wild::len(u)?, wild::len(u)?),
        layout.step(one, wild::int(u)?),
        layout.diagonal(wild::int(u)?, one, axis(u, layout)?),
    ];
    let (from, to, len) = (wild::int(u)?, wild::int(u)?, wild::len(u)?);
    let entries: [Index; 8] = [
        from.into(),
        len.into(),
        (from..=to).into(),
        (..=to).into(),
        (..=len).into(),
        Slice::from(from..to).by(wild::int(u)?).into(),
        Slice::from(from..).into(),
        Slice::from(..len).into(),
    ];
    made.extend(entries.iter().map(|&it| layout.slice(&[it])));
    Ok(made)
}

fn split(u: &mut Unstructured, layout: &Layout) -> Result<Made> {
    let one = axis(u, layout)?;
    let (size, at) = (wild::len(u)?, wild::len(u)?);
    let mut made = Vec::new();
    if let Some((before, behind)) = checked_ok(layout.split_at(one, at)) {
        made.extend([Ok(before), Ok(behind)]);
    }
    if let Some(parts) = checked_ok(layout.split(one, size)) {
        made.extend(parts.take(MAX_INSPECTED).map(Ok));
    }
    if let Some(parts) = checked_ok(layout.chunk(one, size)) {
        assert!((1..=size).contains(&parts.len()));
        made.extend(parts.take(MAX_INSPECTED).map(Ok));
    }
    made.extend([layout.split_axis(one, size), layout.unflatten(one, ints(u)?)]);
    Ok(made)
}

fn broadcast_or_window(u: &mut Unstructured, layout: &Layout) -> Result<Made> {
    let one = axis(u, layout)?;
    let shape: Vec<isize> = layout.shape().iter().map(|&len| len as isize).collect();
    let mut wider = wild::list(u, 2, wild::int)?;
    for &len in &shape {
        wider.push(if len == 1 || u.ratio(1, 16)? { wild::int(u)? } else { len });
    }
    let other = wild::layout(u)?;
    let shapes = [lengths(u)?, lengths(u)?, layout.shape().to_vec()];
    checked_ok(broadcast_shapes(&[&shapes[0], &shapes[1], &shapes[2]]));
    let all = checked_ok(broadcast(&[layout, &other])).unwrap_or_default();
    let sizes = wild::list(u, 4, wild::len)?;
    Ok([
        layout.broadcast_to(&wider),
        layout.broadcast_to(&shapes[0]),
        layout.windows(one, wild::len(u)?, wild::len(u)?),
        layout.sliding_window(&axes(u, layout)?, &sizes),
        layout.sliding_window(&vec![one; sizes.len()], &sizes),
    ]
    .into_iter()
    .chain(all.into_iter().map(Ok))
    .collect())
}

fn reinterpret(u: &mut Unstructured, layout: &Layout) -> Result<Made> {
    let (from, to) = (wild::len(u)?, wild::len(u)?);
    let last = layout.axes().last().map_or(1, |it| it.len);
    Ok(vec![
        layout.reinterpret(from, to),
        layout.reinterpret(from, from.wrapping_mul(to)),
        layout.reinterpret(to.wrapping_mul(from), to),
        layout.split_elements(from),
        layout.join_elements(to),
        layout.join_elements(last),
    ])
}

fn reshape(u: &mut Unstructured, layout: &Layout) -> Result<Made> {
    let (start, end) = (axis(u, layout)?, axis(u, layout)?);
    // All elements along one axis, or any shape; followed by axes of length 1.
    let mut shape = if u.arbitrary()? { vec![-1] } else { ints(u)? };
    let n_units = u.int_in_range(0..=3)?;
    shape.resize(shape.len() + n_units, 1);
    checked_ok(layout.resolve_shape(&shape));
    if let Some(explained) = checked_ok(explain_view(layout, &shape)) {
        assert!(!explained.to_string().is_empty());
    }
    let views = [layout.reshape(&shape), layout.flatten(start, end)];
    let views = views.into_iter().filter_map(checked_ok).filter_map(Reshape::into_view).map(Ok);
    let strict = [
        layout.view(&shape),
        layout.merge(start, end),
        layout.view(lengths(u)?),
        layout.reshape_contiguous(&shape),
    ];
    Ok(views.chain(strict).collect())
}

/// Calls every query of a layout.
fn query_layout(u: &mut Unstructured, layout: &Layout) -> Result<()> {
    let memory = wild::len(u)?;
    assert_eq!(layout.fits(memory), checked_ok(layout.check_fits(memory)).is_some());
    assert!(layout.span().len() >= usize::from(!layout.is_empty()));
    let _ = (layout.is_contiguous(), layout.is_col_major(), layout.is_dense(), layout.strides());
    for (bytes, axis) in checked_ok(layout.byte_strides(memory)).iter().flatten().zip(layout.axes())
    {
        let has_effect = axis.len > 1 && !layout.is_empty();
        assert!(!has_effect || *bytes as i128 == axis.stride as i128 * memory as i128);
    }
    checked_ok(layout.resolve_axis(wild::int(u)?));
    checked_ok(layout.offset(&lengths(u)?));
    let index: Vec<usize> = layout.shape().iter().map(|len| len.saturating_sub(1)).collect();
    checked_ok(layout.offset(&index));
    assert!(layout.offsets().take(MAX_INSPECTED).all(|offset| layout.span().contains(&offset)));
    Ok(())
}

fn chain(u: &mut Unstructured, layout: Layout) -> Result<()> {
    let mut chain = Chain::new(layout);
    for _ in 0..u.int_in_range(1..=5)? {
        let rank = chain.rank();
        let shape: Vec<isize> = chain.shape().iter().map(|&len| len as isize).collect();
        let wider = || shape.iter().map(|&len| if len == 1 { 2 } else { len });
        let pair = |u: &mut Unstructured| Ok((wild::len(u)?, wild::len(u)?));
        let one = any::axis(u, rank)?;
        let order = any::permutation(u, rank)?;
        let next = match u.int_in_range(0..=15u8)? {
            0 => chain.permute(&order.iter().map(|&k| k as isize).collect::<Vec<_>>()),
            1 => chain.flip(&order.iter().take(2).map(|&k| k as isize).collect::<Vec<_>>()),
            2 => chain.slice(&any::index(u, rank)?),
            3 => {
                let ends = wild::list(u, rank, pair)?;
                chain.shrink(&ends.iter().map(|&(start, end)| start..end).collect::<Vec<_>>())
            }
            4 => chain.broadcast_to(ints(u)?),
            5 => chain.broadcast_to(wider().collect::<Vec<_>>()),
            6 => chain.reshape(if u.arbitrary()? { vec![-1] } else { ints(u)? }),
            7 => {
                let padding = (0..rank).map(|_| if u.arbitrary()? { Ok((0, 0)) } else { pair(u) });
                chain.pad(&padding.collect::<Result<Vec<_>>>()?)
            }
            8 => chain.pad(&wild::list(u, 3, pair)?),
            9 => chain.repeat(one, wild::len(u)?),
            10 => chain.tile(&lengths(u)?),
            11 => chain.transpose(one, any::axis(u, rank)?),
            12 => chain.narrow(one, wild::len(u)?, wild::len(u)?),
            13 => chain.select(one, wild::int(u)?),
            14 => chain.squeeze(&wild::list(u, 3, |u| any::axis(u, rank))?),
            _ => chain.unsqueeze(one),
        };
        chain = checked_ok(next).unwrap_or(chain);
        query_chain(u, &chain)?;
    }
    Ok(())
}

/// Calls every query of a chain.
fn query_chain(u: &mut Unstructured, chain: &Chain) -> Result<()> {
    assert!(chain.len() >= usize::from(!chain.is_empty()));
    chain.as_layout().iter().for_each(assert_sound);
    for stage in chain.stages() {
        stage.inside().iter().for_each(|it| assert_sound(it));
        assert_eq!(stage.before().len(), stage.shape().len());
        let _ = stage.is_padded();
    }
    checked_ok(chain.index(&lengths(u)?));
    let index: Vec<usize> = chain.shape().iter().map(|len| len.saturating_sub(1)).collect();
    checked_ok(chain.index(&index));
    assert_eq!(chain.offsets().len(), chain.len());
    assert!(chain.offsets().take(MAX_INSPECTED).count() <= chain.len());
    assert!(chain.runs().take(MAX_INSPECTED).all(|run| run.len() > 0));
    Ok(())
}

fn pattern(u: &mut Unstructured, layout: &Layout) -> Result<()> {
    let mut text = String::new();
    for k in 0..layout.rank() {
        text += u.choose(&["a (b c) ", "... ", "d ", "(e) ", "1 ", "() "])?;
        text = text.replace(char::is_alphabetic, &format!("n{k}"));
    }
    let names = wild::list(u, 3, |u| Ok((format!("n{}", u.int_in_range(0..=9)?), wild::len(u)?)))?;
    let lengths: Vec<(&str, usize)> = names.iter().map(|(name, len)| (&name[..], *len)).collect();
    let text = format!("{text} -> {}", text.replace(['(', ')'], " "));
    if let Some(Rearranged::View(view)) = checked_ok(layout.rearrange(&text, &lengths)) {
        assert_sound(&view);
    }
    if let Some(pattern) = checked_ok(text.parse::<Pattern>()) {
        assert_eq!((pattern.text(), pattern.to_string()), (&text[..], text.clone()));
        checked_ok(pattern.recipe(wild::len(u)?, &lengths)).map(|it| checked_ok(it.apply(layout)));
    }
    Ok(())
}

/// Calls the functions of the module `compat`.
fn compat(u: &mut Unstructured, layout: &Layout) -> Result<()> {
    if let Some(map) = checked_ok(FlattenMap::new(layout, axis(u, layout)?, axis(u, layout)?)) {
        let _ = (map.strides(), map.is_contiguous());
        checked_ok(map.to_parent(&lengths(u)?));
        let last: Vec<usize> = map.shape().iter().map(|len| len.saturating_sub(1)).collect();
        let parent = checked_ok(map.to_parent(&last));
        assert_eq!(parent.is_some(), !layout.is_empty());
        parent.iter().for_each(|it| assert!(layout.offset(it).is_ok()));
    }
    let shape = lengths(u)?;
    checked_ok(unravel_index(&shape, wild::len(u)?));
    let Some(mut tracker) = checked_ok(ShapeTracker::new(&shape)) else { return Ok(()) };
    let rank = shape.len();
    let pair = |u: &mut Unstructured| Ok((wild::len(u)?, wild::len(u)?));
    checked_ok(tracker.pad(&wild::list(u, rank, pair)?).map(|_| ()));
    checked_ok(tracker.flip(&wild::list(u, rank, |u| any::axis(u, rank))?).map(|_| ()));
    checked_ok(tracker.permute(&wild::list(u, rank, |u| any::axis(u, rank))?).map(|_| ()));
    checked_ok(tracker.expand(&wild::list(u, rank, wild::len)?).map(|_| ()));
    checked_ok(tracker.reshape(&wild::list(u, rank, wild::len)?).map(|_| ()));
    let ends = wild::list(u, rank, pair)?;
    let ranges: Vec<_> = ends.iter().map(|&(start, end)| start..end).collect();
    checked_ok(tracker.shrink(&ranges).map(|_| ()));
    checked_ok(tracker.index(&wild::list(u, rank, wild::len)?));
    assert_eq!(tracker.needs_copy(), !tracker.is_contiguous());
    assert!(tracker.to_string().len() > tracker.ops().len());
    query_chain(u, tracker.chain())
}

/// Error values with public fields: `Display` must not panic for any contents.
fn values(u: &mut Unstructured, layout: Layout) -> Result<()> {
    let why = Seam {
        axes: (wild::len(u)?, wild::len(u)?),
        stride: wild::int(u)?,
        needed: u.arbitrary()?,
        mark: wild::len(u)?,
        new_axis: wild::len(u)?,
    };
    let refusal = Refusal { from: layout, to: lengths(u)?[..].into(), why };
    assert!(!refusal.to_string().is_empty());
    assert!(!refusal.with_element_size(wild::len(u)?).to_string().is_empty());
    let items = lengths(u)?;
    let list = InlineVec::from(&items[..]);
    assert_eq!(
        (&list, &list.iter().copied().collect::<InlineVec<usize>>()),
        (&list.clone(), &list)
    );
    assert_eq!(list, items);
    Ok(())
}
