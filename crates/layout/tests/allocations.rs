//! View operations allocate nothing up to six axes, measured with a counting allocator.

use belvedere_layout::{Index::*, Layout, Reshape, Slice, explain_view, s};
use std::alloc::{GlobalAlloc, System};
use std::cell::Cell;
use std::hint::black_box;

/// The system's allocator, counting the calls of each thread.
struct Counting;

thread_local! {
    static N_CALLS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // During thread shutdown the thread-local counter no longer exists.
    let _ = N_CALLS.try_with(|it| it.set(it.get() + 1));
}

// SAFETY: every call is handed on to the system's allocator unchanged; counting touches a
// thread-local number that is never allocated.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`, which is the same there.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: std::alloc::Layout) {
        // SAFETY: the pointer came from `System.alloc` with this layout, by way of `alloc` above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Counts the allocations of `work`.
fn n_allocations<T>(work: impl FnOnce() -> T) -> usize {
    let before = N_CALLS.get();
    black_box(work());
    N_CALLS.get() - before
}

/// Lengths of 4, 6, 4, 6 … for `rank` axes.
fn shape(rank: usize) -> Vec<usize> {
    (0..rank).map(|k| 4 + 2 * (k % 2)).collect()
}

#[test]
fn view_operations_allocate_nothing_up_to_rank_six() {
    for rank in 1..=6usize {
        let lengths = shape(rank);
        let layout = Layout::row_major(&lengths).unwrap();
        let flipped = layout.flip(&[0]).unwrap();
        let order: Vec<isize> = (0..rank as isize).rev().collect();
        let last = rank as isize - 1;
        let mut wider = lengths.clone();
        wider[0] = 7;
        let column = layout.narrow(0, 0, 1).unwrap();
        let halves: Vec<usize> = [&[2, lengths[0] / 2], &lengths[1..]].concat();

        let check = |what: &str, work: &dyn Fn() -> bool| {
            let n = n_allocations(|| assert!(work(), "{what} at rank {rank}"));
            assert_eq!(n, 0, "{what} at rank {rank}");
        };
        check("clone", &|| layout.clone() == layout);
        check("row_major", &|| Layout::row_major(&lengths).is_ok());
        check("from_strides", &|| Layout::from_strides(9, &lengths[..1], &[-3]).is_ok());
        check("permute", &|| layout.permute(&order).is_ok());
        check("transpose", &|| layout.transpose(0, last).is_ok());
        check("move_axis", &|| layout.move_axis(0, last).is_ok());
        check("reverse", &|| layout.reverse().rank() == rank);
        check("slice", &|| layout.slice(&s![1..3, Ellipsis]).is_ok());
        check("slice backwards", &|| layout.slice(&s![..;-2, Ellipsis]).is_ok());
        check("slicer", &|| {
            layout.slicer().stepped(3, 2, -2).is_ok() && layout.slicer().finish().is_ok()
        });
        check("select", &|| layout.select(last, -1).is_ok());
        check("narrow", &|| layout.narrow(0, 1, 2).is_ok());
        check("step", &|| layout.step(0, -2).is_ok());
        check("slice_axis", &|| layout.slice_axis(0, Slice::ALL).is_ok());
        check("split_at", &|| layout.split_at(0, 2).is_ok());
        check("flip", &|| layout.flip(&order).is_ok());
        check("squeeze", &|| column.squeeze(&[0]).is_ok() && column.squeeze_all().rank() < rank);
        check("broadcast_to", &|| column.broadcast_to(&wider).is_ok());
        check("view", &|| layout.view([-1]).is_ok());
        check("flatten", &|| layout.flatten(0, -1).is_ok());
        check("merge", &|| layout.merge(0, -1).is_ok());
        check("reinterpret", &|| layout.reinterpret(8, 4).is_ok());
        check("shape", &|| layout.shape().len() == rank);
        check("strides", &|| layout.strides().len() == rank);
        check("offset", &|| layout.offset(&[0; 6][..rank]).is_ok());
        check("span", &|| !layout.span().is_empty());
        check("coalesced", &|| layout.coalesced().rank() == 1);
        check("injective", &|| layout.injective() == belvedere_layout::Answer::Yes);
        check("is_dense", &|| layout.is_dense() && !flipped.is_dense());
        check("offsets", &|| layout.offsets().count() == layout.len());
        if rank >= 2 {
            check("diagonal", &|| layout.diagonal(1, 0, 1).is_ok());
            check("rot90", &|| layout.rot90(1, 0, 1).is_ok());
        }
        if rank < 6 {
            check("unsqueeze", &|| layout.unsqueeze(0).is_ok());
            check("windows", &|| layout.windows(0, 2, 1).is_ok());
            check("split view", &|| layout.view(&halves).is_ok());
            check("unflatten", &|| layout.unflatten(0, [2, -1]).is_ok());
            check("split_elements", &|| layout.split_elements(2).is_ok());
        }
        // A reshape that needs a copy does not allocate either.
        if rank >= 2 {
            let columns = layout.transpose(0, last).unwrap();
            check("refused reshape", &|| matches!(columns.reshape([-1]), Ok(Reshape::Copy { .. })));
        }
    }
}

#[test]
fn a_layout_is_small_enough_to_be_moved_inline() {
    assert!(size_of::<Layout>() <= 128, "{}", size_of::<Layout>());
    assert!(size_of::<Result<Layout, belvedere_layout::LayoutError>>() <= 128);
}

#[test]
fn the_allocation_counter_works() {
    assert_eq!(n_allocations(|| Vec::<u8>::with_capacity(10)), 1);
    let wide = Layout::row_major(&[1; 7]).unwrap();
    assert!(n_allocations(|| wide.clone()) > 0);
    let layout = Layout::row_major(&[3, 4]).unwrap();
    assert!(n_allocations(|| explain_view(&layout, [12]).unwrap()) > 0);
}
