//! `einsum` against loops over all indices; which results are views, what is copied, and the contraction
//! order.

use crate::zoo::{Freedom, TestRng, rounds};
use belvedere::copies::{CopyReason, forbid, record};
use belvedere::*;

type Number = Complex<f64>;

/// Returns small integers of a dtype in a random layout.
fn numbers(rng: &mut TestRng, shape: &[usize], dtype: DType) -> Tensor {
    let layout = rng.random_layout(shape, Freedom::Any);
    let n = layout.span().end;
    let mut part = || rng.below(5) as f64 - if dtype.is_unsigned() { 0.0 } else { 2.0 };
    let values: Vec<Number> = (0..n).map(|_| Complex::new(part(), part())).collect();
    let all = Tensor::from_vec(values, [n]).unwrap();
    let all = if dtype.is_complex() { all } else { all.real().unwrap() };
    let all = all.astype(dtype).unwrap();
    Tensor::from_storage(all.storage().clone(), layout, dtype).unwrap()
}

fn values(x: &Tensor) -> Vec<Number> {
    x.astype(DType::Complex128).unwrap().to_vec().unwrap()
}

/// Returns the sum by its definition: a loop over all indices. Axes of length 1 are broadcast.
fn naive(inputs: &[&str], output: &str, operands: &[&Tensor]) -> (Vec<usize>, Vec<Number>) {
    let mut letters: Vec<char> = output.chars().collect();
    for c in inputs.iter().flat_map(|it| it.chars()) {
        if !letters.contains(&c) {
            letters.push(c);
        }
    }
    let mut lens = vec![1; letters.len()];
    let place = |c: char| letters.iter().position(|&it| it == c).unwrap();
    for (word, x) in inputs.iter().zip(operands) {
        for (k, c) in word.chars().enumerate() {
            lens[place(c)] = if lens[place(c)] == 1 { x.shape()[k] } else { lens[place(c)] };
        }
    }
    let shape: Vec<usize> = lens[..output.len()].to_vec();
    let flat: Vec<Vec<Number>> = operands.iter().map(|x| values(x)).collect();
    let inner: usize = lens[output.len()..].iter().product();
    let outer: usize = shape.iter().product();
    let mut sums = vec![Complex::new(0.0, 0.0); outer];
    for position in 0..outer * inner {
        let mut index = vec![0; lens.len()];
        let mut rest = position;
        for k in (0..lens.len()).rev() {
            index[k] = rest % lens[k];
            rest /= lens[k];
        }
        let mut product = Complex::new(1.0, 0.0);
        for ((word, x), values) in inputs.iter().zip(operands).zip(&flat) {
            let at = word
                .chars()
                .zip(x.shape().iter())
                .fold(0, |at, (c, &len)| at * len + if len == 1 { 0 } else { index[place(c)] });
            product *= values[at];
        }
        sums[position / inner] += product;
    }
    (shape, sums)
}

