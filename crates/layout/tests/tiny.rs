//! A tour of the public interface: each operation once with valid arguments and once with an error.

#![allow(clippy::single_range_in_vec_init, reason = "one axis is shrunk by a list of one range")]

use belvedere_layout::compat::{FlattenMap, ShapeTracker, gradcore};
use belvedere_layout::{
    Answer, Axis, Bytes, Chain, ChainRun, Index, InlineVec, Layout, LayoutError, MAX_RANK, Pattern,
    Rearranged, Reshape, SEARCH_STEPS, Slice, broadcast, broadcast_shapes, explain_view, s,
    unravel_index,
};

type Tested = Result<(), LayoutError>;

/// Three rows of four: the layout that most stops of the tour begin with.
fn rows() -> Layout {
    Layout::row_major(&[3, 4]).unwrap()
}

#[test]
fn layouts_are_made_from_shapes_strides_or_axes() -> Tested {
    assert_eq!(rows().strides(), [4, 1]);
    assert_eq!(Layout::col_major(&[3, 4])?.strides(), [1, 3]);
    assert_eq!(Layout::from_strides(0, &[3, 4], &[4, 1])?, rows());
    assert_eq!(Layout::new(0, &[Axis::new(3, 4), Axis::new(4, 1)])?, rows());
    assert_eq!(Layout::as_strided(12, 0, &[3, 4], &[4, 1])?, rows());
    assert_eq!(Layout::scalar(5)?.rank(), 0);

    assert!(Layout::row_major(&[1; MAX_RANK + 1]).is_err());
    assert!(Layout::col_major(&[usize::MAX, 2]).is_err());
    assert!(Layout::from_strides(0, &[3, 4], &[4]).is_err());
    assert!(Layout::new(0, &[Axis::new(2, -1)]).is_err());
    assert!(Layout::as_strided(11, 0, &[3, 4], &[4, 1]).is_err());
    assert!(Layout::scalar(usize::MAX).is_err());
    Ok(())
}

#[test]
fn a_layout_has_properties() -> Tested {
    let layout = rows();
    assert_eq!((layout.start(), layout.rank(), layout.len()), (0, 2, 12));
    assert_eq!((layout.shape(), layout.strides()), ([3, 4].into(), [4, 1].into()));
    assert_eq!(layout.axes(), [Axis { len: 3, stride: 4 }, Axis { len: 4, stride: 1 }]);
    assert!(!layout.is_empty() && Layout::row_major(&[0])?.is_empty());
    assert_eq!(layout.byte_strides(8)?, [32, 8]);
    assert_eq!(layout.resolve_axis(-1)?, 1);

    assert!(layout.byte_strides(usize::MAX).is_err());
    assert!(layout.resolve_axis(2).is_err());
    Ok(())
}

#[test]
fn indices_and_offsets_convert() -> Tested {
    assert_eq!(rows().offset(&[1, 3])?, 7);
    assert!(rows().offsets().eq(0..12));
    assert_eq!(rows().offsets().len(), 12);
    assert_eq!(unravel_index(&[3, 4], 7)?, [1, 3]);

    assert!(rows().offset(&[3, 0]).is_err());
    assert!(unravel_index(&[3, 4], 12).is_err());
    Ok(())
}

#[test]
fn contiguity_queries() -> Tested {
    let columns = rows().t()?;
    assert!(rows().is_contiguous() && !columns.is_contiguous());
    assert!(columns.is_col_major() && !rows().is_col_major());
    assert!(columns.is_dense() && !rows().step(1, 2)?.is_dense());
    assert_eq!(rows().coalesced().shape(), [12]);
    assert_eq!(columns.coalesced(), columns);
    Ok(())
}

#[test]
fn span_covers_all_offsets() -> Tested {
    let below = rows().narrow(0, 1, 2)?;
    assert_eq!(below.span(), 4..12);
    assert!(below.fits(12) && !below.fits(11));
    assert!(below.check_fits(12).is_ok() && below.check_fits(11).is_err());
    Ok(())
}

#[test]
fn axes_are_reordered() -> Tested {
    let block = Layout::row_major(&[2, 3, 4])?;
    assert_eq!(block.permute(&[2, 0, 1])?.shape(), [4, 2, 3]);
    assert_eq!(block.transpose(0, 2)?.shape(), [4, 3, 2]);
    assert_eq!(block.swap_axes(0, 1)?.shape(), [3, 2, 4]);
    assert_eq!(block.move_axis(0, -1)?.shape(), [3, 4, 2]);
    assert_eq!(block.reverse().shape(), [4, 3, 2]);
    assert_eq!(block.mt()?.shape(), [2, 4, 3]);
    assert_eq!(rows().t()?.shape(), [4, 3]);

    assert!(block.permute(&[0, 1]).is_err());
    assert!(block.transpose(0, 3).is_err());
    assert!(block.swap_axes(-4, 0).is_err());
    assert!(block.move_axis(3, 0).is_err());
    assert!(Layout::row_major(&[4])?.mt().is_err());
    assert!(block.t().is_err());
    Ok(())
}

