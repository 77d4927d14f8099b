//! Random numbers.
//!
//! A [`Generator`] is seeded. The same seed and the same calls give bit-identical numbers on every machine, for every
//! number of threads, and for outputs of any strides, which are filled in index order.
//!
//! The parameters of distributions are numbers, or tensors that broadcast to the shape of the result. The samplers are part of
//! this crate, with the elementary functions of `libm`: those of other crates call the system's, which differ in the last
//! bits, or change between versions.
//!
//! Drawing needs the feature `random`, which is on by default.

mod arguments;
mod continuous;
mod discrete;
mod family;
mod order;
mod rows;
mod state;

use crate::feature::Feature;
use crate::kernel::random::{BLOCK_ELEMENTS, Distribution, Family, RandomStream, draw};
use crate::op::execute::{InputIsOutput, compute_into, compute_new};
use crate::op::operand::Target;
use crate::trace::Call;
use crate::{DType, Error, Integers, Layout, Operand, Tensor};
use arguments::{bernoulli, check_type, exponential, integers, normal, uniform};

/// A pseudorandom number generator: ChaCha with eight rounds.
///
/// It is a key, made from the seed, and a position in the stream of numbers, which each call advances. A clone draws
/// the same numbers. Threads that draw concurrently use generators of their own, from [`Generator::split`] or
/// [`Generator::with_stream`].
///
/// ```
/// use belvedere::{prelude::*, random::Generator};
///
/// let mut generator = Generator::new(7);
/// let mut again = generator.clone();
/// let x = generator.normal(0.0, 1.0, [2, 3], DType::Float32)?;
/// let y = again.normal(0.0, 1.0, [2, 3], DType::Float32)?;
/// assert_eq!(x.to_vec::<f32>()?, y.to_vec::<f32>()?);
/// assert_eq!(generator, again);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    /// The current position.
    next: RandomStream,
}

impl Generator {
    /// Creates a generator from a seed.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// assert_eq!(Generator::new(1), Generator::new(1));
    /// assert_ne!(Generator::new(1), Generator::new(2));
    /// ```
    pub fn new(seed: u64) -> Generator {
        Generator::with_stream(seed, 0)
    }

    /// Creates one of 2⁶⁴ independent generators for a seed, for threads or machines that know their number.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// assert_eq!(Generator::with_stream(1, 0), Generator::new(1));
    /// assert_ne!(Generator::with_stream(1, 5), Generator::new(1));
    /// ```
    pub fn with_stream(seed: u64, stream: u64) -> Generator {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Generator { next: RandomStream { key, number: stream, part: 0 } }
    }

    /// Splits off a generator that is independent of this one and of those split off later.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// let mut generator = Generator::new(1);
    /// let (a, b) = (generator.split(), generator.split());
    /// assert!(a != b && a != generator);
    /// ```
    pub fn split(&mut self) -> Generator {
        let child = RandomStream { key: self.next.child_key(), number: 0, part: 0 };
        self.advance(1);
        Generator { next: child }
    }

    /// Advances past the numbers of `len` elements.
    fn advance(&mut self, len: usize) {
        self.next.part = self.next.part.wrapping_add(len.div_ceil(BLOCK_ELEMENTS) as u64);
    }

    /// Draws a new tensor.
    fn fresh(
        &mut self,
        call: Call<'_>,
        distribution: Distribution,
        shape: impl Integers,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let (layout, stream) = (Layout::row_major(shape)?, self.next);
        Feature::RANDOM.require(distribution.op())?;
        let result =
            compute_new(call, layout, dtype, &[], |out, []| draw(out, stream, distribution))?;
        self.advance(result.len());
        Ok(result)
    }

    /// Draws into an existing output.
    fn write(
        &mut self,
        call: Call<'_>,
        distribution: Distribution,
        out: Target<'_>,
    ) -> Result<(), Error> {
        let (len, stream) = (out.layout().len(), self.next);
        Feature::RANDOM.require(distribution.op())?;
        compute_into(call, out, &[], InputIsOutput::InPlace, |out, []| {
            draw(out, stream, distribution);
        })?;
        self.advance(len);
        Ok(())
    }

    /// Draws uniform numbers from `[0, 1)`: [`Generator::uniform`] with these bounds.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).rand([100], DType::Float64)?;
    /// assert!(x.to_vec::<f64>()?.iter().all(|x| (0.0..1.0).contains(x)));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Generator::uniform`].
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn rand(&mut self, shape: impl Integers, dtype: DType) -> Result<Tensor, Error> {
        check_type("rand", dtype.is_floating(), dtype)?;
        self.uniform(0.0, 1.0, shape, dtype)
    }

