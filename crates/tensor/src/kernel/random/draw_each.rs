//! Elements drawn from distributions whose parameters may differ from element to element, and rows drawn together.
//!
//! As for the other distributions, each block of elements has a part of the stream. Parameters are read in index order, as
//! the elements are, so that results depend neither on their strides nor on threads.

use super::counts::{Binomial, Hypergeometric};
use super::draw::Below;
use super::family::Family;
use super::sampler::{Gamma, Sampler};
use super::ziggurat::normal;
use super::{BLOCK_ELEMENTS, RandomStream, RowFamily};
use crate::cancel::scratch_of;
use crate::dtype::{Float, FloatTask};
use crate::kernel::sequence::{SequenceReader, fill_in_order};
use crate::view::{AnyView, AnyViewMut, Written};
use crate::{DType, Element};
use rand::rngs::ChaCha8Rng;

/// The time of a draw, in additions.
const COST: usize = 32;

/// Draws every element of the view from a family with these parameters: views of `float64` of the same shape, that
/// [`Family::violation`] has accepted.
///
/// # Panics
/// If the dtype is neither floating-point nor, for a discrete family, `int64`.
pub(crate) fn draw_each<'x, const N: usize>(
    out: AnyViewMut<'x>,
    stream: RandomStream,
    family: Family,
    parameters: [AnyView<'_>; N],
) -> Written<'x> {
    let parameters = parameters.map(SequenceReader::new);
    match out.dtype() {
        DType::Int64 => draw_blocks(out, stream, family, &parameters, |x| x as i64),
        dtype => {
            let task = DrawReals { out, stream, family, parameters: &parameters };
            dtype.with_float(task).expect("a floating-point type")
        }
    }
}

struct DrawReals<'x, 'a> {
    out: AnyViewMut<'x>,
    stream: RandomStream,
    family: Family,
    parameters: &'a [SequenceReader<'a>],
}

impl<'x> FloatTask for DrawReals<'x, '_> {
    type Output = Written<'x>;

    fn run<T: Element<Wide: Float>>(self) -> Written<'x> {
        draw_blocks(self.out, self.stream, self.family, self.parameters, T::from_f64)
    }
}

/// Draws elements block by block, and prepares a sampler whenever the parameters change.
fn draw_blocks<'x, T: Element>(
    out: AnyViewMut<'x>,
    stream: RandomStream,
    family: Family,
    parameters: &[SequenceReader<'_>],
    convert: impl Fn(f64) -> T + Sync,
) -> Written<'x> {
    let is_constant = parameters.iter().all(SequenceReader::is_constant);
    fill_in_order(out, BLOCK_ELEMENTS, COST, |b, block: &mut [T]| {
        let (first, mut numbers) = (b * BLOCK_ELEMENTS, stream.numbers(b));
        let mut values = [0.0; 3];
        if is_constant {
            for (value, reader) in values.iter_mut().zip(parameters) {
                reader.read(first, std::slice::from_mut(value));
            }
            let sampler = Sampler::new(family, values);
            block.iter_mut().for_each(|x| *x = convert(sampler.draw(&mut numbers)));
            return;
        }
        let columns = read_columns(parameters, first, block.len());
        let mut sampler = None;
        for (i, x) in block.iter_mut().enumerate() {
            let before = values;
            for (value, column) in values.iter_mut().zip(&columns) {
                *value = column[i];
            }
            if sampler.is_none() || values != before {
                sampler = Some(Sampler::new(family, values));
            }
            let sampler = sampler.as_ref().expect("one has just been prepared");
            *x = convert(sampler.draw(&mut numbers));
        }
    })
}

/// Reads `len` values of each parameter, from position `first` on.
fn read_columns(parameters: &[SequenceReader<'_>], first: usize, len: usize) -> Vec<Vec<f64>> {
    let read = |reader: &SequenceReader<'_>| {
        let mut column = scratch_of(0.0, len);
        reader.read(first, &mut column);
        column
    };
    parameters.iter().map(read).collect()
}

/// Returns the first parameters, element by element, that violate what the family needs.
pub(crate) fn find_violation<const N: usize>(
    family: Family,
    parameters: [AnyView<'_>; N],
) -> Option<(&'static str, f64)> {
    let len = parameters.first().map_or(1, |it| it.layout().len());
    let readers = parameters.map(SequenceReader::new);
    let is_constant = readers.iter().all(SequenceReader::is_constant);
    let len = if is_constant { len.min(1) } else { len };
    (0..len).step_by(BLOCK_ELEMENTS).find_map(|first| {
        let columns = read_columns(&readers, first, BLOCK_ELEMENTS.min(len - first));
        (0..BLOCK_ELEMENTS.min(len - first)).find_map(|i| {
            let mut values = [0.0; 3];
            values.iter_mut().zip(&columns).for_each(|(value, column)| *value = column[i]);
            family.violation(values)
        })
    })
}

/// The division of rows into blocks, and how many parts of the stream each of these takes.
fn row_blocks(row_len: usize) -> (usize, usize) {
    let block_len = row_len.max(1) * (BLOCK_ELEMENTS / row_len.max(1)).max(1);
    (block_len, block_len.div_ceil(BLOCK_ELEMENTS))
}

/// Returns how many elements the stream advances by when rows of a total of `len` elements are drawn.
pub(crate) fn stream_len_of_rows(len: usize, row_len: usize) -> usize {
    let (block_len, parts) = row_blocks(row_len);
    len.div_ceil(block_len).saturating_mul(parts).saturating_mul(BLOCK_ELEMENTS)
}

/// Draws rows of `row_len` elements, the last axis of the view: `int64` for counts and orders, else `float64`. The
/// parameters are views of `float64` of the same shape.
pub(crate) fn draw_rows<'x, const N: usize>(
    out: AnyViewMut<'x>,
    stream: RandomStream,
    family: RowFamily<'_>,
    row_len: usize,
    parameters: [AnyView<'_>; N],
) -> Written<'x> {
    let parameters = parameters.map(SequenceReader::new);
    let rows = Rows { stream, row_len, parameters: &parameters };
    match family {
        RowFamily::Dirichlet => rows.fill(out, |numbers, columns, row| {
            dirichlet(numbers, columns[0], row);
        }),
        RowFamily::Multinomial => rows.fill(out, |numbers, columns, row| {
            multinomial(numbers, columns[0].first().copied().unwrap_or(0.0), columns[1], row);
        }),
        RowFamily::MultivariateHypergeometric => rows.fill(out, |numbers, columns, row| {
            let n_drawn = columns[0].first().copied().unwrap_or(0.0);
            multivariate_hypergeometric(numbers, n_drawn, columns[1], row);
        }),
        RowFamily::MultivariateNormal { mean, columns } => {
            rows.fill(out, |numbers, _, row| multivariate_normal(numbers, mean, columns, row))
        }
        RowFamily::Order => rows.fill(out, |numbers, _, row| shuffled_positions(numbers, row)),
    }
}

