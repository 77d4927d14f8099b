//! Chapter 1.E, flattening after SKaiNET: joined axes, and the way back to the parent.
//!
//! Covered here: 72–74, 76–83, 85, 86, 90, 92, and of the checklist K30–K33. 91 has a file of its own,
//! `skainet.rs`.
//! Waiting for the tensor crate: 75, 84, 87–89 (element types, cost, materialised copies).

use belvedere_layout::{Chain, Layout, LayoutError, Reshape, compat::FlattenMap, s, unravel_index};

type Tested = Result<(), LayoutError>;

/// Requirement 72, K30.
#[test]
fn flatten_from_0_to_minus_1_merges_all_axes() -> Tested {
    let block = Layout::row_major(&[2, 3, 4, 5])?;
    assert_eq!(block.merge(0, -1)?.shape(), [120]);
    assert_eq!(block.merge(-2, -1)?, block.merge(2, 3)?);
    assert_eq!(block.merge(-4, 1)?, block.merge(0, 1)?);
    Ok(())
}

/// Requirement 73.
#[test]
fn the_merged_axis_keeps_its_position() -> Tested {
    let lengths = [2, 3, 4, 5];
    let block = Layout::row_major(&lengths)?;
    for (start, end) in (0..4).flat_map(|end| (0..=end).map(move |start| (start, end))) {
        let joined = lengths[start..=end].iter().product();
        let expected = [&lengths[..start], &[joined], &lengths[end + 1..]].concat();
        assert_eq!(block.merge(start as isize, end as isize)?.shape(), expected);
    }
    Ok(())
}

/// Requirement 74: metadata, and less of it than a kilobyte.
#[test]
fn a_flattened_view_is_smaller_than_a_kilobyte() {
    assert!(size_of::<FlattenMap>() < 1024);
}

/// Requirements 76–79, K31.
#[test]
fn a_flattened_index_maps_to_an_index_of_the_parent() -> Tested {
    type Row<'a> = (&'a [usize], (isize, isize), &'a [usize], &'a [usize], &'a [usize]);
    let rows: [Row<'_>; 4] = [
        (&[3, 4], (0, 1), &[12], &[5], &[1, 1]),
        (&[2, 3, 4, 5], (1, 3), &[2, 60], &[1, 25], &[1, 1, 1, 0]),
        (&[2, 6, 4], (1, 1), &[2, 6, 4], &[1, 3, 2], &[1, 3, 2]),
        (&[2, 3, 4, 5], (1, 2), &[2, 12, 5], &[1, 7, 4], &[1, 1, 3, 4]),
    ];
    for (parent, (start, end), shape, child, expected) in rows {
        let map = FlattenMap::new(&Layout::row_major(parent)?, start, end)?;
        assert_eq!(map.shape(), shape);
        assert_eq!(map.to_parent(child)?, expected, "{child:?} of {shape:?}");
    }
    Ok(())
}

/// Requirement 80, K31: the mixed-radix digits are computed from the last axis.
#[test]
fn every_flattened_index_maps_to_its_element() -> Tested {
    let parents = [
        Layout::row_major(&[3, 4])?,
        Layout::row_major(&[2, 3, 4, 5])?,
        Layout::row_major(&[2, 3, 4])?.permute(&[2, 0, 1])?,
        Layout::row_major(&[4, 5, 6])?.slice(&s![..;-1, 1..4, ..;2])?,
        Layout::row_major(&[2, 1, 3])?.broadcast_to([2, 4, 3])?,
    ];
    for parent in &parents {
        let in_order: Vec<usize> = parent.offsets().collect();
        let rank = parent.rank() as isize;
        for (start, end) in (0..rank).flat_map(|end| (0..=end).map(move |start| (start, end))) {
            let map = FlattenMap::new(parent, start, end)?;
            for (flat, &offset) in in_order.iter().enumerate() {
                let child = unravel_index(map.shape(), flat)?;
                assert_eq!(parent.offset(&map.to_parent(&child)?)?, offset);
            }
        }
    }
    Ok(())
}

