//! Chapter 1.D, the shape tracker: movements written down, and read correctly.
//!
//! Covered here: 57–63, 66, 70, and of the checklist K36–K40.

use crate::zoo::Dice;
use crate::zoo::model::{Model, Movement};
use crate::zoo::moves::{Taste, movement, some_shape};
use belvedere_layout::{Layout, LayoutError, compat::ShapeTracker};

type Tested = Result<(), LayoutError>;

fn reads(tracker: &ShapeTracker) -> Vec<Option<usize>> {
    tracker.chain().offsets().collect()
}

/// Requirement 57.
#[test]
fn a_new_tracker_has_row_major_strides_and_no_operations() -> Tested {
    let tracker = ShapeTracker::new(&[2, 3, 4])?;
    assert_eq!(tracker.chain().as_layout(), Some(Layout::row_major(&[2, 3, 4])?));
    assert!(tracker.ops().is_empty());
    Ok(())
}

/// Requirements 58 and 62, K36.
#[test]
fn display_of_a_tracker_is_that_of_python() -> Tested {
    let mut tracker = ShapeTracker::new(&[2, 3, 4])?;
    assert_eq!(
        tracker.to_string(),
        "ShapeTracker(shape=(2, 3, 4), strides=(12, 4, 1), contiguous=True, ops=[])"
    );
    tracker.reshape(&[6, 4])?;
    assert_eq!(
        tracker.to_string(),
        "ShapeTracker(shape=(6, 4), strides=(4, 1), contiguous=True, ops=['reshape(6, 4)'])"
    );
    tracker.permute(&[1, 0])?;
    assert_eq!(
        tracker.to_string(),
        "ShapeTracker(shape=(4, 6), strides=(1, 4), contiguous=False, \
         ops=['reshape(6, 4)', 'permute(1, 0)'])"
    );
    assert_eq!(tracker.index(&[2, 3])?, Some(14));
    Ok(())
}

/// Requirement 62.
#[test]
fn a_tuple_of_one_is_printed_with_a_comma() -> Tested {
    let mut tracker = ShapeTracker::new(&[12])?;
    assert_eq!(
        tracker.to_string(),
        "ShapeTracker(shape=(12,), strides=(1,), contiguous=True, ops=[])"
    );
    tracker.flip(&[0])?;
    assert_eq!(
        tracker.to_string(),
        "ShapeTracker(shape=(12,), strides=(-1,), contiguous=False, ops=['flip(0,)'])"
    );
    assert!(ShapeTracker::new(&[])?.to_string().starts_with("ShapeTracker(shape=(), strides=(), "));
    Ok(())
}

/// Requirement 58.
#[test]
fn a_reshape_to_another_number_of_elements_is_refused_and_changes_nothing() -> Tested {
    let mut tracker = ShapeTracker::new(&[2, 3])?;
    assert!(matches!(tracker.reshape(&[7]), Err(LayoutError::SizeMismatch { .. })));
    assert_eq!(tracker, ShapeTracker::new(&[2, 3])?);
    Ok(())
}

/// Requirement 58, K38: fresh strides after a permutation would read 0 1 2 3 4 5.
#[test]
fn a_reshape_after_a_permutation_reads_the_permuted_order() -> Tested {
    let mut tracker = ShapeTracker::new(&[2, 3])?;
    tracker.permute(&[1, 0])?.reshape(&[6])?;
    assert_eq!(reads(&tracker), [0, 3, 1, 4, 2, 5].map(Some));
    assert!(tracker.needs_copy());
    assert_eq!(
        tracker.to_string(),
        "ShapeTracker(shape=(6,), strides=None, contiguous=False, \
         ops=['permute(1, 0)', 'reshape(6,)'])"
    );
    // The way back finds the strides again.
    tracker.reshape(&[3, 2])?.permute(&[1, 0])?;
    assert!(tracker.is_contiguous());
    Ok(())
}

