//! Formatting of arrays like NumPy's `str` and `repr`.
//!
//! There are three steps, none of which depends on tensors: choose the positions to show on each axis,
//! format the cells there as words of equal width, and arrange the words between brackets. The rules are
//! NumPy's with its default options, determined with NumPy 2.4 and compared with it on many thousands of
//! arrays:
//!
//! - Above 1000 elements, an axis longer than 6 shows 3 items at either end and `...` between.
//! - Floats have the fewest digits that identify them in their own type, and at most 8 after the decimal
//!   point. If one of them is large, or small, or more than 1000 times another, all are in scientific
//!   notation.
//! - Lines have at most 75 characters. Blocks of rank `n` are separated by `n - 1` empty lines.
//! - A 0-d array is the bare number, with all its digits.
//!
//! The options of a Rust format string apply to each element: `{:8.2}` gives floats exactly 2 digits after the
//! decimal point, never in scientific notation, and pads every element to 8 characters.
//!
//! Two differences. NumPy has no bfloat16; here it is formatted like other floats, with the limits of
//! float16. And a broadcast shape such as `[2; 60]` has no axis to summarise, so that NumPy would not
//! terminate; here the outermost axes show only their first item until [`MAX_CELLS`] are left.

mod digits;
#[cfg(test)]
mod tests;

pub(crate) use digits::FloatKind;

use crate::DType;
use digits::{Decimal, SCIENTIFIC_BELOW};
use std::fmt::{Alignment, Formatter};

/// An element, widened. All cells of an array have the same variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FormatCell {
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64, FloatKind),
    /// The real part, the imaginary part, and the type of both.
    Complex(f64, f64, FloatKind),
}

/// Arrays with more elements are summarised.
const THRESHOLD: usize = 1000;
/// The number of items at either end of a summarised axis.
const EDGE: usize = 3;
const DOTS: &str = "...";
/// The maximal number of characters in a line.
const LINE_WIDTH: usize = 75;
/// The maximal number of digits after the decimal point, except in a 0-d array.
const PRECISION: usize = 8;
/// The maximal number of cells shown: enough that six summarised axes (6^6 cells) look as in NumPy.
const MAX_CELLS: usize = 50_000;

/// The separators of a format, and the space that text around it takes.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// The separator of two items, in addition to a space or line breaks.
    comma: &'static str,
    /// The number of characters before the text in its first line.
    n_before: usize,
    /// The number of characters after it in its last line.
    n_after: usize,
    element: ElementFormat,
}

impl Style {
    /// The format of NumPy's `str`.
    #[cfg(test)]
    const PLAIN: Style = Style::plain(ElementFormat::SHORTEST);

    const fn plain(element: ElementFormat) -> Style {
        Style { comma: "", n_before: 0, n_after: 0, element }
    }

    /// Returns the format of NumPy's `str`, with the options of a format string for the elements.
    pub(crate) fn with_options(f: &Formatter<'_>) -> Style {
        Style::plain(ElementFormat {
            precision: f.precision(),
            width: f.width().unwrap_or(0),
            fill: f.fill(),
            align: f.align(),
            plus: f.sign_plus(),
        })
    }

    /// Returns the format of NumPy's `repr`: a call of a function.
    pub(crate) fn call(name: &str) -> Style {
        let n_before = name.chars().count() + 1;
        Style { comma: ",", n_before, n_after: 1, element: ElementFormat::SHORTEST }
    }
}

/// The options of a Rust format string, which apply to each element.
#[derive(Clone, Copy)]
struct ElementFormat {
    /// The number of digits after the decimal point of floats, if not the fewest that identify them.
    precision: Option<usize>,
    /// The minimal number of characters.
    width: usize,
    fill: char,
    /// Without an alignment elements are right-aligned, floats at their decimal points.
    align: Option<Alignment>,
    /// Whether non-negative numbers have a plus sign.
    plus: bool,
}

impl ElementFormat {
    /// The fewest digits that identify the elements.
    const SHORTEST: ElementFormat =
        ElementFormat { precision: None, width: 0, fill: ' ', align: None, plus: false };

    /// Pads words, which have equal widths, to the minimal width.
    fn pad(&self, words: Vec<String>) -> Vec<String> {
        let width = words.first().map_or(0, String::len).max(self.width);
        let pad = |word: String| {
            let word = match self.align {
                Some(Alignment::Left | Alignment::Center) => word.trim(),
                _ => word.trim_start(),
            };
            let n = width - word.len();
            let before = match self.align {
                Some(Alignment::Left) => 0,
                Some(Alignment::Center) => n / 2,
                _ => n,
            };
            let fill = |n| std::iter::repeat_n(self.fill, n);
            fill(before).chain(word.chars()).chain(fill(n - before)).collect()
        };
        words.into_iter().map(pad).collect()
    }
}

