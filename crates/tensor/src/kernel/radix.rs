//! Sorts of integers: by their bytes if there are many, by comparing them if there are few.
//!
//! A sort by bytes goes through the integers once for each byte, the lowest first, and puts each where
//! the number of smaller bytes says, in the order in which they come. A byte that is the same in all
//! is left out: small numbers in a wide type cost as much as they would in a narrow one. Four bytes
//! take a third of the time that comparing does, at a million; eight bytes take more from there on, where
//! each pass goes through memory.
//!
//! Threads share out the integers in each pass: who writes where is known before anybody writes. The
//! result of a sort does not depend on who made it.

use crate::dtype::Digits;
use crate::plan::threads_for;
use crate::pool;
use std::mem;

/// Integers that a pass sorts in the time that an element takes to be copied: 2¹⁶ of them are worth a thread.
const INTEGERS_PER_ELEMENT: usize = 2;

/// Values of a digit.
const VALUES: usize = 256;

/// Sorts integers. What `room` holds is of no use before or after.
///
/// Those that differ only beyond their digits must be in order already.
pub(super) fn sort<I: Digits>(items: &mut Vec<I>, room: &mut Vec<I>) {
    let Some(&first) = items.first() else { return };
    let differ = |&digit: &usize| items.iter().any(|it| it.digit(digit) != first.digit(digit));
    let digits: Vec<usize> = match items.len() < 512 {
        true => vec![],
        false => I::DIGITS.filter(differ).collect(),
    };
    if !is_by_digits(items.len(), digits.len()) {
        return items.sort_unstable();
    }
    room.clear();
    room.resize(items.len(), I::default());
    for digit in digits {
        pass(items, room, digit);
        mem::swap(items, room);
    }
}

/// Whether so many integers are sorted by so many digits. The numbers were measured.
fn is_by_digits(n: usize, n_digits: usize) -> bool {
    match n_digits {
        0 => false,
        1..=4 => n >= 512 * n_digits,
        _ => n >= 2048 * n_digits && (n <= 1 << 20 || pool::num_threads() > 2),
    }
}

/// Puts integers into the order of one digit; those that are the same in it stay in order.
fn pass<I: Digits>(from: &[I], to: &mut [I], digit: usize) {
    assert_eq!(from.len(), to.len(), "as many integers go as come");
    let n = from.len();
    let n_parts = threads_for(n / INTEGERS_PER_ELEMENT);
    let part = |i: usize| &from[n * i / n_parts..n * (i + 1) / n_parts];
    let mut counts = vec![[0usize; VALUES]; n_parts];
    let places = Shared(counts.as_mut_ptr());
    pool::run(n_parts, &|i| {
        // SAFETY: each part has counts of its own, which outlive the call.
        let counts = unsafe { &mut *places.get().add(i) };
        for item in part(i) {
            counts[item.digit(digit)] += 1;
        }
    });
    // Each count becomes the place of the first of its integers: those with a smaller digit come
    // before it, and those with the same one in the parts before.
    let mut at = 0;
    for value in 0..VALUES {
        for counts in &mut counts {
            at += mem::replace(&mut counts[value], at);
        }
    }
    let (places, to) = (Shared(counts.as_mut_ptr()), Shared(to.as_mut_ptr()));
    pool::run(n_parts, &|i| {
        // SAFETY: as above.
        let places = unsafe { &mut *places.get().add(i) };
        for &item in part(i) {
            let place = &mut places[item.digit(digit)];
            // SAFETY: the integers are those that were counted, nobody can write to them meanwhile,
            // so each has a place of its own, and there are as many places as integers.
            unsafe { to.get().add(*place).write(item) };
            *place += 1;
        }
    });
}

/// Memory that several threads write to, each to its own part.
struct Shared<T>(*mut T);

impl<T> Shared<T> {
    fn get(&self) -> *mut T {
        self.0
    }
}

// SAFETY: whoever takes the pointer says why its part is nobody else's.
unsafe impl<T: Send> Sync for Shared<T> {}
