//! Chapter 1.F, when another shape is a view of the same memory.
//!
//! Covered here: 94–105, and of the checklist K24, K25, K28, K29.
//! Waiting for the tensor crate: 93 (writes through a view), of 102 and 103 the copy itself.

use crate::zoo;
use crate::zoo::{Dice, layout_that_visits, lowest_at_zero, moves::some_shape, offsets};
use belvedere_layout::{Axis, Chain, ErrorKind, Layout, LayoutError, Reshape, explain_view, s};

type Tested = Result<(), LayoutError>;

/// `arange(12)` in three rows of four.
fn z() -> Layout {
    Layout::row_major(&[3, 4]).unwrap()
}

/// Requirement 94.
#[test]
fn a_view_has_the_same_number_of_elements() {
    for shape in [&[13][..], &[3, 3], &[0], &[], &[12, 2]] {
        let error = z().view(shape).unwrap_err();
        assert!(matches!(error, LayoutError::SizeMismatch { .. }), "{shape:?}: {error}");
    }
}

/// Requirement 95: each new axis must be within one run of old axes.
#[test]
fn contiguity_is_required_per_new_axis_only() -> Tested {
    // The first new axis cuts an old one, the second spans two that continue each other.
    let mixed = Layout::from_strides(0, &[4, 2, 3], &[1, 12, 4])?;
    let view = mixed.view([2, 2, 6])?;
    assert_eq!(view.strides(), [2, 1, 4]);
    // Here the last new axis would do, and the first would not: one is not enough.
    let Reshape::Copy { why } = mixed.reshape([8, 3])? else { panic!("no such strides exist") };
    assert_eq!((why.axes, why.new_axis), ((0, 1), 0));
    Ok(())
}

/// Requirement 95: three axes have two neighbours in which something can be wrong.
#[test]
fn merging_three_axes_requires_both_pairs_to_be_mergeable() -> Tested {
    let block = Layout::row_major(&[2, 3, 4])?;
    assert_eq!(block.view([24])?.strides(), [1]);
    let first_wrong = Layout::from_strides(0, &[2, 3, 4], &[13, 4, 1])?;
    let second_wrong = Layout::from_strides(0, &[2, 3, 4], &[15, 5, 1])?;
    let blamed = |layout: &Layout| match layout.reshape([24]) {
        Ok(Reshape::Copy { why }) => Some(why.axes),
        _ => None,
    };
    assert_eq!(blamed(&first_wrong), Some((0, 1)));
    assert_eq!(blamed(&second_wrong), Some((1, 2)));
    Ok(())
}

/// Requirement 96.
#[test]
fn a_contiguous_matrix_can_be_viewed_as_6x2() -> Tested {
    assert_eq!((z().shape(), z().strides()), ([3, 4].into(), [4, 1].into()));
    let six = z().view([6, 2])?;
    assert_eq!(six.strides(), [2, 1]);
    assert!(six.is_contiguous());
    assert!(six.offsets().eq(0..12));
    Ok(())
}

/// Requirement 97.
#[test]
fn a_transposed_matrix_cannot_be_viewed_as_6x2() -> Tested {
    let z_t = z().t()?;
    assert_eq!(z_t.strides(), [1, 4]);
    assert!(z_t.offsets().eq([0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]));
    let Reshape::Copy { why } = z_t.reshape([6, 2])? else { panic!("1 is not 4 · 3") };
    assert_eq!((why.stride, why.needed), (1, 12));
    Ok(())
}

/// Requirement 98.
#[test]
fn axes_of_a_transposed_matrix_can_be_split() -> Tested {
    let cut = z().t()?.view([2, 2, 3])?;
    assert_eq!(cut.strides(), [2, 1, 4]);
    assert!(cut.select(0, 0)?.offsets().eq([0, 4, 8, 1, 5, 9]));
    assert!(cut.select(0, 1)?.offsets().eq([2, 6, 10, 3, 7, 11]));
    Ok(())
}

/// Requirement 99: descending strides are neither necessary nor sufficient for contiguity.
#[test]
fn descending_strides_do_not_imply_contiguity() -> Tested {
    let left_half = Layout::row_major(&[4, 6])?.slice(&s![.., ..3])?;
    assert_eq!(left_half.strides(), [6, 1]);
    assert!(!left_half.is_contiguous());
    assert!(!Layout::row_major(&[12])?.slice(&s![..;2])?.is_contiguous());
    assert!(Layout::from_strides(0, &[3, 1], &[1, 5])?.is_contiguous());
    Ok(())
}