#[test]
fn axes_are_flipped_and_planes_rotated() -> Tested {
    assert!(rows().flip(&[1])?.offsets().take(4).eq([3, 2, 1, 0]));
    assert!(rows().rot90(1, 0, 1)?.offsets().take(3).eq([3, 7, 11]));
    assert_eq!(rows().rot90(4, 0, 1)?, rows());

    assert!(rows().flip(&[0, -2]).is_err());
    assert!(rows().rot90(1, 1, 1).is_err());
    Ok(())
}

#[test]
fn slices_follow_python() -> Tested {
    assert_eq!(rows().slice(&s![1.., ..;-2])?.offsets().collect::<Vec<_>>(), [7, 5, 11, 9]);
    assert_eq!(rows().slice(&s![Index::Ellipsis, 0, Index::NewAxis])?.shape(), [3, 1]);
    let odd = Slice { start: Some(1), stop: None, step: 2 };
    assert_eq!(odd.resolve(4), Some((1, 2)));
    assert_eq!(rows().slice_axis(1, odd)?.shape(), [3, 2]);
    assert_eq!(rows().step(0, 2)?.shape(), [2, 4]);
    assert_eq!(rows().select(1, -1)?.shape(), [3]);
    assert_eq!(rows().narrow(1, 1, 2)?.shape(), [3, 2]);
    let (layout, mut part) = (rows(), Layout::scalar(0)?);
    let mut slicer = layout.slicer();
    if slicer.at(1).is_ok() && slicer.stepped(3, 2, -2).is_ok() {
        part = slicer.finish()?;
    }
    assert!(part.offsets().eq([7, 5]));

    assert!(rows().slice(&s![3]).is_err());
    assert_eq!(Slice::ALL.by(0).resolve(4), None);
    assert!(rows().slice_axis(2, odd).is_err());
    assert!(rows().step(0, 0).is_err());
    assert!(rows().select(1, 4).is_err());
    assert!(rows().narrow(1, 3, 2).is_err());
    Ok(())
}

#[test]
fn axes_are_split_into_parts() -> Tested {
    let (left, right) = rows().split_at(1, 1)?;
    assert_eq!((left.shape(), right.shape()), ([3, 1].into(), [3, 3].into()));
    assert_eq!(rows().split(1, 3)?.len(), 2);
    assert_eq!(rows().chunk(1, 4)?.len(), 4);
    assert_eq!(rows().split_axis(1, 2)?.shape(), [3, 2, 2]);
    assert_eq!(rows().unflatten(1, [2, -1])?.shape(), [3, 2, 2]);

    assert!(rows().split_at(1, 5).is_err());
    assert!(rows().split(1, 0).is_err());
    assert!(rows().chunk(1, 0).is_err());
    assert!(rows().split_axis(1, 3).is_err());
    assert!(rows().unflatten(1, [3, 2]).is_err());
    Ok(())
}

#[test]
fn unit_axes_are_inserted_and_removed() -> Tested {
    let wide = rows().unsqueeze(1)?;
    assert_eq!(wide.shape(), [3, 1, 4]);
    assert_eq!(wide.squeeze(&[1])?, rows());
    assert_eq!(wide.squeeze_all(), rows());

    assert!(rows().unsqueeze(4).is_err());
    assert!(rows().squeeze(&[0]).is_err());
    Ok(())
}

#[test]
fn windows_and_diagonals() -> Tested {
    let line = Layout::row_major(&[6])?;
    assert_eq!(line.windows(0, 3, 2)?.shape(), [2, 3]);
    assert_eq!(rows().sliding_window(&[0, 1], &[2, 2])?.shape(), [2, 3, 2, 2]);
    assert!(rows().diagonal(1, 0, 1)?.offsets().eq([1, 6, 11]));

    assert!(line.windows(0, 7, 1).is_err());
    assert!(rows().sliding_window(&[0, 1], &[2]).is_err());
    assert!(rows().diagonal(0, 1, 1).is_err());
    Ok(())
}

#[test]
fn elements_are_reinterpreted() -> Tested {
    assert_eq!(rows().reinterpret(8, 4)?.shape(), [3, 8]);
    assert_eq!(rows().split_elements(2)?.shape(), [3, 4, 2]);
    assert_eq!(rows().split_elements(2)?.join_elements(2)?, rows());

    assert!(rows().t()?.reinterpret(8, 4).is_err());
    assert!(rows().split_elements(0).is_err());
    assert!(rows().join_elements(3).is_err());
    Ok(())
}