    /// Draws standard normal numbers: [`Generator::normal`] with mean 0 and standard deviation 1.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).randn([1000], DType::Float64)?;
    /// assert!(x.mean(())?.item::<f64>()?.abs() < 0.1);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Generator::normal`].
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn randn(&mut self, shape: impl Integers, dtype: DType) -> Result<Tensor, Error> {
        check_type("randn", dtype.is_floating(), dtype)?;
        self.normal(0.0, 1.0, shape, dtype)
    }

    /// Draws uniform numbers from `[low, high)`.
    ///
    /// The bounds are rounded to the dtype first. Fractions of the width have as many binary digits as the dtype, and a
    /// number that would be rounded up to `high` is replaced by the greatest number below it.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).uniform(-2.0, 3.0, [10, 10], DType::Float16)?;
    /// assert!(x.to_vec::<f16>()?.iter().all(|x| (-2.0..3.0).contains(&x.to_f64())));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `low >= high`, a bound or their difference is not finite, the dtype is not real floating-point, or there is not
    /// enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn uniform<'a>(
        &mut self,
        low: impl Into<Operand<'a>>,
        high: impl Into<Operand<'a>>,
        shape: impl Integers,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let (low, high) = (low.into(), high.into());
        let (Some(low), Some(high)) = (low.real_number(), high.real_number()) else {
            let parameters = [("low", low), ("high", high)];
            return self.draw_family("uniform", Family::Uniform, parameters, shape, dtype);
        };
        let params = [("low", low.into()), ("high", high.into())];
        let call = Call::new("uniform").with(&params);
        self.fresh(call, uniform(low, high, dtype)?, shape, dtype)
    }

    /// Fills `out` with [`Generator::uniform`] numbers, in index order.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let (x, mut g) = (Tensor::zeros([2, 3], DType::Float64)?, Generator::new(1));
    /// g.uniform_into(0.0, 1.0, &x)?;
    /// assert!(x.to_vec::<f64>()?.iter().all(|&x| x != 0.0));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Generator::uniform`]; and if `out` is read-only.
    ///
    /// # Memory
    /// Copies nothing.
    #[track_caller]
    pub fn uniform_into<'a>(
        &mut self,
        low: f64,
        high: f64,
        out: impl Into<Target<'a>>,
    ) -> Result<(), Error> {
        let out = out.into();
        let params = [("low", low.into()), ("high", high.into())];
        let call = Call::new("uniform").with(&params);
        self.write(call, uniform(low, high, out.dtype())?, out)
    }

    /// Draws normal numbers.
    ///
    /// They are drawn as `float64` and rounded to the dtype, so that a seed gives the same numbers in all
    /// dtypes.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).normal(100.0, 2.0, [1000], DType::Float32)?;
    /// assert!((x.mean(())?.item::<f32>()? - 100.0).abs() < 0.2);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `mean` or `std` is not finite, `std` is negative, the dtype is not real floating-point, or there is not enough
    /// memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn normal<'a>(
        &mut self,
        mean: impl Into<Operand<'a>>,
        std: impl Into<Operand<'a>>,
        shape: impl Integers,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let (mean, std) = (mean.into(), std.into());
        let (Some(mean), Some(std)) = (mean.real_number(), std.real_number()) else {
            let parameters = [("loc", mean), ("scale", std)];
            return self.draw_family("normal", Family::Normal, parameters, shape, dtype);
        };
        let params = [("loc", mean.into()), ("scale", std.into())];
        let call = Call::new("normal").with(&params);
        self.fresh(call, normal(mean, std, dtype)?, shape, dtype)
    }

    /// Fills `out` with [`Generator::normal`] numbers, in index order.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let (x, mut g) = (Tensor::zeros([2, 3], DType::Float64)?, Generator::new(1));
    /// g.normal_into(0.0, 1.0, &x)?;
    /// assert!(x.to_vec::<f64>()?.iter().all(|&x| x != 0.0));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Generator::normal`]; and if `out` is read-only.
    ///
    /// # Memory
    /// Copies nothing.
    #[track_caller]
    pub fn normal_into<'a>(
        &mut self,
        mean: f64,
        std: f64,
        out: impl Into<Target<'a>>,
    ) -> Result<(), Error> {
        let out = out.into();
        let params = [("loc", mean.into()), ("scale", std.into())];
        let call = Call::new("normal").with(&params);
        self.write(call, normal(mean, std, out.dtype())?, out)
    }

    /// Draws exponential numbers with mean `scale`.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let x = Generator::new(1).exponential(10.0, [1000], DType::Float64)?;
    /// assert!((x.mean(())?.item::<f64>()? - 10.0).abs() < 1.0);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `scale` is negative or not finite, the dtype is not real floating-point, or there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn exponential<'a>(
        &mut self,
        scale: impl Into<Operand<'a>>,
        shape: impl Integers,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let scale = scale.into();
        let Some(scale) = scale.real_number() else {
            let parameters = [("scale", scale)];
            return self.draw_family("exponential", Family::Exponential, parameters, shape, dtype);
        };
        let params = [("scale", scale.into())];
        let call = Call::new("exponential").with(&params);
        self.fresh(call, exponential(scale, dtype)?, shape, dtype)
    }

    /// Fills `out` with [`Generator::exponential`] numbers, in index order.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let (x, mut g) = (Tensor::zeros([2, 3], DType::Float64)?, Generator::new(1));
    /// g.exponential_into(1.0, &x)?;
    /// assert!(x.to_vec::<f64>()?.iter().all(|&x| x != 0.0));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Generator::exponential`]; and if `out` is read-only.
    ///
    /// # Memory
    /// Copies nothing.
    #[track_caller]
    pub fn exponential_into<'a>(
        &mut self,
        scale: f64,
        out: impl Into<Target<'a>>,
    ) -> Result<(), Error> {
        let out = out.into();
        let params = [("scale", scale.into())];
        let call = Call::new("exponential").with(&params);
        self.write(call, exponential(scale, out.dtype())?, out)
    }

    /// Draws uniform integers from `[low, high)`, without bias.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let mut generator = Generator::new(1);
    /// let dice = generator.integers(1, 7, [100], DType::UInt8)?;
    /// assert!(dice.to_vec::<u8>()?.iter().all(|x| (1..=6).contains(x)));
    /// let any = generator.integers(i64::MIN, 1i128 << 63, [2], DType::Int64)?;
    /// assert_eq!(any.shape(), [2]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `low >= high`, the dtype is not an integer or does not have all of these numbers, or there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn integers(
        &mut self,
        low: impl Into<i128>,
        high: impl Into<i128>,
        shape: impl Integers,
        dtype: DType,
    ) -> Result<Tensor, Error> {
        let (low, high): (i128, i128) = (low.into(), high.into());
        let params = [("low", low.into()), ("high", high.into())];
        let call = Call::new("integers").with(&params);
        self.fresh(call, integers(low, high, dtype)?, shape, dtype)
    }

    /// Fills `out` with [`Generator::integers`], in index order.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let (x, mut g) = (Tensor::zeros([2, 3], DType::Int64)?, Generator::new(1));
    /// g.integers_into(1, 7, &x)?;
    /// assert!(x.to_vec::<i64>()?.iter().all(|&x| x != 0));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Generator::integers`]; and if `out` is read-only.
    ///
    /// # Memory
    /// Copies nothing.
    #[track_caller]
    pub fn integers_into<'a>(
        &mut self,
        low: impl Into<i128>,
        high: impl Into<i128>,
        out: impl Into<Target<'a>>,
    ) -> Result<(), Error> {
        let (low, high): (i128, i128) = (low.into(), high.into());
        let out = out.into();
        let params = [("low", low.into()), ("high", high.into())];
        let call = Call::new("integers").with(&params);
        self.write(call, integers(low, high, out.dtype())?, out)
    }

    /// Draws `bool`s that are true with probability `chance`.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// let mask = Generator::new(1).bernoulli(0.25, [1000])?;
    /// assert!((200..300).contains(&mask.to_vec::<bool>()?.iter().filter(|&&x| x).count()));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `chance` is not in `[0, 1]`, or there is not enough memory.
    ///
    /// # Memory
    /// Always allocates a new tensor.
    #[track_caller]
    pub fn bernoulli(&mut self, chance: f64, shape: impl Integers) -> Result<Tensor, Error> {
        let params = [("p", chance.into())];
        let call = Call::new("bernoulli").with(&params);
        self.fresh(call, bernoulli(chance, DType::Bool)?, shape, DType::Bool)
    }

    /// Fills `out`, which must be `bool`, with [`Generator::bernoulli`] values, in index order.
    ///
    /// ```
    /// use belvedere::{prelude::*, random::Generator};
    ///
    /// let mask = Tensor::zeros([3], DType::Bool)?;
    /// Generator::new(1).bernoulli_into(1.0, &mask)?;
    /// assert_eq!(mask.to_vec::<bool>()?, [true; 3]);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Generator::bernoulli`]; and if `out` is read-only.
    ///
    /// # Memory
    /// Copies nothing.
    #[track_caller]
    pub fn bernoulli_into<'a>(
        &mut self,
        chance: f64,
        out: impl Into<Target<'a>>,
    ) -> Result<(), Error> {
        let out = out.into();
        let params = [("p", chance.into())];
        let call = Call::new("bernoulli").with(&params);
        self.write(call, bernoulli(chance, out.dtype())?, out)
    }
}
