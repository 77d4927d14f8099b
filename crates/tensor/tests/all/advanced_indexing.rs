//! Random indices that mix positions, ranges, integer tensors and masks match a reference, for reading,
//! assigning with repeated positions, and adding.

use crate::zoo::{self, Freedom, GuardedTensor, TestRng};
use belvedere::prelude::*;
use belvedere::{Index, Slice, TensorIndex};

/// An entry of an index.
enum Entry {
    At(usize),
    Slice(Slice),
    NewAxis,
    /// An ellipsis for this number of axes.
    Rest(usize),
    /// Positions of one axis.
    Integers(Vec<usize>, Vec<i64>),
    /// A mask; it covers as many axes as its rank.
    Mask(Vec<usize>, Vec<bool>),
}

impl Entry {
    fn at(&self, rng: &mut TestRng) -> TensorIndex<'static> {
        match self {
            Entry::At(at) => (*at).into(),
            Entry::Slice(slice) => (*slice).into(),
            Entry::NewAxis => Index::NewAxis.into(),
            Entry::Rest(_) => Index::Ellipsis.into(),
            Entry::Integers(shape, list) => arranged(rng, shape, list).into(),
            Entry::Mask(shape, list) => {
                let bytes: Vec<u8> = list.iter().map(|&it| it as u8 * 7).collect();
                arranged(rng, shape, &bytes).bitcast(DType::Bool).unwrap().into()
            }
        }
    }
}

/// Returns a tensor of these elements in a random layout.
fn arranged<T: zoo::TestElement>(rng: &mut TestRng, shape: &[usize], list: &[T]) -> Tensor {
    let guarded = GuardedTensor::<T>::new(&rng.random_layout(shape, Freedom::Injective), 0);
    guarded.tensor.copy_from(&Tensor::from_vec(list.to_vec(), shape).unwrap()).unwrap();
    guarded.tensor
}

/// Returns a random valid index into a shape without empty axes.
fn entries(rng: &mut TestRng, shape: &[usize]) -> Vec<Entry> {
    let broadcast = rng.shape(3, 6);
    let (mut list, mut k, mut has_rest) = (Vec::new(), 0, false);
    while k < shape.len() {
        let left = shape.len() - k;
        match rng.below(9) {
            0..=2 => {
                let own = rng.broadcastable_shape(&broadcast);
                let (n, len) = (own.iter().product(), shape[k]);
                let position = |_| rng.below(2 * len) as i64 - len as i64;
                list.push(Entry::Integers(own, (0..n).map(position).collect()));
                k += 1;
            }
            3 if broadcast.len() < 2 && broadcast.iter().all(|&len| len == 1) => {
                // Alone, or with one that broadcasts to any shape.
                let own = shape[k..k + rng.below(left + 1)].to_vec();
                let n = own.iter().product();
                list.push(Entry::Mask(own.clone(), (0..n).map(|_| rng.one_in(2)).collect()));
                k += own.len();
                // Two masks need not have the same number of true elements.
                list.extend((k..shape.len()).map(|_| Entry::Slice(Slice::ALL)));
                return list;
            }
            4 => {
                list.push(Entry::At(rng.below(shape[k])));
                k += 1;
            }
            5 => list.push(Entry::NewAxis),
            6 if !has_rest => {
                has_rest = true;
                let n = rng.below(left + 1);
                list.push(Entry::Rest(n));
                k += n;
            }
            _ => {
                let step = *rng.pick(&[1, 1, 2, -1, -2]);
                list.push(Entry::Slice(Slice::ALL.by(step)));
                k += 1;
            }
        }
    }
    list
}

/// An axis of the result from a basic entry: its length, and which positions of which axis it shows.
type Kept = (usize, Option<(usize, Vec<usize>)>);

