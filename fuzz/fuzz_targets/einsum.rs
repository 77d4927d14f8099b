//! `einsum` with arbitrary subscripts: no panic; and with valid ones, compared with a loop over all indices.

#![no_main]

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use belvedere::{Tensor, einsum, einsum_path};
use belvedere_fuzz::wild;
use libfuzzer_sys::fuzz_target;

const LETTERS: [char; 6] = ['i', 'j', 'k', 'A', 'z', 'b'];

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

fn check(u: &mut Unstructured) -> Result<()> {
    if u.ratio(1, 3)? {
        return check_any_text(u);
    }
    let mut lengths = BTreeMap::new();
    for letter in LETTERS {
        lengths.insert(letter, u.int_in_range(0..=3usize)?);
    }
    let letters = |u: &mut Unstructured, most| wild::list(u, most, |u| Ok(*u.choose(&LETTERS)?));
    let n = u.int_in_range(1..=4)?;
    let words: Vec<Vec<char>> = (0..n).map(|_| letters(u, 4)).collect::<Result<_>>()?;
    let mut output = letters(u, 3)?;
    output.retain(|it| words.iter().any(|word| word.contains(it)));
    output.sort_unstable();
    output.dedup();
    let operands: Vec<Tensor> =
        words.iter().map(|word| operand(u, word, &lengths)).collect::<Result<_>>()?;
    let text = |word: &Vec<char>| word.iter().collect::<String>();
    let inputs: Vec<String> = words.iter().map(text).collect();
    let subscripts = format!("{}->{}", inputs.join(","), text(&output));
    let found = einsum(&subscripts, &operands).expect("valid subscripts");
    let expected = naive(&words, &output, &operands, &lengths);
    assert_eq!(found.to_vec::<i64>().expect("no guard is held"), expected, "{subscripts}");
    let path = einsum_path(&subscripts, &operands).expect("valid subscripts");
    assert!(path.steps().len() < operands.len().max(2), "{subscripts}: {path:?}");
    Ok(())
}

/// Checks that any text and any operands give a result or an error with a message.
fn check_any_text(u: &mut Unstructured) -> Result<()> {
    let operands = wild::list(u, 3, |u| {
        let shape = wild::list(u, 4, |u| u.int_in_range(0..=3usize))?;
        Ok(Tensor::ones(&shape, belvedere::DType::Int64).expect("few elements"))
    })?;
    let words = ["i", "j", "é", "->", ",", "...", ".", " ", "-", ">", "ii", "1", "\0", "ij,jk->ik"];
    let mut text = String::new();
    for _ in 0..u.int_in_range(0..=40)? {
        text += u.choose(&words)?;
    }
    if u.ratio(1, 64)? {
        text = text.repeat(u.int_in_range(0..=2000)?);
    }
    for error in [einsum(&text, &operands).err(), einsum_path(&text, &operands).err()] {
        assert!(error.is_none_or(|it| !it.to_string().is_empty()));
    }
    Ok(())
}

/// Returns an operand of small integers, flipped along some axes.
fn operand(u: &mut Unstructured, word: &[char], lengths: &BTreeMap<char, usize>) -> Result<Tensor> {
    let shape: Vec<usize> = word.iter().map(|letter| lengths[letter]).collect();
    let n: usize = shape.iter().product();
    let values: Vec<i64> = (0..n as i64).map(|i| i * 5 % 7 - 3).collect();
    let mut x = Tensor::from_vec(values, &shape).expect("as many as the shape has");
    for k in 0..shape.len() {
        if u.ratio(1, 4)? {
            x = x.flip([k as isize]).expect("an axis");
        }
    }
    Ok(x)
}

/// Sums products over all values of all letters.
fn naive(
    words: &[Vec<char>],
    output: &[char],
    operands: &[Tensor],
    lengths: &BTreeMap<char, usize>,
) -> Vec<i64> {
    let mut letters = output.to_vec();
    for letter in words.iter().flatten() {
        if !letters.contains(letter) {
            letters.push(*letter);
        }
    }
    let shape: Vec<usize> = letters.iter().map(|it| lengths[it]).collect();
    let n_outputs: usize = shape[..output.len()].iter().product();
    let n: usize = shape.iter().product();
    let values: Vec<Vec<i64>> =
        operands.iter().map(|it| it.to_vec().expect("no guard is held")).collect();
    let mut sums = vec![0i64; n_outputs];
    for flat in 0..n {
        let index = belvedere_fuzz::trace::unravel(&shape, flat);
        let value = |letter: &char| {
            index[letters.iter().position(|it| it == letter).expect("each letter is listed")]
        };
        let product = words.iter().zip(&values).fold(1i64, |product, (word, values)| {
            let at = word.iter().fold(0, |at, it| at * lengths[it] + value(it));
            product.wrapping_mul(values[at])
        });
        let at = output.iter().fold(0, |at, it| at * lengths[it] + value(it));
        sums[at] = sums[at].wrapping_add(product);
    }
    sums
}
