//! The namespace `random`: random number generators.

use crate::arguments::{ArrayArgument, Count, Numbers, ShapeArgument};
use crate::array::Array;
use crate::attach::run_detached;
use crate::dtype::DTypeArgument;
use belvedere::{DType, Error, Tensor, random};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// A random number generator. The same seed and calls give the same numbers on every machine.
///
/// >>> a, b = bv.random.default_rng(7), bv.random.default_rng(7)
/// >>> bool(bv.all(a.random((2, 3)) == b.random((2, 3))))
/// True
#[pyclass(frozen, module = "belvedere.random")]
pub(crate) struct Generator {
    /// Threads that share a generator take turns, detached from the interpreter.
    generator: Mutex<random::Generator>,
}

/// Returns a random number generator; without a seed, seeded by the operating system.
///
/// >>> bv.random.default_rng(1).random(3).shape
/// (3,)
#[pyfunction]
#[pyo3(signature = (seed=None))]
pub(crate) fn default_rng(py: Python<'_>, seed: Option<u64>) -> PyResult<Generator> {
    let seed = match seed {
        Some(seed) => seed,
        None => u64::from_le_bytes(py.import("os")?.call_method1("urandom", (8,))?.extract()?),
    };
    Ok(random::Generator::new(seed).into())
}

impl From<random::Generator> for Generator {
    fn from(generator: random::Generator) -> Generator {
        Generator { generator: Mutex::new(generator) }
    }
}

impl Generator {
    fn draw(
        &self,
        py: Python<'_>,
        operation: impl FnOnce(&mut random::Generator) -> Result<Tensor, Error> + Send,
    ) -> PyResult<Array> {
        run_detached(py, || operation(&mut self.lock())).map(Array::from)
    }

    /// The state, from which [`Generator::restore`] makes an equal generator.
    pub(crate) fn state(&self) -> [u8; random::Generator::STATE_BYTES] {
        self.lock().state()
    }

    pub(crate) fn restore(state: [u8; random::Generator::STATE_BYTES]) -> Generator {
        random::Generator::from_state(state).into()
    }

    /// Locks the generator. A panic during a draw leaves it valid, so that poisoning is ignored.
    fn lock(&self) -> std::sync::MutexGuard<'_, random::Generator> {
        self.generator.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The shape of a result; without a size, 0-d.
fn shape(size: Option<ShapeArgument>) -> Numbers {
    size.map_or(Numbers::default(), |it| it.0)
}

/// The dtype of a result; by default `float64`.
fn real(dtype: Option<DTypeArgument>) -> DType {
    dtype.map_or(DType::Float64, |it| it.0)
}

#[pymethods]
impl Generator {
    /// Draws bools that are true with probability ``p``.
    ///
    /// >>> bv.random.default_rng(1).bernoulli(1.0, 2)
    /// array([ True,  True])
    #[pyo3(signature = (p=0.5, size=None))]
    fn bernoulli(&self, py: Python<'_>, p: f64, size: Option<ShapeArgument>) -> PyResult<Array> {
        let shape = shape(size);
        self.draw(py, |it| it.bernoulli(p, shape))
    }

    /// Draws elements of an array along axis 0, or integers below a number.
    ///
    /// ``p`` holds the probabilities of the elements. With ``replace=False`` each is drawn at most once.
    ///
    /// >>> bv.sort(bv.random.default_rng(1).choice(3, 3, replace=False))
    /// array([0, 1, 2])
    #[pyo3(signature = (a, /, size=None, replace=true, p=None))]
    fn choice(
        &self,
        py: Python<'_>,
        a: PopulationArgument<'_>,
        size: Option<ShapeArgument>,
        replace: bool,
        p: Option<Vec<f64>>,
    ) -> PyResult<Array> {
        let shape = shape(size);
        let array = match &a {
            PopulationArgument::Count(Count(n)) => {
                return self.draw(py, |it| it.choice(*n, shape, replace, p.as_deref()));
            }
            PopulationArgument::Array(array) => array.tensor(),
        };
        let Some(&n) = array.shape().first() else {
            return Err(PyTypeError::new_err("cannot choose from a 0-d array"));
        };
        self.draw(py, |it| array.take(&it.choice(n, shape, replace, p.as_deref())?, 0))
    }

    /// Draws from an exponential distribution with mean ``scale``.
    ///
    /// >>> bv.random.default_rng(1).exponential(2.0, (2, 3)).shape
    /// (2, 3)
    #[pyo3(signature = (scale=1.0, size=None, *, dtype=None))]
    fn exponential(
        &self,
        py: Python<'_>,
        scale: f64,
        size: Option<ShapeArgument>,
        dtype: Option<DTypeArgument>,
    ) -> PyResult<Array> {
        let (shape, dtype) = (shape(size), real(dtype));
        self.draw(py, |it| it.exponential(scale, shape, dtype))
    }

