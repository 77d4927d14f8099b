//! Factorizations: Cholesky, QR, eigendecompositions and SVD.

use super::matrices::Matrices;
use crate::kernel::factor::Factorization;
use crate::trace::{Call, composite};
use crate::{Error, Tensor};

/// The result of [`qr`].
#[derive(Clone, Debug)]
pub struct Qr {
    /// The matrix with orthonormal columns.
    pub q: Tensor,
    /// The upper triangular matrix.
    pub r: Tensor,
}

/// The shapes of the factors of [`qr_with`].
///
/// ```
/// use belvedere::linalg::QrMode;
///
/// assert_eq!("complete".parse::<QrMode>()?, QrMode::Complete);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QrMode {
    /// `q` is `m × min(m, n)`, and `r` is `min(m, n) × n`.
    #[default]
    Reduced,
    /// `q` is `m × m`, and `r` is `m × n`.
    Complete,
}

/// The result of [`eigh`].
#[derive(Clone, Debug)]
pub struct Eigh {
    /// The eigenvalues, real, in ascending order.
    pub eigenvalues: Tensor,
    /// The orthonormal eigenvectors, as columns.
    pub eigenvectors: Tensor,
}

/// The result of [`eig`].
#[derive(Clone, Debug)]
pub struct Eig {
    /// The eigenvalues, complex, in no particular order.
    pub eigenvalues: Tensor,
    /// The eigenvectors of length 1, as columns.
    pub eigenvectors: Tensor,
}

/// The result of [`svd`].
#[derive(Clone, Debug)]
pub struct Svd {
    /// The left singular vectors, as columns.
    pub u: Tensor,
    /// The singular values, real, in descending order.
    pub s: Tensor,
    /// The conjugated right singular vectors, as rows.
    pub vh: Tensor,
}

/// Computes the Cholesky factorization of Hermitian positive definite matrices: a lower triangular `l` with
/// `l lᴴ = x`.
///
/// Only the lower triangle of `x` is read.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[4.0, 2.0], [2.0, 5.0]];
/// assert_eq!(linalg::cholesky(&x)?.to_vec::<f64>()?, [2.0, 0.0, 1.0, 2.0]);
/// let error = linalg::cholesky(&tensor![[1.0, 2.0], [2.0, 1.0]]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "cholesky: the matrix is not positive definite: pivot 1 is not greater than 0"
/// );
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the matrices are not square, or one of them is not finite or not positive definite: the error names the
/// matrix and the pivot.
///
/// # Memory
/// Always allocates a new tensor; copies nothing else, except integers to cast them.
#[track_caller]
pub fn cholesky(x: &Tensor) -> Result<Tensor, Error> {
    cholesky_with(x, false)
}

/// Computes the Cholesky factorization as [`cholesky`] does, or with `upper` an upper triangular `u` with `uᴴ u = x`.
///
/// Only that triangle of `x` is read.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[4.0, 2.0], [2.0, 5.0]];
/// let u = linalg::cholesky_with(&x, true)?.contiguous()?;
/// assert_eq!(u.to_vec::<f64>()?, [2.0, 1.0, 0.0, 2.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`cholesky`].
///
/// # Memory
/// As for [`cholesky`].
#[track_caller]
pub fn cholesky_with(x: &Tensor, upper: bool) -> Result<Tensor, Error> {
    let params = [("upper", upper.into())];
    let call = Call::new("cholesky").with(&params);
    composite(call, &[x.into()], || {
        let mut x = Matrices::square(x, call)?;
        if upper {
            // With `m mᴴ = xᵀ`, the transpose of `m` is the upper triangle.
            x.tensor = x.tensor.mt()?;
        }
        let size = [x.rows(), x.cols()];
        let result =
            if upper { x.column_major(x.dtype(), size) } else { x.row_major(x.dtype(), size) };
        let [triangle] = x.factorize(Factorization::Cholesky, [result?])?;
        if upper { triangle.mt() } else { Ok(triangle) }
    })
}

