#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod accumulate;
mod backward;
mod components;
mod entry;
mod error;
mod gradients;
mod lease;
mod observer;
mod overlap;
mod pullback;
mod recording;
mod rules;
mod shadow;
mod tape;

pub use error::GradientError;
pub use gradients::Grads;
pub use observer::{NoTapeScope, TapeScope, no_tape, stop_gradient};
pub use rules::{Differentiability, Rule, differentiability, rule_names};
pub use tape::{Report, SavedCopy, Tape};