    /// Draws integers from ``low`` to ``high``, exclusive unless ``endpoint``; with one argument, from 0.
    ///
    /// >>> bv.random.default_rng(1).integers(5, 6, 3)
    /// array([5, 5, 5])
    #[pyo3(signature = (low, high=None, size=None, *, dtype=None, endpoint=false))]
    fn integers(
        &self,
        py: Python<'_>,
        low: i128,
        high: Option<i128>,
        size: Option<ShapeArgument>,
        dtype: Option<DTypeArgument>,
        endpoint: bool,
    ) -> PyResult<Array> {
        let (low, high) = high.map_or((0, low), |high| (low, high));
        let high = high.saturating_add(i128::from(endpoint));
        let (shape, dtype) = (shape(size), dtype.map_or(DType::Int64, |it| it.0));
        self.draw(py, |it| it.integers(low, high, shape, dtype))
    }

    /// Draws from a normal distribution with mean ``loc`` and standard deviation ``scale``.
    ///
    /// >>> bv.random.default_rng(1).normal(10.0, 0.0, 2)
    /// array([10., 10.])
    #[pyo3(signature = (loc=0.0, scale=1.0, size=None, *, dtype=None))]
    fn normal(
        &self,
        py: Python<'_>,
        loc: f64,
        scale: f64,
        size: Option<ShapeArgument>,
        dtype: Option<DTypeArgument>,
    ) -> PyResult<Array> {
        let (shape, dtype) = (shape(size), real(dtype));
        self.draw(py, |it| it.normal(loc, scale, shape, dtype))
    }

    /// Returns an array shuffled along an axis, or a permutation of ``x`` integers.
    ///
    /// >>> bv.sort(bv.random.default_rng(1).permutation(4))
    /// array([0, 1, 2, 3])
    #[pyo3(signature = (x, /, *, axis=0))]
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
    #[pyo3(signature = (size=None, *, dtype=None))]
    fn random(
        &self,
        py: Python<'_>,
        size: Option<ShapeArgument>,
        dtype: Option<DTypeArgument>,
    ) -> PyResult<Array> {
        let (shape, dtype) = (shape(size), real(dtype));
        self.draw(py, |it| it.rand(shape, dtype))
    }

    /// Shuffles an array along an axis in place.
    ///
    /// >>> x = bv.asarray([1, 1, 1])
    /// >>> bv.random.default_rng(1).shuffle(x)
    /// >>> x
    /// array([1, 1, 1])
    #[pyo3(signature = (x, /, *, axis=0))]
    fn shuffle(&self, py: Python<'_>, x: ArrayArgument<'_>, axis: isize) -> PyResult<()> {
        let x = x.tensor();
        run_detached(py, || self.lock().shuffle(x, axis))
    }

    /// Returns independent generators, for example for threads.
    ///
    /// >>> len(bv.random.default_rng(1).spawn(3))
    /// 3
    #[pyo3(signature = (n, /))]
    fn spawn(&self, py: Python<'_>, n: Count) -> PyResult<Vec<Generator>> {
        let mut spawned = Vec::new();
        let reserved = spawned.try_reserve(n.0);
        reserved.map_err(|error| PyMemoryError::new_err(error.to_string()))?;
        run_detached(py, || {
            let mut generator = self.lock();
            spawned.extend((0..n.0).map(|_| generator.split().into()));
            Ok(spawned)
        })
    }

    /// Draws from the standard normal distribution.
    ///
    /// >>> bv.random.default_rng(1).standard_normal((2, 3)).shape
    /// (2, 3)
    #[pyo3(signature = (size=None, *, dtype=None))]
    fn standard_normal(
        &self,
        py: Python<'_>,
        size: Option<ShapeArgument>,
        dtype: Option<DTypeArgument>,
    ) -> PyResult<Array> {
        let (shape, dtype) = (shape(size), real(dtype));
        self.draw(py, |it| it.randn(shape, dtype))
    }

    /// Draws from the uniform distribution on the half-open interval [``low``, ``high``).
    ///
    /// >>> bv.random.default_rng(1).uniform(-1.0, 1.0, (2, 3)).shape
    /// (2, 3)
    #[pyo3(signature = (low=0.0, high=1.0, size=None, *, dtype=None))]
    fn uniform(
        &self,
        py: Python<'_>,
        low: f64,
        high: f64,
        size: Option<ShapeArgument>,
        dtype: Option<DTypeArgument>,
    ) -> PyResult<Array> {
        let (shape, dtype) = (shape(size), real(dtype));
        self.draw(py, |it| it.uniform(low, high, shape, dtype))
    }

    /// Returns a generator that continues with the same numbers.
    fn __copy__(&self, py: Python<'_>) -> PyResult<Generator> {
        run_detached(py, || Ok(self.lock().clone().into()))
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

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Generator>()
}