#[test]
fn shapes_broadcast() -> Tested {
    let line = Layout::row_major(&[4])?;
    assert_eq!(line.broadcast_to([3, 4])?.strides(), [0, 1]);
    assert_eq!(broadcast_shapes(&[&[3, 1], &[4]])?, [3, 4]);
    assert_eq!(broadcast(&[&rows(), &line])?[1].shape(), [3, 4]);

    assert!(line.broadcast_to([3]).is_err());
    assert!(broadcast_shapes(&[&[3], &[4]]).is_err());
    assert!(broadcast(&[&rows(), &Layout::row_major(&[3])?]).is_err());
    Ok(())
}

#[test]
fn reshape_is_a_view_or_reports_the_seam() -> Tested {
    let columns = rows().t()?;
    assert_eq!(columns.view([2, 2, -1])?.strides(), [2, 1, 4]);
    assert_eq!(columns.reshape([2, 2, 3])?.into_view().unwrap().shape(), [2, 2, 3]);
    assert_eq!(rows().reshape_contiguous([12])?.strides(), [1]);
    assert_eq!(rows().flatten(0, -1)?.into_view().unwrap().shape(), [12]);
    assert_eq!(rows().merge(0, 1)?.shape(), [12]);
    assert_eq!(rows().resolve_shape([6, -1])?, [6, 2]);

    let Reshape::Copy { why } = columns.reshape([12])? else { panic!("no such strides exist") };
    assert_eq!((why.stride, why.needed), (1, 12));
    let error = columns.view([12]).unwrap_err();
    let LayoutError::NeedsCopy(refusal) = error else { panic!("another error") };
    assert!(!refusal.nearby().is_empty());
    assert!(columns.reshape([5, 2]).is_err());
    assert!(columns.reshape_contiguous([4, 3]).is_err());
    assert!(columns.flatten(1, 0).is_err());
    assert!(columns.merge(0, 1).is_err());
    assert!(rows().resolve_shape([5, -1]).is_err());
    Ok(())
}

#[test]
fn explain_view_reports_the_runs() -> Tested {
    let columns = rows().t()?;
    let fits = explain_view(&columns, [2, 2, 3])?;
    assert_eq!((fits.runs.len(), fits.boundaries.len(), fits.matched.len()), (2, 1, 3));
    assert_eq!(fits.boundaries[0].crossed_by, None);
    assert!(fits.to_string().contains("is a view with strides [2, 1, 4]"));

    let crosses = explain_view(&columns, [6, 2])?;
    assert_eq!(crosses.boundaries[0].crossed_by, Some(0));
    assert!(crosses.to_string().contains("needs a copy of 12 elements"));
    assert!(explain_view(&columns, [7]).is_err());
    Ok(())
}

#[test]
fn overlap_is_decided() -> Tested {
    let (even, odd) = (rows().slice(&s![.., ..;2])?, rows().slice(&s![.., 1..;2])?);
    assert_eq!(even.overlaps(&odd), Answer::No);
    assert_eq!(even.overlaps(&rows()), Answer::Yes);
    assert_eq!(rows().injective(), Answer::Yes);
    assert_eq!(rows().windows(1, 2, 1)?.injective(), Answer::No);

    let bytes = |address, layout, size| Bytes { address, layout, size };
    assert_eq!(bytes(0, &even, 8).overlaps(bytes(0, &odd, 8)), Answer::No);
    assert_eq!(bytes(0, &even, 8).overlaps(bytes(0, &odd, 4)), Answer::Yes);
    const { assert!(SEARCH_STEPS > 0) };
    Ok(())
}

#[test]
fn a_chain_reshapes_a_transpose() -> Tested {
    let chain = Chain::new(rows()).permute(&[1, 0])?.reshape([12])?;
    assert_eq!((chain.shape(), chain.rank(), chain.len()), (&[12][..], 1, 12));
    assert_eq!((chain.depth(), chain.as_layout()), (2, None));
    assert_eq!(chain.stages()[0].shape(), [4, 3]);
    assert_eq!(chain.index(&[1])?, Some(4));
    assert!(!chain.is_empty());
    assert!(chain.slice(&s![..3])?.as_layout().is_some());

    assert!(chain.permute(&[1]).is_err());
    assert!(chain.reshape([5]).is_err());
    assert!(chain.index(&[12]).is_err());
    assert!(chain.slice(&s![12]).is_err());
    Ok(())
}

