//! Typed views of slices: their elements, order, disjoint parts and errors.

use crate::zoo::{self, Freedom, TestRng};
use belvedere::*;

/// Returns a slice long enough for a layout, with the indices as values.
fn numbers(layout: &Layout) -> Vec<u32> {
    (0..layout.span().end as u32).collect()
}

/// Returns the values of a layout in [`numbers`], in row-major order.
fn reached(layout: &Layout) -> Vec<u32> {
    layout.offsets().map(|at| at as u32).collect()
}

#[test]
fn elements_and_runs_are_in_row_major_order() {
    let mut rng = TestRng::new(1);
    let mut layouts = zoo::layouts();
    layouts.extend((0..zoo::rounds(300)).map(|_| {
        let shape = rng.shape(7, 200);
        rng.random_layout(&shape, Freedom::Any)
    }));
    for layout in layouts {
        let data = numbers(&layout);
        let view = View::new(&data, layout.clone()).unwrap();
        let expected = reached(&layout);
        assert_eq!(view.iter().len(), expected.len());
        assert!(view.iter().eq(expected.iter().copied()), "{layout:?}");
        assert!(view.runs().flatten().eq(expected.iter().copied()), "{layout:?}");
        for run in view.runs() {
            let stride = run.stride();
            let values: Vec<i64> = run.map(i64::from).collect();
            assert!(values.windows(2).all(|pair| pair[1] - pair[0] == stride as i64));
        }
        assert_eq!(view.as_slice().is_some(), layout.is_contiguous(), "{layout:?}");
        if let Some(slice) = view.as_slice() {
            assert_eq!(slice, expected);
        }
        assert_eq!((view.shape(), view.layout()), (layout.shape(), &layout));
        assert_eq!(view.clone().iter().count(), layout.len());
    }
}

#[test]
fn runs_are_maximal() {
    let row = |shape: &[usize]| Layout::row_major(shape).unwrap();
    let lengths = |layout: &Layout| -> Vec<usize> {
        let data = numbers(layout);
        View::new(&data, layout.clone()).unwrap().runs().map(|run| run.len()).collect()
    };
    assert_eq!(lengths(&row(&[2, 3, 4])), [24]);
    assert_eq!(lengths(&row(&[2, 3, 4]).narrow(2, 0, 2).unwrap()), [2; 6]);
    assert_eq!(lengths(&row(&[2, 3, 4]).narrow(1, 0, 2).unwrap()), [8, 8]);
    assert_eq!(lengths(&row(&[5]).flip(&[0]).unwrap()), [5]);
    assert_eq!(lengths(&Layout::scalar(3).unwrap()), [1]);
    assert_eq!(lengths(&row(&[2, 0])), [0; 0]);
    assert_eq!(lengths(&row(&[1]).broadcast_to([7]).unwrap()), [7]);
}

/// Every operation of [`Strided`], for views of a kind: `fn(View) -> Result<View, Error>`.
macro_rules! operations {
    ($View:ident) => {{
        let list: Vec<for<'a> fn($View<'a, u32>) -> Result<$View<'a, u32>, Error>> = vec![
        |it| it.permute_dims(&[2, 0, 1]),
        |it| it.transpose(0, -1),
        |it| it.mt(),
        |it| it.select(0, 1)?.t(),
        |it| it.move_axis(0, 2),
        |it| it.slice(&s![.., ..;-2, 1..]),
        |it| it.select(1, -1),
        |it| it.narrow(2, 1, 2),
        |it| it.step(2, -3),
        |it| it.flip(&[0, 2]),
        |it| it.rot90(3, 0, 1),
        |it| it.unsqueeze(1)?.squeeze(&[1]),
        |it| it.view([4, 6]),
        |it| it.merge(0, 1),
        |it| it.unflatten(2, [2, -1]),
        |it| it.diagonal(1, 1, 2),
        |it| it.broadcast_to([2, 3, 4]),
        |it| it.windows(2, 2, 2),
        |it| it.broadcast_to([5, 2, 3, 4]),
        |it| it.windows(2, 2, 1),
        |it| it.sliding_window_view([2, 2], [1, 2]),
        ];
        list
    }};
}

/// The number of the last operations above whose results overlap.
const REPEATING: usize = 3;

