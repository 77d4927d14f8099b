//! How a thread waits before it sleeps.

use std::hint;
use std::thread;
use std::time::{Duration, Instant};

/// How long a thread spins before it sleeps: longer than the gap between two operations of a program
/// that computes, and short enough not to matter in one that is idle.
pub(super) const SPIN_TIME: Duration = Duration::from_micros(50);

/// Loads between two readings of the clock. With a pause instruction in between, 0.2 to 3 µs; then the
/// thread yields its core, which another thread may need if there are only two.
const LOADS_PER_CHECK: usize = 64;

/// Spins until `is_done` or until [`SPIN_TIME`] has passed; returns whether it is done.
pub(super) fn spin_until(is_done: impl Fn() -> bool) -> bool {
    let mut since = None;
    loop {
        for _ in 0..LOADS_PER_CHECK {
            if is_done() {
                return true;
            }
            hint::spin_loop();
        }
        if since.get_or_insert_with(Instant::now).elapsed() > SPIN_TIME {
            return false;
        }
        thread::yield_now();
    }
}
