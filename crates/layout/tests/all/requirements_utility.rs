//! Chapter 1.B, questions about layouts: where an element is, what is contiguous, what broadcasts.
//!
//! Covered here: 14–17, 22, 23, of 21 the detection of overlap, of 24 the shape of the result, and of
//! the checklist K3, K4, K43.
//! Waiting for the tensor crate: 18–20 and 25–27 (fill, clear, sum, scale), the rest of 21 and 24.

use belvedere_layout::{
    Answer, Layout, LayoutError, broadcast, broadcast_shapes, s, unravel_index,
};

type Tested = Result<(), LayoutError>;

/// Requirement 14, K3.
#[test]
fn the_index_1_3_of_three_rows_of_four_is_offset_7() -> Tested {
    assert_eq!(Layout::row_major(&[3, 4])?.offset(&[1, 3])?, 7);
    assert_eq!(unravel_index(&[3, 4], 7)?, [1, 3]);
    Ok(())
}

/// Requirement 15, K3: offsets are not truncated and do not wrap around.
#[test]
fn an_index_out_of_range_or_of_the_wrong_length_is_refused() -> Tested {
    let rows = Layout::row_major(&[3, 4])?;
    assert_eq!(
        rows.offset(&[3, 0]),
        Err(LayoutError::IndexOutOfRange { index: 3, axis: 0, len: 3 })
    );
    assert_eq!(
        rows.offset(&[0, 4]),
        Err(LayoutError::IndexOutOfRange { index: 4, axis: 1, len: 4 })
    );
    assert!(rows.offset(&[usize::MAX, 0]).is_err());
    for index in [&[][..], &[1], &[1, 2, 0]] {
        let given = index.len();
        assert_eq!(rows.offset(index), Err(LayoutError::IndexCount { given, rank: 2 }));
    }
    assert!(unravel_index(&[3, 4], 12).is_err());
    Ok(())
}

/// Requirement 16, K4: the rule that compares neighbours would ask for 99 = 3.
#[test]
fn an_inner_unit_axis_does_not_affect_contiguity() -> Tested {
    assert!(Layout::from_strides(0, &[2, 1, 3], &[3, 99, 1])?.is_contiguous());
    assert!(Layout::from_strides(0, &[2, 1, 1, 3], &[3, -7, 0, 1])?.is_contiguous());
    assert!(!Layout::from_strides(0, &[2, 1, 3], &[4, 3, 1])?.is_contiguous());
    Ok(())
}

/// Requirements 16, 36, 52 and 99, K4: one table for all counter-examples.
#[test]
fn contiguity_ignores_unit_axes() -> Tested {
    let rows: [(&[usize], &[isize], bool); 14] = [
        (&[3, 4], &[4, 1], true),
        (&[2, 1, 3], &[3, 99, 1], true),
        (&[1, 4], &[99, 1], true),
        (&[4, 1], &[1, 99], true),
        (&[3, 1], &[1, 5], true),
        (&[1, 1], &[7, 5], true),
        (&[0, 3], &[5, 5], true),
        (&[], &[], true),
        (&[4, 3], &[1, 4], false),
        (&[4, 3], &[6, 1], false),
        (&[6], &[2], false),
        (&[6], &[0], false),
        (&[1, 3, 4], &[0, 1, 3], false),
        (&[3, 4], &[0, 1], false),
    ];
    for (shape, strides, expected) in rows {
        let layout = Layout::from_strides(0, shape, strides)?;
        assert_eq!(layout.is_contiguous(), expected, "{shape:?} with strides {strides:?}");
    }
    Ok(())
}

/// Requirement 16: where the elements begin does not matter.
#[test]
fn contiguity_does_not_depend_on_the_start() -> Tested {
    let below = Layout::row_major(&[4, 8])?.narrow(0, 1, 2)?;
    assert_eq!(below.start(), 8);
    assert!(below.is_contiguous());
    Ok(())
}

