//! Distributions of rows, and functions that shuffle.

use super::{Generator, shape, size_or_common};
use crate::arguments::{ArrayArgument, Count, OperandArgument, ShapeArgument};
use crate::array::Array;
use belvedere::{DType, Error, Shape, Tensor, broadcast_shapes};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Returns the given size, or the common shape of numbers for each row and of rows without their last axis.
fn rows_or_common(
    size: Option<ShapeArgument>,
    numbers: &OperandArgument,
    rows: &Tensor,
) -> PyResult<crate::arguments::Numbers> {
    if size.is_some() {
        return Ok(shape(size));
    }
    let (numbers, rows) = (belvedere::Operand::from(numbers).shape(), rows.shape());
    let rows = &rows[..rows.len().saturating_sub(1)];
    let common: Shape = broadcast_shapes(&[&numbers, rows])
        .map_err(|error| crate::error::raise(Error::from(error)))?;
    Ok(common.iter().map(|&len| len as isize).collect())
}

/// Checks an option that is a word.
fn check_word(name: &str, word: &str, words: &[&str]) -> PyResult<()> {
    if words.contains(&word) {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{name} must be one of {words:?}, got {word:?}")))
}

#[pymethods]
impl Generator {
    /// Returns random bytes.
    ///
    /// >>> len(bv.random.default_rng(1).bytes(10))
    /// 10
    fn bytes<'py>(&self, py: Python<'py>, length: Count) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.run(py, |it| {
            let bytes = it.integers(0, 256, [length.0], DType::UInt8)?;
            bytes.to_vec::<u8>()
        })?;
        PyBytes::new_with(py, bytes.len(), |memory| {
            memory.copy_from_slice(&bytes);
            Ok(())
        })
    }

    /// Draws rows of proportions that sum to 1, from a Dirichlet distribution.
    ///
    /// >>> bv.random.default_rng(1).dirichlet([1.0, 2.0, 3.0], 2).shape
    /// (2, 3)
    #[pyo3(signature = (alpha, size=None))]
    fn dirichlet(
        &self,
        py: Python<'_>,
        alpha: ArrayArgument<'_>,
        size: Option<ShapeArgument>,
    ) -> PyResult<Array> {
        let (alpha, shape) = (alpha.tensor(), shape(size));
        self.draw(py, |it| it.dirichlet(alpha, shape))
    }

    /// Draws rows of counts: how often each outcome occurs in ``n`` trials.
    ///
    /// ``pvals`` has the probabilities along its last axis.
    ///
    /// >>> bv.random.default_rng(1).multinomial(5, [0.0, 1.0, 0.0])
    /// array([0, 5, 0])
    #[pyo3(signature = (n, pvals, size=None))]
    fn multinomial(
        &self,
        py: Python<'_>,
        n: OperandArgument,
        pvals: ArrayArgument<'_>,
        size: Option<ShapeArgument>,
    ) -> PyResult<Array> {
        let pvals = pvals.tensor();
        let shape = rows_or_common(size, &n, pvals)?;
        self.draw(py, |it| it.multinomial(&n, pvals, shape))
    }

    /// Draws rows of counts: how many items of each colour are among ``nsample`` taken without replacement.
    ///
    /// Both methods of NumPy are accepted, and draw the same numbers.
    ///
    /// >>> bv.random.default_rng(1).multivariate_hypergeometric([3, 0, 2], 5)
    /// array([3, 0, 2])
    #[pyo3(signature = (colors, nsample, size=None, method="marginals"))]
    fn multivariate_hypergeometric(
        &self,
        py: Python<'_>,
        colors: ArrayArgument<'_>,
        nsample: OperandArgument,
        size: Option<ShapeArgument>,
        method: &str,
    ) -> PyResult<Array> {
        check_word("method", method, &["marginals", "count"])?;
        let colors = colors.tensor();
        let shape = rows_or_common(size, &nsample, colors)?;
        self.draw(py, |it| it.multivariate_hypergeometric(colors, &nsample, shape))
    }

    /// Draws rows from a multivariate normal distribution with mean ``mean`` and covariance ``cov``.
    ///
    /// The covariance is factorized by Cholesky's method with pivoting, whatever ``method`` is, and may be singular. One
    /// that is not positive semidefinite is an error, whatever ``check_valid`` is.
    ///
    /// >>> bv.random.default_rng(1).multivariate_normal([0.0, 0.0], [[1.0, 0.5], [0.5, 1.0]], 3).shape
    /// (3, 2)
    #[pyo3(signature = (mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"))]
    #[expect(clippy::too_many_arguments, reason = "the parameters of NumPy's method")]
    fn multivariate_normal(
        &self,
        py: Python<'_>,
        mean: ArrayArgument<'_>,
        cov: ArrayArgument<'_>,
        size: Option<ShapeArgument>,
        check_valid: &str,
        tol: f64,
        method: &str,
    ) -> PyResult<Array> {
        check_word("check_valid", check_valid, &["warn", "raise", "ignore"])?;
        check_word("method", method, &["svd", "eigh", "cholesky"])?;
        if tol.is_nan() {
            return Err(PyValueError::new_err("tol must be a number, got nan"));
        }
        let (mean, cov, shape) = (mean.tensor(), cov.tensor(), shape(size));
        self.draw(py, |it| it.multivariate_normal(mean, cov, shape))
    }

    /// Returns an array with every 1-D slice along an axis shuffled by itself; without an axis, all elements.
    ///
    /// With ``out`` the result is written there, which may be the array itself.
    ///
    /// >>> bv.sort(bv.random.default_rng(1).permuted([[3, 1, 2], [6, 4, 5]], axis=1))
    /// array([[1, 2, 3],
    ///        [4, 5, 6]])
    #[pyo3(signature = (x, *, axis=None, out=None))]
    fn permuted<'py>(
        &self,
        py: Python<'py>,
        x: ArrayArgument<'py>,
        axis: Option<isize>,
        out: Option<ArrayArgument<'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let x = x.tensor();
        let result = self.run(py, |it| it.permuted(x, axis))?;
        super::returned(py, result, out)
    }

    /// Draws from the exponential distribution with mean 1. Both methods of NumPy are accepted, and draw the same numbers.
    ///
    /// >>> bv.random.default_rng(1).standard_exponential((2, 3)).shape
    /// (2, 3)
    #[pyo3(signature = (size=None, dtype=None, method="zig", out=None))]
    fn standard_exponential<'py>(
        &self,
        py: Python<'py>,
        size: Option<ShapeArgument>,
        dtype: Option<crate::dtype::DTypeArgument>,
        method: &str,
        out: Option<ArrayArgument<'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        check_word("method", method, &["zig", "inv"])?;
        let (shape, dtype) = super::output_shape(size, dtype, out.as_ref())?;
        let result = self.run(py, |it| it.exponential(1.0, shape, dtype))?;
        super::returned(py, result, out)
    }

    /// Draws from the gamma distribution with scale 1.
    ///
    /// >>> bv.random.default_rng(1).standard_gamma([1.0, 2.0]).shape
    /// (2,)
    #[pyo3(signature = (shape, size=None, dtype=None, out=None))]
    fn standard_gamma<'py>(
        &self,
        py: Python<'py>,
        shape: OperandArgument,
        size: Option<ShapeArgument>,
        dtype: Option<crate::dtype::DTypeArgument>,
        out: Option<ArrayArgument<'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let has_size = size.is_some() || out.is_some();
        let (own, dtype) = super::output_shape(size, dtype, out.as_ref())?;
        let size = if has_size { own } else { size_or_common(None, &[&shape])? };
        let result = self.run(py, |it| it.gamma(&shape, 1.0, size, dtype))?;
        super::returned(py, result, out)
    }

    /// Draws from the standard Cauchy distribution.
    ///
    /// >>> bv.random.default_rng(1).standard_cauchy((2, 3)).shape
    /// (2, 3)
    #[pyo3(signature = (size=None))]
    fn standard_cauchy(&self, py: Python<'_>, size: Option<ShapeArgument>) -> PyResult<Array> {
        let shape = shape(size);
        self.draw(py, |it| it.standard_cauchy(shape, DType::Float64))
    }
}
