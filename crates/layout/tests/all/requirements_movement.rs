//! Chapter 1.D, strides and movement operations, in the order of the tutorial that they come from.
//!
//! Covered here: 44, 45, 47–56, 64, 65, 68, and of the checklist K15–K17, K19. 46 is in the file of
//! chapter 1.A; the tracker, 57–63, 66 and 70, has a file of its own.
//! Waiting for the tensor crate: 67, 69 (benchmarks), 71, and what 47, 48 and 51 say about writes.

use belvedere_layout::{Answer, Bytes, Layout, LayoutError, Reshape, broadcast, s};

type Tested = Result<(), LayoutError>;

/// Requirement 44: the element type does not matter, eight bytes do.
#[test]
fn byte_strides_of_a_2x3_matrix_are_24_and_8() -> Tested {
    let layout = Layout::row_major(&[2, 3])?;
    assert_eq!(layout.byte_strides(8)?, [24, 8]);
    assert!(layout.offsets().eq(0..6));
    Ok(())
}

/// Requirement 45.
#[test]
fn an_offset_indexes_the_flat_memory() -> Tested {
    let flat = [1, 2, 3, 4, 5, 6];
    let layout = Layout::from_strides(0, &[2, 3], &[3, 1])?;
    assert_eq!(flat[layout.offset(&[1, 2])?], 6);
    assert_eq!(flat[layout.offset(&[0, 1])?], 2);
    Ok(())
}

/// Requirements 47 and 48.
#[test]
fn reshapes_share_every_element() -> Tested {
    let twelve = Layout::row_major(&[12])?;
    let (a, b) = (twelve.view([3, 4])?, twelve.view([2, 2, 3])?);
    assert!(a.offsets().eq(b.offsets()));
    assert_eq!(a.overlaps(&b), Answer::Yes);
    assert_eq!((a.offset(&[0, 0])?, b.offset(&[0, 0, 0])?), (0, 0));
    Ok(())
}

/// Requirement 48: for all views, and for no copy.
#[test]
fn views_share_memory_and_copies_do_not() -> Tested {
    let base = Layout::row_major(&[4, 6])?;
    let views = [
        base.t()?,
        base.slice(&s![1.., ..;-2])?,
        base.view([3, 8])?,
        base.select(0, 3)?,
        base.broadcast_to([2, 4, 6])?,
        base.windows(1, 2, 1)?,
        base.diagonal(0, 0, 1)?,
    ];
    for view in views {
        assert_eq!(view.overlaps(&base), Answer::Yes, "{view:?}");
        // A copy has its own memory.
        let copy = Layout::row_major(&view.shape())?;
        let original = Bytes { address: 0x1000, layout: &view, size: 8 };
        let copied = Bytes { address: 0x9000, layout: &copy, size: 8 };
        assert_eq!(original.overlaps(copied), Answer::No);
    }
    Ok(())
}

/// Requirement 49: a reshape is free for some layouts and shapes, not for all.
#[test]
fn a_reshape_is_a_view_only_if_strides_exist() -> Tested {
    let columns = Layout::row_major(&[2, 3])?.t()?;
    assert!(matches!(columns.reshape([3, 2, 1])?, Reshape::View(_)));
    assert!(matches!(columns.reshape([6])?, Reshape::Copy { .. }));
    Ok(())
}

/// Requirement 50.
#[test]
fn transposed_indices_have_the_same_offset() -> Tested {
    let a = Layout::row_major(&[2, 3])?;
    let b = a.t()?;
    assert_eq!((b.shape(), b.byte_strides(8)?), ([3, 2].into(), [8, 24].into()));
    assert_eq!((a.offset(&[1, 2])?, b.offset(&[2, 1])?), (5, 5));
    Ok(())
}

/// Requirement 51: also of a copy, which is fresh.
#[test]
fn a_transpose_is_not_contiguous() -> Tested {
    let a = Layout::row_major(&[2, 3])?;
    assert!(a.is_contiguous() && !a.is_col_major());
    assert!(!a.t()?.is_contiguous() && a.t()?.is_col_major() && a.t()?.is_dense());
    assert!(Layout::row_major(&a.t()?.shape())?.is_contiguous());
    Ok(())
}

/// Requirement 52: a comparison with row-major strides would give the wrong answer.
#[test]
fn the_stride_of_a_unit_axis_does_not_affect_contiguity() -> Tested {
    let row = Layout::from_strides(0, &[1, 4], &[99, 1])?;
    assert!(row.is_contiguous());
    // Numbers without an effect are not even kept: equal maps are equal.
    assert_eq!(row, Layout::row_major(&[1, 4])?);
    assert_eq!(row.strides(), [4, 1]);
    Ok(())
}

/// Requirement 53.
#[test]
fn a_broadcast_column_needs_no_memory_and_is_not_injective() -> Tested {
    let column = Layout::row_major(&[3, 1])?;
    let table = column.broadcast_to([3, 4])?;
    assert_eq!(table.byte_strides(8)?, [8, 0]);
    assert!(table.offsets().eq([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]));
    assert_eq!(table.span(), column.span());
    assert!(!table.is_contiguous());
    assert_eq!(table.injective(), Answer::No);
    Ok(())
}

