//! Chapter 1.A, the data model: the properties and constructors of a layout.
//!
//! Covered here: 2–5, 7–9, 11–13, of a later chapter 46, and of the checklist K1–K3, K5, K6, K15.
//! Waiting for the tensor crate: 1 (storage), 6 and 10 (zeroed memory).

use belvedere_layout::{ErrorKind, Layout, LayoutError, compat::gradcore, s};

type Tested = Result<(), LayoutError>;

/// Requirement 2.
#[test]
fn a_layout_has_rank_shape_strides_len_and_start() -> Tested {
    let part = Layout::row_major(&[4, 6])?.slice(&s![1.., 2..;2])?;
    assert_eq!(part.rank(), 2);
    assert_eq!(part.shape(), [3, 2]);
    assert_eq!(part.strides(), [6, 2]);
    assert_eq!(part.len(), 6);
    assert_eq!(part.start(), 8);
    Ok(())
}

/// Requirements 3 and 9, K5: GradCore-Tensor's limit, on request.
#[test]
fn gradcore_limit_is_ten_axes() -> Tested {
    assert_eq!(gradcore::MAX_TENSOR_DIMS, 10);
    assert_eq!(gradcore::create(&[1; 10])?.rank(), 10);
    assert_eq!(gradcore::create(&[2; 10])?.len(), 1024);
    let error = gradcore::create(&[1; 11]).unwrap_err();
    assert_eq!(error.to_string(), "tensor_create takes at most 10 axes, got 11");
    Ok(())
}

/// Requirement 3, K5: the general constructor has NumPy's limit instead.
#[test]
fn a_layout_has_at_most_64_axes() -> Tested {
    assert_eq!(Layout::row_major(&[1; 11])?.rank(), 11);
    assert_eq!(Layout::row_major(&[1; 64])?.rank(), 64);
    assert_eq!(Layout::row_major(&[1; 65]), Err(LayoutError::RankTooHigh { rank: 65 }));
    assert_eq!(Layout::col_major(&[1; 65]), Err(LayoutError::RankTooHigh { rank: 65 }));
    assert_eq!(
        Layout::row_major(&[1; 64])?.unsqueeze(0),
        Err(LayoutError::RankTooHigh { rank: 65 })
    );
    Ok(())
}

/// Requirements 4 and 12, K3.
#[test]
fn an_offset_is_the_start_plus_the_index_times_the_strides() -> Tested {
    let rows = Layout::row_major(&[3, 4])?;
    assert_eq!(rows.strides(), [4, 1]);
    for (i, j) in (0..3).flat_map(|i| (0..4).map(move |j| (i, j))) {
        assert_eq!(rows.offset(&[i, j])?, i * 4 + j);
    }
    // Away from offset 0, adding the start twice would show.
    let moved = Layout::from_strides(100, &[3, 4], &[4, 1])?;
    assert_eq!(moved.offset(&[0, 0])?, 100);
    assert_eq!(moved.offset(&[1, 3])?, 107);
    assert_eq!(moved.slice(&s![1.., 1..])?.offset(&[0, 0])?, 105);
    Ok(())
}

/// Requirement 5: elements in the core, bytes on request.
#[test]
fn strides_are_in_elements_and_convert_to_bytes() -> Tested {
    let layout = Layout::row_major(&[2, 3])?;
    assert_eq!(layout.strides(), [3, 1]);
    assert_eq!(layout.byte_strides(8)?, [24, 8]);
    assert_eq!(layout.byte_strides(1)?, layout.strides());
    let flipped = layout.flip(&[1])?;
    assert_eq!(flipped.byte_strides(8)?, [24, -8]);
    Ok(())
}

