//! Everything that tensors, views and guards allocate is freed, in any drop order. A program of its own,
//! because the counting allocator is process-wide.

use belvedere::*;
use std::alloc::{GlobalAlloc, Layout as Room, System};
use std::io::{self as streams, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;
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

/// A stream whose second call panics.
struct PanickingStream(usize);

impl PanickingStream {
    fn count_call(&mut self) {
        self.0 += 1;
        if self.0 == 2 {
            unwind();
        }
    }
}

impl Read for PanickingStream {
    fn read(&mut self, buffer: &mut [u8]) -> streams::Result<usize> {
        self.count_call();
        let magic = b"\x93NUMPY\x01\x00";
        buffer[..8].copy_from_slice(magic);
        Ok(8)
    }
}

impl Write for PanickingStream {
    fn write(&mut self, bytes: &[u8]) -> streams::Result<usize> {
        self.count_call();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> streams::Result<()> {
        Ok(())
    }
}

/// Panics without a message.
fn unwind() -> ! {
    panic::resume_unwind(Box::new(()))
}

/// Asserts that a panic of a callback reaches the caller, and that a tensor which the call has borrowed is not borrowed any more.
fn assert_unwinds(name: &str, x: &Tensor, run: &dyn Fn(&Tensor)) {
    let unwound = panic::catch_unwind(AssertUnwindSafe(|| run(x)));
    assert!(unwound.is_err(), "{name}: no panic");
    assert!(x.write::<f64>().is_ok(), "{name}: the tensor is still borrowed");
    assert!(trace::record(|| x.fill(1.0)).0.is_ok(), "{name}: the tensor is still borrowed");
}

/// Calls everything that takes a function, a stream or an iterator of the user, which panics.
fn callbacks_that_panic() {
    let fails = |a: f64| if a == 1.0 { unwind() } else { a };
    for (n_threads, len) in [(1, 100), (2, 1 << 18)] {
        let x = Tensor::ones([len], DType::Float64).unwrap();
        let y = Tensor::zeros([len], DType::Float64).unwrap();
        let check = |name: &str, run: &dyn Fn(&Tensor)| {
            with_num_threads(n_threads, || assert_unwinds(name, &x, run));
        };
        check("map", &|x| drop(x.map(fails)));
        check("map_assign", &|x| drop(x.map_assign(fails)));
        check("zip map", &|x| drop(zip((x, &y)).map(|a: f64, _: f64| fails(a))));
        check("zip map_into", &|x| drop(zip((&y, x)).map_into(x, |_: f64, b: f64| fails(b))));
        check("zip for_each", &|x| {
            drop(zip((x,)).for_each(|a: f64| {
                fails(a);
            }))
        });
        check("zip fold", &|x| drop(zip((x,)).fold(vec![0.0], |_, a: f64| vec![fails(a)])));
        check("a guard's map", &|x| x.write::<f64>().unwrap().map(fails));
        check("the body of interruptible", &|x| {
            drop(interruptible(
                || false,
                || -> Result<(), Error> {
                    x.fill(2.0)?;
                    unwind()
                },
            ));
        });
        check("without_waiting", &|x| {
            let _guard = x.read::<f64>().unwrap();
            drop(without_waiting(|| -> Result<(), Error> { unwind() }));
        });
        check("a writer", &|x| drop(io::npy::write_to(PanickingStream(0), x)));
        check("scopes", &|x| {
            drop(trace::record(|| {
                copies::forbid(|| {
                    with_device(Device::Meta, || {
                        drop(x.add(1.0));
                        unwind()
                    })
                })
            }));
        });
        assert_eq!(Tensor::zeros([1], DType::Bool).unwrap().device(), Device::Cpu);
    }
    let x = Tensor::ones([1 << 20], DType::Float64).unwrap();
    assert_unwinds("a question", &x, &|x| {
        // Nearly every element is in 8192 windows: it takes longer than the 50 ms after which the question is asked.
        let long = x.windows(0, 1 << 13, 1).unwrap();
        let question = || -> bool { unwind() };
        drop(interruptible(question, || long.sum(())));
    });
    let x = Tensor::ones([10], DType::Float64).unwrap();
    assert_unwinds("a reader", &x, &|_| drop(io::npy::read_from(PanickingStream(0))));
    assert_unwinds("from_fn", &x, &|_| {
        drop(Tensor::from_fn([64, 64], |at| if at[0] == 63 { unwind() } else { at[1] as f64 }));
    });
    assert_unwinds("collect", &x, &|_| {
        drop((0..10_000).map(|i| if i == 9999 { unwind() } else { i }).collect::<Tensor>());
    });
    assert_unwinds("an arena's scope", &x, &|x| {
        Arena::new().scope(|scope| {
            drop(scope.zeros::<f64>([1000]));
            x.fill(2.0).unwrap();
            unwind()
        });
    });
    assert_unwinds("a release", &x, &|_| {
        let mut values = vec![1.0f64; 1000];
        let ptr = NonNull::new(values.as_mut_ptr().cast()).unwrap();
        // SAFETY: the vector is moved into the release function and not accessed before that is called.
        let storage = unsafe {
            Storage::foreign(ptr, 8000, true, move || {
                drop(values);
                unwind()
            })
        };
        let layout = Layout::row_major(&[1000]).unwrap();
        drop(Tensor::from_storage(storage, layout, DType::Float64).unwrap());
    });
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
    check("callbacks that panic", &callbacks_that_panic);
    let before = BYTES.load(Ordering::Relaxed);
    let x = Tensor::zeros([512, 512, 256], DType::Float32).unwrap();
    let made = BYTES.load(Ordering::Relaxed) - before;
    let flat = x.flatten(0, -1).unwrap();
    let part = flat.slice(s![..;-3]).unwrap().unflatten(0, [2, -1]);
    let views = BYTES.load(Ordering::Relaxed) - before - made;
    assert!(made >= 1 << 28 && views < 1024, "views of 256 MB: {views} bytes");
    drop((x, flat, part));
}
