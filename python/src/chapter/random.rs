//! The namespace `random`: random number generators.

mod distributions;
pub(crate) mod replay;
mod rows;

use crate::arguments::{
    ArrayArgument, Count, List, Number, Numbers, OperandArgument, ShapeArgument, reserve,
};
use crate::array::Array;
use crate::attach::run_detached;
use crate::dtype::DTypeArgument;
use crate::error::raise;
use belvedere::{DType, Error, Operand, Tensor, broadcast_shapes, random};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use replay::SharedGenerator;
use std::sync::{Arc, Mutex};

/// A random number generator. The same seed and calls give the same numbers on every machine.
///
/// >>> a, b = bv.random.default_rng(7), bv.random.default_rng(7)
/// >>> bool(bv.all(a.random((2, 3)) == b.random((2, 3))))
/// True
#[pyclass(frozen, subclass, module = "belvedere.random")]
pub(crate) struct Generator {
    /// Threads that share a generator take turns, detached from the interpreter.
    ///
    /// `None` is a null pointer. So an object of a subclass that `object.__new__` created, whose bytes are all zero, is valid.
    generator: Option<SharedGenerator>,
}

/// Returns a random number generator; without a seed, seeded by the operating system.
///
/// A seed is an integer that is not negative, or a sequence of them; a generator is returned as it is.
///
/// >>> bv.random.default_rng(1).random(3).shape
/// (3,)
#[pyfunction]
#[pyo3(signature = (seed=None))]
pub(crate) fn default_rng<'py>(
    py: Python<'py>,
    seed: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(seed) = &seed
        && seed.is_instance_of::<Generator>()
    {
        return Ok(seed.clone());
    }
    let generator = Generator::from(random::Generator::new(seed_number(py, seed.as_ref())?));
    Ok(Bound::new(py, generator)?.into_any())
}

/// Returns a seed as a number: an integer below 2^64 as it is, other integers and sequences mixed.
fn seed_number(py: Python<'_>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    let Some(seed) = seed.filter(|it| !it.is_none()) else {
        let bytes = py.import("os")?.call_method1("urandom", (8,))?;
        return Ok(u64::from_le_bytes(bytes.extract()?));
    };
    let index = py.import("operator")?.getattr("index")?;
    let mut words = Vec::new();
    let mut is_sequence = false;
    match index.call1((seed,)) {
        Ok(integer) => append_words(&integer, &mut words)?,
        // An array has the method of an integer, but is one only without axes.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            for item in seed.try_iter()? {
                append_words(&index.call1((item?,))?, &mut words)?;
            }
            is_sequence = true;
        }
        Err(error) => return Err(error),
    }
    match words[..] {
        [word] if !is_sequence => Ok(word),
        _ => {
            let start = mix(u64::from(is_sequence) + 2 * words.len() as u64);
            Ok(words.iter().fold(start, |state, &word| mix(state ^ word)))
        }
    }
}

/// Appends the digits of a Python integer in base 2^64, the lowest first.
fn append_words(integer: &Bound<'_, PyAny>, words: &mut Vec<u64>) -> PyResult<()> {
    if integer.lt(0)? {
        return Err(PyValueError::new_err(format!("a seed must not be negative, got {integer}")));
    }
    let mut rest = integer.clone();
    loop {
        words.push(rest.bitand(u64::MAX)?.extract()?);
        rest = rest.rshift(64)?;
        if !rest.is_truthy()? {
            return Ok(());
        }
    }
}

/// A bijection of 64-bit words in which each bit depends on all of them: the finalizer of SplitMix64.
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl From<random::Generator> for Generator {
    fn from(generator: random::Generator) -> Generator {
        Generator { generator: Some(Arc::new(Mutex::new(generator))) }
    }
}

impl Generator {
    fn draw(
        &self,
        py: Python<'_>,
        operation: impl FnOnce(&mut random::Generator) -> Result<Tensor, Error> + Send,
    ) -> PyResult<Array> {
        self.run(py, operation).map(Array::from)
    }

    /// Runs an operation of the generator, detached from the interpreter.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        operation: impl FnOnce(&mut random::Generator) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let Some(generator) = &self.generator else {
            return Err(PyTypeError::new_err("the object was created without Generator.__new__"));
        };
        run_detached(py, || replay::draw(generator, operation))
    }

    /// The state, from which [`Generator::restore`] makes an equal generator.
    pub(crate) fn state(&self, py: Python<'_>) -> PyResult<[u8; random::Generator::STATE_BYTES]> {
        self.run(py, |it| Ok(it.state()))
    }

    pub(crate) fn restore(state: [u8; random::Generator::STATE_BYTES]) -> Generator {
        random::Generator::from_state(state).into()
    }
}

