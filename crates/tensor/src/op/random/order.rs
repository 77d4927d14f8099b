//! Permutations, shuffles and choices.

use super::Generator;
use super::arguments::{check, integers};
use crate::feature::Feature;
use crate::kernel::random::{choose, choose_weighted, draw_weighted, order, permute, shuffle};
use crate::op::execute::{InputIsOutput, compute_into, compute_new};
use crate::storage::creates_meta;
use crate::trace::{Call, composite, composite_into};
use crate::{DType, Error, Integers, Layout, Tensor};

impl Generator {
    /// Draws a permutation of `0..n`.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// let mut order = Generator::new(1).permutation(5)?.to_vec::<i64>()?;
    /// order.sort();
    /// assert_eq!(order, [0, 1, 2, 3, 4]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn permutation(&mut self, n: usize) -> Result<Tensor, Error> {
        let params = [("n", n.into())];
        let call = Call::new("permutation").with(&params);
        Feature::RANDOM.require(call.op)?;
        let result = composite(call, &[], || match creates_meta() {
            true => Tensor::meta_in(Layout::row_major(&[n])?, DType::Int64),
            false => Tensor::from_vec(order(self.next, n)?, [n]),
        })?;
        self.advance(n);
        Ok(result)
    }

    /// Returns a tensor with the positions along an axis in random order: the rows of a matrix for axis 0.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = tensor![[1, 2], [3, 4], [5, 6]];
    /// let y = Generator::new(1).permutation_of(&x, 0)?;
    /// assert!(y.rows()?.all(|row| row.get::<i32>(&[1]).unwrap() % 2 == 0));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist, or there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn permutation_of(&mut self, x: &Tensor, axis: isize) -> Result<Tensor, Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("permutation").with(&params);
        let axis = x.layout().resolve_axis(axis)?;
        let n = x.shape()[axis];
        let order = self.order_for(call.op, x, n)?;
        let layout = Layout::row_major(&x.shape())?;
        let result = compute_new(call, layout, x.dtype(), &[x.into()], |out, [view]| {
            permute(out, &view, axis, &order)
        })?;
        self.advance(n);
        Ok(result)
    }

    /// Shuffles the positions along an axis in place. A seed gives the same order as
    /// [`Generator::permutation_of`].
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let cards = Tensor::arange(0..52)?;
    /// Generator::new(1).shuffle(&cards, 0)?;
    /// assert_eq!(cards.sum(())?.item::<i64>()?, 51 * 52 / 2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the axis does not exist, the tensor is read-only, or there is not enough memory.
    ///
    /// # Memory
    /// Never copies the tensor; copies one lane at a time for each thread. Without enough memory nothing is changed.
    #[track_caller]
    pub fn shuffle(&mut self, x: &Tensor, axis: isize) -> Result<(), Error> {
        let params = [("axis", axis.into())];
        let call = Call::new("shuffle").with(&params);
        let axis = x.layout().resolve_axis(axis)?;
        let n = x.shape()[axis];
        let order = self.order_for(call.op, x, n)?;
        composite_into(call, &[x.into()], x.into(), |out| {
            compute_into(call, out, &[], InputIsOutput::InPlace, |out, []| {
                shuffle(out, axis, &order)
            })
        })?;
        self.advance(n);
        Ok(())
    }

    /// Draws from `0..n` with or without replacement, with probabilities proportional to `weights`, or uniformly.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// let mut generator = Generator::new(1);
    /// let hand = generator.choice(52, [5], false, None)?.to_vec::<i64>()?;
    /// assert!((1..5).all(|i| !hand[..i].contains(&hand[i])));
    /// let coin = generator.choice(2, [100], true, Some(&[0.0, 3.0]))?;
    /// assert_eq!(coin.to_vec::<i64>()?, [1; 100]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `n` is 0, or there are too few numbers to draw from without `replace`; if a weight is negative, there are not
    /// `n` weights, or their sum is not finite and positive; or there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn choice(
        &mut self,
        n: usize,
        shape: impl Integers,
        replace: bool,
        weights: Option<&[f64]>,
    ) -> Result<Tensor, Error> {
        let params = [("a", n.into()), ("replace", replace.into())];
        let call = Call::new("choice").with(&params);
        let layout = Layout::row_major(shape)?;
        composite(call, &[], || self.draw_choice(call, n, layout, replace, weights))
    }

    /// Draws the order in which the positions of an axis of `x` are taken; none if it has no memory.
    fn order_for(&self, op: &'static str, x: &Tensor, n: usize) -> Result<Vec<i64>, Error> {
        if x.storage().is_meta() {
            return Ok(Vec::new());
        }
        Feature::RANDOM.require(op)?;
        order(self.next, n)
    }

    /// Draws from `0..n` into a new tensor.
    fn draw_choice(
        &mut self,
        call: Call<'_>,
        n: usize,
        layout: Layout,
        replace: bool,
        weights: Option<&[f64]>,
    ) -> Result<Tensor, Error> {
        let (op, count, shape) = (call.op, layout.len(), layout.shape());
        let sums = weights.map(|weights| running_totals(op, weights, n)).transpose()?;
        check(op, "at least one number to choose from", 0, n > 0 || count == 0)?;
        let n_possible =
            weights.map_or(n, |weights| weights.iter().filter(|&&it| it > 0.0).count());
        let needs = "at most as many draws as numbers to choose from";
        check(op, needs, count, replace || count <= n_possible)?;
        check(op, "fewer than 2^63 numbers to choose from", n, i64::try_from(n).is_ok())?;
        Feature::RANDOM.require(op)?;
        if creates_meta() {
            return Tensor::meta_in(layout, DType::Int64);
        }
        let stream = self.next;
        let result = match (replace, weights, sums) {
            (true, _, Some(sums)) if count > 0 => {
                compute_new(call, layout, DType::Int64, &[], |out, []| {
                    draw_weighted(out, stream, &sums)
                })?
            }
            (true, ..) => {
                let distribution = integers(0, n.max(1) as i128, DType::Int64)?;
                return self.fresh(call, distribution, &*shape, DType::Int64);
            }
            (false, Some(weights), _) => {
                Tensor::from_vec(choose_weighted(stream, weights, count)?, &*shape)?
            }
            (false, None, _) => Tensor::from_vec(choose(stream, n, count)?, &*shape)?,
        };
        // Without weights, only `count` numbers are drawn.
        self.advance(if weights.is_some() { count.max(n) } else { count });
        Ok(result)
    }
}

fn running_totals(op: &'static str, weights: &[f64], n: usize) -> Result<Vec<f64>, Error> {
    if weights.len() != n {
        let (needed, given) = ([n].into(), [weights.len()].into());
        return Err(Error::ShapeMismatch { op, needed, given });
    }
    let mut total = 0.0;
    let mut sums = crate::tensor::reserve(n)?;
    for &weight in weights {
        check(op, "weights of at least 0", weight, weight >= 0.0)?;
        total += weight;
        sums.push(total);
    }
    check(op, "weights with a finite sum above 0", total, total > 0.0 && total.is_finite())?;
    Ok(sums)
}
