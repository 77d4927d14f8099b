//! A parallel loop over the items of a slice.

use crate::pool;
use crate::sync_ptr::SyncPtr;

/// Calls `f` with each item and its position, on the threads of the pool.
pub(super) fn for_each_mut<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync) {
    let (n, items) = (items.len(), SyncPtr::new(items.as_mut_ptr()));
    pool::run(n, &|i| {
        // SAFETY: `i` is less than `n`, and `pool::run` calls each piece once, so no two calls have the same item.
        // `items` is borrowed until all calls have returned.
        f(i, unsafe { &mut *items.get().add(i) });
    });
}
