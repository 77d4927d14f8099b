//! The library beside NumPy: the same values, the same views, the same questions.
//!
//! Cases are random with fixed seeds, and cover every element type that NumPy has and all sorts of
//! strides. `cargo xtask test` installs NumPy below `target/` and says where in `BELVEDERE_PYTHON`;
//! without that variable the tests say that they were skipped. With `BELVEDERE_FULL` there are ten
//! times as many cases.
//!
//! An operation on elements is one line in `elementwise.rs`, a reduction one in `reductions.rs`, a product
//! one in `products.rs`.

mod assignment;
mod close;
mod einsum;
mod elementwise;
mod fft;
mod files;
mod guide;
mod indexing;
mod joining;
mod linalg;
mod operand;
mod printing;
mod products;
mod promotion;
mod random;
mod reductions;
mod scans;
mod session;
mod sorting;
mod views;
mod windows;