/// Returns the shape of the result, and for each of its indices that of the element.
fn resolve(shape: &[usize], index: &[Entry]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let has_tensor = index.iter().any(|it| matches!(it, Entry::Integers(..) | Entry::Mask(..)));
    let mut kept: Vec<Kept> = Vec::new();
    // An axis, the shape of its index tensor, and the indices.
    let mut picked: Vec<(usize, Vec<usize>, Vec<usize>)> = Vec::new();
    let (mut place, mut is_over, mut is_apart) = (None, false, false);
    let mut k = 0;
    for entry in index {
        let is_pick = matches!(entry, Entry::Integers(..) | Entry::Mask(..) | Entry::At(_));
        match (is_pick, place) {
            (true, None) => place = Some(kept.len()),
            (true, Some(_)) => is_apart |= is_over,
            (false, place) => is_over |= place.is_some(),
        }
        let whole = |k: usize| (shape[k], Some((k, (0..shape[k]).collect())));
        match entry {
            Entry::At(at) => picked.push((k, vec![], vec![*at])),
            Entry::Slice(slice) => {
                let (first, n) = slice.resolve(shape[k]).unwrap();
                let at = |i: usize| (first as isize + i as isize * slice.step) as usize;
                kept.push((n, Some((k, (0..n).map(at).collect()))));
            }
            Entry::NewAxis => kept.push((1, None)),
            Entry::Rest(n) => kept.extend((k..k + n).map(whole)),
            Entry::Integers(own, list) => {
                let at = |it: &i64| it.rem_euclid(shape[k] as i64) as usize;
                picked.push((k, own.clone(), list.iter().map(at).collect()));
            }
            Entry::Mask(own, list) => {
                let all = positions(own);
                let found: Vec<&Vec<usize>> =
                    all.iter().zip(list).filter(|it| *it.1).map(|it| it.0).collect();
                // A 0-d mask has zero or one true elements.
                let n = vec![found.len()];
                picked.push((usize::MAX, n.clone(), vec![0; found.len()]));
                for i in 0..own.len() {
                    picked.push((k + i, n.clone(), found.iter().map(|at| at[i]).collect()));
                }
            }
        }
        k += match entry {
            Entry::NewAxis => 0,
            Entry::Rest(n) => *n,
            Entry::Mask(own, _) => own.len(),
            _ => 1,
        };
    }
    kept.extend((k..shape.len()).map(|k| (shape[k], Some((k, (0..shape[k]).collect())))));
    let place = if is_apart { 0 } else { place.unwrap_or(0) };
    let shapes: Vec<&[usize]> = picked.iter().map(|it| &it.1[..]).collect();
    let broadcast = belvedere::broadcast_shapes(&shapes).unwrap();
    assert!(has_tensor || broadcast.is_empty());
    let mut result: Vec<usize> = kept.iter().map(|it| it.0).collect();
    result.splice(place..place, broadcast.iter().copied());
    let element = |at: Vec<usize>| {
        let mut element = vec![0; shape.len()];
        let (mid, end) = (place, place + broadcast.len());
        let rest = at[..mid].iter().chain(&at[end..]);
        for (&i, (_, shown)) in rest.zip(&kept) {
            if let Some((k, positions)) = shown {
                element[*k] = positions[i];
            }
        }
        for (k, own, list) in picked.iter().filter(|it| it.0 < shape.len()) {
            let behind = &at[end - own.len()..end];
            let flat = behind.iter().zip(own).fold(0, |sum, (&i, &len)| sum * len + i.min(len - 1));
            element[*k] = list[flat];
        }
        element
    };
    let elements = positions(&result).into_iter().map(element).collect();
    (result, elements)
}

/// Returns the indices of a shape in row-major order.
fn positions(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &len in shape {
        let next = |at: Vec<usize>| (0..len).map(move |i| [&at[..], &[i]].concat());
        all = all.into_iter().flat_map(next).collect();
    }
    all
}