/// Requirement 54.
#[test]
fn a_bias_broadcasts_to_a_batch() -> Tested {
    let (bias, batch) = (Layout::row_major(&[1, 128])?, Layout::row_major(&[32, 128])?);
    let both = broadcast(&[&bias, &batch])?;
    assert_eq!(both[0].strides(), [0, 1]);
    assert_eq!(both[0].span(), 0..128);
    assert_eq!(both[1], batch);
    Ok(())
}

/// Requirement 55, K15.
#[test]
fn a_slice_changes_the_start_and_keeps_the_stride() -> Tested {
    let part = Layout::row_major(&[10])?.slice(&s![3..7])?;
    assert!(part.offsets().eq([3, 4, 5, 6]));
    assert_eq!((part.start(), part.byte_strides(8)?), (3, [8].into()));
    Ok(())
}

/// K16.
#[test]
fn a_step_multiplies_the_stride() -> Tested {
    let even = Layout::row_major(&[12])?.slice(&s![..;2])?;
    assert!(even.offsets().eq([0, 2, 4, 6, 8, 10]));
    assert_eq!(even.strides(), [2]);

    let row = Layout::row_major(&[4, 6])?.slice(&s![2, 1..6;2])?;
    assert!(row.offsets().eq([13, 15, 17]));
    Ok(())
}

/// Requirement 56, K17.
#[test]
fn a_flip_negates_the_stride_and_moves_the_start_to_the_last_element() -> Tested {
    let five = Layout::row_major(&[5])?;
    let flipped = five.flip(&[0])?;
    assert!(flipped.offsets().eq([4, 3, 2, 1, 0]));
    assert_eq!((flipped.start(), flipped.byte_strides(8)?), (4, [-8].into()));
    assert_eq!(flipped, five.slice(&s![..;-1])?);
    assert_eq!(flipped.flip(&[0])?, five);
    assert_eq!(flipped.span(), five.span());
    Ok(())
}

/// Requirement 64.
#[test]
fn col_major_gives_the_first_axis_stride_1() -> Tested {
    let fortran = Layout::col_major(&[2, 3])?;
    assert_eq!(fortran.byte_strides(8)?, [8, 16]);
    assert_eq!(Layout::row_major(&[2, 3])?.byte_strides(8)?, [24, 8]);
    assert!(fortran.offsets().eq([0, 2, 4, 1, 3, 5]));
    assert!(fortran.is_col_major() && !fortran.is_contiguous());
    Ok(())
}

/// Requirement 65, K19.
#[test]
fn sliding_windows_overlap_and_are_not_injective() -> Tested {
    let (n, k) = (6, 3);
    let windows = Layout::as_strided(n, 0, &[n - k + 1, k], &[1, 1])?;
    assert!(windows.offsets().eq([0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5]));
    assert_eq!(windows.injective(), Answer::No);
    assert_eq!(windows, Layout::row_major(&[n])?.windows(0, k, 1)?);
    assert_eq!(windows, Layout::row_major(&[n])?.sliding_window(&[0], &[k])?);
    Ok(())
}

/// K19: memory has an end on both sides.
#[test]
fn as_strided_checks_bounds() {
    assert_eq!(
        Layout::as_strided(6, 0, &[5, 3], &[1, 1]),
        Err(LayoutError::OutsideMemory { from: 0, to: 7, memory: 6 })
    );
    assert_eq!(
        Layout::as_strided(6, 4, &[3], &[1]),
        Err(LayoutError::OutsideMemory { from: 4, to: 7, memory: 6 })
    );
    assert!(matches!(
        Layout::as_strided(6, 2, &[4], &[-1]),
        Err(LayoutError::OffsetOutOfRange { reached: -1, .. })
    ));
    assert!(Layout::as_strided(6, 5, &[6], &[-1]).is_ok());
    assert!(Layout::as_strided(0, 0, &[0, 9], &[9, 9]).is_ok(), "nothing fits everywhere");
}

/// Requirement 68: strides as PyTorch reports them.
#[test]
fn strides_after_common_operations_are_those_of_pytorch() -> Tested {
    let x = Layout::row_major(&[2, 3, 4])?;
    let rows: [(&str, Layout, &[isize]); 9] = [
        ("x", x.clone(), &[12, 4, 1]),
        ("x.view(6, 4)", x.view([6, 4])?, &[4, 1]),
        ("x.view(4, 3, 2)", x.view([4, 3, 2])?, &[6, 2, 1]),
        ("x.permute(2, 0, 1)", x.permute(&[2, 0, 1])?, &[1, 12, 4]),
        ("x.transpose(0, 1)", x.transpose(0, 1)?, &[4, 12, 1]),
        ("x.mT", x.mt()?, &[12, 1, 4]),
        ("x[:, :1].expand(2, 5, 4)", x.narrow(1, 0, 1)?.broadcast_to([2, 5, 4])?, &[12, 0, 1]),
        ("x[:, ::2, 1:]", x.slice(&s![.., ..;2, 1..])?, &[12, 8, 1]),
        ("x.mT.contiguous()", Layout::row_major(&x.mt()?.shape())?, &[12, 3, 1]),
    ];
    for (expression, layout, strides) in rows {
        assert_eq!(layout.strides(), strides, "{expression}");
    }
    Ok(())
}
