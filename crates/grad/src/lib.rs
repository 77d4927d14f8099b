#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod accumulate;
mod anomaly;
mod backward;
mod call;
mod checkpoint;
mod components;
mod custom;
mod entry;
mod entry_log;
mod entry_record;
mod error;
mod few;
mod functional;
mod gradients;
mod hash;
mod lease;
mod lease_table;
mod leased_elements;
mod live_reads;
mod observer;
mod overlap;
mod pullback;
mod recording;
mod report;
mod results;
mod rules;
mod scope;
mod shadow;
mod span_index;
mod storage_leases;
mod storage_report;
mod sync;
mod tape;
mod tracked;

pub use checkpoint::{checkpoint, checkpoint_random};
pub use custom::custom_rule;
pub use error::GradientError;
pub use functional::{VectorJacobian, hessian, jacobian, jvp, separate_arguments, vjp};
pub use gradients::Grads;
pub use report::{Report, ReportLine, SavedCopy};
pub use results::Results;
pub use rules::{Differentiability, Rule, differentiability, rule_names};
pub use scope::{NoTapeScope, TapeScope, n_recording_tapes, no_tape, stop_gradient};
pub use storage_report::{RegionReport, StorageReport};
pub use tape::Tape;
