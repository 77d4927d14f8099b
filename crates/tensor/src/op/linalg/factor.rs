//! Matrices as products of simpler ones.

use super::matrices::Matrices;
use crate::kernel::factor::Factorization;
use crate::view::Call;
use crate::{Error, Tensor};
use std::panic::Location;

/// A matrix with orthonormal columns and an upper triangle: what [`qr`] gives.
#[derive(Clone, Debug)]
pub struct Qr {
    /// The orthonormal columns.
    pub q: Tensor,
    /// The upper triangle.
    pub r: Tensor,
}

/// How large the factors of [`qr`] are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QrMode {
    /// `q` has as many columns as `r` has rows: the lesser number of rows and columns.
    #[default]
    Reduced,
    /// `q` is square.
    Complete,
}

/// Real eigenvalues and orthonormal eigenvectors: what [`eigh`] gives.
#[derive(Clone, Debug)]
pub struct Eigh {
    /// The eigenvalues, the least first.
    pub eigenvalues: Tensor,
    /// The eigenvectors, as columns.
    pub eigenvectors: Tensor,
}

/// Complex eigenvalues and eigenvectors: what [`eig`] gives.
#[derive(Clone, Debug)]
pub struct Eig {
    /// The eigenvalues, in no order.
    pub eigenvalues: Tensor,
    /// The eigenvectors of length 1, as columns.
    pub eigenvectors: Tensor,
}

/// Singular values and vectors: what [`svd`] gives.
#[derive(Clone, Debug)]
pub struct Svd {
    /// The left singular vectors, as columns.
    pub u: Tensor,
    /// The singular values, real, the greatest first.
    pub s: Tensor,
    /// The right singular vectors, conjugated, as rows.
    pub vh: Tensor,
}

/// The Cholesky factor of positive definite matrices that are their own adjoint: a lower triangle `l` with
/// `l lᴴ = x`, or an upper one `u` with `uᴴ u = x`. Only that triangle of `x` is read.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[4.0, 2.0], [2.0, 5.0]];
/// assert_eq!(linalg::cholesky(&x, false)?.to_vec::<f64>()?, [2.0, 0.0, 1.0, 2.0]);
/// let error = linalg::cholesky(&tensor![[1.0, 2.0], [2.0, 1.0]], false).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "cholesky: the matrix is not positive definite: pivot 1 is not greater than 0"
/// );
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the matrices are not square, or one of them is not positive definite: the error says which, and which
/// pivot. If one is not finite.
///
/// # Memory
/// Always makes a new tensor; copies nothing else but a tensor of integers.
#[track_caller]
pub fn cholesky(x: &Tensor, upper: bool) -> Result<Tensor, Error> {
    let mut x = Matrices::square(x, Call { op: "cholesky", caller: Location::caller() })?;
    if upper {
        // With `m mᴴ = xᵀ`, the transpose of `m` is the upper triangle.
        x.tensor = x.tensor.mt()?;
    }
    let size = [x.rows(), x.cols()];
    let result = if upper { x.column_major(x.dtype(), size) } else { x.row_major(x.dtype(), size) };
    let [triangle] = x.factorize(Factorization::Cholesky, [result?])?;
    if upper { triangle.mt() } else { Ok(triangle) }
}

/// Orthonormal columns and upper triangles whose product a matrix is.
///
/// A matrix that is not finite has factors of NaNs.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg::{QrMode, qr};
///
/// let x = tensor![[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]];
/// let found = qr(&x, QrMode::Reduced)?;
/// assert_eq!((found.q.shape(), found.r.shape()), ([3, 2].into(), [2, 2].into()));
/// assert!(found.q.matmul(&found.r)?.allclose(&x, 1e-12, 1e-12)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there are no matrices, or there is not enough memory.
///
/// # Memory
/// Always makes new tensors; `q` lies column by column. Each matrix is copied while it is factored.
#[track_caller]
pub fn qr(x: &Tensor, mode: QrMode) -> Result<Qr, Error> {
    let x = Matrices::new(x, Call { op: "qr", caller: Location::caller() })?;
    let inner = match mode {
        QrMode::Reduced => x.rows().min(x.cols()),
        QrMode::Complete => x.rows(),
    };
    let results =
        [x.column_major(x.dtype(), [x.rows(), inner])?, x.row_major(x.dtype(), [inner, x.cols()])?];
    let [q, r] = x.factorize(Factorization::Qr, results)?;
    Ok(Qr { q, r })
}

