//! Overlap against enumeration of all offsets, and how often the search gives up.

use crate::zoo;
use crate::zoo::{Dice, full, lowest_at_zero};
use belvedere_layout::{Answer, Axis, Bytes, Layout};

/// The offsets of a layout as a bit set; all offsets here are below 128.
fn marks(layout: &Layout) -> u128 {
    layout.offsets().fold(0, |marks, offset| marks | 1 << offset)
}

fn moved(layout: &Layout, by: usize) -> Layout {
    Layout::new(layout.start() + by, layout.axes()).unwrap()
}

fn expected(meet: bool) -> Answer {
    if meet { Answer::Yes } else { Answer::No }
}

/// All layouts of up to two axes with lengths 1 to 4 and strides of -6 to 6.
fn layouts_of_rank_two() -> Vec<Layout> {
    let axes: Vec<Axis> = zoo::axes().into_iter().filter(|it| it.len > 0).collect();
    let mut layouts = vec![lowest_at_zero(&[])];
    for (i, &first) in axes.iter().enumerate() {
        layouts.push(lowest_at_zero(&[first]));
        // The set of offsets does not depend on the order of axes.
        layouts.extend(axes[..=i].iter().map(|&second| lowest_at_zero(&[first, second])));
    }
    layouts
}

#[test]
fn overlap_of_all_rank_2_pairs_at_all_distances_is_exact() {
    let layouts = layouts_of_rank_two();
    let mut counts = [0u64; 2];
    let sets: Vec<u128> = layouts.iter().map(marks).collect();
    for (a, set_a) in layouts.iter().zip(&sets) {
        for (b, set_b) in layouts.iter().zip(&sets) {
            // The second layout is shifted until they are disjoint; other pairs shift the first.
            for by in 0..=a.span().end {
                let meet = set_a & (set_b << by) != 0;
                assert_eq!(a.overlaps(&moved(b, by)), expected(meet), "{a:?} and {b:?} + {by}");
                counts[usize::from(meet)] += 1;
            }
        }
    }
    println!("overlap: {} pairs meet, {} do not, none was too hard", counts[1], counts[0]);
    assert!(counts.iter().all(|&n| n > 100_000));
}

#[test]
fn overlap_of_pairs_of_higher_rank_is_exact() {
    let mut dice = Dice::new(1);
    let axes: Vec<Axis> = zoo::axes().into_iter().filter(|it| it.len > 0).collect();
    let n = if full() { 5_000_000 } else { 200_000 };
    let (mut n_hard, mut counts) = (0, [0u64; 2]);
    for _ in 0..n {
        let mut some = || {
            let picked: Vec<Axis> = (0..dice.below(5)).map(|_| *dice.pick(&axes)).collect();
            moved(&lowest_at_zero(&picked), dice.below(30))
        };
        let (a, b) = (some(), some());
        let meet = marks(&a) & marks(&b) != 0;
        match a.overlaps(&b) {
            Answer::TooHard => n_hard += 1,
            answer => assert_eq!(answer, expected(meet), "{a:?} and {b:?}"),
        }
        assert_eq!(a.overlaps(&b), b.overlaps(&a));
        counts[usize::from(meet)] += 1;
    }
    println!("overlap: {} of {n} pairs meet, {n_hard} were too hard", counts[1]);
    assert!(n_hard * 1000 < n && counts.iter().all(|&n| n > 1000));
}

/// Random slices of one large array: the case that matters, where listing is out of the question.
#[test]
fn overlap_of_slices_of_one_array_is_always_decided() {
    let mut dice = Dice::new(2);
    let base = Layout::row_major(&[1000, 700, 900]).unwrap();
    let (mut n_hard, mut counts) = (0, [0u64; 2]);
    let n = 20_000;
    for _ in 0..n {
        let mut ranges = Vec::new();
        let mut some = |ranges: &mut Vec<(usize, usize, usize)>| {
            let mut layout = base.clone();
            for axis in 0..3 {
                let len = layout.axes()[axis].len;
                let first = dice.below(len / 2);
                let step = 1 + dice.below(40);
                let count = 1 + dice.below((len - first).div_ceil(step));
                let last = first + (count - 1) * step;
                layout = layout.narrow(axis as isize, first, last - first + 1).unwrap();
                layout = layout.step(axis as isize, step as isize).unwrap();
                if dice.below(2) == 0 {
                    layout = layout.flip(&[axis as isize]).unwrap();
                }
                ranges.push((first, step, count));
            }
            layout
        };
        let (a, b) = (some(&mut ranges), some(&mut ranges));
        // Slices of one array overlap exactly if they overlap along each axis.
        let meet = (0..3).all(|axis| {
            let ((f, s, n), (g, t, m)) = (ranges[axis], ranges[3 + axis]);
            (0..n).any(|i| {
                let at = f + i * s;
                at >= g && (at - g).is_multiple_of(t) && (at - g) / t < m
            })
        });
        match a.overlaps(&b) {
            Answer::TooHard => n_hard += 1,
            answer => assert_eq!(answer, expected(meet), "{a:?} and {b:?}"),
        }
        assert_eq!(a.injective(), Answer::Yes);
        counts[usize::from(meet)] += 1;
    }
    println!("overlap: {} of {n} pairs of slices meet, {n_hard} were too hard", counts[1]);
    assert_eq!(n_hard, 0);
    assert!(counts.iter().all(|&n| n > 100));
}