/// Requirement 59.
#[test]
fn permute_of_a_tracker_requires_a_permutation() -> Tested {
    let mut tracker = ShapeTracker::new(&[2, 3, 4])?;
    for wrong in [&[0, 1][..], &[0, 1, 1], &[0, 1, 3], &[0, 1, 2, 0]] {
        assert!(tracker.permute(wrong).is_err(), "{wrong:?}");
    }
    assert!(tracker.ops().is_empty());
    tracker.permute(&[2, 0, 1])?;
    assert_eq!(tracker.chain().as_layout().unwrap().strides(), [1, 12, 4]);
    Ok(())
}

/// Requirement 60: lists of different lengths are not cut to the shorter one.
#[test]
fn expand_of_a_tracker_broadcasts_unit_axes_and_adds_leading_ones() -> Tested {
    let mut tracker = ShapeTracker::new(&[3, 1])?;
    let refused = tracker.expand(&[2, 4]).unwrap_err();
    assert_eq!(refused.to_string(), "axis 0 of length 3 does not broadcast to 2");
    assert!(matches!(tracker.expand(&[3]), Err(LayoutError::BroadcastRank { .. })));
    tracker.expand(&[2, 3, 4])?;
    assert_eq!(tracker.chain().as_layout().unwrap().strides(), [0, 1, 0]);
    Ok(())
}

/// Requirement 61: an index has one number an axis, each in range.
#[test]
fn a_tracker_checks_bounds_of_indices() -> Tested {
    let tracker = ShapeTracker::new(&[3, 4])?;
    assert_eq!(tracker.index(&[1, 3])?, Some(7));
    assert_eq!(tracker.index(&[1]), Err(LayoutError::IndexCount { given: 1, rank: 2 }));
    assert_eq!(tracker.index(&[0, 0, 0]), Err(LayoutError::IndexCount { given: 3, rank: 2 }));
    let beyond = LayoutError::IndexOutOfRange { index: 4, axis: 1, len: 4 };
    assert_eq!(tracker.index(&[0, 4]), Err(beyond));
    Ok(())
}

/// Requirement 63, K37.
#[test]
fn a_copy_is_needed_after_permute_or_expand_but_not_for_unit_axes() -> Tested {
    assert!(!ShapeTracker::new(&[12])?.reshape(&[3, 4])?.needs_copy());
    assert!(ShapeTracker::new(&[3, 4])?.permute(&[1, 0])?.needs_copy());
    assert!(ShapeTracker::new(&[3, 1])?.expand(&[3, 4])?.needs_copy());
    // An axis expanded to 1, or a new leading axis of length 1, has a stride without effect.
    assert!(!ShapeTracker::new(&[3, 1])?.expand(&[1, 3, 1])?.needs_copy());
    assert!(Layout::from_strides(0, &[3, 1], &[1, 0])?.is_contiguous());
    Ok(())
}

/// Requirement 66, K39.
#[test]
fn shrink_pad_and_flip_have_the_expected_elements() -> Tested {
    let mut tracker = ShapeTracker::new(&[3, 4])?;
    tracker.shrink(&[1..3, 1..3])?;
    assert_eq!(reads(&tracker), [5, 6, 9, 10].map(Some));
    tracker.flip(&[1])?;
    assert_eq!(reads(&tracker), [6, 5, 10, 9].map(Some));
    tracker.pad(&[(0, 0), (1, 0)])?;
    assert_eq!(reads(&tracker), [None, Some(6), Some(5), None, Some(10), Some(9)]);
    assert_eq!(tracker.ops(), ["shrink((1, 3), (1, 3))", "flip(1,)", "pad((0, 0), (1, 0))"]);
    Ok(())
}

/// Requirement 66: padding has no offset, so no strides can express it.
#[test]
fn a_padded_tracker_has_no_strides_and_padding_has_no_offset() -> Tested {
    let mut tracker = ShapeTracker::new(&[2, 2])?;
    tracker.pad(&[(1, 1), (0, 0)])?;
    assert_eq!(tracker.chain().as_layout(), None);
    assert_eq!(tracker.chain().depth(), 1, "padding is a mask on one layout");
    assert_eq!(tracker.index(&[0, 0])?, None);
    assert_eq!(tracker.index(&[1, 0])?, Some(0));
    assert!(tracker.needs_copy());
    Ok(())
}

