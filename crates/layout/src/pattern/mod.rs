//! The rearrange notation: `"b (h w) c -> b c h w"`.
//!
//! `parse.rs` parses the text into a [`Pattern`]. `recipe.rs` derives a [`Recipe`] for a rank and known
//! lengths: the steps as a plain value, which can be kept and applied to many layouts.

mod error;
mod parse;
mod recipe;

pub use error::{PatternError, PatternProblem};
pub use parse::Pattern;
pub use recipe::{Rearranged, Recipe};