#[test]
fn overlap_of_arbitrary_strides_may_be_undecided_but_never_wrong() {
    let mut dice = Dice::new(3);
    let (mut n_hard, n) = (0, 300);
    for _ in 0..n {
        let mut some = || {
            let axes: Vec<Axis> = (0..3)
                .map(|_| Axis::new(2 + dice.below(20), 1 + dice.below(100_000) as isize))
                .collect();
            moved(&lowest_at_zero(&axes), dice.below(50_000))
        };
        let (a, b) = (some(), some());
        let set: std::collections::HashSet<usize> = a.offsets().collect();
        let meet = b.offsets().any(|it| set.contains(&it));
        match a.overlaps(&b) {
            Answer::TooHard => n_hard += 1,
            answer => assert_eq!(answer, expected(meet), "{a:?} and {b:?}"),
        }
        let injective = set.len() == a.len();
        match a.injective() {
            Answer::TooHard => n_hard += 1,
            answer => assert_eq!(answer, expected(injective), "{a:?}"),
        }
    }
    println!("overlap: of {} questions about random strides, {n_hard} were too hard", 2 * n);
    assert!(n_hard < n / 2, "{n_hard} of {n}");
}

#[test]
fn elements_of_different_sizes_overlap_if_their_bytes_do() {
    let mut dice = Dice::new(4);
    let axes: Vec<Axis> =
        zoo::axes().into_iter().filter(|it| it.len > 0 && it.stride.abs() < 4).collect();
    let mut counts = [0u64; 2];
    for _ in 0..100_000 {
        let picked: Vec<Vec<Axis>> =
            (0..2).map(|_| (0..dice.below(3)).map(|_| *dice.pick(&axes)).collect()).collect();
        let layouts: Vec<Layout> = picked.iter().map(|it| lowest_at_zero(it)).collect();
        let views: Vec<Bytes> = layouts
            .iter()
            .map(|layout| Bytes {
                address: 64 + dice.below(40),
                layout,
                size: *dice.pick(&[1, 2, 3, 4, 8]),
            })
            .collect();
        let bytes = |it: &Bytes| -> Vec<usize> {
            let first = it.layout.offsets().map(|offset| it.address + offset * it.size);
            first.flat_map(|at| at..at + it.size).collect()
        };
        let (one, two) = (bytes(&views[0]), bytes(&views[1]));
        let meet = one.iter().any(|at| two.contains(at));
        assert_eq!(views[0].overlaps(views[1]), expected(meet), "{views:?}");
        counts[usize::from(meet)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 1000));
}

#[test]
fn empty_layouts_overlap_nothing() {
    let empty = Layout::row_major(&[3, 0]).unwrap();
    let row = Layout::row_major(&[3]).unwrap();
    assert_eq!(empty.overlaps(&row), Answer::No);
    assert_eq!(empty.overlaps(&empty), Answer::No);
    assert_eq!(empty.injective(), Answer::Yes);
    let none = Bytes { address: 0, layout: &row, size: 0 };
    assert_eq!(none.overlaps(Bytes { address: 0, layout: &row, size: 4 }), Answer::No);
}

#[test]
fn index_expressions_overlap_exactly_when_they_select_a_common_element() {
    use belvedere_layout::{Index, Slice};
    let base = Layout::row_major(&[5, 6, 4]).unwrap();
    let mut dice = Dice::new(5);
    let mut counts = [0u64; 2];
    for _ in 0..100_000 {
        let mut some = || {
            let mut index: Vec<Index> = (0..dice.below(4))
                .map(|_| {
                    let mut bound = || [None, Some(dice.below(14) as isize - 7)][dice.below(2)];
                    let (start, stop) = (bound(), bound());
                    let step = *dice.pick(&[1, 2, 3, -1, -2, -3, isize::MIN, isize::MAX]);
                    match dice.below(4) {
                        0 => Index::At(dice.below(8) as isize - 4),
                        _ => Index::Slice(Slice { start, stop, step }),
                    }
                })
                .collect();
            match dice.below(4) {
                0 => index.insert(dice.below(index.len() + 1), Index::NewAxis),
                1 => index.insert(dice.below(index.len() + 1), Index::Ellipsis),
                _ => {}
            }
            index
        };
        let (one, two) = (some(), some());
        let taken = |index: &[Index]| base.slice(index).map(|it| zoo::offsets(&it));
        match (taken(&one), taken(&two), base.slices_overlap(&one, &two)) {
            (Ok(a), Ok(b), Ok(answer)) => {
                let meet = a.iter().any(|it| b.contains(it));
                assert_eq!(answer, meet, "{one:?} and {two:?}");
                counts[usize::from(meet)] += 1;
            }
            (Ok(_), Ok(_), Err(error)) => panic!("{one:?} and {two:?}: {error}"),
            (_, _, answer) => assert!(answer.is_err(), "{one:?} and {two:?}"),
        }
    }
    assert!(counts.iter().all(|&n| n > 1000));
}
