//! Overlap, compared with lists of offsets; and for layouts too large to list, with an element
//! that is shared by construction.

#![no_main]

use arbitrary::{Result, Unstructured};
use belvedere_fuzz::{any, wild};
use belvedere_layout::{Answer, Bytes, Layout};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    if u.ratio(1, 4)? { check_large(u) } else { check_small(u) }
}

fn check_small(u: &mut Unstructured) -> Result<()> {
    let (one, two) = (any::layout(u)?, shifted_layout(u)?);
    let (first, second) = (sorted(one.offsets()), sorted(two.offsets()));
    let expected = to_answer(share_element(&first, &second));
    assert_eq!(one.overlaps(&two), expected, "{one:?} and {two:?}");
    assert_eq!(two.overlaps(&one), expected, "{two:?} and {one:?}");
    let is_injective = first.windows(2).all(|it| it[0] != it[1]);
    assert_eq!(one.injective(), to_answer(is_injective), "{one:?}");

    let bytes = (at_address(u, &one)?, at_address(u, &two)?);
    let expected = to_answer(share_element(&byte_addresses(bytes.0), &byte_addresses(bytes.1)));
    assert_eq!(bytes.0.overlaps(bytes.1), expected, "{bytes:?}");
    assert_eq!(bytes.1.overlaps(bytes.0), expected, "{bytes:?}");
    Ok(())
}

fn to_answer(is_so: bool) -> Answer {
    if is_so { Answer::Yes } else { Answer::No }
}

/// Draws a layout with a larger start, so that two of them often overlap in a few elements only.
fn shifted_layout(u: &mut Unstructured) -> Result<Layout> {
    let layout = any::layout(u)?;
    let start = layout.start() + u.int_in_range(0..=40)?;
    Ok(Layout::new(start, layout.axes()).expect("small numbers fit"))
}

fn at_address<'a>(u: &mut Unstructured, layout: &'a Layout) -> Result<Bytes<'a>> {
    Ok(Bytes { address: u.int_in_range(0..=40)?, layout, size: u.int_in_range(0..=6)? })
}

/// Returns the sorted addresses of all bytes of all elements.
fn byte_addresses(it: Bytes) -> Vec<usize> {
    let first = |offset: usize| it.address + offset * it.size;
    sorted(it.layout.offsets().flat_map(|offset| (0..it.size).map(move |i| first(offset) + i)))
}

fn sorted(offsets: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut offsets: Vec<usize> = offsets.collect();
    offsets.sort_unstable();
    offsets
}

/// Whether two sorted lists have a common item.
fn share_element(one: &[usize], two: &[usize]) -> bool {
    one.iter().any(|it| two.binary_search(it).is_ok())
}

fn check_large(u: &mut Unstructured) -> Result<()> {
    let (one, two) = (wild::layout(u)?, wild::layout(u)?);
    assert_symmetric(one.overlaps(&two), two.overlaps(&one));
    let mut place = |layout| Ok(Bytes { address: wild::len(u)?, layout, size: wild::len(u)? });
    let (first, second): (Bytes, Bytes) = (place(&one)?, place(&two)?);
    assert_symmetric(first.overlaps(second), second.overlaps(first));
    if one.is_empty() || two.is_empty() {
        return Ok(());
    }

    let (index, other) = (any_index(u, &one)?, any_index(u, &one)?);
    let (offset, other_offset) = (offset_at(&one, &index), offset_at(&one, &other));
    if one.injective() == Answer::Yes {
        assert_eq!(offset == other_offset, index == other, "{one:?} at {index:?} and {other:?}");
    }
    // The second layout is shifted so that it shares an element with the first.
    let distance = offset_at(&two, &any_index(u, &two)?) as i128 - two.start() as i128;
    let Ok(start) = usize::try_from(offset as i128 - distance) else { return Ok(()) };
    let Ok(two) = Layout::new(start, two.axes()) else { return Ok(()) };
    assert_ne!(one.overlaps(&two), Answer::No, "{one:?} and {two:?} share {offset}");
    Ok(())
}

fn assert_symmetric(one: Answer, two: Answer) {
    assert!(one == two || one == Answer::TooHard || two == Answer::TooHard, "{one:?}, {two:?}");
}

/// Draws the index of an element.
fn any_index(u: &mut Unstructured, layout: &Layout) -> Result<Vec<usize>> {
    layout.shape().iter().map(|&len| Ok(wild::len(u)? % len)).collect()
}

fn offset_at(layout: &Layout, index: &[usize]) -> usize {
    layout.offset(index).expect("the index is in range")
}
