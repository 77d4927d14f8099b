//! Chapter 1.C, views after GradCore-Tensor: reshape and transpose.
//!
//! Covered here: 30–37, of 38 the stride of a broadcast axis, of 29 the size of a layout, and of the
//! checklist K13, K14, K18, K20, K21, K25, K26.
//! Waiting for the tensor crate: 28 and the rest of 29 (shared storage), the rest of 38, 39–43 (matmul
//! and arenas).

use belvedere_layout::{Index, Index::*, Layout, LayoutError, Reshape, Slice, s, unravel_index};

type Tested = Result<(), LayoutError>;

/// Requirement 29: a view is a few numbers, and usually none of them is on the heap.
#[test]
fn a_layout_is_small() {
    assert!(size_of::<Layout>() <= 128);
}

/// Requirements 30 and 37, K26.
#[test]
fn reshape_contiguous_requires_contiguity_and_the_same_number_of_elements() -> Tested {
    let rows = Layout::row_major(&[3, 4])?;
    assert_eq!(rows.reshape_contiguous([2, 6])?.strides(), [6, 1]);
    assert!(matches!(rows.reshape_contiguous([5, 2]), Err(LayoutError::SizeMismatch { .. })));

    let columns = rows.t()?;
    assert!(matches!(columns.reshape_contiguous([12]), Err(LayoutError::NotContiguous { .. })));
    // Even where a view exists.
    assert!(matches!(
        columns.reshape_contiguous([2, 2, 3]),
        Err(LayoutError::NotContiguous { .. })
    ));
    // A fresh layout, which a copy would have, can be reshaped.
    assert_eq!(Layout::row_major(&columns.shape())?.reshape_contiguous([12])?.strides(), [1]);
    Ok(())
}

/// Requirement 31.
#[test]
fn flatten_of_a_batch_round_trips() -> Tested {
    let batch = Layout::row_major(&[32, 784])?;
    let flat = batch.reshape_contiguous([25_088])?;
    assert_eq!((flat.shape(), flat.strides()), ([25_088].into(), [1].into()));
    assert_eq!(flat.reshape_contiguous([32, 784])?, batch);
    Ok(())
}

/// Requirement 32, K25: three entry points, three strictnesses.
#[test]
fn a_reshape_of_a_transpose_is_a_view_unless_it_crosses_the_seam() -> Tested {
    let columns = Layout::row_major(&[3, 4])?.t()?;
    assert!(columns.reshape_contiguous([2, 2, 3]).is_err());
    assert_eq!(columns.view([2, 2, 3])?.strides(), [2, 1, 4]);
    assert!(matches!(columns.reshape([2, 2, 3])?, Reshape::View(_)));

    assert!(matches!(columns.view([12]), Err(LayoutError::NeedsCopy(_))));
    assert!(matches!(columns.reshape([12])?, Reshape::Copy { .. }));
    Ok(())
}

/// Requirement 33, K13.
#[test]
fn transpose_swaps_lengths_and_strides() -> Tested {
    let (m, k) = (5, 7);
    let matrix = Layout::row_major(&[m, k])?;
    let transposed = matrix.transpose(0, 1)?;
    assert_eq!((transposed.shape(), transposed.strides()), ([k, m].into(), [1, 7].into()));
    assert_eq!(transposed.span(), matrix.span());

    let cube = Layout::row_major(&[2, 3, 4])?;
    assert_eq!(cube.transpose(0, 2)?.strides(), [1, 4, 12]);
    assert_eq!(cube.swap_axes(0, 2)?, cube.transpose(0, 2)?);
    assert_eq!(cube.mt()?, cube.transpose(1, 2)?);
    Ok(())
}

/// Requirement 34, K13.
#[test]
fn the_transpose_of_a_3x4_matrix_visits_columns() -> Tested {
    let columns = Layout::row_major(&[3, 4])?.t()?;
    assert!(columns.offsets().eq([0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]));
    Ok(())
}

/// Requirement 35, K13.
#[test]
fn transpose_is_its_own_inverse_and_checks_axes() -> Tested {
    let layout = Layout::row_major(&[2, 3, 4])?.slice(&s![.., ..;-1])?;
    for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
        assert_eq!(layout.transpose(a, b)?.transpose(a, b)?, layout);
    }
    assert_eq!(layout.transpose(1, 1)?, layout);
    for (a, b, axis) in [(0, 3, 3), (3, 0, 3), (-4, 0, -4)] {
        assert_eq!(layout.transpose(a, b), Err(LayoutError::AxisOutOfRange { axis, rank: 3 }));
    }
    Ok(())
}

