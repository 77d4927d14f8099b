//! The shape and slicing cases of SKaiNET's test suite, as far as they are about layouts.
//!
//! Intended differences are asserted, with a comment.

use belvedere_layout::{Answer, ErrorKind, Index, Layout, LayoutError, Slice, s};
use std::collections::HashSet;

type Tested = Result<(), LayoutError>;

fn row(shape: &[usize]) -> Layout {
    Layout::row_major(shape).unwrap()
}

/// `3..1`; as a literal it would trigger a lint.
const REVERSED: Index = Index::Slice(Slice { start: Some(3), stop: Some(1), step: 1 });

/// VoidOpsFlattenTest: shape, first and last axis, flattened shape.
#[test]
fn flatten_gives_the_expected_shapes() -> Tested {
    type Row<'a> = (&'a [usize], (isize, isize), &'a [usize]);
    let rows: [Row<'_>; 17] = [
        (&[10], (0, -1), &[10]),
        (&[3, 4], (0, 0), &[3, 4]),
        (&[3, 4], (0, 1), &[12]),
        (&[2, 3, 4], (1, 2), &[2, 12]),
        (&[2, 3, 4], (1, 1), &[2, 3, 4]),
        (&[1, 32, 28, 28], (1, 3), &[1, 25_088]),
        (&[2, 3, 4, 5], (1, 2), &[2, 12, 5]),
        (&[2, 3, 4, 5, 6], (2, 4), &[2, 3, 120]),
        (&[2, 3, 4, 5], (-2, -1), &[2, 3, 20]),
        (&[2, 3, 4], (0, -1), &[24]),
        (&[10, 20, 30, 40], (1, 3), &[10, 24_000]),
        (&[1], (0, 0), &[1]),
        (&[2, 3, 4, 5], (0, 3), &[120]),
        (&[2, 3, 4, 5], (3, 3), &[2, 3, 4, 5]),
        (&[2, 3, 4, 5], (-1, -1), &[2, 3, 4, 5]),
        (&[2, 1, 3, 1, 4], (1, 3), &[2, 3, 4]),
        (&[2, 1, 3, 1, 4], (0, -1), &[24]),
    ];
    for (shape, (start, end), expected) in rows {
        let flat = row(shape).merge(start, end)?;
        assert_eq!(flat.shape(), expected, "{shape:?} from {start} to {end}");
        assert_eq!(flat.len(), row(shape).len());
    }
    Ok(())
}

/// VoidOpsFlattenTest, identity and conservation of the volume.
#[test]
fn flatten_of_one_axis_is_the_identity_and_any_keeps_the_number_of_elements() -> Tested {
    for shape in [&[5][..], &[6], &[3, 4], &[2, 3, 4], &[1, 2, 3, 4], &[2, 1, 3, 1, 4]] {
        let layout = row(shape);
        let rank = shape.len() as isize;
        for (start, end) in (0..rank).flat_map(|end| (0..=end).map(move |start| (start, end))) {
            assert_eq!(layout.merge(start, end)?.len(), layout.len());
        }
        for k in 0..rank {
            assert_eq!(layout.merge(k, k)?, layout);
        }
    }
    Ok(())
}

/// VoidOpsFlattenTest, errors. SKaiNET reports whether the start or the end is wrong; ours names the axis.
#[test]
fn flatten_refuses_invalid_axes() {
    let layout = row(&[2, 3, 4, 5]);
    for ((start, end), axis) in [((5, 6), 5), ((1, 5), 5), ((-5, -1), -5), ((0, -5), -5)] {
        let expected = LayoutError::AxisOutOfRange { axis, rank: 4 };
        assert_eq!(layout.flatten(start, end), Err(expected));
    }
    let reversed = LayoutError::AxesReversed { start: 3, end: 1 };
    assert_eq!(layout.flatten(3, 1), Err(reversed));
}

/// FlattenTest: the layer joins all but the batch.
#[test]
fn the_flatten_layer_keeps_the_batch_axis_and_the_order() -> Tested {
    let rows: [(&[usize], &[usize]); 5] = [
        (&[2, 3], &[2, 3]),
        (&[2, 2, 2], &[2, 4]),
        (&[2, 1, 28, 28], &[2, 784]),
        (&[1, 3, 3], &[1, 9]),
        (&[10, 5, 2, 2], &[10, 20]),
    ];
    for (shape, expected) in rows {
        let flat = row(shape).merge(1, -1)?;
        assert_eq!(flat.shape(), expected);
        assert!(flat.offsets().eq(0..flat.len()));
    }
    Ok(())
}