#[test]
fn einsum_matches_loops_over_all_indices() {
    let mut rng = TestRng::new(5);
    let types = [
        DType::Int16,
        DType::UInt64,
        DType::Float32,
        DType::Float64,
        DType::Complex64,
        DType::BFloat16,
    ];
    for case in 0..rounds(600) {
        let lens: Vec<usize> = (0..5).map(|_| *rng.pick(&[1, 2, 2, 3, 4])).collect();
        let n_operands = 1 + rng.below(5);
        let dtype = *rng.pick(&types);
        let words: Vec<String> = (0..n_operands)
            .map(|_| (0..rng.below(4)).map(|_| *rng.pick(&['a', 'b', 'c', 'd', 'e'])).collect())
            .collect();
        let mut used: Vec<char> = words.iter().flat_map(|it| it.chars()).collect();
        used.sort_unstable();
        used.dedup();
        rng.shuffle(&mut used);
        let output: String = used.iter().take(rng.below(used.len() + 1)).collect();
        let operands: Vec<Tensor> = words
            .iter()
            .map(|word| {
                let is_alone = |c| word.chars().filter(|&it| it == c).count() == 1;
                let shape: Vec<usize> = word
                    .chars()
                    .map(|c| if is_alone(c) && rng.one_in(8) { 1 } else { lens[c as usize - 97] })
                    .collect();
                // Few operands of bfloat16, so that nothing is rounded.
                numbers(&mut rng, &shape, if n_operands > 2 { DType::Float64 } else { dtype })
            })
            .collect();
        let views: Vec<&Tensor> = operands.iter().collect();
        let subscripts = format!("{}->{output}", words.join(","));
        let found = einsum(&subscripts, &views).unwrap();
        let words: Vec<&str> = words.iter().map(|it| &it[..]).collect();
        let (shape, sums) = naive(&words, &output, &views);
        let expected = Tensor::from_vec(sums, shape.clone()).unwrap();
        assert_eq!(found.shape(), shape, "{case}: {subscripts}");
        assert_eq!(found.dtype(), operands[0].dtype(), "{case}: {subscripts}");
        if dtype.is_unsigned() && n_operands <= 2 || found.dtype() != DType::BFloat16 {
            assert_eq!(values(&found), values(&expected), "{case}: {subscripts}");
        } else {
            let close = found.allclose_with(&expected, 0.01, 0.0).unwrap();
            assert!(close.holds(), "{case}: {subscripts}: {close}");
        }
    }
}

#[test]
fn einsum_without_arithmetic_returns_a_view() {
    let x = Tensor::arange(0..24).unwrap().reshape([2, 3, 4]).unwrap();
    let cube = Tensor::arange(0..27).unwrap().reshape([3, 3, 3]).unwrap();
    let same = |found: &Tensor, expected: &Tensor| {
        assert!(found.storage().is_same(expected.storage()));
        assert_eq!(found.layout(), expected.layout());
    };
    let one = |subscripts: &str, x: &Tensor| forbid(|| einsum(subscripts, &[x])).unwrap();
    same(&one("ijk", &x), &x);
    same(&one("kij", &x), &x.permute_dims(&[1, 2, 0]).unwrap());
    same(&one("...", &x), &x);
    same(&one("i...->...i", &x), &x.permute_dims(&[1, 2, 0]).unwrap());
    same(&one("iij->ij", &cube), &cube.diagonal(0, 0, 1).unwrap().t().unwrap());
    let corner = one("iii->i", &cube);
    assert_eq!(corner.strides(), [13]);
    assert!(corner.storage().is_same(cube.storage()));
    corner.fill(-1).unwrap();
    assert_eq!(cube.get::<i32>(&[1, 1, 1]).unwrap(), -1);
    // Any dtype is supported if nothing is computed.
    let flags = tensor![[true, false], [false, true]];
    same(&one("ji", &flags), &flags.t().unwrap());
}

#[test]
fn operands_with_mergeable_axes_are_not_copied() {
    let a = Tensor::ones([2, 3, 4, 5], DType::Float64).unwrap();
    let b = Tensor::ones([4, 5, 6], DType::Float64).unwrap();
    for subscripts in
        ["ijkl,klm->ijm", "ijkl,klm->mji", "ijkl,klm", "ijkl,klm->im", "ijkl,klm->kijm"]
    {
        let (found, log) = record(|| einsum(subscripts, &[&a, &b]).unwrap());
        assert!(log.is_empty(), "{subscripts} of {:?}: {log:?}", found.shape());
    }
    // The order of the summed indices is chosen so that both sides have a view.
    let turned = b.permute_dims(&[1, 0, 2]).unwrap();
    let also_turned = a.permute_dims(&[0, 1, 3, 2]).unwrap();
    forbid(|| einsum("ijlk,lkm->ijm", &[&also_turned, &turned])).unwrap();
}