/// Requirement 36, K4: a swap with an axis of length 1 is not always contiguous.
#[test]
fn a_transpose_stays_contiguous_if_the_longer_axes_keep_their_order() -> Tested {
    let rows: [(&[usize], (isize, isize), bool); 8] = [
        (&[1, 3, 4], (0, 2), false),
        (&[3, 4, 1], (0, 2), false),
        (&[3, 1, 4], (0, 1), true),
        (&[3, 1, 4], (1, 2), true),
        (&[3, 1, 4], (0, 2), false),
        (&[1, 4], (0, 1), true),
        (&[1, 1, 5], (0, 2), true),
        (&[3, 4], (0, 1), false),
    ];
    for (shape, (a, b), expected) in rows {
        let transposed = Layout::row_major(shape)?.transpose(a, b)?;
        assert_eq!(transposed.is_contiguous(), expected, "{shape:?} with {a} and {b} swapped");
    }
    let turned = Layout::row_major(&[1, 3, 4])?.transpose(0, 2)?;
    assert_eq!(turned.strides(), [1, 4, 4], "PyTorch keeps 12 for the last; it has no effect");
    Ok(())
}

/// Requirement 38, K18: the offset does not depend on the index along a broadcast axis.
#[test]
fn a_broadcast_axis_has_stride_0() -> Tested {
    let bias = Layout::row_major(&[1, 128])?;
    let wide = bias.broadcast_to([32, 128])?;
    assert_eq!(wide.strides(), [0, 1]);
    assert!((0..32).all(|i| wide.offset(&[i, 77]) == Ok(77)));
    Ok(())
}

/// K14.
#[test]
fn permute_requires_every_axis_once() -> Tested {
    let nchw = Layout::row_major(&[2, 3, 4, 5])?;
    let nhwc = nchw.permute(&[0, 2, 3, 1])?;
    assert_eq!((nhwc.shape(), nhwc.strides()), ([2, 4, 5, 3].into(), [60, 5, 1, 20].into()));
    assert_eq!(nhwc.permute(&[0, -1, 1, 2])?, nchw);
    for wrong in [&[0, 1, 2][..], &[0, 1, 2, 2], &[0, 1, 2, -1, 3]] {
        assert!(
            matches!(nchw.permute(wrong), Err(LayoutError::NotAPermutation { .. })),
            "{wrong:?}"
        );
    }
    assert!(matches!(nchw.permute(&[0, 1, 2, 4]), Err(LayoutError::AxisOutOfRange { .. })));
    Ok(())
}

/// K14.
#[test]
fn squeeze_inverts_unsqueeze() -> Tested {
    let layout = Layout::row_major(&[3, 4])?.t()?;
    for axis in -3..=2 {
        let wider = layout.unsqueeze(axis)?;
        assert_eq!(wider.rank(), 3);
        assert_eq!(wider.squeeze(&[axis])?, layout);
        assert_eq!(wider.squeeze_all(), layout);
    }
    assert!(matches!(layout.unsqueeze(3), Err(LayoutError::AxisOutOfRange { axis: 3, rank: 3 })));
    assert_eq!(layout.squeeze(&[0]), Err(LayoutError::NotAUnitAxis { axis: 0, len: 4 }));
    Ok(())
}

/// K18: kept lengths, broadcast lengths, new leading axes, and errors.
#[test]
fn broadcast_to_adds_leading_axes_and_minus_1_keeps_a_length() -> Tested {
    let column = Layout::row_major(&[3, 1])?;
    assert_eq!(column.broadcast_to([3, 4])?.strides(), [1, 0]);
    assert_eq!(column.broadcast_to([2, 3, 4])?.strides(), [0, 1, 0]);
    assert_eq!(column.broadcast_to([-1, 4])?.shape(), [3, 4]);
    assert_eq!(column.broadcast_to([3, 0])?.shape(), [3, 0]);

    let refused: [(&[i32], LayoutError); 4] = [
        (&[3], LayoutError::BroadcastRank { operand: None, rank: 2, wanted: 1 }),
        (&[2, 4], LayoutError::DoesNotBroadcast { operand: None, axis: 0, len: 3, wanted: 2 }),
        (&[-1, 3, 4], LayoutError::NothingToKeep { axis: 0 }),
        (&[-2, 4], LayoutError::NegativeLength { axis: 0, len: -2 }),
    ];
    for (shape, error) in refused {
        assert_eq!(column.broadcast_to(shape), Err(error), "{shape:?}");
    }
    Ok(())
}

/// Returns the positions of an axis of length `len` that an entry selects, by enumeration.
fn positions(entry: Index, len: usize) -> Vec<usize> {
    let n = len as isize;
    let from_front = |at: isize| if at < 0 { at + n } else { at };
    match entry {
        At(at) => vec![from_front(at) as usize],
        Slice(Slice { start, stop, step }) => {
            assert!(step > 0, "this table walks forwards");
            let (start, stop) = (from_front(start.unwrap_or(0)), from_front(stop.unwrap_or(n)));
            (0..n)
                .filter(|i| (start..stop).contains(i) && (i - start) % step == 0)
                .map(|i| i as usize)
                .collect()
        }
        NewAxis | Ellipsis => unreachable!("not in this table"),
    }
}