/// Requirement 17: the right order is necessary for contiguity, not sufficient.
#[test]
fn a_stepped_slice_is_not_contiguous() -> Tested {
    let even = Layout::row_major(&[12])?.slice(&s![..;2])?;
    assert!(even.offsets().is_sorted());
    assert!(!even.is_contiguous());
    Ok(())
}

/// Requirement 21: the overlap of a matrix with its transpose is detected before a copy.
#[test]
fn a_matrix_overlaps_its_transpose() -> Tested {
    let matrix = Layout::row_major(&[3, 3])?;
    assert_eq!(matrix.overlaps(&matrix.t()?), Answer::Yes);
    assert_ne!(matrix, matrix.t()?);
    let (top, bottom) = Layout::row_major(&[6, 3])?.split_at(0, 3)?;
    assert_eq!(top.overlaps(&bottom.t()?), Answer::No);
    Ok(())
}

/// Requirement 22, K43.
#[test]
fn shapes_are_equal_if_rank_and_lengths_are() -> Tested {
    let rows = Layout::row_major(&[2, 3])?;
    assert_eq!(rows.shape(), Layout::col_major(&[2, 3])?.shape());
    for other in [&[3, 2][..], &[2, 3, 1], &[1, 2, 3], &[6], &[]] {
        assert_ne!(rows.shape(), Layout::row_major(other)?.shape());
    }
    Ok(())
}

/// Requirement 23, K43: aligned at the last axis, equal or 1; a length of 0 stays 0.
#[test]
fn shapes_broadcast_by_the_rules_of_numpy() -> Tested {
    let rows: [(&[&[usize]], &[usize]); 12] = [
        (&[&[5, 1, 4], &[3, 1]], &[5, 3, 4]),
        (&[&[2, 3], &[2, 3]], &[2, 3]),
        (&[&[2, 3], &[3]], &[2, 3]),
        (&[&[3], &[2, 3]], &[2, 3]),
        (&[&[2, 3], &[]], &[2, 3]),
        (&[&[], &[]], &[]),
        (&[&[8, 1, 6, 1], &[7, 1, 5]], &[8, 7, 6, 5]),
        (&[&[1, 3], &[0, 3]], &[0, 3]),
        (&[&[0, 3], &[1, 3]], &[0, 3]),
        (&[&[0], &[1], &[1]], &[0]),
        (&[&[2, 1], &[1, 3], &[4, 1, 1]], &[4, 2, 3]),
        (&[], &[]),
    ];
    for (shapes, expected) in rows {
        assert_eq!(broadcast_shapes(shapes)?, expected, "{shapes:?}");
    }
    Ok(())
}

/// Requirement 23, K43.
#[test]
fn lengths_that_differ_and_are_not_1_do_not_broadcast() {
    let rows: [(&[&[usize]], LayoutError); 4] = [
        (&[&[2, 3], &[2]], misfit(1, 0, 2, 3)),
        (&[&[2, 3], &[3, 2]], misfit(1, 0, 3, 2)),
        (&[&[0], &[2]], misfit(1, 0, 2, 0)),
        (&[&[4, 1], &[3], &[2, 3]], misfit(2, 0, 2, 4)),
    ];
    for (shapes, expected) in rows {
        assert_eq!(broadcast_shapes(shapes), Err(expected), "{shapes:?}");
    }
}

fn misfit(operand: usize, axis: usize, len: usize, wanted: usize) -> LayoutError {
    LayoutError::DoesNotBroadcast { operand: Some(operand), axis, len, wanted }
}

/// Requirement 24: both operands of a sum and its result have one shape.
#[test]
fn broadcast_layouts_have_the_common_shape_and_stay_within_memory() -> Tested {
    let a = Layout::row_major(&[5, 1, 4])?;
    let b = Layout::row_major(&[3, 1])?;
    let both = broadcast(&[&a, &b])?;
    assert!(both.iter().all(|it| it.shape() == [5, 3, 4]));
    assert_eq!(both[0].strides(), [4, 0, 1]);
    assert_eq!(both[1].strides(), [0, 1, 0]);
    assert_eq!((both[0].span(), both[1].span()), (a.span(), b.span()));
    Ok(())
}
