//! Derivatives of functions: [`vjp`], [`jvp`], [`jacobian`] and [`hessian`].
//!
//! Forward mode needs no rules of its own: the gradient `Jᵀv` is linear in the seed `v`, so its derivative with respect to
//! `v` in the direction `t` is `J t`. An outer tape records `backward` as a function of `v`; what the inner tape has saved
//! are constants to it. It is exact for every program that has a gradient, and costs a `backward` that is recorded and
//! the `backward` of that.

use crate::backward;
use crate::error::{GradientError, Line};
use crate::results::{Results, to_vec};
use crate::scope::no_tape;
use crate::tape::{Recorded, Tape, check_result};
use belvedere::{Error, StorageId, Tensor};
use std::collections::HashMap;

/// Returns tensors that share no element with each other, nor with `others`: one that does is copied. Gradients belong to
/// memory, so that arguments which share elements would have one gradient, the sum of theirs.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere_grad::separate_arguments;
///
/// let x = tensor![1.0, 2.0, 3.0];
/// let (low, high) = (x.slice(s![..2])?, x.slice(s![1..])?);
/// let separate = separate_arguments(&[&low, &high], &[])?;
/// assert_eq!(separate[0].shares_memory(&low), Some(true)); // itself
/// assert_eq!(separate[1].shares_memory(&low), Some(false)); // a copy
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there is not enough memory for a copy, or copies are forbidden here.
///
/// # Memory
/// Copies the tensors that share elements with earlier ones.
#[track_caller]
pub fn separate_arguments(xs: &[&Tensor], others: &[&Tensor]) -> Result<Vec<Tensor>, Error> {
    let mut by_storage: HashMap<StorageId, Vec<&Tensor>> = HashMap::new();
    for &x in others {
        by_storage.entry(x.storage().id()).or_default().push(x);
    }
    let mut separate = Vec::with_capacity(xs.len());
    for &x in xs {
        let earlier = by_storage.entry(x.storage().id()).or_default();
        let is_shared = earlier.iter().any(|it| it.shares_memory(x) != Some(false));
        separate.push(if is_shared { x.copy()? } else { x.clone() });
        earlier.push(x);
    }
    Ok(separate)
}

/// A function at a point, whose gradients for any number of seeds can be computed. [`vjp`] returns it.
#[derive(Debug)]
pub struct VectorJacobian {
    tape: Tape,
    results: Vec<Tensor>,
    arguments: Vec<Tensor>,
}

impl VectorJacobian {
    /// Returns the gradients of `Σ seed · result` with respect to the arguments. It may be called any number of times.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::vjp;
    ///
    /// let x = tensor![1.0, 2.0];
    /// let (_, pullback) = vjp(|x| x[0].square(), &[&x])?;
    /// for row in 0..2 {
    ///     let seed = Tensor::eye(2, DType::Float64)?.slice(s![row])?;
    ///     assert_eq!(pullback.pull(&[&seed])?[0].to_vec::<f64>()?[row as usize], 2.0 * (row + 1) as f64);
    /// }
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the number of seeds, the shape or the dtype of one is not that of the results; otherwise as for
    /// [`Tape::backward`].
    #[track_caller]
    pub fn pull(&self, seeds: &[&Tensor]) -> Result<Vec<Tensor>, Error> {
        let (needed, given) = (self.results.len(), seeds.len());
        if needed != given {
            return Err(GradientError::TangentCount { needed, given }.into());
        }
        let pairs: Vec<_> = self.results.iter().zip(seeds.iter().copied()).collect();
        let grads = self.tape.backward_from(&pairs)?;
        self.arguments.iter().map(|x| grads.wrt(x)).collect()
    }
}

/// Returns a new tape that watches copies of `xs` where they share elements, with these.
fn watch(xs: &[&Tensor], tape: Tape) -> Result<(Tape, Vec<Tensor>), Error> {
    let arguments = separate_arguments(xs, &[])?;
    for x in &arguments {
        tape.watch(x)?;
    }
    Ok((tape, arguments))
}

