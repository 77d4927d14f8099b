//! Linear algebra: products, which are methods of tensors, and matrix factorizations, which are the public
//! module `linalg`.

mod contract;
mod factor;
mod matmul;
mod matrices;
mod norm;
mod power;
mod product;
mod pseudo;
mod solve;

pub(super) use contract::Contraction;
pub use matmul::{Product, matmul_add_into, matmul_into, matmul_with};
pub use product::Pairs;

/// Matrix factorizations: linear systems, determinants, eigenvalues, singular values.
///
/// The functions have the names of the Array API's `linalg`: [`qr`](crate::linalg::qr) has its default arguments,
/// [`qr_with`](crate::linalg::qr_with) takes all of them, and so on. The last two axes are the rows and columns of
/// matrices, and the axes before them are batch axes: each matrix is factorized separately. Views of any
/// strides are read in place. Integers are cast to `float64`; `float16` and `bfloat16` are not supported, since
/// they lack the precision for it.
///
/// Results do not depend on the number of threads: each matrix is factorized by one thread.
///
/// The functions need the feature `factorizations`, which is on by default.
pub mod namespace {
    pub use super::factor::{
        Eig, Eigh, Qr, QrMode, Svd, cholesky, cholesky_with, eig, eigh, eigvals, eigvalsh, qr,
        qr_with, svd, svd_with, svdvals,
    };
    pub use super::norm::{MatrixNorm, cond, matrix_norm, matrix_norm_with};
    pub use super::power::matrix_power;
    pub use super::pseudo::{
        LeastSquares, lstsq, lstsq_with, matrix_rank, matrix_rank_by, matrix_rank_with, pinv,
        pinv_by, pinv_with,
    };
    pub use super::solve::{Slogdet, det, inv, slogdet, solve};
}
