//! Arrays as text, the way NumPy's `str` shows them.
//!
//! The text is made in three steps, none of which knows what a tensor is: choose the positions to
//! show on each axis, turn the cells there into words of equal width, set the words between
//! brackets. Every rule is NumPy's with its default options, found by trying NumPy 2.4 and
//! compared with it on many thousands of arrays:
//!
//! - More than 1000 elements: an axis longer than 6 shows 3 items at either end and `...` between.
//! - Floats have the fewest digits that name them among the numbers of their own type, and at
//!   most 8 behind the point. If one of them is large, or small, or a thousand times another,
//!   all are in scientific notation.
//! - Lines have at most 75 characters. Blocks of rank `n` have `n - 1` empty lines between them.
//! - A tensor without axes is the bare number, with all its digits.
//!
//! Two departures. NumPy has no bfloat16; here it is a float like the others, with the limits of
//! float16. And a broadcast shape such as `[2; 60]` has no axis to shorten, so that NumPy would
//! never end; here the outermost axes show only their first item until [`MAX_CELLS`] are left.

use crate::DType;
use crate::dtype::{f64_to_bf16, f64_to_f16};
use std::str::FromStr;

/// One element, widened. All cells of an array are of the same variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64, FloatKind),
    /// The real part, the imaginary part, and the type of both.
    Complex(f64, f64, FloatKind),
}

/// The type that a float was widened from, on which its shortest digits depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatKind {
    F16,
    BF16,
    F32,
    F64,
}

/// Arrays with more elements are shortened.
const THRESHOLD: usize = 1000;
/// The items at either end of an axis that is shortened.
const EDGE: usize = 3;
const DOTS: &str = "...";
/// The most characters in a line.
const WIDTH: usize = 75;
/// The most digits behind the point, except in a number that stands alone.
const PRECISION: usize = 8;
/// The most cells that are shown: enough that six shortened axes (6^6 cells) look as in NumPy.
const MAX_CELLS: usize = 50_000;

/// What stands between the words, and around them.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// What stands between two items, besides a space or an empty line.
    comma: &'static str,
    /// The characters before the text in its first line.
    n_before: usize,
    /// The characters behind it in its last line.
    n_behind: usize,
}

impl Style {
    /// As NumPy's `str` has it.
    pub(crate) const PLAIN: Style = Style { comma: "", n_before: 0, n_behind: 0 };

    /// As NumPy's `repr` has it, in a call of a function.
    pub(crate) fn call(name: &str) -> Style {
        Style { comma: ",", n_before: name.chars().count() + 1, n_behind: 1 }
    }
}

/// The text of an array, whose cells at the positions to be shown are asked for once each, in
/// row-major order.
pub(crate) fn render(
    shape: &[usize],
    style: Style,
    values: &mut dyn FnMut(&[usize]) -> Cell,
) -> String {
    if shape.is_empty() {
        return match style.comma {
            "" => lone(values(&[])),
            _ => words(&[values(&[])]).concat().trim_start().into(),
        };
    }
    if shape.contains(&0) {
        return "[]".into();
    }
    let axes = choose(shape);
    let mut cells = Vec::new();
    gather(&axes, &mut Vec::new(), values, &mut cells);
    let words = words(&cells).into_iter();
    let mut page = Page { axes: &axes, style, words, text: String::new() };
    page.block(0);
    page.text
}

/// An array as a call of a function that would make it, given the text of its elements.
pub(crate) fn call(name: &str, elements: &str, shape: &[usize], dtype: DType) -> String {
    let len = shape.iter().copied().fold(1, usize::saturating_mul);
    let mut extras = Vec::new();
    if (len == 0 && shape != [0]) || len > THRESHOLD {
        let lens: Vec<String> = shape.iter().map(usize::to_string).collect();
        let comma = if lens.len() == 1 { "," } else { "" };
        extras.push(format!("shape=({}{comma})", lens.join(", ")));
    }
    let is_implied =
        matches!(dtype, DType::Bool | DType::Int64 | DType::Float64 | DType::Complex128);
    if !is_implied || len == 0 {
        extras.push(format!("dtype={dtype}"));
    }
    let mut text = format!("{name}({elements}");
    if !extras.is_empty() {
        let extras = extras.join(", ");
        text.push(',');
        let n_last = text.chars().rev().take_while(|&it| it != '\n').count();
        match n_last + extras.len() + 2 > WIDTH {
            true => text.extend(std::iter::once('\n').chain(margin(name.chars().count() + 1))),
            false => text.push(' '),
        }
        text += &extras;
    }
    text + ")"
}