#[test]
fn a_chain_flips_shrinks_and_broadcasts() -> Tested {
    let chain = Chain::new(Layout::row_major(&[4])?);
    assert!(chain.flip(&[0])?.offsets().flatten().eq([3, 2, 1, 0]));
    assert!(chain.shrink(&[1..3])?.offsets().flatten().eq([1, 2]));
    assert_eq!(chain.broadcast_to([2, -1])?.shape(), [2, 4]);
    assert_eq!(chain.unsqueeze(-1)?.shape(), [4, 1]);

    assert!(chain.flip(&[1]).is_err());
    assert!(chain.shrink(&[1..5]).is_err());
    assert!(chain.broadcast_to([2, 3]).is_err());
    assert!(chain.unsqueeze(2).is_err());
    Ok(())
}

#[test]
fn a_chain_pads_repeats_and_tiles() -> Tested {
    let chain = Chain::new(Layout::row_major(&[2])?);
    let padded = chain.pad(&[(1, 1)])?;
    assert!(padded.offsets().eq([None, Some(0), Some(1), None]));
    assert!(padded.stages()[0].is_padded());
    assert_eq!(padded.stages()[0].before(), [1]);
    assert_eq!(padded.stages()[0].inside().unwrap().shape(), [2]);
    assert!(chain.repeat(0, 2)?.offsets().flatten().eq([0, 0, 1, 1]));
    assert!(chain.tile(&[2])?.offsets().flatten().eq([0, 1, 0, 1]));

    let runs: Vec<ChainRun> = padded.runs().collect();
    assert_eq!(runs[1], ChainRun::Elements { offset: 0, stride: 1, len: 2 });
    assert_eq!(runs.iter().map(ChainRun::len).sum::<usize>(), 4);

    assert!(chain.pad(&[]).is_err());
    assert!(chain.repeat(1, 2).is_err());
    assert!(chain.tile(&[usize::MAX]).is_err());
    Ok(())
}

#[test]
fn a_pattern_rearranges_axes() -> Tested {
    let pattern: Pattern = "h (w c) -> c h w".parse()?;
    assert_eq!(
        (pattern.text(), pattern.to_string()),
        ("h (w c) -> c h w", "h (w c) -> c h w".into())
    );
    let planes = pattern.apply(&rows(), &[("c", 2)])?.into_view().unwrap();
    assert_eq!((planes.shape(), planes.strides()), ([2, 3, 2].into(), [1, 4, 2].into()));
    assert_eq!(pattern.recipe(2, &[("c", 2)])?.apply(&rows())?.into_view(), Some(planes));
    assert_eq!(rows().rearrange("h w -> w h", &[])?.into_view(), Some(rows().t()?));

    let Rearranged::Copy { ordered, shape, why } = rows().rearrange("h w -> (w h)", &[])? else {
        panic!("no such strides exist");
    };
    assert_eq!((ordered, shape, why.needed), (rows().t()?, [12].into(), 12));
    assert!("h w -> w".parse::<Pattern>().is_err());
    assert!(pattern.apply(&rows(), &[("c", 3)]).is_err());
    assert!(pattern.recipe(3, &[("c", 2)]).is_err());
    assert!(rows().rearrange("h w c -> h w c", &[]).is_err());
    Ok(())
}

#[test]
fn compat_types_work() -> Tested {
    let mut tracker = ShapeTracker::new(&[2, 3])?;
    tracker.permute(&[1, 0])?.reshape(&[6])?.flip(&[0])?.shrink(&[0..4])?.pad(&[(1, 0)])?;
    tracker.reshape(&[1, 5])?.expand(&[2, 5])?;
    assert_eq!((tracker.index(&[1, 0])?, tracker.index(&[1, 1])?), (None, Some(5)));
    assert_eq!((tracker.ops().len(), tracker.chain().shape()), (7, &[2, 5][..]));
    assert!(tracker.needs_copy() && !tracker.is_contiguous());

    let map = FlattenMap::new(&rows(), 0, 1)?;
    assert_eq!((map.shape(), map.strides().unwrap()), (&[12][..], [1].into()));
    assert_eq!((map.to_parent(&[5])?, map.is_contiguous()), ([1, 1].into(), true));
    assert_eq!(gradcore::create(&[3, 4])?, rows());

    assert!(ShapeTracker::new(&[usize::MAX, 2]).is_err());
    assert!(tracker.expand(&[3, 5]).is_err());
    assert!(FlattenMap::new(&rows(), 0, 2).is_err());
    assert!(map.to_parent(&[12]).is_err());
    assert!(gradcore::create(&[]).is_err());
    Ok(())
}

#[test]
fn inline_vecs_behave_like_slices() {
    let list = InlineVec::from([0, 2, 3, 4]);
    assert_eq!(list, [0, 2, 3, 4]);
    assert_eq!(list[1..3], [2, 3]);
    assert_eq!((0..9).collect::<InlineVec<usize>>().len(), 9);
    assert_ne!(list, [0, 2, 3]);
}