/// ShapeOperationsTest, reshape and flatten.
#[test]
fn reshape_keeps_the_number_of_elements() -> Tested {
    assert_eq!(row(&[2, 3, 4]).view([6, 4])?.shape(), [6, 4]);
    assert_eq!(row(&[2, 3, 4]).view([24])?.shape(), [24]);
    assert_eq!(row(&[24]).view([2, 3, 2, 2])?.shape(), [2, 3, 2, 2]);
    assert_eq!(row(&[2, 3, 4, 5]).merge(0, -1)?.shape(), [120]);
    let error = row(&[2, 3, 4]).view([5, 6]).unwrap_err();
    assert_eq!(error.to_string(), "cannot reshape [2, 3, 4] into [5, 6]: 24 elements are not 30");
    Ok(())
}

/// ShapeOperationsTest, split.
#[test]
fn split_gives_equal_parts() -> Tested {
    type Row<'a> = (&'a [usize], isize, usize, &'a [&'a [usize]]);
    let rows: [Row<'_>; 4] = [
        (&[6, 4], 0, 2, &[&[2, 4], &[2, 4], &[2, 4]]),
        (&[2, 3, 12], 2, 3, &[&[2, 3, 3], &[2, 3, 3], &[2, 3, 3], &[2, 3, 3]]),
        (&[4, 4], 0, 4, &[&[4, 4]]),
        // SKaiNET refuses 7 by 3; like PyTorch, we give a shorter last part.
        (&[7, 2], 0, 3, &[&[3, 2], &[3, 2], &[1, 2]]),
    ];
    for (shape, axis, size, expected) in rows {
        let parts: Vec<Layout> = row(shape).split(axis, size)?.collect();
        assert_eq!(parts.len(), expected.len(), "{shape:?} by {size}");
        assert!(parts.iter().zip(expected).all(|(part, &it)| part.shape() == it), "{parts:?}");
        assert_eq!(parts.iter().map(|it| it.len()).sum::<usize>(), row(shape).len());
    }
    // Cutting one axis into two is where every part must be whole.
    let error = row(&[7, 2]).split_axis(0, 3).unwrap_err();
    assert_eq!(error, LayoutError::NotDivisible { axis: 0, len: 7, by: 3 });
    Ok(())
}

/// ShapeOperationsTest, squeeze.
#[test]
fn squeeze_removes_unit_axes_only() -> Tested {
    assert_eq!(row(&[1, 4, 1, 3, 1]).squeeze_all().shape(), [4, 3]);
    assert_eq!(row(&[4, 1, 3]).squeeze(&[1])?.shape(), [4, 3]);
    assert_eq!(row(&[4, 3]).squeeze_all(), row(&[4, 3]));
    // SKaiNET keeps one axis of (1, 1, 1); like PyTorch, we give a scalar.
    assert_eq!(row(&[1, 1, 1]).squeeze_all().rank(), 0);
    let error = row(&[4, 1, 3]).squeeze(&[0]).unwrap_err();
    assert_eq!(error, LayoutError::NotAUnitAxis { axis: 0, len: 4 });
    Ok(())
}

/// ShapeOperationsTest, unsqueeze.
#[test]
fn unsqueeze_inserts_an_axis_at_any_position() -> Tested {
    let layout = row(&[3, 4]);
    assert_eq!(layout.unsqueeze(0)?.shape(), [1, 3, 4]);
    assert_eq!(layout.unsqueeze(1)?.shape(), [3, 1, 4]);
    assert_eq!(layout.unsqueeze(2)?.shape(), [3, 4, 1]);
    assert_eq!(layout.unsqueeze(-1)?.shape(), [3, 4, 1]);
    for axis in [3, -4] {
        assert_eq!(layout.unsqueeze(axis), Err(LayoutError::AxisOutOfRange { axis, rank: 3 }));
    }
    Ok(())
}

/// ShapeOperationsTest, transpose: the last two axes.
#[test]
fn mt_swaps_the_last_two_axes() -> Tested {
    assert_eq!(row(&[3, 4]).mt()?.shape(), [4, 3]);
    assert_eq!(row(&[2, 3, 4, 5]).mt()?.shape(), [2, 3, 5, 4]);
    let error = row(&[5]).mt().unwrap_err();
    assert_eq!(error.to_string(), "mt takes at least 2 axes, got 1");
    // SKaiNET refuses a vector; our `t`, like PyTorch's, gives it back.
    assert_eq!(row(&[5]).t()?, row(&[5]));
    Ok(())
}