#[test]
fn each_copy_is_an_event() {
    let a = Tensor::ones([3, 4, 5], DType::Float32).unwrap();
    let b = Tensor::ones([5, 3, 6], DType::Float32).unwrap();
    // The summed axes of neither operand can be merged in the order of the other.
    let (found, log) = record(|| einsum("ijk,kil->jl", &[&a, &b]).unwrap());
    assert_eq!(found.shape(), [4, 6]);
    assert_eq!(found.get::<f32>(&[3, 5]).unwrap(), 15.0);
    let copied: Vec<(&str, CopyReason, usize)> =
        log.iter().map(|it| (it.op, it.reason, it.bytes)).collect();
    assert_eq!(copied, [("einsum", CopyReason::NoView, 240)]);
    assert!(log[0].caller.file().ends_with("einsum.rs"));
    let error = forbid(|| einsum("ijk,kil->jl", &[&a, &b])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Copy);
    // Only the diagonal is cast.
    let square = Tensor::ones([5, 5], DType::Int8).unwrap();
    let (_, log) = record(|| einsum("kk,kil->il", &[&square, &b]).unwrap());
    let copied: Vec<(CopyReason, usize)> = log.iter().map(|it| (it.reason, it.bytes)).collect();
    assert_eq!(copied, [(CopyReason::Cast, 20)]);
}

#[test]
fn integers_wrap_around_and_bools_reduce_with_or() {
    let x = Tensor::full([2, 300], 1u8).unwrap();
    assert_eq!(einsum("ij->i", &[&x]).unwrap().to_vec::<u8>().unwrap(), [44, 44]);
    assert_eq!(einsum("ij,ij->i", &[&x, &x]).unwrap().to_vec::<u8>().unwrap(), [44, 44]);
    let flags = tensor![[true, false], [false, false]];
    assert_eq!(einsum("ij->i", &[&flags]).unwrap().to_vec::<bool>().unwrap(), [true, false]);
    let product = einsum("ij,kj->ik", &[&flags, &flags]).unwrap();
    assert_eq!(product.to_vec::<bool>().unwrap(), [true, false, false, false]);
    let many = Tensor::full([1 << 16], true).unwrap();
    assert!(einsum("i,i", &[&many, &many]).unwrap().item::<bool>().unwrap());
}

#[test]
fn sum_over_zero_elements_is_zero() {
    let [a, b] = [[2, 0], [0, 3]].map(|shape| Tensor::zeros(shape, DType::Float32).unwrap());
    assert_eq!(einsum("ij,jk->ik", &[&a, &b]).unwrap().to_vec::<f32>().unwrap(), [0.0; 6]);
    assert_eq!(einsum("ij->", &[&a]).unwrap().item::<f32>().unwrap(), 0.0);
    assert_eq!(einsum("ij,kl->il", &[&a, &b]).unwrap().to_vec::<f32>().unwrap(), [0.0; 6]);
    let wide = Tensor::zeros([1usize << 40, 0], DType::Float32).unwrap();
    let wide = wide.broadcast_to([1usize << 22, 1 << 40, 0]).unwrap();
    assert_eq!(
        einsum("ijk,k->ij", &[&wide, &b.select(1, 0).unwrap()]).unwrap_err().kind(),
        ErrorKind::Memory
    );
    assert_eq!(einsum("kij,j->k", &[&wide, &b.select(1, 0).unwrap()]).unwrap().len(), 1 << 22);
}

#[test]
fn output_may_be_an_operand() {
    let x = Tensor::arange(0..9).unwrap().reshape([3, 3]).unwrap();
    einsum_into("ij,jk->ki", &[&x, &x], &x).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [15, 42, 69, 18, 54, 90, 21, 66, 111]);
    let column = Tensor::zeros([3, 2], DType::Int64).unwrap();
    einsum_into("ij->i", &[&x], &column.select(1, 1).unwrap()).unwrap();
    assert_eq!(column.to_vec::<i64>().unwrap(), [0, 126, 0, 162, 0, 198]);
    let error = einsum_into("ij->", &[&x], &column).unwrap_err();
    assert_eq!(error.to_string(), "einsum needs shape [], got [3, 2]");
    assert_eq!(column.to_vec::<i64>().unwrap(), [0, 126, 0, 162, 0, 198]);
}

