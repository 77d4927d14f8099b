//! The integration tests of the crate, in one program: one module for each property (see `../README.md`).

#[path = "../zoo/mod.rs"]
mod zoo;

mod cases;
mod chains;
mod errors;
mod exact;
mod laws;
mod merge_quality;
mod never_panics;
mod overlap;
mod patterns;
mod requirements_compatibility;
mod requirements_flatten;
mod requirements_model;
mod requirements_movement;
mod requirements_tracker;
mod requirements_utility;
mod requirements_views;
mod skainet;
mod slicer;