/// ShapeOperationsTest, a chain of operations: joining is for a later crate, the rest is here.
#[test]
fn split_and_squeeze_invert_stack() -> Tested {
    let parts: Vec<Layout> = row(&[3, 2, 4]).split(0, 1)?.collect();
    assert_eq!(parts.len(), 3);
    for (n, part) in parts.iter().enumerate() {
        let back = part.squeeze(&[0])?;
        assert_eq!((back.shape(), back.start()), ([2, 4].into(), n * 8));
        assert_eq!(back.unsqueeze(0)?, *part);
    }
    Ok(())
}

/// ShapeOperationsTest, no elements.
#[test]
fn an_empty_layout_can_be_reshaped_and_flattened() -> Tested {
    let empty = row(&[2, 0, 3]);
    assert_eq!(empty.view([0])?.shape(), [0]);
    assert_eq!(empty.merge(0, -1)?.shape(), [0]);
    assert!(empty.is_empty());
    Ok(())
}

/// SlicingTest, SlicingIntegrationTest and SlicingStressTest: shape, slices, sliced shape.
#[test]
fn slices_have_the_expected_shapes() -> Tested {
    let rows: [(&[usize], &[Index], &[usize]); 20] = [
        (&[4, 3, 2], &s![1..3], &[2, 3, 2]),
        (&[4, 3, 2], &s![1], &[3, 2]),
        (&[4, 3, 2], &s![0..4;2], &[2, 3, 2]),
        // SKaiNET's slices refuse an empty range; ours follow Python.
        (&[4, 3, 2], &s![2..2], &[0, 3, 2]),
        (&[4, 3, 2], &[REVERSED], &[0, 3, 2]),
        (&[4, 3, 2], &s![1..2, 0, 0], &[1]),
        (&[10, 8, 6, 4], &s![5, 2..6, .., 0..4;2], &[4, 6, 2]),
        (&[10, 8, 6, 4], &s![0..10;3, 1..8;2], &[4, 4, 6, 4]),
        (&[4, 3, 32, 32], &s![1..3], &[2, 3, 32, 32]),
        (&[4, 3, 32, 32], &s![.., 0], &[4, 32, 32]),
        (&[4, 3, 32, 32], &s![.., .., 8..24, 8..24], &[4, 3, 16, 16]),
        (&[4, 3, 32, 32], &s![.., .., .., 0..32;2], &[4, 3, 32, 16]),
        (&[4, 8, 64, 32], &s![.., 0], &[4, 64, 32]),
        (&[50, 50, 10], &s![0..1, 0..1, 0..1], &[1, 1, 1]),
        (&[50, 50, 10], &s![25, 25, ..], &[10]),
        (&[50, 50, 10], &s![0..50, 0..50, 0..10], &[50, 50, 10]),
        (&[50, 50, 10], &s![1..49;5, 2..48;3, 0..10;2], &[10, 16, 5]),
        (&[1000, 1000, 5], &s![100..900, 100..900], &[800, 800, 5]),
        (&[1000, 1000, 5], &s![0..1000;10, 0..1000;10], &[100, 100, 5]),
        (&[100, 100, 10], &s![0..100;7, 5..95;3, 2..8], &[15, 30, 6]),
    ];
    for (shape, index, expected) in rows {
        assert_eq!(row(shape).slice(index)?.shape(), expected, "{index:?} of {shape:?}");
    }
    Ok(())
}

/// SlicingTest, views of views.
#[test]
fn nested_slices_are_one_layout() -> Tested {
    let first = row(&[8, 6, 4]).slice(&s![2..6])?;
    assert_eq!(first.shape(), [4, 6, 4]);
    let second = first.slice(&s![1..3, 0..6;2])?;
    assert_eq!(second.shape(), [2, 3, 4]);
    let third = second.slice(&s![0, .., 1..3])?;
    assert_eq!(third.shape(), [3, 2]);
    assert_eq!(third, row(&[8, 6, 4]).slice(&s![3, 0..6;2, 1..3])?);
    Ok(())
}

/// SlicingTest: many views of one memory.
#[test]
fn a_hundred_views_share_one_memory() -> Tested {
    let large = row(&[1000, 1000]);
    for i in 0..100 {
        let view = large.slice(&s![i * 10..(i + 1) * 10])?;
        assert_eq!((view.shape(), view.start()), ([10, 1000].into(), i * 10_000));
        assert!(view.fits(1_000_000));
        assert_eq!(view.overlaps(&large), Answer::Yes);
    }
    Ok(())
}

