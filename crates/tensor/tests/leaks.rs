//! Everything that tensors, views and guards allocate is freed, in any drop order. A program of its own,
//! because the counting allocator is process-wide.

use belvedere::*;
use std::alloc::{GlobalAlloc, Layout as Room, System};
use std::sync::atomic::{AtomicIsize, Ordering};

/// The system allocator, which counts the allocated bytes.
struct Counting;

static BYTES: AtomicIsize = AtomicIsize::new(0);

// SAFETY: every call is the system allocator's own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, room: Room) -> *mut u8 {
        BYTES.fetch_add(room.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's promises.
        unsafe { System.alloc(room) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, room: Room) {
        BYTES.fetch_sub(room.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's promises.
        unsafe { System.dealloc(ptr, room) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the bytes that a call leaves allocated, in its second run, so that one-time allocations do not
/// count.
fn left_by(run: impl Fn()) -> isize {
    run();
    memory::trim();
    let before = BYTES.load(Ordering::Relaxed);
    run();
    memory::trim();
    BYTES.load(Ordering::Relaxed) - before
}

/// One test only: a concurrent one would change the count.
#[test]
fn everything_is_freed() {
    let check = |name: &str, run: &dyn Fn()| {
        assert_eq!(left_by(|| with_num_threads(1, run)), 0, "{name}");
    };
    check("creation", &|| {
        for dtype in DType::ALL {
            drop(Tensor::zeros([100, 10], dtype).unwrap());
            drop(Tensor::ones([1000, 1000], dtype).unwrap());
        }
        drop(Tensor::from_vec(vec![1.5; 10_000], [100, 100]).unwrap());
    });
    check("views in any order", &|| {
        let x = Tensor::arange(0..10_000).unwrap().reshape([100, 100]).unwrap();
        let views = [x.t().unwrap(), x.slice(s![..;2]).unwrap(), x.windows(0, 3, 1).unwrap()];
        drop(x);
        assert_eq!(views[1].get::<i32>(&[1, 1]).unwrap(), 201);
        drop(views);
    });
    check("high ranks", &|| {
        let x = Tensor::ones([2; 12], DType::Float32).unwrap();
        let y = x.reverse_dims().add(&x).unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap().len(), 4096);
    });
    check("guards", &|| {
        let x = Tensor::arange(0..100).unwrap();
        let (left, right) = x.split_at(0, 50).unwrap();
        let (a, b) = (left.write::<i32>().unwrap(), right.read::<i32>().unwrap());
        assert!(x.fill(1).is_err());
        drop((x, b, left));
        drop((a, right));
    });
    check("operations and their buffers", &|| {
        let x = Tensor::arange(0..10_000).unwrap().reshape([100, 100]).unwrap();
        x.copy_from(&x.t().unwrap()).unwrap();
        x.add_assign(&x.flip(&[0]).unwrap()).unwrap();
        drop(x.t().unwrap().reshape([-1]).unwrap().add(0.5).unwrap().to_string());
    });
    check("errors", &|| {
        let x = Tensor::arange(0..10).unwrap();
        drop(x.view([3, 4]).unwrap_err().to_string());
        drop(x.add(&tensor![1, 2]).unwrap_err());
        drop(copies::record(|| x.flip(&[0]).unwrap().contiguous().unwrap()));
    });
    check("a panic under a guard", &|| {
        let x = Tensor::arange(0..10).unwrap();
        let x = std::panic::AssertUnwindSafe(&x);
        let unwound = std::panic::catch_unwind(|| {
            let _guard = x.write::<i32>().unwrap();
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(unwound.is_err());
    });
    let before = BYTES.load(Ordering::Relaxed);
    let x = Tensor::zeros([512, 512, 256], DType::Float32).unwrap();
    let made = BYTES.load(Ordering::Relaxed) - before;
    let flat = x.flatten(0, -1).unwrap();
    let part = flat.slice(s![..;-3]).unwrap().unflatten(0, [2, -1]);
    let views = BYTES.load(Ordering::Relaxed) - before - made;
    assert!(made >= 1 << 28 && views < 1024, "views of 256 MB: {views} bytes");
    drop((x, flat, part));
}