#[test]
fn views_have_the_operations_of_layouts() {
    let layout = Layout::row_major(&[2, 3, 4]).unwrap();
    let data = numbers(&layout);
    for (n, operation) in operations!(View).into_iter().enumerate() {
        let made = operation(View::new(&data, layout.clone()).unwrap()).unwrap();
        assert!(made.iter().eq(reached(made.layout())), "{n}");
    }
    let n_all = operations!(ViewMut).len();
    for n in 0..n_all {
        let mut data = data.clone();
        match operations!(ViewMut)[n](ViewMut::new(&mut data, layout.clone()).unwrap()) {
            Ok(mut made) => {
                assert!(n < n_all - REPEATING, "{n}");
                let reached = reached(made.layout());
                made.map(|it| it + 100);
                for (at, &value) in data.iter().enumerate() {
                    let is_written = reached.contains(&(at as u32));
                    assert_eq!(value, at as u32 + if is_written { 100 } else { 0 }, "{n}");
                }
            }
            Err(error) => {
                assert!(n >= n_all - REPEATING, "{n}: {error}");
                assert!(matches!(error, Error::Overlapping { .. }), "{n}: {error}");
            }
        }
    }
}

#[test]
fn mutable_view_requires_an_injective_layout() {
    let mut rng = TestRng::new(2);
    let (mut n_yes, mut n_no) = (0, 0);
    for _ in 0..zoo::rounds(3000) {
        let shape = [1 + rng.below(4), 1 + rng.below(4), 1 + rng.below(3)];
        let strides = [0; 3].map(|_| rng.below(25) as isize - 12);
        let Ok(layout) = Layout::as_strided(60, rng.below(60), &shape, &strides) else { continue };
        let mut data = [0u8; 60];
        let is_injective = zoo::is_injective(&layout);
        match ViewMut::new(&mut data, layout.clone()) {
            Ok(_) => n_yes += 1,
            Err(error) => {
                n_no += 1;
                assert!(matches!(error, Error::Overlapping { .. }));
            }
        }
        assert_eq!(ViewMut::new(&mut data, layout.clone()).is_ok(), is_injective, "{layout:?}");
    }
    assert!(n_yes > 100 && n_no > 100);
}

#[test]
fn view_is_within_the_bounds_of_its_slice() {
    for layout in zoo::layouts().into_iter().filter(|layout| !layout.is_empty()) {
        let mut data = vec![0u8; layout.span().end];
        assert!(View::new(&data, layout.clone()).is_ok());
        data.pop();
        let error = View::new(&data, layout.clone()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Value, "{error}");
        assert!(ViewMut::new(&mut data, layout).is_err());
    }
}

#[test]
fn single_elements_are_read_and_written_within_the_shape() {
    let mut data = [0, 1, 2, 3, 4, 5];
    let layout = Layout::row_major(&[2, 3]).unwrap().t().unwrap();
    let mut view = ViewMut::new(&mut data, layout).unwrap();
    assert_eq!(view.get(&[2, 1]).unwrap(), 5);
    view.set(&[0, 1], 30).unwrap();
    assert!(view.set(&[0, 2], 1).is_err() && view.get(&[3, 0]).is_err() && view.get(&[0]).is_err());
    view.reborrow().fill(7);
    assert_eq!(view.as_view().iter().sum::<i32>(), 42);
    assert!(view.into_slice().is_none());
    let slice = ViewMut::from(&mut data[1..4]).into_slice().unwrap();
    slice[0] = 1;
    assert_eq!(View::from(&data[..]).iter().collect::<Vec<_>>(), [7, 1, 7, 7, 7, 7]);
}

/// Fills each part with its number and checks the memory.
fn check_parts(data: &[usize], parts: &[Layout]) {
    for (at, &value) in data.iter().enumerate() {
        let owners: Vec<usize> =
            (0..parts.len()).filter(|&n| parts[n].offsets().any(|it| it == at)).collect();
        assert!(owners.len() <= 1, "{at} belongs to {owners:?}");
        assert_eq!(value, owners.first().map_or(0, |n| n + 1));
    }
}

#[test]
fn splits_and_chunks_are_disjoint_and_complete() {
    for layout in zoo::layouts().into_iter().filter(zoo::is_injective) {
        for axis in 0..layout.rank() as isize {
            let len = layout.axes()[axis as usize].len;
            for at in 0..=len {
                let mut data = vec![0; layout.span().end];
                let view = ViewMut::new(&mut data, layout.clone()).unwrap();
                let (mut one, mut two) = view.split_at(axis, at).unwrap();
                let parts = [one.layout().clone(), two.layout().clone()];
                one.fill(1);
                two.fill(2);
                check_parts(&data, &parts);
                assert_eq!(parts[0].len() + parts[1].len(), layout.len());
            }
            for size in 1..=len + 1 {
                let mut data = vec![0; layout.span().end];
                let view = ViewMut::new(&mut data, layout.clone()).unwrap();
                let mut parts = Vec::new();
                for (n, mut chunk) in view.into_chunks(axis, size).unwrap().enumerate() {
                    parts.push(chunk.layout().clone());
                    chunk.fill(n + 1);
                }
                check_parts(&data, &parts);
                assert_eq!(parts.iter().map(Layout::len).sum::<usize>(), layout.len());
            }
        }
        let mut data = vec![0; layout.span().end];
        assert!(ViewMut::new(&mut data, layout.clone()).unwrap().chunks_mut(0, 0).is_err());
        let rank = layout.rank() as isize;
        assert!(ViewMut::new(&mut data, layout.clone()).unwrap().split_at(rank, 0).is_err());
    }
}