/// K39.
#[test]
fn inverse_operations_restore_the_tracker() -> Tested {
    let fresh = ShapeTracker::new(&[3, 4])?;
    let undone = [
        ("flip twice", fresh.clone().flip(&[0, 1])?.flip(&[0, 1])?.clone()),
        ("pad and shrink", fresh.clone().pad(&[(1, 2), (0, 3)])?.shrink(&[1..4, 0..4])?.clone()),
        ("permute twice", fresh.clone().permute(&[1, 0])?.permute(&[1, 0])?.clone()),
        ("reshape there and back", fresh.clone().reshape(&[2, 6])?.reshape(&[3, 4])?.clone()),
        ("expand and shrink", {
            let mut wide = fresh.clone();
            wide.reshape(&[3, 4, 1])?.expand(&[3, 4, 5])?.shrink(&[0..3, 0..4, 2..3])?;
            wide.reshape(&[3, 4])?.clone()
        }),
    ];
    for (what, tracker) in undone {
        assert_eq!(tracker.chain(), fresh.chain(), "{what}");
    }
    Ok(())
}

/// Requirement 70, K40: operations that merge to a contiguous layout need no copy.
#[test]
fn operations_that_merge_to_a_contiguous_layout_need_no_copy() -> Tested {
    let mut tracker = ShapeTracker::new(&[4, 6])?;
    tracker.permute(&[1, 0])?.reshape(&[24])?; // two stages
    assert!(tracker.needs_copy());
    tracker.reshape(&[6, 4])?.permute(&[1, 0])?.shrink(&[1..3, 0..6])?.reshape(&[12])?;
    assert!(!tracker.needs_copy());
    let layout = tracker.chain().as_layout().unwrap();
    assert_eq!((layout.start(), layout.strides()), (6, [1].into()));
    Ok(())
}

/// Applies an operation, if the tracker has it.
fn track(tracker: &mut ShapeTracker, movement: &Movement) -> bool {
    let moved = match movement {
        Movement::Reshape(shape) => tracker.reshape(shape),
        Movement::Permute(order) => tracker.permute(order),
        Movement::Flip(axes) => tracker.flip(axes),
        Movement::Shrink(ranges) => tracker.shrink(ranges),
        Movement::Expand(shape) => tracker.expand(shape),
        Movement::Pad(padding) => tracker.pad(padding),
        Movement::Step(..) | Movement::Repeat(..) | Movement::Tile(_) => return false,
    };
    moved.unwrap_or_else(|error| panic!("{movement:?}: {error}"));
    true
}

/// K39: random movements, against every element written out.
#[test]
fn random_operations_match_materialized_copies() -> Tested {
    let mut dice = Dice::new(39);
    let taste = Taste { pads: true, repeats: true, most: 500 };
    let (mut n_moves, mut n_deep) = (0, 0);
    for _ in 0..2_000 {
        let n = 1 + dice.below(24);
        let shape = some_shape(&mut dice, n);
        let mut tracker = ShapeTracker::new(&shape)?;
        let mut model = Model::new(&Layout::row_major(&shape)?);
        for _ in 0..6 {
            let movement = movement(&mut dice, &model.shape, taste);
            if track(&mut tracker, &movement) {
                model = model.apply(&movement);
                n_moves += 1;
            }
            assert_eq!(tracker.chain().shape(), model.shape, "{tracker}");
            assert_eq!(reads(&tracker), model.offsets, "{tracker}");
        }
        n_deep += usize::from(tracker.chain().depth() > 1);
    }
    assert!(n_moves > 8_000 && n_deep > 200, "{n_moves} movements, {n_deep} chains of two");
    Ok(())
}
