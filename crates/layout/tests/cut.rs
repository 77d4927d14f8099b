//! A part that is taken axis by axis is the part that its positions make.

mod zoo;

use belvedere_layout::{Index, Layout, LayoutError, MAX_RANK, Slice, s};
use zoo::offsets;

type Tested = Result<(), LayoutError>;

/// `count` positions from `first` on, `step` apart, one by one. None if one of them is not on the axis.
fn positions(len: usize, first: usize, count: usize, step: isize) -> Option<Vec<usize>> {
    let position = |i: usize| first.checked_add_signed(step * i as isize);
    (0..count).map(|i| position(i).filter(|&at| at < len)).collect()
}

#[test]
fn positions_are_taken_if_all_of_them_exist_and_refused_otherwise() {
    for len in 0..6 {
        let row = Layout::row_major(&[len]).unwrap();
        for first in 0..7 {
            for count in 0..7 {
                for step in -4..=4 {
                    let mut cut = row.cut();
                    let taken = cut.every(first, count, step);
                    let expected = positions(len, first, count, step);
                    // The same position again and again is no part, unless it is once.
                    let expected = expected.filter(|_| step != 0 || count < 2);
                    assert_eq!(
                        taken.is_ok(),
                        expected.is_some(),
                        "{count} of {len}: {first}, {step}"
                    );
                    if let Some(expected) = expected {
                        assert_eq!(offsets(&cut.done().unwrap()), expected);
                    }
                }
            }
        }
    }
}

#[test]
fn steps_beyond_all_numbers_are_refused() -> Tested {
    let row = Layout::row_major(&[3])?;
    for (first, count, step) in [
        (0, 2, isize::MAX),
        (2, 2, isize::MIN),
        (usize::MAX, 1, 1),
        (0, usize::MAX, 1),
        (1, 3, isize::MAX),
        (0, usize::MAX, isize::MIN),
    ] {
        let refused = row.cut().every(first, count, step).unwrap_err();
        let expected = format!("from {first} on, {step} apart, do not fit in axis 0 of length 3");
        assert!(refused.to_string().ends_with(&expected), "{refused}");
    }
    // A step that is never taken may be of any size.
    let mut cut = row.cut();
    cut.every(1, 1, isize::MAX)?;
    assert!(cut.done()?.offsets().eq([1]));
    Ok(())
}

#[test]
fn axis_by_axis_is_the_same_as_one_operation_after_the_other() -> Tested {
    let odd = Slice { start: Some(1), stop: None, step: 2 };
    for layout in zoo::layouts().into_iter().filter(|it| it.rank() >= 2 && !it.is_empty()) {
        let mut cut = layout.cut();
        cut.at(-1)?;
        cut.new_axis();
        cut.slice(odd)?;
        let expected = layout.select(0, -1)?.slice_axis(0, odd)?.unsqueeze(0)?;
        assert_eq!(cut.done()?, expected);

        let mut cut = layout.cut();
        cut.whole(layout.rank() - 1);
        assert_eq!(cut.left(), &layout.axes()[layout.rank() - 1..]);
        cut.slice(Slice::ALL.by(-1))?;
        assert!(cut.left().is_empty());
        assert_eq!(cut.done()?, layout.flip(&[-1])?);
    }
    Ok(())
}

#[test]
fn what_cannot_be_taken_is_refused_and_takes_nothing() -> Tested {
    let rows = Layout::row_major(&[3, 4])?;
    let mut cut = rows.cut();
    assert!(cut.at(3).is_err() && cut.at(-4).is_err());
    assert!(cut.slice(Slice::ALL.by(0)).is_err());
    assert!(cut.every(1, 3, 1).is_err());
    cut.whole(9);
    assert_eq!(
        cut.at(0).unwrap_err().to_string(),
        rows.slice(&s![0, 0, 0]).unwrap_err().to_string()
    );
    assert!(cut.slice(Slice::ALL).is_err() && cut.every(0, 0, 1).is_err());
    assert_eq!(cut.done()?, rows);
    Ok(())
}

#[test]
fn parts_of_many_axes_are_parts_like_others() -> Tested {
    for rank in [1, 5, 6, 7, 8, 20, MAX_RANK] {
        let layout = Layout::row_major(&vec![1; rank - 1])?
            .unsqueeze(0)?
            .broadcast_to(&[vec![3], vec![1; rank - 1]].concat())?;
        let whole = layout.cut().done()?;
        assert_eq!(whole, layout);
        // An axis goes and another comes: there is room for that.
        let turned = layout.slice(&[Index::NewAxis, Index::At(2)])?;
        assert_eq!(turned.rank(), rank);
        let empty = layout.slice(&s![3..])?;
        assert_eq!((empty.rank(), empty.len(), empty.start()), (rank, 0, 0));
    }
    let full = Layout::row_major(&[1; MAX_RANK])?;
    let mut cut = full.cut();
    cut.new_axis();
    assert!(cut.done().is_err());
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