#[test]
fn index_reads_assigns_and_adds_like_the_reference() {
    let mut rng = TestRng::new(21);
    let (mut n_twice, mut n_first) = (0, 0);
    for round in 0..zoo::rounds(3000) {
        let shape: Vec<usize> = (0..rng.below(5)).map(|_| 1 + rng.below(4)).collect();
        let index = entries(&mut rng, &shape);
        let list: Vec<TensorIndex<'static>> = index.iter().map(|it| it.at(&mut rng)).collect();
        let (result, elements) = resolve(&shape, &index);
        let flat = |at: &Vec<usize>| at.iter().zip(&shape).fold(0, |sum, (i, len)| sum * len + i);
        let places: Vec<usize> = elements.iter().map(flat).collect();
        let case = (round, &shape, &result);

        let x =
            GuardedTensor::<i32>::small_integers(&rng.random_layout(&shape, Freedom::Any), round);
        let values = x.values();
        let found = x.tensor.index(&list).unwrap();
        assert_eq!(found.shape(), result, "{case:?}");
        let expected: Vec<i32> = places.iter().map(|&it| values[it]).collect();
        assert_eq!(found.to_vec::<i32>().unwrap(), expected, "{case:?}");

        let given = GuardedTensor::<i32>::new(&rng.random_layout(&result, Freedom::Any), round + 1);
        let out = GuardedTensor::<i32>::small_integers(
            &rng.random_layout(&shape, Freedom::Injective),
            round,
        );
        out.tensor.index_assign(&list, &given.tensor).unwrap();
        let mut now = out.values();
        places.iter().zip(given.values()).for_each(|(&it, value)| now[it] = value);
        out.assert_elements(&now, case);

        let out = GuardedTensor::<i32>::small_integers(
            &rng.random_layout(&shape, Freedom::Injective),
            round,
        );
        out.tensor.index_add_assign(&list, &given.tensor).unwrap();
        let mut now = out.values();
        let pairs = places.iter().zip(given.values());
        pairs.for_each(|(&it, value)| now[it] = now[it].wrapping_add(value));
        out.assert_elements(&now, case);

        let mut sorted = places.clone();
        sorted.sort_unstable();
        n_twice += usize::from(sorted.windows(2).any(|it| it[0] == it[1]));
        n_first += usize::from(list.len() > 2 && result.len() > 2);
    }
    assert!(
        n_twice > 500 && n_first > 500,
        "{n_twice} with places twice, {n_first} of some length"
    );
}

#[test]
fn scatter_matches_the_reference() {
    let mut rng = TestRng::new(22);
    for round in 0..zoo::rounds(500) {
        let rank = 1 + rng.below(3);
        let shape: Vec<usize> = (0..rank).map(|_| 1 + rng.below(4)).collect();
        let k = rng.below(rank);
        // At most the length of every other axis, and any length along the axis.
        let mut asked: Vec<usize> = shape.iter().map(|&len| rng.below(len + 1)).collect();
        asked[k] = rng.below(6);
        let longer: Vec<usize> = asked.iter().map(|&len| len + rng.below(3)).collect();
        let n: usize = asked.iter().product();
        let len = shape[k] as i64;
        let list: Vec<i64> = (0..n).map(|_| rng.below(2 * shape[k]) as i64 - len).collect();
        let indices = arranged(&mut rng, &asked, &list);
        let given = GuardedTensor::<i32>::new(&rng.random_layout(&longer, Freedom::Any), round);
        let values = given.values();
        let flat = |at: &[usize], shape: &[usize]| {
            at.iter().zip(shape).fold(0, |sum, (i, len)| sum * len + i)
        };
        let pairs = positions(&asked).into_iter().zip(&list).map(|(at, &index)| {
            let mut to = at.clone();
            to[k] = index.rem_euclid(len) as usize;
            (flat(&to, &shape), values[flat(&at, &longer)])
        });
        let (pairs, case) = (pairs.collect::<Vec<_>>(), (round, &shape, &asked, &longer, k));
        let axis = if rng.one_in(2) { k as isize } else { k as isize - rank as isize };

        let out = GuardedTensor::<i32>::small_integers(
            &rng.random_layout(&shape, Freedom::Injective),
            round,
        );
        out.tensor.scatter(axis, &indices, &given.tensor).unwrap();
        let mut now = out.values();
        pairs.iter().for_each(|&(to, value)| now[to] = value);
        out.assert_elements(&now, case);

        let out = GuardedTensor::<i32>::small_integers(
            &rng.random_layout(&shape, Freedom::Injective),
            round,
        );
        out.tensor.scatter_add(axis, &indices, &given.tensor).unwrap();
        let mut now = out.values();
        pairs.iter().for_each(|&(to, value)| now[to] = now[to].wrapping_add(value));
        out.assert_elements(&now, case);
    }
}