/// Requirements 7 and 8, K6: GradCore-Tensor has neither scalars nor lengths of 0.
#[test]
fn gradcore_refuses_scalars_and_empty_axes() {
    let error = gradcore::create(&[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    for (shape, axis) in [(&[0][..], 0), (&[3, 0], 1), (&[2, 0, 3], 1)] {
        assert_eq!(gradcore::create(shape), Err(LayoutError::Zero { what: "length", axis }));
    }
}

/// Requirements 7 and 8, K6: the general constructor accepts both, as in PyTorch and NumPy.
#[test]
fn scalars_and_empty_layouts_are_valid() -> Tested {
    let scalar = Layout::row_major(())?;
    assert_eq!((scalar.rank(), scalar.len(), scalar.is_empty()), (0, 1, false));
    assert_eq!(scalar.offset(&[])?, 0);
    assert!(scalar.offsets().eq([0]));
    assert!(scalar.is_contiguous());

    let empty = Layout::row_major(&[2, 0, 3])?;
    assert_eq!((empty.rank(), empty.len(), empty.is_empty()), (3, 0, true));
    assert_eq!(empty.offsets().next(), None);
    assert!(empty.is_contiguous() && empty.fits(0));
    assert_eq!(empty.strides(), [3, 3, 1], "those of a fresh tensor, with 1 in place of 0");
    assert!(empty.offset(&[0, 0, 0]).is_err());
    Ok(())
}

/// Requirement 11, K15: three ways to a start other than 0.
#[test]
fn a_slice_has_a_start_offset() -> Tested {
    let memory = Layout::row_major(&[10])?;
    let by_narrow = memory.narrow(0, 5, 3)?;
    assert!(by_narrow.offsets().eq([5, 6, 7]));
    assert_eq!((by_narrow.start(), by_narrow.len()), (5, 3));
    assert_eq!(memory.slice(&s![5..8])?, by_narrow);
    assert_eq!(Layout::as_strided(10, 5, &[3], &[1])?, by_narrow);
    Ok(())
}

/// Requirement 13, K2: signed strides.
#[test]
fn a_stride_can_be_negative() -> Tested {
    let backwards = Layout::from_strides(9, &[10], &[-1])?;
    assert!(backwards.offsets().eq((0..10).rev()));
    assert_eq!(backwards, Layout::row_major(&[10])?.flip(&[0])?);
    Ok(())
}

/// Requirement 13, K2: a product of two 32-bit numbers that is no 32-bit number.
#[test]
fn offsets_beyond_32_bits_are_exact() -> Tested {
    let large = Layout::row_major(&[70_000, 70_000])?;
    assert_eq!(large.len(), 4_900_000_000);
    assert_eq!(large.offset(&[69_999, 69_999])?, 4_899_999_999);
    assert_eq!(large.flip(&[0])?.offset(&[0, 1])?, 4_899_930_001);
    Ok(())
}

/// Requirement 13, K2: what does not fit is an error, never a wrapped number.
#[test]
fn overflowing_sizes_and_offsets_are_refused() -> Tested {
    let far = 1usize << 40;
    assert!(matches!(Layout::row_major(&[far, far]), Err(LayoutError::TooManyElements { .. })));
    assert!(matches!(Layout::col_major(&[far, far]), Err(LayoutError::TooManyElements { .. })));
    // The product of the other lengths must fit even if there are no elements, because it is a stride.
    assert!(matches!(Layout::row_major(&[0, far, far]), Err(LayoutError::TooManyElements { .. })));

    let out_of_range = |it| matches!(it, Err(LayoutError::OffsetOutOfRange { .. }));
    assert!(out_of_range(Layout::from_strides(0, &[2, 2], &[isize::MAX, 1])));
    assert!(out_of_range(Layout::from_strides(0, &[3], &[isize::MAX])));
    assert!(out_of_range(Layout::from_strides(0, &[2], &[-1])));
    assert!(out_of_range(Layout::scalar(usize::MAX)));
    // At the very edge it fits.
    let edge = Layout::from_strides(0, &[2], &[isize::MAX])?;
    assert_eq!(edge.offset(&[1])?, isize::MAX as usize);
    Ok(())
}

/// Requirement 46, K1.
#[test]
fn row_and_col_major_strides_are_products_of_lengths() -> Tested {
    let rows: [(&[usize], &[isize]); 5] = [
        (&[3, 4], &[4, 1]),
        (&[2, 2, 3], &[6, 3, 1]),
        (&[2, 3, 4], &[12, 4, 1]),
        (&[12], &[1]),
        (&[], &[]),
    ];
    for (shape, strides) in rows {
        assert_eq!(Layout::row_major(shape)?.strides(), strides, "row-major {shape:?}");
    }
    assert_eq!(Layout::row_major(&[3, 4])?.byte_strides(8)?, [32, 8]);
    assert_eq!(Layout::row_major(&[2, 2, 3])?.byte_strides(8)?, [48, 24, 8]);
    assert_eq!(Layout::col_major(&[2, 3])?.strides(), [1, 2]);
    assert_eq!(Layout::col_major(&[2, 3, 4])?.strides(), [1, 2, 6]);
    Ok(())
}