/// Requirement 100: views that neither reassign all strides nor cut one axis at a time.
#[test]
fn partial_merges_unit_axes_and_splits_of_slices_are_views() -> Tested {
    type Row<'a> = (&'a [usize], &'a [isize], &'a [usize], &'a [isize]);
    let rows: [Row<'_>; 5] = [
        (&[4, 2, 3], &[1, 12, 4], &[4, 6], &[1, 4]),
        (&[4, 4], &[6, 1], &[2, 2, 4], &[12, 6, 1]),
        (&[4, 4], &[6, 1], &[4, 1, 2, 2], &[6, 4, 2, 1]),
        (&[1, 4, 1, 4], &[9, 6, 9, 1], &[4, 4], &[6, 1]),
        (&[2, 6, 4], &[100, 4, 1], &[2, 3, 8], &[100, 8, 1]),
    ];
    for (shape, strides, target, expected) in rows {
        let layout = Layout::from_strides(0, shape, strides)?;
        let view = layout.view(target)?;
        assert_eq!(view.strides(), expected, "{shape:?} as {target:?}");
        assert!(view.offsets().eq(layout.offsets()));
    }
    Ok(())
}

/// Requirement 101, K24: also the strides that have no effect are those PyTorch reports.
#[test]
fn views_of_the_transpose_have_the_strides_of_pytorch() -> Tested {
    let z_t = z().t()?;
    let rows: [(&[usize], &[isize]); 6] = [
        (&[4, 3, 1], &[1, 4, 4]),
        (&[2, 2, 1, 3], &[2, 1, 12, 4]),
        (&[4, 1, 3], &[1, 12, 4]),
        (&[1, 4, 3], &[4, 1, 4]),
        (&[2, 2, 3, 1], &[2, 1, 4, 4]),
        (&[2, 2, 3], &[2, 1, 4]),
    ];
    for (shape, strides) in rows {
        assert_eq!(z_t.view(shape)?.strides(), strides, "{shape:?}");
    }
    for shape in [&[12][..], &[2, 6], &[6, 2], &[3, 4]] {
        assert!(matches!(z_t.view(shape), Err(LayoutError::NeedsCopy(_))), "{shape:?}");
    }
    let expanded = Layout::row_major(&[3, 1])?.broadcast_to([3, 4])?;
    assert_eq!(expanded.view([3, 2, 2])?.strides(), [1, 0, 0]);
    assert!(matches!(expanded.view([12]), Err(LayoutError::NeedsCopy(_))));
    Ok(())
}

/// Requirements 102 and 103: the result is a copy in row-major order.
#[test]
fn a_reshape_without_a_view_reads_in_the_order_of_a_contiguous_copy() -> Tested {
    let z_t = z().t()?;
    assert!(matches!(z_t.reshape([2, 6])?, Reshape::Copy { .. }));
    let rows = Chain::new(z_t.clone()).reshape([2, 6])?;
    let expected = [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11];
    assert!(rows.offsets().eq(expected.map(Some)));
    // The copy itself is fresh, and of it the shape is a view.
    let copy = Layout::row_major(&z_t.shape())?;
    assert_eq!(copy.view([2, 6])?.strides(), [6, 1]);
    Ok(())
}

/// Requirement 104, K29.
#[test]
fn a_transpose_differs_from_a_view_of_its_shape() -> Tested {
    let (transposed, viewed) = (z().t()?, z().view([4, 3])?);
    assert_eq!(transposed.shape(), viewed.shape());
    assert_ne!(transposed, viewed);
    assert!(viewed.offsets().eq(0..12));
    Ok(())
}

/// Requirement 105, K25.
#[test]
fn a_refusal_reports_shape_strides_and_seam() -> Tested {
    let error = z().t()?.view([12]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::View);
    let message = error.to_string();
    for part in [
        "[4, 3]",
        "strides [1, 4]",
        "as [12]",
        "axis 0 has stride 1",
        "would need stride 12",
        "new axis 0",
        "copies 12 elements",
    ] {
        assert!(message.contains(part), "{part:?} is not in:\n{message}");
    }
    Ok(())
}