/// SlicingIntegrationTest: a step of 0 has no meaning. (A range that ends before it starts is
/// refused there; ours is empty, as in Python.)
#[test]
fn a_step_of_zero_is_refused() {
    let error = row(&[4, 3, 2]).slice(&s![0..4;0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    assert!(row(&[8]).step(0, 0).is_err());
    assert!(row(&[8]).slice_axis(0, Slice::ALL.by(0)).is_err());
}

/// SlicingIntegrationTest, mini-batches.
#[test]
fn mini_batches_begin_eight_rows_apart() -> Tested {
    let batches: Vec<Layout> = row(&[32, 128]).split(0, 8)?.collect();
    assert_eq!(batches.len(), 4);
    for (i, batch) in batches.iter().enumerate() {
        assert_eq!((batch.shape(), batch.offset(&[0, 0])?), ([8, 128].into(), i * 8 * 128));
        assert!(batch.is_contiguous());
    }
    Ok(())
}

/// SlicingIntegrationTest, windows over a sequence.
#[test]
fn windows_of_16_every_4_steps_over_a_sequence_of_100_are_22() -> Tested {
    let sequence = row(&[2, 100, 64]);
    let windows = sequence.windows(1, 16, 4)?;
    assert_eq!(windows.shape(), [2, 22, 64, 16]);
    for n in 0..22 {
        let by_slice = sequence.slice(&s![.., n * 4..n * 4 + 16])?;
        assert_eq!(windows.select(1, n)?.move_axis(-1, 1)?, by_slice);
        assert_eq!(by_slice.offset(&[0, 0, 0])?, n as usize * 4 * 64);
    }
    Ok(())
}

/// SlicingStressTest, values through views of views.
#[test]
fn a_view_of_a_view_has_the_elements_of_the_original() -> Tested {
    let original = row(&[30, 30, 3]);
    let (upper, lower) = original.split_at(0, 15)?;
    let (first, second) = (upper.slice(&s![5..10, 10..20])?, lower.slice(&s![2..7, 5..15, 0..2])?);
    assert_eq!((first.shape(), second.shape()), ([5, 10, 3].into(), [5, 10, 2].into()));
    assert_eq!(upper.offset(&[5, 10, 1])?, original.offset(&[5, 10, 1])?);
    assert_eq!(first.offset(&[0, 0, 1])?, original.offset(&[5, 10, 1])?);
    assert_eq!(second.offset(&[0, 0, 1])?, original.offset(&[17, 5, 1])?);
    assert_eq!(first.overlaps(&second), Answer::No);
    Ok(())
}

/// LayoutTest, offsets.
#[test]
fn an_index_has_an_element_and_a_byte_offset() -> Tested {
    let block = row(&[2, 3, 4]);
    assert_eq!(block.strides(), [12, 4, 1]);
    let offset = block.offset(&[1, 1, 1])?;
    assert_eq!((offset, offset * 4), (17, 68));
    assert_eq!(block.byte_strides(4)?, [48, 16, 4]);
    assert!(block.offset(&[2, 0, 0]).is_err() && block.offset(&[0, 0]).is_err());
    Ok(())
}

/// LayoutTest, narrow.
#[test]
fn narrow_of_rows_is_contiguous_and_of_columns_is_not() -> Tested {
    let layout = row(&[4, 8]);
    let rows = layout.narrow(0, 1, 2)?;
    assert_eq!((rows.start(), rows.is_contiguous()), (8, true));
    let columns = layout.narrow(1, 2, 3)?;
    assert_eq!((columns.start(), columns.is_contiguous()), (2, false));
    let error = layout.narrow(1, 6, 4).unwrap_err();
    assert_eq!(error.to_string(), "4 positions starting at 6 do not fit in axis 1 of length 8");
    Ok(())
}

/// LayoutTest, transpose and unit axes.
#[test]
fn transpose_and_unsqueeze_are_invertible() -> Tested {
    let layout = row(&[2, 3]);
    let transposed = layout.t()?;
    assert_eq!((transposed.shape(), transposed.strides()), ([3, 2].into(), [1, 3].into()));
    assert_eq!(transposed.t()?, layout);
    assert_eq!(layout.unsqueeze(1)?.squeeze(&[1])?, layout);
    assert!(Layout::from_strides(0, &[2, 1, 3], &[3, 0, 1])?.is_contiguous());
    assert!(layout.squeeze(&[0]).is_err());
    Ok(())
}

/// LayoutTest and NonContiguousStorageTest: equal maps are equal, and print alike.
#[test]
fn equality_and_hash_use_shape_and_strides() -> Tested {
    let (rows, columns) = (row(&[4, 4]), Layout::from_strides(0, &[4, 4], &[1, 4])?);
    assert_ne!(rows, columns);
    assert_eq!(rows, Layout::from_strides(0, &[4, 4], &[4, 1])?);
    assert_eq!(columns, rows.t()?);
    assert_eq!(format!("{rows:?}"), format!("{:?}", columns.t()?));
    assert_eq!(format!("{:?} {:?}", columns.shape(), columns.strides()), "[4, 4] [1, 4]");
    assert_eq!(HashSet::from([rows.clone(), columns.clone(), columns.t()?, rows.t()?]).len(), 2);
    Ok(())
}

/// NonContiguousStorageTest. There, contiguity is a flag that the caller sets; ours is computed.
#[test]
fn a_layout_with_gaps_spans_more_than_its_elements() -> Tested {
    let layout = Layout::from_strides(0, &[1024, 768], &[768, 1])?;
    assert_eq!(layout.strides(), [768, 1]);
    assert!(layout.is_contiguous());
    let gaps = Layout::from_strides(0, &[8, 8], &[16, 1])?;
    assert_eq!((gaps.len() * 4, gaps.span().len() * 4), (256, 480));
    assert!(!gaps.is_contiguous());
    Ok(())
}

/// TensorViewTest: the element of a view is the element of its base.
#[test]
fn narrow_of_rows_shifts_the_start() -> Tested {
    let base = row(&[4, 6]);
    let rows = base.narrow(0, 1, 2)?;
    assert_eq!(rows.offset(&[0, 0])?, base.offset(&[1, 0])?);
    assert!(!base.narrow(1, 1, 2)?.is_contiguous());
    Ok(())
}

/// OneViewMechanismTest: one type for all views, over the same memory.
#[test]
fn view_operations_stay_within_the_memory_of_the_base() -> Tested {
    let base = row(&[4, 6]);
    let views = [
        base.narrow(1, 2, 4)?,
        base.t()?,
        base.unsqueeze(0)?,
        base.step(1, 2)?,
        base.slice(&s![1..3])?,
        base.narrow(0, 1, 1)?.squeeze(&[0])?,
    ];
    for view in views {
        assert!(view.fits(24));
        assert_eq!(view.overlaps(&base), Answer::Yes);
        assert_eq!(view.injective(), Answer::Yes);
    }
    Ok(())
}

/// OneViewMechanismTest: a slice by hand, and a slice of a slice.
#[test]
fn a_slice_equals_narrow_step_and_squeeze() -> Tested {
    let base = row(&[4, 6]);
    let by_hand = base.narrow(0, 2, 1)?.narrow(1, 1, 5)?.step(1, 2)?.squeeze(&[0])?;
    assert_eq!(by_hand, base.slice(&s![2, 1..6;2])?);

    let sheet = row(&[6, 8]);
    let twice = sheet.narrow(0, 1, 4)?.narrow(1, 2, 4)?.step(0, 2)?;
    assert_eq!(twice.shape(), [2, 4]);
    assert_eq!(twice, sheet.slice(&s![1..5;2, 2..6])?);
    Ok(())
}

/// OneViewMechanismTest: a stretch of memory under another shape.
#[test]
fn a_slice_can_be_viewed_as_a_matrix() -> Tested {
    let memory = row(&[64]);
    let square = memory.narrow(0, 16, 16)?.view([4, 4])?;
    assert_eq!((square.offset(&[0, 0])?, square.offset(&[3, 3])?), (16, 31));
    assert_eq!(square, Layout::as_strided(64, 16, &[4, 4], &[4, 1])?);
    assert!(memory.narrow(0, 60, 8).is_err());
    assert!(Layout::as_strided(64, 60, &[8], &[1]).is_err());
    Ok(())
}

/// OneViewMechanismTest: transposes and steps are metadata.
#[test]
fn a_step_of_3_selects_0_3_6() -> Tested {
    let stepped = row(&[8]).step(0, 3)?;
    assert!(stepped.offsets().eq([0, 3, 6]));
    assert_eq!(stepped.strides(), [3]);

    let (base, transposed) = (row(&[3, 5]), row(&[3, 5]).t()?);
    for (r, c) in (0..3).flat_map(|r| (0..5).map(move |c| (r, c))) {
        assert_eq!(base.offset(&[r, c])?, transposed.offset(&[c, r])?);
    }
    Ok(())
}
