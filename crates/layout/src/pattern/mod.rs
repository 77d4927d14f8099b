//! The rearrange notation: `"b (h w) c -> b c h w"`.
//!
//! `parse.rs` reads the text into a [`Pattern`], `recipe.rs` works out the steps for a number of axes
//! and known lengths as a [`Recipe`], a plain value that can be kept and applied to many layouts.

mod error;
mod parse;
mod recipe;

pub use error::{PatternError, PatternProblem};
pub use parse::Pattern;
pub use recipe::{Rearranged, Recipe};
