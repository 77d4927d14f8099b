//! Comparison with NumPy: the same operations on the same views and values.
//!
//! Cases are random with fixed seeds, and cover every dtype of NumPy and all kinds of
//! strides. `cargo xtask test` installs NumPy below `target/` and sets `BELVEDERE_PYTHON`;
//! without that variable the tests are skipped with a message. `BELVEDERE_FULL` runs ten
//! times as many cases.
//!
//! An elementwise operation is one line in `elementwise.rs`, a reduction one in `reductions.rs`, a product
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
