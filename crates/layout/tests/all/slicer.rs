//! `Slicer` against the positions that each call should select.

use crate::zoo;
use crate::zoo::offsets;
use belvedere_layout::{Index, Layout, LayoutError, MAX_RANK, Slice, s};

type Tested = Result<(), LayoutError>;

/// The positions `first`, `first + step`, …, or `None` if one of them is not on the axis.
fn positions(len: usize, first: usize, count: usize, step: isize) -> Option<Vec<usize>> {
    let position = |i: usize| first.checked_add_signed(step * i as isize);
    (0..count).map(|i| position(i).filter(|&at| at < len)).collect()
}

#[test]
fn stepped_checks_that_all_indices_exist() {
    for len in 0..6 {
        let row = Layout::row_major(&[len]).unwrap();
        for first in 0..7 {
            for count in 0..7 {
                for step in -4..=4 {
                    let mut slicer = row.slicer();
                    let taken = slicer.stepped(first, count, step);
                    let expected = positions(len, first, count, step);
                    // A step of 0 is valid for a single position only.
                    let expected = expected.filter(|_| step != 0 || count < 2);
                    assert_eq!(
                        taken.is_ok(),
                        expected.is_some(),
                        "{count} of {len}: {first}, {step}"
                    );
                    if let Some(expected) = expected {
                        assert_eq!(offsets(&slicer.finish().unwrap()), expected);
                    }
                }
            }
        }
    }
}

#[test]
fn stepped_ranges_whose_end_overflows_are_errors() -> Tested {
    let row = Layout::row_major(&[3])?;
    for (first, count, step) in [
        (0, 2, isize::MAX),
        (2, 2, isize::MIN),
        (usize::MAX, 1, 1),
        (0, usize::MAX, 1),
        (1, 3, isize::MAX),
        (0, usize::MAX, isize::MIN),
    ] {
        let refused = row.slicer().stepped(first, count, step).unwrap_err();
        let expected =
            format!("starting at {first} with step {step} do not fit in axis 0 of length 3");
        assert!(refused.to_string().ends_with(&expected), "{refused}");
    }
    // The step of a single position has no effect.
    let mut slicer = row.slicer();
    slicer.stepped(1, 1, isize::MAX)?;
    assert!(slicer.finish()?.offsets().eq([1]));
    Ok(())
}

#[test]
fn a_slicer_equals_successive_operations() -> Tested {
    let odd = Slice { start: Some(1), stop: None, step: 2 };
    for layout in zoo::layouts().into_iter().filter(|it| it.rank() >= 2 && !it.is_empty()) {
        let mut slicer = layout.slicer();
        slicer.at(-1)?;
        slicer.new_axis();
        slicer.slice(odd)?;
        let expected = layout.select(0, -1)?.slice_axis(0, odd)?.unsqueeze(0)?;
        assert_eq!(slicer.finish()?, expected);

        let mut slicer = layout.slicer();
        slicer.full_axes(layout.rank() - 1);
        assert_eq!(slicer.remaining(), &layout.axes()[layout.rank() - 1..]);
        slicer.slice(Slice::ALL.by(-1))?;
        assert!(slicer.remaining().is_empty());
        assert_eq!(slicer.finish()?, layout.flip(&[-1])?);
    }
    Ok(())
}

#[test]
fn an_error_leaves_the_slicer_unchanged() -> Tested {
    let rows = Layout::row_major(&[3, 4])?;
    let mut slicer = rows.slicer();
    assert!(slicer.at(3).is_err() && slicer.at(-4).is_err());
    assert!(slicer.slice(Slice::ALL.by(0)).is_err());
    assert!(slicer.stepped(1, 3, 1).is_err());
    slicer.full_axes(9);
    assert_eq!(
        slicer.at(0).unwrap_err().to_string(),
        rows.slice(&s![0, 0, 0]).unwrap_err().to_string()
    );
    assert!(slicer.slice(Slice::ALL).is_err() && slicer.stepped(0, 0, 1).is_err());
    assert_eq!(slicer.finish()?, rows);
    Ok(())
}

#[test]
fn a_slicer_handles_more_axes_than_fit_inline() -> Tested {
    for rank in [1, 5, 6, 7, 8, 20, MAX_RANK] {
        let layout = Layout::row_major(&vec![1; rank - 1])?
            .unsqueeze(0)?
            .broadcast_to(&[vec![3], vec![1; rank - 1]].concat())?;
        let whole = layout.slicer().finish()?;
        assert_eq!(whole, layout);
        // One axis is dropped and one inserted: the rank stays within `MAX_RANK`.
        let turned = layout.slice(&[Index::NewAxis, Index::At(2)])?;
        assert_eq!(turned.rank(), rank);
        let empty = layout.slice(&s![3..])?;
        assert_eq!((empty.rank(), empty.len(), empty.start()), (rank, 0, 0));
    }
    let full = Layout::row_major(&[1; MAX_RANK])?;
    let mut slicer = full.slicer();
    slicer.new_axis();
    assert!(slicer.finish().is_err());
    assert!(full.slice(&s![Index::NewAxis]).is_err());
    Ok(())
}

#[test]
fn a_layout_fits_where_its_span_ends() {
    for layout in zoo::layouts() {
        let end = layout.span().end;
        assert!(layout.fits(end) && layout.fits(end + 1) && layout.fits(usize::MAX));
        assert!(end == 0 || !layout.fits(end - 1), "{layout:?}");
    }
    for rank in 5..9 {
        let layout = Layout::row_major(&vec![2; rank]).unwrap().flip(&[0]).unwrap();
        assert!(layout.fits(1 << rank) && !layout.fits((1 << rank) - 1));
    }
}