/// Rows to be drawn.
struct Rows<'a> {
    stream: RandomStream,
    row_len: usize,
    parameters: &'a [SequenceReader<'a>],
}

impl Rows<'_> {
    /// Fills each row by a function of random numbers and the parameters at its positions.
    fn fill<'x, T: Element>(
        &self,
        out: AnyViewMut<'x>,
        draw: impl Fn(&mut ChaCha8Rng, &[&[f64]], &mut [T]) + Sync,
    ) -> Written<'x> {
        let (block_len, parts) = row_blocks(self.row_len);
        fill_in_order(out, block_len, COST, |b, block: &mut [T]| {
            let mut numbers = self.stream.numbers(b * parts);
            let columns = read_columns(self.parameters, b * block_len, block.len());
            for (i, row) in block.chunks_mut(self.row_len).enumerate() {
                let positions = i * self.row_len..i * self.row_len + row.len();
                let columns: Vec<&[f64]> =
                    columns.iter().map(|it| &it[positions.clone()]).collect();
                draw(&mut numbers, &columns, row);
            }
        })
    }
}

/// Draws proportions that sum to 1: gamma numbers, divided by their sum. Small parameters give numbers that underflow, so
/// these are drawn as logarithms.
fn dirichlet(numbers: &mut ChaCha8Rng, alpha: &[f64], row: &mut [f64]) {
    if alpha.iter().any(|&a| a >= 0.1) {
        for (x, &a) in row.iter_mut().zip(alpha) {
            *x = Gamma::new(a).draw(numbers);
        }
    } else {
        for (x, &a) in row.iter_mut().zip(alpha) {
            *x = Gamma::new(a).draw_log(numbers);
        }
        let greatest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter_mut().for_each(|x| *x = libm::exp(*x - greatest));
    }
    let total = row.iter().sum::<f64>();
    row.iter_mut().for_each(|x| *x /= total);
}

/// Draws counts that sum to `n`: each is binomial, given those before it.
fn multinomial(numbers: &mut ChaCha8Rng, n: f64, chances: &[f64], row: &mut [i64]) {
    let (mut left, mut chance_left) = (n, 1.0f64);
    let last = row.len() - 1;
    for (i, (count, &chance)) in row.iter_mut().zip(chances).enumerate() {
        let drawn = match i == last {
            true => left,
            false => Binomial::new(left, (chance / chance_left).clamp(0.0, 1.0)).draw(numbers),
        };
        *count = drawn as i64;
        left -= drawn;
        chance_left -= chance;
        if left <= 0.0 {
            return;
        }
    }
}

/// Draws how many items of each colour are among `n_drawn`: each is hypergeometric, given those before it.
fn multivariate_hypergeometric(
    numbers: &mut ChaCha8Rng,
    n_drawn: f64,
    colors: &[f64],
    row: &mut [i64],
) {
    let (mut left, mut others) = (n_drawn, colors.iter().sum::<f64>());
    for (count, &color) in row.iter_mut().zip(colors) {
        others -= color;
        let drawn = Hypergeometric::new(color, others, left).draw(numbers);
        *count = drawn as i64;
        left -= drawn;
    }
}

/// Computes `mean + Σ zⱼ columnⱼ` with standard normal `z`.
fn multivariate_normal(numbers: &mut ChaCha8Rng, mean: &[f64], columns: &[f64], row: &mut [f64]) {
    row.copy_from_slice(mean);
    for column in columns.chunks(mean.len().max(1)) {
        let z = normal(numbers);
        row.iter_mut().zip(column).for_each(|(x, &c)| *x += z * c);
    }
}

/// Draws a permutation of the positions of a row, by Fisher–Yates.
fn shuffled_positions(numbers: &mut ChaCha8Rng, row: &mut [i64]) {
    row.iter_mut().zip(0..).for_each(|(x, i)| *x = i);
    for i in 0..row.len() {
        let at = i + Below::new((row.len() - i) as u128).draw(numbers) as usize;
        row.swap(i, at);
    }
}