#[test]
fn contraction_order_is_the_cheapest() {
    let shapes = [[10, 100], [100, 5], [5, 50], [50, 2]];
    let operands = shapes.map(|shape| Tensor::zeros(shape, DType::Float64).unwrap());
    let path = einsum_path("ab,bc,cd,de->ae", &operands.each_ref()).unwrap();
    // (ab (bc (cd de))): 500 + 1000 + 2000.
    assert_eq!(path.cost(), 3500.0);
    assert_eq!(path.steps().len(), 3);
    assert_eq!(path.steps()[0].operands, (2, 3));
    assert_eq!(path.steps()[0].subscripts, "cd,de->ce");
    assert_eq!(einsum("ab,bc,cd,de->ae", &operands.each_ref()).unwrap().shape(), [10, 2]);
    let alone = einsum_path("ab->ba", &[&operands[0]]).unwrap();
    assert_eq!(alone.to_string(), "ab->ba in 0 steps, 0 multiplications");
}

#[test]
fn long_lists_of_operands_are_multiplied_too() {
    for n in [2, 8, 9, 20, 64, 70] {
        let x = tensor![[1.0, 1.0], [0.0, 1.0]];
        let letters: Vec<char> = ('a'..='z').chain('A'..='Z').collect();
        // A chain of as many letters as there are, and then the last one again and again.
        let word = |i: usize| {
            let (a, b) = (letters[i.min(50)], letters[(i + 1).min(51)]);
            if i < 51 { format!("{a}{b}") } else { format!("{b}{b}") }
        };
        let words: Vec<String> = (0..n).map(word).collect();
        let last = words[n - 1].chars().last().unwrap();
        let subscripts = format!("{}->a{last}", words.join(","));
        let found = einsum(&subscripts, &vec![&x; n]).unwrap();
        // Each factor adds 1 to the corner; diagonals are ones.
        let corner = n.min(51) as f64;
        assert_eq!(found.to_vec::<f64>().unwrap(), [1.0, corner, 0.0, 1.0], "{n} operands");
    }
}

/// Invalid subscripts for two matrices, the message, the position of the carets, and the error kind.
#[rustfmt::skip]
const WRONG: &[(&str, &str, &str, ErrorKind)] = &[
    ("ij;jk->ik", "unexpected character ';' in subscripts", "  ^", ErrorKind::Pattern),
    ("ij,jk->i..", "an ellipsis is written `...`", "        ^", ErrorKind::Pattern),
    ("i...j...,jk->ik", "an operand or the output can have only one `...`", "     ^^^", ErrorKind::Pattern),
    ("ij,jk->ik->", "subscripts have only one `->`, and one output after it", "         ^^", ErrorKind::Pattern),
    ("ij,jk->i,k", "subscripts have only one `->`, and one output after it", "        ^", ErrorKind::Pattern),
    ("ij,jk,kl", "the number of operands is 2, but the subscripts are for 3", "      ^^", ErrorKind::Shape),
    ("ij", "the number of operands is 2, but the subscripts are for 1", "  ^", ErrorKind::Shape),
    ("ij,jkl->ik", "operand 1 has rank 2, but its number of letters is 3", "   ^^^", ErrorKind::Shape),
    ("i,jk->ik", "operand 0 has rank 2, but its number of letters is 1", "^", ErrorKind::Shape),
    ("ij,ik->jk", "`i` has length 2 in an earlier operand, but axis 0 of operand 1 has length 3", "   ^", ErrorKind::Shape),
    ("ii,jk->ik", "the axes `i` of operand 0 have lengths 2 and 3, but a diagonal needs equal lengths", " ^", ErrorKind::Shape),
    ("ij,jk->iki", "the output has `i` twice", "         ^", ErrorKind::Pattern),
    ("ij,jk->iz", "no operand has the axis `z` of the output", "        ^", ErrorKind::Pattern),
    ("...,jk->jk", "the output has no `...` for the 2 axes of `...` in the operands", "        ^^", ErrorKind::Pattern),
    ("...,...", "an axis of `...` has length 2 in an earlier operand, but axis 0 of operand 1 has length 3", "    ^^^", ErrorKind::Shape),
    ("ij,jé->ij", "unexpected character 'é' in subscripts", "    ^", ErrorKind::Pattern),
];