/// Computes the QR factorization: `x = q r` with orthonormal columns of `q` and upper triangular `r`.
///
/// `q` is `m × min(m, n)`, and `r` is `min(m, n) × n`. The factors of a matrix that is not finite are NaN.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]];
/// let found = linalg::qr(&x)?;
/// assert_eq!((found.q.shape(), found.r.shape()), ([3, 2].into(), [2, 2].into()));
/// assert!(found.q.matmul(&found.r)?.allclose_with(&x, 1e-12, 1e-12)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there are fewer than two axes, or there is not enough memory.
///
/// # Memory
/// Always allocates new tensors; `q` is column-major. Each matrix is copied while it is factorized.
#[track_caller]
pub fn qr(x: &Tensor) -> Result<Qr, Error> {
    qr_with(x, QrMode::Reduced)
}

/// Computes the QR factorization as [`qr`] does, with factors of the shapes of `mode`.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg::{QrMode, qr_with};
///
/// let found = qr_with(&tensor![[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]], QrMode::Complete)?;
/// assert_eq!((found.q.shape(), found.r.shape()), ([3, 3].into(), [3, 2].into()));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`qr`].
///
/// # Memory
/// As for [`qr`].
#[track_caller]
pub fn qr_with(x: &Tensor, mode: QrMode) -> Result<Qr, Error> {
    let name = match mode {
        QrMode::Reduced => "reduced",
        QrMode::Complete => "complete",
    };
    let params = [("mode", name.into())];
    let call = Call::new("qr").with(&params);
    let [q, r] = composite(call, &[x.into()], || {
        let x = Matrices::new(x, call)?;
        let (m, n) = (x.rows(), x.cols());
        let inner = match mode {
            QrMode::Reduced => m.min(n),
            QrMode::Complete => m,
        };
        let results = [x.column_major(x.dtype(), [m, inner])?, x.row_major(x.dtype(), [inner, n])?];
        x.factorize(Factorization::Qr, results)
    })?;
    Ok(Qr { q, r })
}

/// Computes eigenvalues and orthonormal eigenvectors of Hermitian (or real symmetric) matrices.
///
/// Only the lower triangle is read.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let found = linalg::eigh(&tensor![[2.0, 1.0], [1.0, 2.0]])?;
/// assert!(found.eigenvalues.allclose_with(&tensor![1.0, 3.0], 1e-12, 0.0)?.holds());
/// assert_eq!(found.eigenvectors.shape(), [2, 2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the matrices are not square, one is not finite, or the iteration does not converge.
///
/// # Memory
/// Always allocates new tensors; the matrices of vectors are column-major.
#[track_caller]
pub fn eigh(x: &Tensor) -> Result<Eigh, Error> {
    let call = Call::new("eigh");
    let [eigenvalues, eigenvectors] = composite(call, &[x.into()], || {
        let x = Matrices::square(x, call)?;
        let n = x.rows();
        let results = [x.row_major(x.real(), [n, 1])?, x.column_major(x.dtype(), [n, n])?];
        let [values, vectors] = x.factorize(Factorization::Eigh, results)?;
        Ok([values.squeeze(&[-1])?, vectors])
    })?;
    Ok(Eigh { eigenvalues, eigenvectors })
}

/// Computes the eigenvalues of Hermitian matrices: [`eigh`] without the vectors.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let values = linalg::eigvalsh(&tensor![[2.0, 1.0], [1.0, 2.0]])?;
/// assert!(values.allclose_with(&tensor![1.0, 3.0], 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`eigh`].
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn eigvalsh(x: &Tensor) -> Result<Tensor, Error> {
    let call = Call::new("eigvalsh");
    composite(call, &[x.into()], || {
        let x = Matrices::square(x, call)?;
        let [values] =
            x.factorize(Factorization::Eigvalsh, [x.row_major(x.real(), [x.rows(), 1])?])?;
        values.squeeze(&[-1])
    })
}

/// Computes eigenvalues and eigenvectors of square matrices. Both are complex, also those of real matrices.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let quarter_turn = tensor![[0.0, -1.0], [1.0, 0.0]];
/// let found = linalg::eig(&quarter_turn)?;
/// let mut values = found.eigenvalues.to_vec::<Complex<f64>>()?;
/// values.sort_by(|a, b| a.im.total_cmp(&b.im));
/// assert!((values[0] - Complex::new(0.0, -1.0)).norm() < 1e-12);
/// assert!((values[1] - Complex::new(0.0, 1.0)).norm() < 1e-12);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`eigh`].
///
/// # Memory
/// Always allocates new tensors; the matrices of vectors are column-major.
#[track_caller]
pub fn eig(x: &Tensor) -> Result<Eig, Error> {
    let call = Call::new("eig");
    let [eigenvalues, eigenvectors] = composite(call, &[x.into()], || {
        let x = Matrices::square(x, call)?;
        let n = x.rows();
        let results = [x.row_major(x.complex(), [n, 1])?, x.column_major(x.complex(), [n, n])?];
        let [values, vectors] = x.factorize(Factorization::Eig, results)?;
        Ok([values.squeeze(&[-1])?, vectors])
    })?;
    Ok(Eig { eigenvalues, eigenvectors })
}