#[test]
fn mutable_parts_are_returned_exactly_if_disjoint() {
    let mut rng = TestRng::new(3);
    let (mut n_yes, mut n_no) = (0, 0);
    let entry = |rng: &mut TestRng, len: isize| -> Index {
        let bound = |rng: &mut TestRng| match rng.below(3) {
            0 => None,
            _ => Some(rng.below(2 * len as usize + 3) as isize - len - 1),
        };
        match rng.below(4) {
            0 => Index::At(rng.below(2 * len as usize) as isize - len),
            _ => {
                let (start, stop) = (bound(rng), bound(rng));
                let step = [1, 1, 2, 3, -1, -2][rng.below(6)];
                Index::Slice(Slice { start, stop, step })
            }
        }
    };
    for _ in 0..zoo::rounds(4000) {
        let layout = rng.random_layout(&[4, 7], Freedom::Injective);
        let indices = [0; 3].map(|_| [entry(&mut rng, 4), entry(&mut rng, 7)]);
        let parts = indices.each_ref().map(|index| layout.slice(index).unwrap());
        let meet = |m: usize, n: usize| {
            parts[m].offsets().any(|at| parts[n].offsets().any(|other| at == other))
        };
        let first = [(0, 1), (0, 2), (1, 2)].into_iter().find(|&(m, n)| meet(m, n));
        let mut data = vec![0; layout.span().end];
        let view = ViewMut::new(&mut data, layout.clone()).unwrap();
        match view.multi_slice(indices.each_ref().map(|index| &index[..])) {
            Ok(views) => {
                assert_eq!(first, None, "{indices:?}");
                n_yes += 1;
                for (n, mut view) in views.into_iter().enumerate() {
                    view.fill(n + 1);
                }
                check_parts(&data, &parts);
            }
            Err(Error::PartsMeet { parts }) => {
                n_no += 1;
                assert!(meet(parts.0, parts.1), "{indices:?}");
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(n_yes > 200 && n_no > 200, "{n_yes} {n_no}");
    let mut data = [0; 4];
    let view = ViewMut::from(&mut data[..]);
    let error = view.multi_slice([&s![..2], &s![1..]]).unwrap_err();
    assert_eq!(error.to_string(), "parts 0 and 1 share an element");
    assert_eq!(error.kind(), ErrorKind::Value);
    let view = ViewMut::from(&mut data[..]);
    assert!(view.multi_slice([&s![9]]).is_err());
}

#[test]
fn views_of_slices_are_operands_and_outputs() {
    let (x, y) = ([1.0f32, 2.0, 3.0, 4.0], [10i16, 20]);
    let mut out = [0.0f64; 8];
    let x = View::new(&x, Layout::row_major(&[2, 2]).unwrap()).unwrap().t().unwrap();
    let layout = Layout::row_major(&[2, 4]).unwrap().step(1, -2).unwrap();
    mul_into(&x, View::from(&y[..]), ViewMut::new(&mut out, layout).unwrap()).unwrap();
    assert_eq!(out, [0.0, 60.0, 0.0, 10.0, 0.0, 80.0, 0.0, 20.0]);
    let tensor = tensor![1.0f32].add(&x).unwrap();
    assert_eq!(tensor.to_vec::<f32>().unwrap(), [2.0, 4.0, 3.0, 5.0]);
    let mut memory = [1u8, 2, 3];
    let mut view = ViewMut::from(&mut memory[..]);
    let doubled = tensor![2u8].mul(&view).unwrap();
    assign_into(&doubled, &mut view).unwrap();
    negative_into(&doubled, view).unwrap();
    assert_eq!(memory, [254, 252, 250]);
}

#[test]
fn views_hold_any_copy_type() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Pixel([u8; 3]);

    let mut pixels = [Pixel([0; 3]), Pixel([1; 3]), Pixel([2; 3]), Pixel([3; 3])];
    let layout = Layout::row_major(&[2, 2]).unwrap();
    let mut view = ViewMut::new(&mut pixels, layout).unwrap().flip(&[1]).unwrap();
    view.set(&[0, 0], Pixel([9; 3])).unwrap();
    assert_eq!(pixels[1], Pixel([9; 3]));
    let nothing = [(); 5];
    assert_eq!(View::from(&nothing[..]).iter().count(), 5);
}
