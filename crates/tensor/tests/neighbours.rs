//! Conversions to and from the types of other crates: exact for every layout, and without a copy where they say so.
//! `cargo test -p belvedere --features image,nalgebra,ndarray,serde --test neighbours`

#[path = "neighbours/image.rs"]
mod image_buffers;
#[path = "neighbours/nalgebra.rs"]
mod nalgebra_matrices;
#[path = "neighbours/ndarray.rs"]
mod ndarray_arrays;
#[path = "neighbours/ndarray_guide.rs"]
mod ndarray_guide;
#[path = "neighbours/serde.rs"]
mod serialization;
mod zoo;

use belvedere::copies;

/// Runs `f` and returns its result and the number of copies that it made.
fn counted<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let (result, copies) = copies::record(f);
    (result, copies.len())
}
