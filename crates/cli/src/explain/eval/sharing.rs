//! Which results have an element in common, exactly.

use super::Session;
use super::memory::MAX_LISTED;
use super::value::Array;
use belvedere_layout::{Answer, Bytes};
use std::collections::HashSet;

impl Session<'_> {
    /// The earlier steps that share an element with a tensor, and those that cannot be decided.
    pub(super) fn sharing(&self, array: &Array) -> (Vec<usize>, Vec<usize>) {
        let (mut shared, mut unknown) = (Vec::new(), Vec::new());
        for (step, earlier) in self.results.iter().enumerate() {
            let Some(earlier) = earlier else { continue };
            match shares(array, earlier) {
                Answer::Yes => shared.push(step),
                Answer::TooHard => unknown.push(step),
                Answer::No => {}
            }
        }
        (shared, unknown)
    }
}

/// Whether two tensors have a byte in common.
pub fn shares(a: &Array, b: &Array) -> Answer {
    if a.memory != b.memory || a.chain.is_empty() || b.chain.is_empty() {
        return Answer::No;
    }
    if let (Some(one), Some(two)) = (a.layout(), b.layout()) {
        let one = Bytes { address: 0, layout: &one, size: a.dtype.size() };
        return one.overlaps(Bytes { address: 0, layout: &two, size: b.dtype.size() });
    }
    let (Some(one), Some(two)) = (a.chain.base(), b.chain.base()) else {
        // All of it is padding.
        return Answer::No;
    };
    let one = Bytes { address: 0, layout: one, size: a.dtype.size() };
    match one.overlaps(Bytes { address: 0, layout: two, size: b.dtype.size() }) {
        Answer::No => Answer::No,
        // The bases meet, but what is seen of them may not.
        _ => by_looking(a, b),
    }
}

/// Compares all offsets, if there are few.
fn by_looking(a: &Array, b: &Array) -> Answer {
    if a.chain.len() > MAX_LISTED || b.chain.len() > MAX_LISTED || a.dtype != b.dtype {
        return Answer::TooHard;
    }
    let seen: HashSet<usize> = a.chain.offsets().flatten().collect();
    match b.chain.offsets().flatten().any(|offset| seen.contains(&offset)) {
        true => Answer::Yes,
        false => Answer::No,
    }
}