/// Returns the value of a function, and its product of seeds and the Jacobian: reverse mode.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere_grad::vjp;
///
/// let (x, y) = (tensor![1.0, 2.0], tensor![3.0, 4.0]);
/// let (value, pullback) = vjp(|it| it[0].mul(&it[1]), &[&x, &y])?;
/// assert_eq!(value.to_vec::<f64>()?, [3.0, 8.0]);
/// let gradients = pullback.pull(&[&tensor![1.0, 10.0]])?;
/// assert_eq!(gradients[0].to_vec::<f64>()?, [3.0, 40.0]);
/// assert_eq!(gradients[1].to_vec::<f64>()?, [1.0, 20.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If `f` fails, or an argument is not of a real floating-point dtype.
///
/// # Memory
/// Arguments that share elements with others are copied ([`separate_arguments`]): each has a gradient of its own.
#[track_caller]
pub fn vjp<R: Results>(
    f: impl FnOnce(&[Tensor]) -> Result<R, Error>,
    xs: &[&Tensor],
) -> Result<(R, VectorJacobian), Error> {
    let (tape, arguments) = watch(xs, Tape::persistent())?;
    let value = tape.record(|| f(&arguments))?;
    let results = to_vec(&value);
    Ok((value, VectorJacobian { tape, results, arguments }))
}

/// Returns the value of a function, and its derivative in the direction of tangents: forward mode.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere_grad::jvp;
///
/// let x = tensor![1.0, 2.0, 3.0];
/// let (value, tangent) = jvp(
///     |x| {
///         let y = x[0].copy()?;
///         y.slice(s![1..])?.mul_assign(&x[0].slice(s![..2])?)?; // a write through a view
///         Ok(y)
///     },
///     &[&x],
///     &[&tensor![1.0, 0.0, 0.0]],
/// )?;
/// assert_eq!(value.to_vec::<f64>()?, [1.0, 2.0, 6.0]);
/// assert_eq!(tangent.to_vec::<f64>()?, [1.0, 2.0, 0.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If `f` fails, a tangent has not the shape and dtype of its argument, or a derivative rule uses an operation that
/// cannot be differentiated.
///
/// # Memory
/// As for [`vjp`].
#[track_caller]
pub fn jvp<R: Results>(
    f: impl FnOnce(&[Tensor]) -> Result<R, Error>,
    xs: &[&Tensor],
    tangents: &[&Tensor],
) -> Result<(R, R), Error> {
    let (tape, arguments) = watch(xs, Tape::new())?;
    let sources: Vec<&Tensor> = arguments.iter().collect();
    check_tangents(&sources, tangents)?;
    let value = tape.record(|| f(&arguments))?;
    let tangents = tape.jvp(&value.tensors(), &sources, tangents)?;
    Ok((value, R::from_tensors(tangents)))
}

/// Returns the Jacobian of a function with respect to each argument: tensors of the shape of the result, followed by that
/// of the argument.
///
/// It costs a `backward` for each element of the result, or of the arguments if those are fewer.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere_grad::jacobian;
///
/// let jacobian = jacobian(|x| x[0].cumulative_prod(0), &[&tensor![2.0, 3.0]])?;
/// assert_eq!(jacobian[0].to_vec::<f64>()?, [1.0, 0.0, 3.0, 2.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If `f` fails, or an argument or the result is not of a real floating-point dtype.
///
/// # Memory
/// As for [`vjp`].
#[track_caller]
pub fn jacobian(
    f: impl FnOnce(&[Tensor]) -> Result<Tensor, Error>,
    xs: &[&Tensor],
) -> Result<Vec<Tensor>, Error> {
    let (tape, arguments) = watch(xs, Tape::new())?;
    let value = tape.record(|| f(&arguments))?;
    let mut blocks = tape.jacobian(&[&value], &arguments.iter().collect::<Vec<_>>())?;
    Ok(blocks.swap_remove(0))
}

/// Returns the second derivatives of a function with a single element: for each pair of arguments a tensor of both shapes.
///
/// It costs a `backward` through the gradient for each element of the arguments.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere_grad::hessian;
///
/// let hessian = hessian(|x| x[0].prod(()), &[&tensor![2.0, 3.0, 4.0]])?;
/// assert_eq!(hessian[0][0].to_vec::<f64>()?, [0.0, 4.0, 3.0, 4.0, 0.0, 2.0, 3.0, 2.0, 0.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If `f` fails, or an argument or the result is not of a real floating-point dtype.
///
/// # Memory
/// As for [`vjp`].
#[track_caller]
pub fn hessian(
    f: impl FnOnce(&[Tensor]) -> Result<Tensor, Error>,
    xs: &[&Tensor],
) -> Result<Vec<Vec<Tensor>>, Error> {
    let (outer, arguments) = watch(xs, Tape::new())?;
    let sources: Vec<&Tensor> = arguments.iter().collect();
    let gradients = outer.record(|| {
        let inner = Tape::new();
        for x in &arguments {
            inner.watch(x)?;
        }
        let value = inner.record(|| f(&arguments))?;
        let grads = inner.backward(&value)?;
        arguments.iter().map(|x| grads.wrt(x)).collect::<Result<Vec<_>, Error>>()
    })?;
    outer.jacobian(&gradients.iter().collect::<Vec<_>>(), &sources)
}