fn margin(n: usize) -> impl Iterator<Item = char> {
    std::iter::repeat_n(' ', n)
}

/// The positions of an axis that are shown: some at its head, some at its tail.
struct Shown {
    head: usize,
    tail: usize,
    len: usize,
}

impl Shown {
    fn count(&self) -> usize {
        self.head + self.tail
    }

    /// The positions in order, with `None` for the dots between them.
    fn items(&self) -> impl Iterator<Item = Option<usize>> + use<> {
        let dots = (self.count() < self.len).then_some(None);
        let tail = self.len - self.tail..self.len;
        (0..self.head).map(Some).chain(dots).chain(tail.map(Some))
    }
}

fn choose(shape: &[usize]) -> Vec<Shown> {
    let product = |lens: &mut dyn Iterator<Item = usize>| lens.fold(1, usize::saturating_mul);
    let is_large = product(&mut shape.iter().copied()) > THRESHOLD;
    let whole = |len| Shown { head: len, tail: 0, len };
    let ends = |len| Shown { head: EDGE, tail: EDGE, len };
    let choice = |&len: &usize| if is_large && len > 2 * EDGE { ends(len) } else { whole(len) };
    let mut axes: Vec<Shown> = shape.iter().map(choice).collect();
    for k in 0..axes.len() {
        if product(&mut axes.iter().map(Shown::count)) <= MAX_CELLS {
            break;
        }
        axes[k] = Shown { head: 1, tail: 0, len: shape[k] };
    }
    axes
}

fn gather(
    axes: &[Shown],
    index: &mut Vec<usize>,
    values: &mut dyn FnMut(&[usize]) -> Cell,
    cells: &mut Vec<Cell>,
) {
    let Some(axis) = axes.get(index.len()) else {
        return cells.push(values(index));
    };
    for i in axis.items().flatten() {
        index.push(i);
        gather(axes, index, values, cells);
        index.pop();
    }
}

/// The text so far, and the words that are still to be set.
struct Page<'a> {
    axes: &'a [Shown],
    style: Style,
    words: std::vec::IntoIter<String>,
    text: String,
}

impl Page<'_> {
    /// Sets the block that begins at axis `k`, and all blocks within it.
    fn block(&mut self, k: usize) {
        self.text.push('[');
        match self.axes.len() - 1 - k {
            0 => self.row(k),
            n_inner => self.blocks(k, n_inner),
        }
        self.text.push(']');
    }

    fn blocks(&mut self, k: usize, n_inner: usize) {
        for (n, item) in self.axes[k].items().enumerate() {
            if n > 0 {
                self.text.push_str(self.style.comma);
                self.text.extend(std::iter::repeat_n('\n', n_inner));
                self.text.extend(margin(self.style.n_before + k + 1));
            }
            match item {
                Some(_) => self.block(k + 1),
                None => self.text.push_str(DOTS),
            }
        }
    }

    /// Sets the words of the innermost axis, as many in a line as leave room for all brackets
    /// that could follow.
    fn row(&mut self, k: usize) {
        let Style { comma, n_before, n_behind } = self.style;
        let first = n_before + k + 1;
        let end = WIDTH.saturating_sub(n_behind + k + 1);
        let mut column = first;
        for item in self.axes[k].items() {
            let word = match item {
                Some(_) => self.words.next().expect("a cell was gathered for each position"),
                None => DOTS.into(),
            };
            if column > first && column + word.len() > end {
                self.text.truncate(self.text.trim_end().len());
                self.text.push('\n');
                self.text.extend(margin(first));
                column = first;
            }
            self.text.push_str(&word);
            self.text.push_str(comma);
            self.text.push(' ');
            column += word.len() + comma.len() + 1;
        }
        // What is behind the last word; the word's own padding stays.
        self.text.truncate(self.text.len() - comma.len() - 1);
    }
}