/// Eigenvalues and orthonormal eigenvectors of matrices that are their own adjoint. Only the lower triangle
/// is read.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let found = linalg::eigh(&tensor![[2.0, 1.0], [1.0, 2.0]])?;
/// assert!(found.eigenvalues.allclose(&tensor![1.0, 3.0], 1e-12, 0.0)?.holds());
/// assert_eq!(found.eigenvectors.shape(), [2, 2]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If the matrices are not square, one is not finite, or the iteration comes to no end.
///
/// # Memory
/// Always makes new tensors; the vectors lie one behind the other.
#[track_caller]
pub fn eigh(x: &Tensor) -> Result<Eigh, Error> {
    let x = Matrices::square(x, Call { op: "eigh", caller: Location::caller() })?;
    let n = x.rows();
    let results = [x.row_major(x.real(), [n, 1])?, x.column_major(x.dtype(), [n, n])?];
    let [eigenvalues, eigenvectors] = x.factorize(Factorization::Eigh, results)?;
    Ok(Eigh { eigenvalues: eigenvalues.squeeze(&[-1])?, eigenvectors })
}

/// The eigenvalues that [`eigh`] finds, without the vectors.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let values = linalg::eigvalsh(&tensor![[2.0, 1.0], [1.0, 2.0]])?;
/// assert!(values.allclose(&tensor![1.0, 3.0], 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for that.
///
/// # Memory
/// Always makes a new tensor.
#[track_caller]
pub fn eigvalsh(x: &Tensor) -> Result<Tensor, Error> {
    let x = Matrices::square(x, Call { op: "eigvalsh", caller: Location::caller() })?;
    let [values] = x.factorize(Factorization::Eigvalsh, [x.row_major(x.real(), [x.rows(), 1])?])?;
    values.squeeze(&[-1])
}

/// Eigenvalues and eigenvectors of square matrices. Both are complex, whatever the matrix is.
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
/// Always makes new tensors; the vectors lie one behind the other.
#[track_caller]
pub fn eig(x: &Tensor) -> Result<Eig, Error> {
    let x = Matrices::square(x, Call { op: "eig", caller: Location::caller() })?;
    let n = x.rows();
    let results = [x.row_major(x.complex(), [n, 1])?, x.column_major(x.complex(), [n, n])?];
    let [eigenvalues, eigenvectors] = x.factorize(Factorization::Eig, results)?;
    Ok(Eig { eigenvalues: eigenvalues.squeeze(&[-1])?, eigenvectors })
}

/// The eigenvalues that [`eig`] finds, without the vectors.
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
/// Always makes a new tensor.
#[track_caller]
pub fn eigvals(x: &Tensor) -> Result<Tensor, Error> {
    let x = Matrices::square(x, Call { op: "eigvals", caller: Location::caller() })?;
    let [values] =
        x.factorize(Factorization::Eigvals, [x.row_major(x.complex(), [x.rows(), 1])?])?;
    values.squeeze(&[-1])
}

/// Singular values and vectors: `u`, `s` and `vh`, so that `u · s · vh` is the matrix. The matrices of
/// vectors are square, or as narrow as `s` is long.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let x = tensor![[3.0, 0.0], [0.0, -5.0], [0.0, 0.0]];
/// let found = linalg::svd(&x, false)?;
/// assert!(found.s.allclose(&tensor![5.0, 3.0], 1e-12, 0.0)?.holds());
/// assert_eq!((found.u.shape(), found.vh.shape()), ([3, 2].into(), [2, 2].into()));
/// assert_eq!(linalg::svd(&x, true)?.u.shape(), [3, 3]);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// If there are no matrices, one is not finite, or the iteration comes to no end.
///
/// # Memory
/// Always makes new tensors; each singular vector lies in one piece.
#[track_caller]
pub fn svd(x: &Tensor, full_matrices: bool) -> Result<Svd, Error> {
    let x = Matrices::new(x, Call { op: "svd", caller: Location::caller() })?;
    let (m, n) = (x.rows(), x.cols());
    let least = m.min(n);
    let [inner_u, inner_v] = if full_matrices { [m, n] } else { [least, least] };
    let results = [
        x.column_major(x.dtype(), [m, inner_u])?,
        x.row_major(x.real(), [least, 1])?,
        x.row_major(x.dtype(), [inner_v, n])?,
    ];
    let [u, s, vh] = x.factorize(Factorization::Svd, results)?;
    Ok(Svd { u, s: s.squeeze(&[-1])?, vh })
}

/// The singular values that [`svd`] finds, without the vectors.
///
/// ```
/// use belvedere::prelude::*;
/// use belvedere::linalg;
///
/// let values = linalg::svdvals(&tensor![[3.0, 0.0], [0.0, -5.0]])?;
/// assert!(values.allclose(&tensor![5.0, 3.0], 1e-12, 0.0)?.holds());
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// # Errors
/// As for that.
///
/// # Memory
/// Always makes a new tensor.
#[track_caller]
pub fn svdvals(x: &Tensor) -> Result<Tensor, Error> {
    let x = Matrices::new(x, Call { op: "svdvals", caller: Location::caller() })?;
    let least = x.rows().min(x.cols());
    let [values] = x.factorize(Factorization::Svdvals, [x.row_major(x.real(), [least, 1])?])?;
    values.squeeze(&[-1])
}