/// Formats an array. `values` is called once for each position that is shown, in row-major order.
pub(crate) fn render(
    shape: &[usize],
    style: Style,
    values: &mut dyn FnMut(&[usize]) -> FormatCell,
) -> String {
    if shape.is_empty() {
        return match style.comma {
            "" => style.element.pad(vec![format_scalar(values(&[]), style.element)]).concat(),
            _ => words(&[values(&[])], style.element).concat().trim_start().into(),
        };
    }
    if shape.contains(&0) {
        return "[]".into();
    }
    let axes = choose(shape);
    let mut cells = Vec::new();
    collect_cells(&axes, &mut Vec::new(), values, &mut cells);
    let words = words(&cells, style.element).into_iter();
    let mut page = Page { axes: &axes, style, words, text: String::new() };
    page.block(0);
    page.text
}

/// Formats an array as the call of a function that would create it, given the formatted elements.
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
        match n_last + extras.len() + 2 > LINE_WIDTH {
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

/// The positions of an axis that are shown: the first `head` and the last `tail` ones.
struct Shown {
    head: usize,
    tail: usize,
    len: usize,
}

impl Shown {
    fn count(&self) -> usize {
        self.head + self.tail
    }

    /// Returns the positions in order, with `None` for the dots between them.
    fn items(&self) -> impl Iterator<Item = Option<usize>> + use<> {
        let dots = (self.count() < self.len).then_some(None);
        let tail = self.len - self.tail..self.len;
        (0..self.head).map(Some).chain(dots).chain(tail.map(Some))
    }
}

/// Chooses the positions to show on each axis.
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

/// Collects the cells at the positions shown.
fn collect_cells(
    axes: &[Shown],
    index: &mut Vec<usize>,
    values: &mut dyn FnMut(&[usize]) -> FormatCell,
    cells: &mut Vec<FormatCell>,
) {
    let Some(axis) = axes.get(index.len()) else {
        return cells.push(values(index));
    };
    for i in axis.items().flatten() {
        index.push(i);
        collect_cells(axes, index, values, cells);
        index.pop();
    }
}

/// The text so far, and the words that are not placed yet.
struct Page<'a> {
    axes: &'a [Shown],
    style: Style,
    words: std::vec::IntoIter<String>,
    text: String,
}

impl Page<'_> {
    /// Writes the block of the axes from `k` on.
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

    /// Writes the words of the innermost axis, with line breaks that leave space for all closing brackets.
    fn row(&mut self, k: usize) {
        let Style { comma, n_before, n_after, .. } = self.style;
        let first = n_before + k + 1;
        let end = LINE_WIDTH.saturating_sub(n_after + k + 1);
        let mut column = first;
        for item in self.axes[k].items() {
            let word = match item {
                Some(_) => self.words.next().expect("a cell was collected for each position"),
                None => DOTS.into(),
            };
            let width = word.chars().count();
            if column > first && column + width > end {
                self.text.truncate(self.text.trim_end().len());
                self.text.push('\n');
                self.text.extend(margin(first));
                column = first;
            }
            self.text.push_str(&word);
            self.text.push_str(comma);
            self.text.push(' ');
            column += width + comma.len() + 1;
        }
        // Removes the separator after the last word; the padding of the word stays.
        self.text.truncate(self.text.len() - comma.len() - 1);
    }
}

/// Formats the cells of an array as words of equal width.
fn words(cells: &[FormatCell], format: ElementFormat) -> Vec<String> {
    let words = match cells.first() {
        Some(&FormatCell::Float(_, kind)) => {
            column(cells.iter().map(FormatCell::real), kind, format)
        }
        Some(&FormatCell::Complex(_, _, kind)) => {
            let real = column(cells.iter().map(FormatCell::real), kind, format);
            let signed = ElementFormat { plus: true, ..format };
            let imaginary = column(cells.iter().map(FormatCell::imaginary), kind, signed);
            real.into_iter().zip(imaginary).map(|(re, im)| re + &with_unit(&im)).collect()
        }
        Some(FormatCell::Bool(_)) => {
            cells.iter().map(|&cell| format!("{:>5}", format_scalar(cell, format))).collect()
        }
        _ => aligned(cells.iter().map(|&cell| format_scalar(cell, format)).collect()),
    };
    format.pad(words)
}