/// The words for the cells of an array, all of one width.
fn words(cells: &[Cell]) -> Vec<String> {
    match cells.first() {
        Some(&Cell::Float(_, kind)) => column(cells.iter().map(Cell::real), kind, false),
        Some(&Cell::Complex(_, _, kind)) => {
            let real = column(cells.iter().map(Cell::real), kind, false);
            let imaginary = column(cells.iter().map(Cell::imaginary), kind, true);
            real.into_iter().zip(imaginary).map(|(re, im)| re + &with_unit(&im)).collect()
        }
        Some(Cell::Bool(_)) => cells.iter().map(|&cell| format!("{:>5}", lone(cell))).collect(),
        _ => aligned(cells.iter().map(|&cell| lone(cell)).collect()),
    }
}

/// Puts the `j` behind the last digit and before the padding.
fn with_unit(word: &str) -> String {
    let number = word.trim_end();
    format!("{number}j{}", &word[number.len()..])
}

fn aligned(words: Vec<String>) -> Vec<String> {
    let width = words.iter().map(String::len).max().unwrap_or(0);
    words.into_iter().map(|word| format!("{word:>width$}")).collect()
}

/// The words for floats of one kind, which have their points one below the other. If `signed`,
/// numbers that are not negative have a plus sign.
fn column(values: impl Iterator<Item = f64>, kind: FloatKind, signed: bool) -> Vec<String> {
    let values: Vec<f64> = values.collect();
    let scientific = kind.is_scientific(&values);
    let shortest = |x: f64| Decimal::new(x, kind, scientific, PRECISION);
    let n_fraction = widest(&values, |x| shortest(x).fraction.len());
    // In scientific notation all have the same number of digits, and they are true digits and not
    // zeros: a float16 of 0.1 is `9.998e-02` beside `1.001e+03`.
    let common = |x: f64| match shortest(x) {
        decimal if decimal.fraction.len() == n_fraction => decimal,
        _ => Decimal::split(&format!("{x:.n_fraction$e}")),
    };
    let n_exponent = widest(&values, |x| common(x).exponent_digits());
    let word = |&x: &f64| {
        let (sign, size) = (sign(x, signed), x.abs());
        if !x.is_finite() {
            return format!("{sign}{size}").to_lowercase();
        }
        if !scientific {
            let Decimal { whole, fraction, .. } = shortest(size);
            return format!("{sign}{whole}.{fraction:<n_fraction$}");
        }
        let decimal = common(size);
        let Decimal { whole, fraction, .. } = &decimal;
        format!("{sign}{whole}.{fraction:0<n_fraction$}{}", decimal.power(n_exponent))
    };
    aligned(values.iter().map(word).collect())
}

/// The greatest measure of a finite number, given without its sign.
fn widest(values: &[f64], measure: impl Fn(f64) -> usize) -> usize {
    let finite = values.iter().map(|x| x.abs()).filter(|x| x.is_finite());
    finite.map(measure).max().unwrap_or(0)
}

fn sign(x: f64, signed: bool) -> &'static str {
    match (x.is_sign_negative() && !x.is_nan(), signed) {
        (true, _) => "-",
        (false, true) => "+",
        (false, false) => "",
    }
}

/// The text of a cell that stands alone.
fn lone(cell: Cell) -> String {
    match cell {
        Cell::Bool(true) => "True".into(),
        Cell::Bool(false) => "False".into(),
        Cell::Int(value) => value.to_string(),
        Cell::UInt(value) => value.to_string(),
        Cell::Float(x, kind) => lone_float(x, kind, false, ".0"),
        // As in Python, a real part of zero is left out unless it is negative.
        Cell::Complex(re, im, kind) if re == 0.0 && re.is_sign_positive() => {
            lone_float(im, kind, false, "") + "j"
        }
        Cell::Complex(re, im, kind) => {
            format!("({}{}j)", lone_float(re, kind, false, ""), lone_float(im, kind, true, ""))
        }
    }
}

/// A float with all its digits; `point` is what ends a whole number.
fn lone_float(x: f64, kind: FloatKind, signed: bool, point: &str) -> String {
    let size = x.abs();
    // Unlike in arrays, the lower limit is not rounded to the type of the number.
    let scientific = size != 0.0 && (size < SMALL || size >= kind.large());
    let sign = sign(x, signed);
    if !x.is_finite() {
        return format!("{sign}{size}").to_lowercase();
    }
    let decimal = Decimal::new(size, kind, scientific, usize::MAX);
    let Decimal { whole, fraction, .. } = &decimal;
    let power = if scientific { decimal.power(2) } else { String::new() };
    match (fraction.as_str(), scientific) {
        ("", false) => format!("{sign}{whole}{point}"),
        ("", true) => format!("{sign}{whole}{power}"),
        _ => format!("{sign}{whole}.{fraction}{power}"),
    }
}