/// Checks that tangents have the shapes and dtypes of tensors that share no elements.
fn check_tangents(sources: &[&Tensor], tangents: &[&Tensor]) -> Result<(), Error> {
    let (needed, given) = (sources.len(), tangents.len());
    if needed != given {
        return Err(GradientError::TangentCount { needed, given }.into());
    }
    for (at, (x, tangent)) in sources.iter().zip(tangents).enumerate() {
        let (needed, given) = ((x.shape(), x.dtype()), (tangent.shape(), tangent.dtype()));
        if needed != given {
            return Err(GradientError::Tangent { at, needed, given }.into());
        }
        let shares = |it: &&Tensor| it.shares_memory(x) != Some(false);
        if let Some(first) = sources[..at].iter().position(shares) {
            let shapes = (sources[first].shape(), x.shape());
            return Err(GradientError::SharedSources { at: (first, at), shapes }.into());
        }
    }
    Ok(())
}

/// The gradients of sources as functions of the seeds of results, recorded by a tape of their own.
struct Transposed {
    tape: Tape,
    /// A seed for each result that has a gradient.
    seeds: Vec<Option<Tensor>>,
    gradients: Vec<Tensor>,
}

impl Transposed {
    /// Returns the derivatives of the results in the direction of tangents of some sources.
    fn push(
        &self,
        results: &[&Tensor],
        tangents: &[(usize, &Tensor)],
    ) -> Result<Vec<Tensor>, Error> {
        let pairs = tangents.iter().map(|(at, tangent)| (&self.gradients[*at], *tangent));
        // A gradient that does not depend on the seeds is zero.
        let pairs: Vec<_> = pairs.filter(|(gradient, _)| self.tape.tracks(gradient)).collect();
        let grads = match pairs.is_empty() {
            true => None,
            false => Some(self.tape.backward_from(&pairs)?),
        };
        let tangent = |(y, seed): (&&Tensor, &Option<Tensor>)| match (&grads, seed) {
            (Some(grads), Some(seed)) => grads.wrt(seed),
            _ => Tensor::zeros(y.shape(), y.dtype()),
        };
        results.iter().zip(&self.seeds).map(tangent).collect()
    }
}

/// Returns a tensor of zeros with a one at a position in row-major order.
fn unit(like: &Tensor, at: usize) -> Result<Tensor, Error> {
    let unit = Tensor::zeros([like.len()], like.dtype())?;
    unit.narrow(0, at, 1)?.fill(1.0)?;
    unit.reshape(like.shape())
}

impl Tape {
    /// Returns the derivatives of results in the direction of tangents of watched tensors: forward mode. It consumes what
    /// was recorded, unless the tape is persistent. A result that was not computed from watched tensors has the derivative zero.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (tensor![1.0, 2.0], Tape::new());
    /// tape.watch(&x)?;
    /// let y = tape.record(|| x.square())?;
    /// let tangents = tape.jvp(&[&y], &[&x], &[&tensor![1.0, 10.0]])?;
    /// assert_eq!(tangents[0].to_vec::<f64>()?, [2.0, 40.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a tangent has not the shape and dtype of its tensor, two tensors share elements, or a derivative rule uses an
    /// operation that cannot be differentiated; otherwise as for [`Tape::backward`].
    #[track_caller]
    pub fn jvp(
        &self,
        results: &[&Tensor],
        sources: &[&Tensor],
        tangents: &[&Tensor],
    ) -> Result<Vec<Tensor>, Error> {
        check_tangents(sources, tangents)?;
        let tangents: Vec<_> = tangents.iter().copied().enumerate().collect();
        self.transpose(results, sources)?.push(results, &tangents)
    }

    /// Records the gradients of sources as functions of the seeds of results.
    #[track_caller]
    fn transpose(&self, results: &[&Tensor], sources: &[&Tensor]) -> Result<Transposed, Error> {
        let tape = Tape::persistent().with_anomalies_if(self.finds_anomalies());
        let (mut seeds, line) = (Vec::with_capacity(results.len()), Line::here());
        for y in results {
            check_result(y, &line)?;
            let seed = self.tracks(y).then(|| Tensor::zeros(y.shape(), y.dtype())).transpose()?;
            seed.iter().try_for_each(|it| tape.watch(it))?;
            seeds.push(seed);
        }
        let pairs = results.iter().zip(&seeds).filter_map(|(y, seed)| Some((*y, seed.as_ref()?)));
        let pairs: Vec<_> = pairs.collect();
        let gradients = tape.record(|| {
            let grads = self.backward_from(&pairs)?;
            sources.iter().map(|x| grads.wrt(x)).collect::<Result<Vec<_>, Error>>()
        })?;
        Ok(Transposed { tape, seeds, gradients })
    }