/// Returns the default of a parameter.
fn number(value: f64) -> OperandArgument {
    OperandArgument::Number(Number::Float(value))
}

/// The shape of a result; without a size, 0-d.
fn shape(size: Option<ShapeArgument>) -> Numbers {
    size.map_or(Numbers::default(), |it| it.0)
}

/// The shape of a result: the given size, or the common shape of the parameters.
fn size_or_common(
    size: Option<ShapeArgument>,
    parameters: &[&OperandArgument],
) -> PyResult<Numbers> {
    if let Some(size) = size {
        return Ok(size.0);
    }
    let shapes: Vec<_> = parameters.iter().map(|&it| Operand::from(it).shape()).collect();
    let shapes: Vec<&[usize]> = shapes.iter().map(|it| &**it).collect();
    let common = broadcast_shapes(&shapes).map_err(|error| raise(Error::from(error)))?;
    Ok(common.iter().map(|&len| len as isize).collect())
}

/// The shape and the dtype of a result: those of an output, if there is one.
fn output_shape(
    size: Option<ShapeArgument>,
    dtype: Option<DTypeArgument>,
    out: Option<&ArrayArgument<'_>>,
) -> PyResult<(Numbers, DType)> {
    let Some(out) = out else { return Ok((shape(size), real(dtype))) };
    let out = out.tensor();
    let own: Numbers = out.shape().iter().map(|&len| len as isize).collect();
    if let Some(size) = size.filter(|it| *it.0 != *own) {
        let (size, own) = (&*size.0, &*own);
        return Err(PyValueError::new_err(format!(
            "size {size:?} is not the shape {own:?} of out"
        )));
    }
    if let Some(DTypeArgument(dtype)) = dtype.filter(|it| it.0 != out.dtype()) {
        let own = out.dtype();
        return Err(PyTypeError::new_err(format!("out must have dtype {dtype}, got {own}")));
    }
    Ok((own, out.dtype()))
}

/// Returns a result as a new array, or writes it to an output and returns that.
fn returned<'py>(
    py: Python<'py>,
    result: Tensor,
    out: Option<ArrayArgument<'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(ArrayArgument(out)) = out else {
        return Ok(Array::from(result).object(py)?.into_any());
    };
    let target = out.get().tensor();
    run_detached(py, || target.copy_from(&result))?;
    Ok(out.into_any())
}

/// The dtype of a result; by default `float64`.
fn real(dtype: Option<DTypeArgument>) -> DType {
    dtype.map_or(DType::Float64, |it| it.0)
}

#[pymethods]
impl Generator {
    #[new]
    #[pyo3(signature = (seed=None))]
    fn new(py: Python<'_>, seed: Option<Bound<'_, PyAny>>) -> PyResult<Generator> {
        Ok(random::Generator::new(seed_number(py, seed.as_ref())?).into())
    }

    /// Starts again from a seed.
    #[pyo3(signature = (seed=None, /))]
    fn _reseed(&self, py: Python<'_>, seed: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let seed = seed_number(py, seed.as_ref())?;
        self.run(py, |it| {
            *it = random::Generator::new(seed);
            Ok(())
        })
    }

    /// Draws bools that are true with probability ``p``.
    ///
    /// >>> bv.random.default_rng(1).bernoulli(1.0, 2)
    /// array([ True,  True])
    #[pyo3(signature = (p=0.5, size=None))]
    fn bernoulli(&self, py: Python<'_>, p: f64, size: Option<ShapeArgument>) -> PyResult<Array> {
        let shape = shape(size);
        self.draw(py, |it| it.bernoulli(p, shape))
    }

    /// Draws elements of an array along an axis, or integers below a number.
    ///
    /// ``p`` holds the probabilities of the elements. With ``replace=False`` each is drawn at most once.
    ///
    /// >>> bv.sort(bv.random.default_rng(1).choice(3, 3, replace=False))
    /// array([0, 1, 2])
    #[pyo3(signature = (a, size=None, replace=true, p=None, axis=0, shuffle=true))]
    #[expect(clippy::too_many_arguments, reason = "the parameters of NumPy's method")]
    fn choice(
        &self,
        py: Python<'_>,
        a: PopulationArgument<'_>,
        size: Option<ShapeArgument>,
        replace: bool,
        p: Option<List<f64>>,
        axis: isize,
        shuffle: bool,
    ) -> PyResult<Array> {
        // Draws without replacement are in random order anyway.
        let _ = shuffle;
        let (shape, p) = (shape(size), p.as_ref().map(|it| &it.0[..]));
        let array = match &a {
            PopulationArgument::Count(Count(n)) => {
                return self.draw(py, |it| it.choice(*n, shape, replace, p));
            }
            PopulationArgument::Array(array) => array.tensor(),
        };
        if array.rank() == 0 {
            return Err(PyTypeError::new_err("cannot choose from a 0-d array"));
        }
        self.draw(py, |it| {
            let n = array.shape()[array.layout().resolve_axis(axis)?];
            array.take(&it.choice(n, shape, replace, p)?, axis)
        })
    }