impl Cell {
    fn real(&self) -> f64 {
        match *self {
            Cell::Float(x, _) | Cell::Complex(x, _, _) => x,
            // Nobody asks: cells of an array are alike.
            _ => f64::NAN,
        }
    }

    fn imaginary(&self) -> f64 {
        match *self {
            Cell::Complex(_, x, _) => x,
            _ => f64::NAN,
        }
    }
}

/// Smaller numbers make the notation scientific.
const SMALL: f64 = 1e-4;

impl FloatKind {
    /// From here on the notation is scientific: where digits before the point may be made up.
    fn large(self) -> f64 {
        match self {
            FloatKind::F16 | FloatKind::BF16 => 1e3,
            FloatKind::F32 => 1e6,
            FloatKind::F64 => 1e16,
        }
    }

    /// The nearest number of this type.
    fn round(self, x: f64) -> f64 {
        match self {
            FloatKind::F16 => f64_to_f16(x).to_f64(),
            FloatKind::BF16 => f64_to_bf16(x).to_f64(),
            FloatKind::F32 => f64::from(x as f32),
            FloatKind::F64 => x,
        }
    }

    /// Whether an array of these numbers is in scientific notation. NumPy compares in the type of
    /// the array: a float32 of 0.0001 is not less than 0.0001, though as a float64 it would be.
    fn is_scientific(self, values: &[f64]) -> bool {
        let sizes = || values.iter().map(|x| x.abs()).filter(|x| x.is_finite() && *x != 0.0);
        let (max, min) = (sizes().fold(0.0, f64::max), sizes().fold(f64::INFINITY, f64::min));
        let ratio = if max == 0.0 { 1.0 } else { self.round(max / min) };
        max >= self.large().min(1e8) || min < self.round(SMALL) || ratio > 1000.0
    }

    /// A double with the fewest digits among those that are `x` in this type.
    fn shortest(self, x: f64) -> f64 {
        match self {
            FloatKind::F64 => x,
            FloatKind::F32 => read((x as f32).to_string()),
            // Five digits are enough for float16 and four for bfloat16. The decimal next to the
            // nearest is for powers of two, above which numbers are sparser than below.
            FloatKind::F16 | FloatKind::BF16 => {
                let nearest = (0..5).map(|n| (n, format!("{x:.n$e}").replace('.', "")));
                let mut candidates = nearest.flat_map(|(n, text)| {
                    let (digits, power) = text.split_once('e').expect("it was asked for");
                    let (digits, power) = (read::<u32>(digits), read::<i32>(power) - n as i32);
                    [digits, digits + 1].map(|digits| read(format!("{digits}e{power}")))
                });
                candidates.find(|&it| self.round(it) == x).unwrap_or(x)
            }
        }
    }
}

fn read<T: FromStr>(text: impl AsRef<str>) -> T {
    text.as_ref().parse().ok().expect("Rust reads the numbers that it has written")
}

/// A number that is finite and not negative, in decimal: `whole.fraction * 10^exponent`.
struct Decimal {
    whole: String,
    fraction: String,
    exponent: i32,
}

impl Decimal {
    /// The shortest digits of `x`, or the best `limit` digits behind the point if that is less.
    fn new(x: f64, kind: FloatKind, scientific: bool, limit: usize) -> Decimal {
        let short = kind.shortest(x);
        let short = if scientific { format!("{short:e}") } else { short.to_string() };
        let decimal = Decimal::split(&short);
        // Of several decimals with so many digits the nearest is best, and of two that are as
        // near the even one, as when digits are cut off. Shortest digits are not always that.
        let n = decimal.fraction.len().min(limit);
        let best = if scientific { format!("{x:.n$e}") } else { format!("{x:.n$}") };
        let is_cut = n < decimal.fraction.len();
        if is_cut || kind.round(read(&best)) == x { Decimal::split(&best) } else { decimal }
    }