/// Requirement 76: the map checks its arguments.
#[test]
fn an_index_out_of_range_of_the_flattened_shape_is_refused() -> Tested {
    let map = FlattenMap::new(&Layout::row_major(&[2, 3, 4])?, 1, 2)?;
    assert!(map.to_parent(&[0, 12]).is_err());
    assert!(map.to_parent(&[0]).is_err());
    assert!(map.to_parent(&[0, 0, 0]).is_err());
    Ok(())
}

/// Requirement 81: the strides decide, not whether the last axis is among the flattened ones.
#[test]
fn flattening_any_axes_of_a_contiguous_parent_is_contiguous() -> Tested {
    let parent = Layout::row_major(&[2, 3, 4])?;
    for (start, end) in (0..3).flat_map(|end| (0..=end).map(move |start| (start, end))) {
        assert!(FlattenMap::new(&parent, start, end)?.is_contiguous());
    }
    assert_eq!(FlattenMap::new(&parent, 0, 1)?.strides().unwrap(), [4, 1]);

    let transposed = Layout::row_major(&[3, 4])?.t()?;
    assert!(!FlattenMap::new(&transposed, 0, 1)?.is_contiguous());
    assert!(!FlattenMap::new(&transposed, 1, 1)?.is_contiguous());
    Ok(())
}

/// Requirement 82, K32: the stride of the last joined axis that is longer than 1, or none.
#[test]
fn a_flattened_axis_has_a_stride_only_if_the_axes_form_a_run() -> Tested {
    type Row<'a> = (&'a [usize], &'a [isize], (isize, isize), Option<&'a [isize]>);
    let rows: [Row<'_>; 8] = [
        (&[3, 4], &[4, 1], (0, 1), Some(&[1])),
        (&[2, 1, 3], &[3, 99, 1], (0, 2), Some(&[1])),
        (&[2, 3, 1], &[6, 2, 77], (0, 2), Some(&[2])),
        (&[3, 4, 2], &[40, 10, 1], (0, 1), Some(&[10, 1])),
        (&[4, 2, 3], &[1, 12, 4], (1, 2), Some(&[1, 4])),
        (&[3, 4], &[0, 0], (0, 1), Some(&[0])),
        (&[4, 3], &[1, 4], (0, 1), None),
        (&[3, 4], &[6, 1], (0, 1), None),
    ];
    for (shape, strides, (start, end), expected) in rows {
        let map = FlattenMap::new(&Layout::from_strides(0, shape, strides)?, start, end)?;
        assert_eq!(map.strides().as_deref(), expected, "{shape:?} with strides {strides:?}");
    }
    Ok(())
}

/// Requirement 83, K32: no strides, and still every element is found, lazily or by a copy.
#[test]
fn a_flatten_map_and_a_chain_work_where_no_strides_exist() -> Tested {
    let parent = Layout::row_major(&[2, 3, 4])?.transpose(1, 2)?;
    let Reshape::Copy { why } = parent.flatten(1, 2)? else { panic!("there are no such strides") };
    assert_eq!((why.axes, why.stride, why.needed), ((1, 2), 1, 12));

    let map = FlattenMap::new(&parent, 1, 2)?;
    assert_eq!(map.strides(), None);
    assert_eq!(map.to_parent(&[1, 7])?, [1, 2, 1]);

    let chain = Chain::new(parent.clone()).reshape([2, 12])?;
    assert_eq!(chain.depth(), 2);
    assert_eq!(chain.index(&[1, 7])?, Some(parent.offset(&[1, 2, 1])?));
    Ok(())
}