/// K28.
#[test]
fn minus_1_is_inferred_and_other_negative_lengths_are_errors() -> Tested {
    let block = Layout::row_major(&[2, 3, 4])?;
    let rows: [(&[i32], &[usize]); 5] = [
        (&[-1], &[24]),
        (&[6, -1], &[6, 4]),
        (&[-1, 2, 2], &[6, 2, 2]),
        (&[24, -1], &[24, 1]),
        (&[2, -1, 4], &[2, 3, 4]),
    ];
    for (lengths, shape) in rows {
        assert_eq!(block.view(lengths)?.shape(), shape, "{lengths:?}");
        assert_eq!(block.resolve_shape(lengths)?, shape);
    }
    let refused: [(&[i32], LayoutError); 4] = [
        (&[-1, 5], LayoutError::OpenLength { n_elements: 24, known: Some(5) }),
        (&[-1, 0], LayoutError::OpenLength { n_elements: 24, known: Some(0) }),
        (&[-1, 4, -1], LayoutError::TwoOpenLengths { first: 0, second: 2 }),
        (&[-2, 12], LayoutError::NegativeLength { axis: 0, len: -2 }),
    ];
    for (lengths, error) in refused {
        assert_eq!(block.view(lengths), Err(error), "{lengths:?}");
    }
    Ok(())
}

/// K28: axes of length 1 anywhere, of any layout.
#[test]
fn unit_axes_can_be_inserted_and_removed_in_every_layout() -> Tested {
    for layout in zoo::layouts().iter().filter(|it| it.rank() < 8) {
        let own = layout.shape();
        for at in 0..=own.len() {
            let wider = [&own[..at], &[1], &own[at..]].concat();
            let view = layout.view(&wider)?;
            assert!(view.offsets().eq(layout.offsets()));
            assert_eq!(view.view(&own)?, *layout);
        }
    }
    Ok(())
}

/// K28: an empty layout can be viewed as every empty shape; -1 next to 0 is ambiguous and refused.
#[test]
fn an_empty_layout_can_be_viewed_as_every_empty_shape() -> Tested {
    let empty = Layout::row_major(&[2, 0, 3])?.transpose(0, 2)?;
    for shape in [&[0][..], &[0, 7], &[5, 0, 2]] {
        assert_eq!(empty.view(shape)?, Layout::row_major(shape)?);
    }
    assert_eq!(empty.view([-1, 3])?.shape(), [0, 3]);
    assert!(matches!(empty.view([1]), Err(LayoutError::SizeMismatch { .. })));
    assert_eq!(empty.view([-1, 0]), Err(LayoutError::OpenLength { n_elements: 0, known: Some(0) }));
    Ok(())
}

/// Draws a layout as operations create them: row-major, then sliced, flipped, permuted and broadcast.
fn some_layout(dice: &mut Dice) -> Layout {
    let rank = 1 + dice.below(4);
    let mut stride = 1;
    let mut axes = Vec::new();
    for _ in 0..rank {
        let (len, spare) = (1 + dice.below(4), dice.below(6));
        let sign = *dice.pick(&[1, 1, 1, -1]);
        let kind = dice.below(12);
        axes.push(Axis::new(len, if kind == 0 { 0 } else { sign * stride }));
        // Mostly dense, sometimes with a gap or a step.
        stride *= if spare == 0 { len as isize + 1 } else { len as isize };
    }
    axes.reverse();
    if dice.below(3) == 0 {
        dice.shuffle(&mut axes);
    }
    lowest_at_zero(&axes)
}

/// K24: strides are read off the list of offsets; they either reproduce it or do not exist.
#[test]
fn views_of_random_layouts_exist_exactly_if_strides_exist() -> Tested {
    let mut dice = Dice::new(24);
    let (mut n_views, mut n_copies) = (0, 0);
    for _ in 0..15_000 {
        let layout = some_layout(&mut dice);
        let shape = some_shape(&mut dice, layout.len());
        let expected = layout_that_visits(&offsets(&layout), &shape);
        match layout.reshape(&shape)? {
            Reshape::View(view) => {
                assert_eq!(Some(view), expected, "{layout:?} as {shape:?}");
                n_views += 1;
            }
            Reshape::Copy { .. } => {
                assert_eq!(expected, None, "{layout:?} as {shape:?}");
                n_copies += 1;
            }
        }
        assert_eq!(explain_view(&layout, &shape)?.outcome, layout.reshape(&shape)?);
    }
    assert!(n_views > 3_000 && n_copies > 3_000, "{n_views} views, {n_copies} copies");
    Ok(())
}