    fn split(text: &str) -> Decimal {
        let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = fraction.trim_end_matches('0').into();
        Decimal { whole: whole.into(), fraction, exponent: read(exponent) }
    }

    /// The digits of the exponent, which are two at least.
    fn exponent_digits(&self) -> usize {
        if self.exponent.abs() < 100 { 2 } else { 3 }
    }

    /// The power of ten behind the digits, such as `e-05`.
    fn power(&self, n_digits: usize) -> String {
        let sign = if self.exponent < 0 { '-' } else { '+' };
        format!("e{sign}{:0>n_digits$}", self.exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::FloatKind::{BF16, F16, F32, F64};
    use super::*;
    use half::{bf16, f16};

    /// Renders the cells of a list in row-major order.
    fn list(shape: &[usize], cell: impl Fn(usize) -> Cell) -> String {
        let at = |index: &[usize]| index.iter().zip(shape).fold(0, |at, (i, len)| at * len + i);
        render(shape, Style::PLAIN, &mut |index| cell(at(index)))
    }

    fn bools(shape: &[usize], values: &[bool]) -> String {
        list(shape, |i| Cell::Bool(values[i]))
    }

    fn ints(shape: &[usize], values: &[i64]) -> String {
        list(shape, |i| Cell::Int(values[i]))
    }

    fn uints(shape: &[usize], values: &[u64]) -> String {
        list(shape, |i| Cell::UInt(values[i]))
    }

    fn floats(kind: FloatKind, shape: &[usize], values: &[f64]) -> String {
        list(shape, |i| Cell::Float(kind.round(values[i]), kind))
    }

    fn complex(kind: FloatKind, shape: &[usize], values: &[(f64, f64)]) -> String {
        let cell = |(re, im)| Cell::Complex(kind.round(re), kind.round(im), kind);
        list(shape, |i| cell(values[i]))
    }

    /// 0, 1, 2 and so on.
    fn count(shape: &[usize]) -> String {
        list(shape, |i| Cell::Int(i as i64))
    }

    /// 0, 1/8, 2/8 and so on.
    fn eighths(kind: FloatKind, shape: &[usize]) -> String {
        list(shape, |i| Cell::Float(i as f64 / 8.0, kind))
    }

    fn check_lines(table: &[(String, &[&str])]) {
        for (text, lines) in table {
            check(&[(text.clone(), &lines.join("\n"))]);
        }
    }

    fn check(table: &[(String, &str)]) {
        for (text, expected) in table {
            assert_eq!(text, expected, "\n{text}\ninstead of\n{expected}");
        }
    }

    // The expected texts are what NumPy 2.4.6 printed.

    #[test]
    #[rustfmt::skip]
    fn bools_and_integers_look_as_in_numpy() {
        check(&[
            (bools(&[3], &[true, false, true]), "[ True False  True]"),
            (bools(&[2, 2], &[true, true, true, true]), "[[ True  True]\n [ True  True]]"),
            (ints(&[3], &[1, -20, 300]), "[  1 -20 300]"),
            (ints(&[2, 2], &[-9223372036854775808, 0, 1, 9223372036854775807]), "[[-9223372036854775808                    0]\n [                   1  9223372036854775807]]"),
            (uints(&[2], &[0, 18446744073709551615]), "[                   0 18446744073709551615]"),
            (ints(&[1, 1, 1], &[7]), "[[[7]]]"),
            (ints(&[2, 1, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 7]), "[[[[0 1]\n   [2 3]]]\n\n\n [[[4 5]\n   [6 7]]]]"),
            (ints(&[0], &[]), "[]"),
            (ints(&[3, 0, 2], &[]), "[]"),
        ]);
    }

    #[test]
    #[rustfmt::skip]
    fn floats_look_as_in_numpy() {
        check(&[
            (floats(F64, &[3], &[1.0, 2.0, 3.0]), "[1. 2. 3.]"),
            (floats(F64, &[3], &[0.1, 0.25, -3.0]), "[ 0.1   0.25 -3.  ]"),
            (floats(F32, &[2], &[0.1, 0.2]), "[0.1 0.2]"),
            (floats(F16, &[3], &[0.1, 0.2, -0.3]), "[ 0.1  0.2 -0.3]"),
            (floats(F64, &[2], &[0.3333333333333333, 0.6666666666666666]), "[0.33333333 0.66666667]"),
            (floats(F32, &[2], &[0.3333333333333333, 0.6666666666666666]), "[0.33333334 0.6666667 ]"),
            (floats(F16, &[2], &[0.3333333333333333, 0.6666666666666666]), "[0.3333 0.6665]"),
            (floats(F64, &[2, 2], &[1.5, -2.0, f64::NAN, f64::INFINITY]), "[[ 1.5 -2. ]\n [ nan  inf]]"),
            (floats(F64, &[3], &[f64::NAN, f64::INFINITY, -f64::INFINITY]), "[ nan  inf -inf]"),
            (floats(F64, &[3], &[0.0, -0.0, 1.0]), "[ 0. -0.  1.]"),
            (floats(F64, &[3], &[1.0, 1000.0, 999.5]), "[   1.  1000.   999.5]"),
            (floats(F64, &[2], &[1.0, 1001.0]), "[1.000e+00 1.001e+03]"),
            (floats(F64, &[2], &[100000000.0, 100000000.0]), "[1.e+08 1.e+08]"),
            (floats(F64, &[2], &[99999999.0, 100000.0]), "[99999999.   100000.]"),
            (floats(F32, &[2], &[1000000.0, 1000000.0]), "[1.e+06 1.e+06]"),
            (floats(F16, &[2], &[1000.0, 1000.0]), "[1.e+03 1.e+03]"),
            (floats(F64, &[2], &[0.0001, 0.0002]), "[0.0001 0.0002]"),
            (floats(F32, &[2], &[0.0001, 0.0002]), "[0.0001 0.0002]"),
            (floats(F64, &[2], &[9e-05, 0.0001]), "[9.e-05 1.e-04]"),
            (floats(F64, &[3], &[1e-300, f64::NAN, 1e+300]), "[1.e-300     nan 1.e+300]"),
            (floats(F64, &[2], &[5e-324, 1.0]), "[5.e-324 1.e+000]"),
            (floats(F32, &[2], &[0.1, 1234.5678]), "[1.0000000e-01 1.2345677e+03]"),
            (floats(F32, &[2], &[0.1, 3.3333333333333335e-11]), "[1.0000000e-01 3.3333333e-11]"),
            (floats(F16, &[2], &[0.1, 1001.0]), "[9.998e-02 1.001e+03]"),
            (floats(F64, &[1], &[0.123456785]), "[0.12345678]"),
            (floats(F64, &[1], &[0.001953125]), "[0.00195312]"),
            (floats(F32, &[2], &[0.126953125, 0.5]), "[0.12695312 0.5       ]"),
            (floats(F16, &[1], &[0.015625]), "[0.01563]"),
            (floats(F64, &[1], &[0.999999999]), "[1.]"),
        ]);
    }

    #[test]
    #[rustfmt::skip]
    fn complex_numbers_look_as_in_numpy() {
        check(&[
            (complex(F64, &[2], &[(1.0, 2.0), (-0.5, -3.0)]), "[ 1. +2.j -0.5-3.j]"),
            (complex(F32, &[2], &[(0.1, -0.2), (10.0, 20.25)]), "[ 0.1 -0.2j  10. +20.25j]"),
            (complex(F64, &[2], &[(1e-09, 1.0), (f64::NAN, -f64::INFINITY)]), "[1.e-09 +1.j    nan-infj]"),
            (complex(F64, &[2, 2], &[(0.0, 1.0), (1.0, 0.0), (-0.0, -0.0), (1000.0, 100000.0)]), "[[   0.+1.e+00j    1.+0.e+00j]\n [  -0.-0.e+00j 1000.+1.e+05j]]"),
        ]);
    }

    #[test]
    #[rustfmt::skip]
    fn long_lines_are_wrapped_and_long_arrays_shortened_as_in_numpy() {
        check_lines(&[
            (count(&[20]), &["[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19]"]),
            (count(&[30]), &[
                "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23",
                " 24 25 26 27 28 29]",
            ]),
            (count(&[1001]), &["[   0    1    2 ...  998  999 1000]"]),
            (count(&[11, 100]), &[
                "[[   0    1    2 ...   97   98   99]",
                " [ 100  101  102 ...  197  198  199]",
                " [ 200  201  202 ...  297  298  299]",
                " ...",
                " [ 800  801  802 ...  897  898  899]",
                " [ 900  901  902 ...  997  998  999]",
                " [1000 1001 1002 ... 1097 1098 1099]]",
            ]),
            (count(&[7, 1, 143]), &[
                "[[[   0    1    2 ...  140  141  142]]",
                "",
                " [[ 143  144  145 ...  283  284  285]]",
                "",
                " [[ 286  287  288 ...  426  427  428]]",
                "",
                " ...",
                "",
                " [[ 572  573  574 ...  712  713  714]]",
                "",
                " [[ 715  716  717 ...  855  856  857]]",
                "",
                " [[ 858  859  860 ...  998  999 1000]]]",
            ]),
            (count(&[2, 1, 7, 80]), &[
                "[[[[   0    1    2 ...   77   78   79]",
                "   [  80   81   82 ...  157  158  159]",
                "   [ 160  161  162 ...  237  238  239]",
                "   ...",
                "   [ 320  321  322 ...  397  398  399]",
                "   [ 400  401  402 ...  477  478  479]",
                "   [ 480  481  482 ...  557  558  559]]]",
                "",
                "",
                " [[[ 560  561  562 ...  637  638  639]",
                "   [ 640  641  642 ...  717  718  719]",
                "   [ 720  721  722 ...  797  798  799]",
                "   ...",
                "   [ 880  881  882 ...  957  958  959]",
                "   [ 960  961  962 ... 1037 1038 1039]",
                "   [1040 1041 1042 ... 1117 1118 1119]]]]",
            ]),
            (eighths(F64, &[30]), &[
                "[0.    0.125 0.25  0.375 0.5   0.625 0.75  0.875 1.    1.125 1.25  1.375",
                " 1.5   1.625 1.75  1.875 2.    2.125 2.25  2.375 2.5   2.625 2.75  2.875",
                " 3.    3.125 3.25  3.375 3.5   3.625]",
            ]),
            (eighths(F32, &[2, 14]), &[
                "[[0.    0.125 0.25  0.375 0.5   0.625 0.75  0.875 1.    1.125 1.25  1.375",
                "  1.5   1.625]",
                " [1.75  1.875 2.    2.125 2.25  2.375 2.5   2.625 2.75  2.875 3.    3.125",
                "  3.25  3.375]]",
            ]),
            (eighths(F16, &[2, 2, 260]), &[
                "[[[0.000e+00 1.250e-01 2.500e-01 ... 3.212e+01 3.225e+01 3.238e+01]",
                "  [3.250e+01 3.262e+01 3.275e+01 ... 6.462e+01 6.475e+01 6.488e+01]]",
                "",
                " [[6.500e+01 6.512e+01 6.525e+01 ... 9.712e+01 9.725e+01 9.738e+01]",
                "  [9.750e+01 9.762e+01 9.775e+01 ... 1.296e+02 1.298e+02 1.299e+02]]]",
            ]),
        ]);
    }

    #[test]
    #[rustfmt::skip]
    fn numbers_without_axes_look_as_in_numpy() {
        check(&[
            (bools(&[], &[true]), "True"),
            (ints(&[], &[-7]), "-7"),
            (uints(&[], &[18446744073709551615]), "18446744073709551615"),
            (floats(F64, &[], &[1.0]), "1.0"),
            (floats(F64, &[], &[0.3333333333333333]), "0.3333333333333333"),
            (floats(F64, &[], &[1e+16]), "1e+16"),
            (floats(F64, &[], &[1000000000000000.0]), "1000000000000000.0"),
            (floats(F64, &[], &[1e-05]), "1e-05"),
            (floats(F64, &[], &[-0.0]), "-0.0"),
            (floats(F64, &[], &[f64::NAN]), "nan"),
            (floats(F64, &[], &[-f64::INFINITY]), "-inf"),
            (floats(F64, &[], &[1e+300]), "1e+300"),
            (floats(F32, &[], &[0.1]), "0.1"),
            (floats(F32, &[], &[1000000.0]), "1e+06"),
            (floats(F32, &[], &[123456.78]), "123456.78"),
            (floats(F32, &[], &[0.0001]), "1e-04"),
            (floats(F16, &[], &[0.1]), "0.1"),
            (floats(F16, &[], &[999.5]), "999.5"),
            (floats(F16, &[], &[65504.0]), "6.55e+04"),
            (complex(F64, &[], &[(1.0, 2.0)]), "(1+2j)"),
            (complex(F64, &[], &[(0.0, 2.5)]), "2.5j"),
            (complex(F64, &[], &[(-0.0, -1.0)]), "(-0-1j)"),
            (complex(F64, &[], &[(f64::NAN, f64::INFINITY)]), "(nan+infj)"),
            (complex(F32, &[], &[(0.1, 1000000.0)]), "(0.1+1e+06j)"),
            (complex(F64, &[], &[(1e+16, 0.3333333333333333)]), "(1e+16+0.3333333333333333j)"),
        ]);
    }

    #[test]
    fn bfloat16_has_the_digits_of_its_own_precision() {
        check(&[
            (floats(BF16, &[3], &[0.5, 1.2345, -255.0]), "[   0.5      1.234 -255.   ]"),
            (floats(BF16, &[2], &[1000.0, 1e30]), "[1.e+03 1.e+30]"),
            (floats(BF16, &[], &[1.0 / 3.0]), "0.334"),
            (floats(BF16, &[], &[1e-38]), "1e-38"),
        ]);
    }

    #[test]
    fn the_shortest_digits_of_a_half_are_its_own_and_no_fewer_are() {
        for (kind, largest) in [(F16, f16::MAX.to_bits()), (BF16, bf16::MAX.to_bits())] {
            for bits in 1..=largest {
                let x = match kind {
                    F16 => f16::from_bits(bits).to_f64(),
                    _ => bf16::from_bits(bits).to_f64(),
                };
                let short = kind.shortest(x);
                assert_eq!(kind.round(short), x);
                let text = format!("{short:e}");
                let (digits, power) = text.split_once('e').expect("a power of ten");
                if let Some((whole, fraction)) = digits.split_once('.') {
                    // Both neighbours with a digit less are other numbers.
                    let digits = read::<u32>(format!("{whole}{fraction}")) / 10;
                    let power = read::<i32>(power) + 1 - fraction.len() as i32;
                    for digits in [digits, digits + 1] {
                        assert_ne!(kind.round(read(format!("{digits}e{power}"))), x, "{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn only_the_cells_that_are_shown_are_asked_for() {
        let mut asked = Vec::new();
        render(&[1 << 40, 2, 1 << 20], Style::PLAIN, &mut |index| {
            asked.push(index.to_vec());
            Cell::Int(0)
        });
        assert_eq!(asked.len(), 6 * 2 * 6);
        assert!(asked.is_sorted_by(|a, b| a < b));
        assert_eq!(asked[0], [0, 0, 0]);
        assert_eq!(asked[71], [(1 << 40) - 1, 1, (1 << 20) - 1]);
    }

    #[test]
    fn a_shape_of_many_axes_shows_the_first_item_of_the_outermost() {
        let mut n_asked = 0;
        let text = render(&[2; 60], Style::PLAIN, &mut |_| {
            n_asked += 1;
            Cell::Bool(true)
        });
        assert_eq!(n_asked, 1 << 15);
        assert!(text.len() < 3_000_000);
        let row = format!("{} True\n{} True]\n", "[".repeat(60), " ".repeat(60));
        assert!(text.starts_with(&row));
        assert!(text.ends_with(&format!("]{}  ...]{} ...]", "\n".repeat(58), "\n".repeat(59))));
        // Six axes are still as in NumPy, and the seventh is the first to suffer.
        for (rank, expected) in [(5, 7776), (6, 46656), (7, 46656), (64, 46656)] {
            let mut n_asked = 0;
            let shape = vec![if rank == 64 { usize::MAX } else { 9 }; rank];
            render(&shape, Style::PLAIN, &mut |_| {
                n_asked += 1;
                Cell::Int(0)
            });
            assert_eq!(n_asked, expected, "{rank} axes");
        }
    }

    #[test]
    fn axes_of_length_one_cost_nothing_but_brackets() {
        let text = render(&[1; 64], Style::PLAIN, &mut |_| Cell::Int(5));
        assert_eq!(text, "[".repeat(64) + "5" + &"]".repeat(64));
    }
}