/// Inserts the `j` after the last digit and before the padding.
fn with_unit(word: &str) -> String {
    let number = word.trim_end();
    format!("{number}j{}", &word[number.len()..])
}

fn aligned(words: Vec<String>) -> Vec<String> {
    let width = words.iter().map(String::len).max().unwrap_or(0);
    words.into_iter().map(|word| format!("{word:>width$}")).collect()
}

/// Formats floats of one kind with aligned decimal points.
fn column(
    values: impl Iterator<Item = f64>,
    kind: FloatKind,
    ElementFormat { precision, plus, .. }: ElementFormat,
) -> Vec<String> {
    if let Some(n_digits) = precision {
        return aligned(values.map(|x| format_fixed(x, n_digits, plus)).collect());
    }
    let values: Vec<f64> = values.collect();
    let scientific = kind.is_scientific(&values);
    let shortest = |x: f64| Decimal::new(x, kind, scientific, PRECISION);
    let n_fraction = widest(&values, |x| shortest(x).fraction.len());
    // In scientific notation all have the same number of digits, which are exact digits instead of zeros:
    // a float16 of 0.1 is `9.998e-02` next to `1.001e+03`.
    let common = |x: f64| match shortest(x) {
        decimal if decimal.fraction.len() == n_fraction => decimal,
        _ => Decimal::split(&format!("{x:.n_fraction$e}")),
    };
    let n_exponent = widest(&values, |x| common(x).exponent_digits());
    let word = |&x: &f64| {
        let (sign, size) = (sign(x, plus), x.abs());
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

/// Returns the maximal measure of the absolute values of finite numbers.
fn widest(values: &[f64], measure: impl Fn(f64) -> usize) -> usize {
    let finite = values.iter().map(|x| x.abs()).filter(|x| x.is_finite());
    finite.map(measure).max().unwrap_or(0)
}

fn sign(x: f64, plus: bool) -> &'static str {
    match (x.is_sign_negative() && !x.is_nan(), plus) {
        (true, _) => "-",
        (false, true) => "+",
        (false, false) => "",
    }
}

/// Formats the cell of a 0-d array, with all its digits unless the format has a precision.
fn format_scalar(cell: FormatCell, ElementFormat { precision, plus, .. }: ElementFormat) -> String {
    let float = |x, kind, plus, point| match precision {
        Some(n_digits) => format_fixed(x, n_digits, plus),
        None => format_float(x, kind, plus, point),
    };
    match cell {
        FormatCell::Bool(true) => "True".into(),
        FormatCell::Bool(false) => "False".into(),
        FormatCell::Int(value) if plus => format!("{value:+}"),
        FormatCell::Int(value) => value.to_string(),
        FormatCell::UInt(value) if plus => format!("{value:+}"),
        FormatCell::UInt(value) => value.to_string(),
        FormatCell::Float(x, kind) => float(x, kind, plus, ".0"),
        // As in Python, a real part of +0 is omitted.
        FormatCell::Complex(re, im, kind) if re == 0.0 && re.is_sign_positive() => {
            float(im, kind, plus, "") + "j"
        }
        FormatCell::Complex(re, im, kind) => {
            format!("({}{}j)", float(re, kind, plus, ""), float(im, kind, true, ""))
        }
    }
}

/// Formats a float with `n_digits` digits after the decimal point.
fn format_fixed(x: f64, n_digits: usize, plus: bool) -> String {
    let (sign, size) = (sign(x, plus), x.abs());
    format!("{sign}{size:.n_digits$}").to_lowercase()
}

/// Formats a float with all its digits; `point` follows an integral value.
fn format_float(x: f64, kind: FloatKind, plus: bool, point: &str) -> String {
    let size = x.abs();
    // Unlike in arrays, the lower limit is not rounded to the type of the number.
    let scientific = size != 0.0 && (size < SCIENTIFIC_BELOW || size >= kind.scientific_from());
    let sign = sign(x, plus);
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

impl FormatCell {
    fn real(&self) -> f64 {
        match *self {
            FormatCell::Float(x, _) | FormatCell::Complex(x, _, _) => x,
            // Not reached: all cells of an array have the same variant.
            _ => f64::NAN,
        }
    }

    fn imaginary(&self) -> f64 {
        match *self {
            FormatCell::Complex(_, x, _) => x,
            _ => f64::NAN,
        }
    }
}