/// K20 and K21: all, range, position and step, one entry an axis.
#[test]
fn slices_of_a_3d_block_match_enumeration() -> Tested {
    let block = Layout::row_major(&[4, 3, 2])?;
    let rows: [([Index; 3], &[usize]); 8] = [
        (s![.., .., ..], &[4, 3, 2]),
        (s![1..3, .., ..], &[2, 3, 2]),
        (s![1..4, 0..2, ..], &[3, 2, 2]),
        (s![2, .., ..], &[3, 2]),
        (s![.., 1, ..], &[4, 2]),
        (s![3, 0, ..], &[2]),
        (s![0..4;2, .., ..], &[2, 3, 2]),
        (s![0..4;3, -2.., -1], &[2, 2]),
    ];
    for (entries, shape) in rows {
        let part = block.slice(&entries)?;
        assert_eq!(part.shape(), shape, "{entries:?}");
        let mut expected = Vec::new();
        for i in positions(entries[0], 4) {
            for j in positions(entries[1], 3) {
                expected.extend(positions(entries[2], 2).iter().map(|k| i * 6 + j * 2 + k));
            }
        }
        assert!(part.offsets().eq(expected), "{entries:?}");
    }
    Ok(())
}

/// K20: invalid index expressions.
#[test]
fn index_expressions_are_checked() -> Tested {
    let block = Layout::row_major(&[4, 3, 2])?;
    let refused: [(&[Index], LayoutError); 6] = [
        (&s![.., .., .., ..], LayoutError::IndexCount { given: 4, rank: 3 }),
        (&s![4], LayoutError::IndexOutOfRange { index: 4, axis: 0, len: 4 }),
        (&s![.., -4], LayoutError::IndexOutOfRange { index: -4, axis: 1, len: 3 }),
        (&s![.., ..;0], LayoutError::Zero { what: "step", axis: 1 }),
        (&[Ellipsis, At(0), Ellipsis], LayoutError::TwoEllipses),
        (&s![Ellipsis, 0, 0, 0, 0], LayoutError::IndexCount { given: 4, rank: 3 }),
    ];
    for (index, error) in refused {
        assert_eq!(block.slice(index), Err(error), "{index:?}");
    }
    // There may be fewer entries than axes, and an ellipsis may match no axis.
    assert_eq!(block.slice(&s![1])?.shape(), [3, 2]);
    assert_eq!(block.slice(&s![1, Ellipsis, 2, 0])?.rank(), 0);
    Ok(())
}

/// K21: a slice of a slice is one slice, and a range that runs over the end of a step is clamped.
#[test]
fn slices_of_slices_are_one_layout() -> Tested {
    let sheet = Layout::row_major(&[6, 8])?;
    let twice = sheet.slice(&s![1..5])?.slice(&s![..;2, 2..6])?;
    assert_eq!(twice, sheet.slice(&s![1..5;2, 2..6])?);
    assert_eq!(twice.shape(), [2, 4]);
    assert!(twice.offsets().eq([10, 11, 12, 13, 26, 27, 28, 29]));

    let odd = Layout::row_major(&[6])?.slice(&s![1..6;2])?;
    assert!(odd.offsets().eq([1, 3, 5]));
    assert!(odd.slice(&s![1..100])?.offsets().eq([3, 5]));
    assert_eq!(
        odd.narrow(0, 1, 3),
        Err(LayoutError::RangeOutOfRange { axis: 0, start: 1, count: 3, len: 3 })
    );
    Ok(())
}

/// K25: the refusal has the shape, the strides, the seam and alternatives.
#[test]
fn a_refused_view_names_the_axis() -> Tested {
    let columns = Layout::row_major(&[3, 4])?.t()?;
    let LayoutError::NeedsCopy(refusal) = columns.view([12]).unwrap_err() else {
        panic!("another error");
    };
    assert_eq!(refusal.from, columns);
    assert_eq!(refusal.to, [12]);
    let why = refusal.why;
    assert_eq!((why.axes, why.stride, why.needed, why.mark, why.new_axis), ((0, 1), 1, 12, 3, 0));
    for shape in refusal.nearby() {
        assert!(columns.view(&shape).is_ok(), "suggested, but no view: {shape:?}");
    }
    assert!(refusal.with_element_size(8).to_string().contains("copies 96 bytes"));
    Ok(())
}

/// K25: every reshape of a contiguous layout is a view.
#[test]
fn a_contiguous_layout_can_be_viewed_as_every_shape() -> Tested {
    let block = Layout::row_major(&[2, 3, 4])?;
    for shape in [&[24][..], &[4, 6], &[3, 8], &[1, 24, 1], &[2, 2, 2, 3]] {
        let view = block.view(shape)?;
        assert!(view.is_contiguous());
        assert_eq!(view.offset(&unravel_index(shape, 17)?)?, 17);
    }
    Ok(())
}