/// Requirement 85, K33.
#[test]
fn flatten_of_one_axis_is_the_identity() -> Tested {
    let parents = [
        Layout::row_major(&[5])?,
        Layout::row_major(&[3, 4])?.t()?,
        Layout::row_major(&[2, 3, 4])?.slice(&s![.., ..;-1])?,
    ];
    for parent in &parents {
        for k in 0..parent.rank() as isize {
            assert_eq!(parent.flatten(k, k)?, Reshape::View(parent.clone()));
            let map = FlattenMap::new(parent, k, k)?;
            let last: Vec<usize> = parent.shape().iter().map(|len| len - 1).collect();
            assert_eq!(map.to_parent(&last)?, last);
        }
    }
    assert_eq!(parents[0].merge(0, -1)?, parents[0]);
    Ok(())
}

/// Requirement 86, K32: ranges exclude their end, as Rust and Python write them.
#[test]
fn a_slice_flattens_if_its_inner_axes_are_complete() -> Tested {
    let original = Layout::row_major(&[4, 5, 6])?;
    let rows = original.slice(&s![0..3, 1..4, ..])?;
    assert_eq!((rows.shape(), rows.strides()), ([3, 3, 6].into(), [30, 6, 1].into()));
    let flat = rows.merge(1, 2)?;
    assert_eq!((flat.shape(), flat.strides()), ([3, 18].into(), [30, 1].into()));
    assert_eq!(flat.start(), 6, "in the memory of the original");
    // An inclusive range means the same three rows.
    assert_eq!(original.slice(&s![0..=2, 1..=3, ..])?, rows);

    let cut = original.slice(&s![0..3, 1..4, 0..4])?;
    assert!(matches!(cut.flatten(1, 2)?, Reshape::Copy { .. }));
    Ok(())
}

/// Requirement 90: element by element, against the parent's own order.
#[test]
fn a_flattened_view_has_the_elements_of_its_parent_in_order() -> Tested {
    let parent = Layout::row_major(&[4, 5, 6])?.slice(&s![1.., 1..4, ..])?;
    for (start, end) in [(0, 0), (1, 2), (-2, -1), (2, 2)] {
        let flat = parent.merge(start, end)?;
        assert!(flat.offsets().eq(parent.offsets()));
        for n in 0..flat.len() {
            let at = |layout: &Layout| layout.offset(&unravel_index(&layout.shape(), n)?);
            assert_eq!(at(&flat)?, at(&parent)?);
        }
    }
    Ok(())
}

/// Requirement 92.
#[test]
fn a_scalar_flattens_to_one_element_on_one_axis() -> Tested {
    let scalar = Layout::scalar(7)?;
    let flat = scalar.merge(0, -1)?;
    assert_eq!((flat.shape(), flat.start()), ([1].into(), 7));
    let map = FlattenMap::new(&scalar, 0, -1)?;
    assert_eq!(map.shape(), [1]);
    assert_eq!(map.to_parent(&[0])?, []);
    Ok(())
}

/// Requirement 92: indices have 64 bits.
#[test]
fn flattened_lengths_beyond_32_bits_are_exact() -> Tested {
    let map = FlattenMap::new(&Layout::row_major(&[70_000, 70_000])?, 0, 1)?;
    assert_eq!(map.shape(), [4_900_000_000]);
    assert_eq!(map.to_parent(&[4_899_999_999])?, [69_999, 69_999]);
    Ok(())
}

/// K30: five mistakes, each with the number that is wrong.
#[test]
fn an_invalid_range_of_axes_is_refused() -> Tested {
    let block = Layout::row_major(&[2, 3, 4, 5])?;
    let rows = [
        ((5, 6), "axis 5 is out of range: the axes are -4..=3"),
        ((1, 5), "axis 5 is out of range: the axes are -4..=3"),
        ((-5, -1), "axis -5 is out of range: the axes are -4..=3"),
        ((0, -5), "axis -5 is out of range: the axes are -4..=3"),
        ((3, 1), "the range of axes from 3 to 1 ends before it starts"),
    ];
    for ((start, end), message) in rows {
        assert_eq!(block.flatten(start, end).unwrap_err().to_string(), message);
        assert_eq!(block.merge(start, end).unwrap_err().to_string(), message);
        assert_eq!(FlattenMap::new(&block, start, end).unwrap_err().to_string(), message);
    }
    Ok(())
}