    /// Draws from an exponential distribution with mean ``scale``.
    ///
    /// >>> bv.random.default_rng(1).exponential(2.0, (2, 3)).shape
    /// (2, 3)
    #[pyo3(
        signature = (scale=number(1.0), size=None, *, dtype=None),
        text_signature = "($self, scale=1.0, size=None, *, dtype=None)"
    )]
    fn exponential(
        &self,
        py: Python<'_>,
        scale: OperandArgument,
        size: Option<ShapeArgument>,
        dtype: Option<DTypeArgument>,
    ) -> PyResult<Array> {
        let (shape, dtype) = (size_or_common(size, &[&scale])?, real(dtype));
        self.draw(py, |it| it.exponential(&scale, shape, dtype))
    }

    /// Draws integers from ``low`` to ``high``, exclusive unless ``endpoint``; with one argument, from 0.
    ///
    /// >>> bv.random.default_rng(1).integers(5, 6, 3)
    /// array([5, 5, 5])
    #[pyo3(signature = (low, high=None, size=None, dtype=None, endpoint=false))]
    fn integers(
        &self,
        py: Python<'_>,
        low: BoundArgument<'_>,
        high: Option<BoundArgument<'_>>,
        size: Option<ShapeArgument>,
        dtype: Option<DTypeArgument>,
        endpoint: bool,
    ) -> PyResult<Array> {
        let dtype = dtype.map_or(DType::Int64, |it| it.0);
        let (low, high) = match high {
            Some(high) => (low, high),
            None => (BoundArgument::Integer(0), low),
        };
        if let (BoundArgument::Integer(low), BoundArgument::Integer(high)) = (&low, &high) {
            let (high, shape) = (high.saturating_add(i128::from(endpoint)), shape(size));
            return self.draw(py, |it| it.integers(*low, high, shape, dtype));
        }
        let (low, high) = (low.operand()?, high.operand()?);
        let shape = size_or_common(size, &[&low, &high])?;
        self.draw(py, |it| {
            let low = Operand::from(&low).add(0)?.astype(DType::Int64)?;
            let high = Operand::from(&high).add(i64::from(endpoint))?.astype(DType::Int64)?;
            if !low.is_empty() && !high.is_empty() {
                // Drawing none checks that the dtype has all of the integers.
                let bounds = (low.min(())?.item::<i64>()?, high.max(())?.item::<i64>()?);
                it.integers(bounds.0, bounds.1, [0usize; 1], dtype)?;
            }
            it.integers_between(&low, &high, shape)?.astype(dtype)
        })
    }

    /// Draws from a normal distribution with mean ``loc`` and standard deviation ``scale``.
    ///
    /// >>> bv.random.default_rng(1).normal(10.0, 0.0, 2)
    /// array([10., 10.])
    #[pyo3(
        signature = (loc=number(0.0), scale=number(1.0), size=None, *, dtype=None),
        text_signature = "($self, loc=0.0, scale=1.0, size=None, *, dtype=None)"
    )]
    fn normal(
        &self,
        py: Python<'_>,
        loc: OperandArgument,
        scale: OperandArgument,
        size: Option<ShapeArgument>,
        dtype: Option<DTypeArgument>,
    ) -> PyResult<Array> {
        let (shape, dtype) = (size_or_common(size, &[&loc, &scale])?, real(dtype));
        self.draw(py, |it| it.normal(&loc, &scale, shape, dtype))
    }

    /// Returns an array shuffled along an axis, or a permutation of ``x`` integers.
    ///
    /// >>> bv.sort(bv.random.default_rng(1).permutation(4))
    /// array([0, 1, 2, 3])
    #[pyo3(signature = (x, axis=0))]
    fn permutation(
        &self,
        py: Python<'_>,
        x: PopulationArgument<'_>,
        axis: isize,
    ) -> PyResult<Array> {
        match &x {
            PopulationArgument::Count(Count(n)) => self.draw(py, |it| it.permutation(*n)),
            PopulationArgument::Array(array) => {
                let x = array.tensor();
                self.draw(py, |it| it.permutation_of(x, axis))
            }
        }
    }

    /// Draws from the uniform distribution on the half-open interval [0, 1).
    ///
    /// >>> bv.random.default_rng(1).random((2, 3), dtype=bv.float32).dtype
    /// belvedere.float32
    #[pyo3(signature = (size=None, dtype=None, out=None))]
    fn random<'py>(
        &self,
        py: Python<'py>,
        size: Option<ShapeArgument>,
        dtype: Option<DTypeArgument>,
        out: Option<ArrayArgument<'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (shape, dtype) = output_shape(size, dtype, out.as_ref())?;
        let result = self.run(py, |it| it.rand(shape, dtype))?;
        returned(py, result, out)
    }

    /// Shuffles an array along an axis in place.
    ///
    /// >>> x = bv.asarray([1, 1, 1])
    /// >>> bv.random.default_rng(1).shuffle(x)
    /// >>> x
    /// array([1, 1, 1])
    #[pyo3(signature = (x, axis=0))]
    fn shuffle(&self, py: Python<'_>, x: ArrayArgument<'_>, axis: isize) -> PyResult<()> {
        let x = x.tensor();
        self.run(py, |it| it.shuffle(x, axis))
    }

    /// Returns independent generators, for example for threads.
    ///
    /// >>> len(bv.random.default_rng(1).spawn(3))
    /// 3
    #[pyo3(signature = (n, /))]
    fn spawn(&self, py: Python<'_>, n: Count) -> PyResult<Vec<Generator>> {
        let mut spawned = Vec::new();
        reserve(&mut spawned, n.0)?;
        self.run(py, |it| {
            spawned.extend((0..n.0).map(|_| it.split().into()));
            Ok(spawned)
        })
    }

    /// Draws from the standard normal distribution.
    ///
    /// >>> bv.random.default_rng(1).standard_normal((2, 3)).shape
    /// (2, 3)
    #[pyo3(signature = (size=None, dtype=None, out=None))]
    fn standard_normal<'py>(
        &self,
        py: Python<'py>,
        size: Option<ShapeArgument>,
        dtype: Option<DTypeArgument>,
        out: Option<ArrayArgument<'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (shape, dtype) = output_shape(size, dtype, out.as_ref())?;
        let result = self.run(py, |it| it.randn(shape, dtype))?;
        returned(py, result, out)
    }

    /// Draws from the uniform distribution on the half-open interval [``low``, ``high``).
    ///
    /// >>> bv.random.default_rng(1).uniform(-1.0, 1.0, (2, 3)).shape
    /// (2, 3)
    #[pyo3(
        signature = (low=number(0.0), high=number(1.0), size=None, *, dtype=None),
        text_signature = "($self, low=0.0, high=1.0, size=None, *, dtype=None)"
    )]
    fn uniform(
        &self,
        py: Python<'_>,
        low: OperandArgument,
        high: OperandArgument,
        size: Option<ShapeArgument>,
        dtype: Option<DTypeArgument>,
    ) -> PyResult<Array> {
        let (shape, dtype) = (size_or_common(size, &[&low, &high])?, real(dtype));
        // The interval of equal bounds is empty, but NumPy draws the bound.
        if let (OperandArgument::Number(low), OperandArgument::Number(high)) = (&low, &high)
            && let (Some(low), Some(high)) = (low.real(), high.real())
            && low == high
        {
            return self.draw(py, |it| it.normal(low, 0.0, shape, dtype));
        }
        self.draw(py, |it| it.uniform(&low, &high, shape, dtype))
    }

    /// Returns a generator that continues with the same numbers.
    fn __copy__(&self, py: Python<'_>) -> PyResult<Generator> {
        self.run(py, |it| Ok(it.clone().into()))
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Generator> {
        self.__copy__(py)
    }

    fn __repr__(&self) -> &'static str {
        "Generator()"
    }
}

/// A population: the integers below a number, or an array.
#[derive(FromPyObject)]
enum PopulationArgument<'py> {
    #[pyo3(transparent)]
    Count(Count),
    #[pyo3(transparent)]
    Array(ArrayArgument<'py>),
}

/// A bound of integers: an integer, or an array of them.
#[derive(FromPyObject)]
enum BoundArgument<'py> {
    #[pyo3(transparent)]
    Integer(i128),
    #[pyo3(transparent)]
    Array(ArrayArgument<'py>),
}

impl BoundArgument<'_> {
    fn operand(self) -> PyResult<OperandArgument> {
        match self {
            BoundArgument::Integer(value) => Ok(OperandArgument::Number(Number::Int(value))),
            BoundArgument::Array(array) if array.tensor().dtype().is_integer() => {
                Ok(OperandArgument::Array(array.0.unbind()))
            }
            BoundArgument::Array(array) => {
                let dtype = array.tensor().dtype();
                Err(PyTypeError::new_err(format!(
                    "the bounds of integers must be integers, got {dtype}"
                )))
            }
        }
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Generator>()
}