#[test]
fn errors_point_at_the_subscript() {
    let [a, b] = [[2, 3], [3, 4]].map(|shape| Tensor::zeros(shape, DType::Int32).unwrap());
    for &(subscripts, sentence, carets, kind) in WRONG {
        let error = einsum(subscripts, &[&a, &b]).expect_err(subscripts);
        assert_eq!(error.to_string(), format!("{sentence}\n  {subscripts}\n  {carets}"));
        assert_eq!(error.kind(), kind, "{subscripts}");
        assert_eq!(einsum_path(subscripts, &[&a, &b]).unwrap_err().to_string(), error.to_string());
    }
    assert_eq!(einsum("ij,ij->", &[a.clone(), a]).unwrap().rank(), 0, "tensors, not references");
    let error = einsum("", &[] as &[Tensor]).unwrap_err();
    assert!(error.to_string().starts_with("einsum needs at least one operand"));
}

#[test]
fn products_with_windows_and_batches_of_dot_products_copy_nothing() {
    let mut rng = TestRng::new(8);
    // Rows longer than a tile, runs long and short, few and many results, in a random layout.
    let cases: &[(&str, &[usize], &[usize])] = &[
        ("ijkl,kl->ij", &[5, 1100, 3, 4], &[3, 4]),
        ("kl,ijkl->ij", &[3, 4], &[5, 70, 3, 4]),
        ("ijkl,kl->ji", &[30, 20, 9, 33], &[9, 33]),
        ("ij,ij->i", &[70, 100], &[70, 100]),
        ("ij,ij->i", &[900, 3], &[900, 3]),
        ("ij,ij->j", &[900, 3], &[900, 3]),
        ("ij,ij->j", &[40, 600], &[40, 600]),
        ("bijk,bjk->bi", &[3, 17, 5, 6], &[3, 5, 6]),
        ("bij,bij->b", &[3, 300, 200], &[3, 300, 200]),
    ];
    for &(subscripts, first, second) in cases {
        for dtype in [DType::Float64, DType::Int32, DType::Float32, DType::Complex128] {
            let (a, b) = (numbers(&mut rng, first, dtype), numbers(&mut rng, second, dtype));
            let (inputs, output) = subscripts.split_once("->").unwrap();
            let words: Vec<&str> = inputs.split(',').collect();
            let (_, expected) = naive(&words, output, &[&a, &b]);
            let found = forbid(|| einsum(subscripts, &[&a, &b])).unwrap();
            assert_eq!(values(&found), expected, "{subscripts} of {dtype}");
        }
    }
    let image = numbers(&mut rng, &[40, 50], DType::Float64);
    let windows = image.sliding_window_view([3, 3], [0, 1]).unwrap();
    let kernel = numbers(&mut rng, &[3, 3], DType::Float64);
    let (found, copies) = record(|| einsum("ijkl,kl->ij", &[&windows, &kernel]));
    let found = found.unwrap();
    assert!(copies.is_empty(), "{copies:?}");
    let (shape, expected) = naive(&["ijkl", "kl"], "ij", &[&windows, &kernel]);
    assert_eq!((&found.shape()[..], values(&found)), (&shape[..], expected));
}