    /// Returns the Jacobian of each result with respect to each of some watched tensors: tensors of the shape of the result,
    /// followed by that of the watched tensor, and of the dtype of the result. It consumes what was recorded, unless the
    /// tape is persistent.
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere_grad::Tape;
    ///
    /// let (x, tape) = (tensor![1.0, 2.0], Tape::new());
    /// tape.watch(&x)?;
    /// let y = tape.record(|| x.mul(&x.flip([0])?))?;
    /// let jacobian = &tape.jacobian(&[&y], &[&x])?[0][0];
    /// assert_eq!(jacobian.to_vec::<f64>()?, [2.0, 1.0, 2.0, 1.0]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a tensor is complex; otherwise as for [`Tape::backward`].
    #[track_caller]
    pub fn jacobian(
        &self,
        results: &[&Tensor],
        sources: &[&Tensor],
    ) -> Result<Vec<Vec<Tensor>>, Error> {
        let line = Line::here();
        for x in results.iter().chain(sources) {
            check_result(x, &line)?;
            if x.dtype().is_complex() {
                return Err(GradientError::ComplexJacobian { dtype: x.dtype() }.into());
            }
        }
        let mut blocks = Vec::with_capacity(results.len());
        for y in results {
            let block =
                |x: &&Tensor| Tensor::zeros([&y.shape()[..], &x.shape()[..]].concat(), y.dtype());
            blocks.push(sources.iter().map(block).collect::<Result<Vec<_>, _>>()?);
        }
        let n_elements = |all: &[&Tensor]| all.iter().map(|it| it.len()).sum::<usize>();
        match n_elements(results) <= n_elements(sources) {
            true => self.fill_rows(results, sources, &blocks)?,
            false => self.fill_columns(results, sources, &blocks)?,
        }
        Ok(blocks)
    }

    /// Computes a Jacobian row by row, in reverse mode.
    #[track_caller]
    fn fill_rows(
        &self,
        results: &[&Tensor],
        sources: &[&Tensor],
        blocks: &[Vec<Tensor>],
    ) -> Result<(), Error> {
        let tracked: Vec<&Tensor> = results.iter().copied().filter(|y| self.tracks(y)).collect();
        let recorded = self.take(&tracked, &Line::here())?;
        let filled = (|| {
            for (y, blocks) in results.iter().zip(blocks) {
                // The others do not depend on the sources.
                if recorded.tracked.contains_key(&y.storage().id()) {
                    fill_rows_of(y, sources, blocks, (&recorded, self.finds_anomalies()))?;
                }
            }
            Ok(())
        })();
        self.put_back(recorded.entries);
        filled
    }

    /// Computes a Jacobian column by column, in forward mode.
    #[track_caller]
    fn fill_columns(
        &self,
        results: &[&Tensor],
        sources: &[&Tensor],
        blocks: &[Vec<Tensor>],
    ) -> Result<(), Error> {
        let transposed = self.transpose(results, sources)?;
        for (k, x) in sources.iter().enumerate() {
            for at in 0..x.len() {
                let columns = transposed.push(results, &[(k, &unit(x, at)?)])?;
                for (n, (y, column)) in results.iter().zip(&columns).enumerate() {
                    let block = blocks[n][k].reshape([y.len(), x.len()])?;
                    block.select(1, at as isize)?.copy_from(&column.reshape([y.len()])?)?;
                }
            }
        }
        Ok(())
    }
}

/// Computes the rows of the Jacobian of one result.
fn fill_rows_of(
    y: &Tensor,
    sources: &[&Tensor],
    blocks: &[Tensor],
    (recorded, finds_anomalies): (&Recorded, bool),
) -> Result<(), Error> {
    for at in 0..y.len() {
        let seed = no_tape(|| unit(y, at))?;
        let tracked = recorded.tracked.clone();
        let seeds = [(y, &seed)];
        let grads = backward::run_keeping(&recorded.entries, tracked, &seeds, finds_anomalies)?;
        for (x, block) in sources.iter().zip(blocks) {
            let row = grads.wrt(x)?.astype(y.dtype())?.reshape([x.len()])?;
            block.reshape([y.len(), x.len()])?.select(0, at as isize)?.copy_from(&row)?;
        }
    }
    Ok(())
}