/// Computes the eigenvalues of square matrices: [`eig`] without the vectors.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let values = linalg::eigvals(&tensor![[2.0, 1.0], [0.0, 2.0]])?;
/// assert_eq!(values.dtype(), DType::Complex128);
/// assert_eq!(values.real()?.to_vec::<f64>()?, [2.0, 2.0]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`eigh`].
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn eigvals(x: &Tensor) -> Result<Tensor, Error> {
    let call = Call::new("eigvals");
    composite(call, &[x.into()], || {
        let x = Matrices::square(x, call)?;
        let [values] =
            x.factorize(Factorization::Eigvals, [x.row_major(x.complex(), [x.rows(), 1])?])?;
        values.squeeze(&[-1])
    })
}

/// Computes the singular value decomposition: `x = u · diag(s) · vh`.
///
/// `u` and `vh` are square; [`svd_with`] can leave out the vectors that have no singular value.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let found = linalg::svd(&tensor![[3.0, 0.0], [0.0, -5.0], [0.0, 0.0]])?;
/// assert!(found.s.allclose_with(&tensor![5.0, 3.0], 1e-12, 0.0)?.holds());
/// assert_eq!((found.u.shape(), found.vh.shape()), ([3, 3].into(), [2, 2].into()));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there are fewer than two axes, one of the matrices is not finite, or the iteration does not converge.
///
/// # Memory
/// Always allocates new tensors; each singular vector is contiguous.
#[track_caller]
pub fn svd(x: &Tensor) -> Result<Svd, Error> {
    svd_with(x, true)
}

/// Computes the singular value decomposition as [`svd`] does; without `full_matrices`, `u` and `vh` have `min(m, n)` columns
/// and rows.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[3.0, 0.0], [0.0, -5.0], [0.0, 0.0]];
/// let found = linalg::svd_with(&x, false)?;
/// assert_eq!((found.u.shape(), found.vh.shape()), ([3, 2].into(), [2, 2].into()));
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`svd`].
///
/// # Memory
/// As for [`svd`].
#[track_caller]
pub fn svd_with(x: &Tensor, full_matrices: bool) -> Result<Svd, Error> {
    let params = [("full_matrices", full_matrices.into())];
    let call = Call::new("svd").with(&params);
    let [u, s, vh] = composite(call, &[x.into()], || {
        let x = Matrices::new(x, call)?;
        let (m, n) = (x.rows(), x.cols());
        let least = m.min(n);
        let [inner_u, inner_v] = if full_matrices { [m, n] } else { [least, least] };
        let results = [
            x.column_major(x.dtype(), [m, inner_u])?,
            x.row_major(x.real(), [least, 1])?,
            x.row_major(x.dtype(), [inner_v, n])?,
        ];
        let [u, s, vh] = x.factorize(Factorization::Svd, results)?;
        Ok([u, s.squeeze(&[-1])?, vh])
    })?;
    Ok(Svd { u, s, vh })
}

/// Computes the singular values: [`svd`] without the vectors.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let values = linalg::svdvals(&tensor![[3.0, 0.0], [0.0, -5.0]])?;
/// assert!(values.allclose_with(&tensor![5.0, 3.0], 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for [`svd`].
///
/// # Memory
/// Always allocates a new tensor.
#[track_caller]
pub fn svdvals(x: &Tensor) -> Result<Tensor, Error> {
    let call = Call::new("svdvals");
    composite(call, &[x.into()], || {
        let x = Matrices::new(x, call)?;
        let least = x.rows().min(x.cols());
        let [values] = x.factorize(Factorization::Svdvals, [x.row_major(x.real(), [least, 1])?])?;
        values.squeeze(&[-1])
    })
}