#[test]
fn scatter_refuses_mismatched_shapes() {
    let x = Tensor::zeros([2, 3], DType::Int32).unwrap();
    let (one, values) = (tensor![[0, 1]], tensor![[5, 6]]);
    let message = |it: Result<(), belvedere::Error>| it.unwrap_err().to_string();
    assert_eq!(
        message(x.scatter(1, &one, &tensor![[5]])),
        "scatter needs shape [1, 2], got [1, 1]",
        "values are not broadcast"
    );
    assert_eq!(message(x.scatter(1, &one, &tensor![5, 6])), "scatter needs shape [1, 2], got [2]");
    assert!(x.scatter(1, &Tensor::zeros([3, 1], DType::Int64).unwrap(), 1).is_err(), "longer");
    assert!(x.scatter(1, &tensor![0, 1], 1).is_err(), "ranks differ");
    assert!(x.scatter(1, &tensor![[0, 3]], 1).is_err(), "index out of range");
    assert!(
        x.scatter(2, &one, 1).is_err() && x.scatter(1, &values.greater(0).unwrap(), 1).is_err()
    );
    assert!(x.scatter(1, &one, 0.5).is_err() && x.scatter(1, &one, &tensor![[0.5, 1.0]]).is_err());
    assert!(x.equal(0).unwrap().scatter_add(1, &one, true).is_err(), "no numbers");
    assert!(x.compress_assign(&tensor![true], 1, 1).is_err(), "the mask is too short");
    assert!(x.compress_assign(&tensor![1, 0, 1], 1, 1).is_err(), "no mask");
    assert_eq!(x.to_vec::<i32>().unwrap(), [0; 6]);
    // Values and indices may overlap the tensor.
    let x = tensor![[2, 0, 1], [1, 2, 0]];
    x.scatter(1, &x, &x.flip(1).unwrap()).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [0, 2, 1, 1, 0, 2]);
    x.compress_assign(&tensor![true, false, true], 1, &x.slice(s![.., 1..]).unwrap()).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [2, 2, 1, 0, 0, 2]);
    x.compress_assign(&tensor![false, true], 0, 9).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [2, 2, 1, 9, 9, 9]);
    x.index_add(0, &tensor![0, 0], 1).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [4, 4, 3, 9, 9, 9]);
}

#[test]
fn index_into_may_write_to_its_input() {
    let x = tensor![[3, 1, 2], [0, 2, 1]];
    let order = x.argsort(1).unwrap();
    belvedere::take_along_axis_into(&x, &order, 1, &x).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [1, 2, 3, 0, 1, 2]);
    let end = x.slice(s![1, 1..]).unwrap();
    belvedere::masked_select_into(&x, &x.greater(2).unwrap(), &end.narrow(0, 0, 1).unwrap())
        .unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [1, 2, 3, 0, 3, 2]);
    let refused =
        belvedere::masked_select_into(&x, &x.greater(2).unwrap(), &end.narrow(0, 0, 1).unwrap());
    assert_eq!(refused.unwrap_err().to_string(), "masked_select needs shape [2], got [1]");
    assert!(belvedere::take_along_axis_into(&x, &order, 1, &end).is_err());
}
