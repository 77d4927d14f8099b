//! Readers and writers that fail, end early or claim too much, at every call and every length.

use super::{LIVE_BYTES, Relaxed, in_child};
use belvedere::io::npy;
use belvedere::prelude::*;
use belvedere::{Error, memory, with_num_threads};
use std::io::{self, Read, Write};

/// What a stream does at the end of its patience.
#[derive(Clone, Copy, Debug)]
enum StreamFault {
    Error,
    End,
    /// It claims one byte more than it was given.
    Excess,
}

/// A stream that moves at most `step` bytes in a call, and fails after `calls` of them.
struct Unreliable<S> {
    stream: S,
    step: usize,
    calls: usize,
    fault: StreamFault,
}

impl<S> Unreliable<S> {
    /// Counts a call; returns the result of the one that fails.
    fn fails(&mut self, given: usize) -> Option<io::Result<usize>> {
        let Some(left) = self.calls.checked_sub(1) else {
            return Some(match self.fault {
                StreamFault::Error => Err(io::Error::other("no more")),
                StreamFault::End => Ok(0),
                StreamFault::Excess => Ok(given + 1),
            });
        };
        self.calls = left;
        None
    }
}

impl<S: Read> Read for Unreliable<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = buffer.len().min(self.step);
        self.fails(buffer.len()).unwrap_or_else(|| self.stream.read(&mut buffer[..n]))
    }
}

impl<S: Write> Write for Unreliable<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(self.step);
        self.fails(bytes.len()).unwrap_or_else(|| self.stream.write(&bytes[..n]))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Two megabytes whose elements are not contiguous: several blocks are gathered and written.
fn tensor() -> Tensor {
    let x = Tensor::arange(0..1 << 18).unwrap().astype(DType::Float64).unwrap();
    x.view([512, 512]).unwrap().t().unwrap()
}

/// Calls `f` and asserts that it leaves no bytes allocated.
fn without_leak<R>(what: &dyn std::fmt::Debug, f: impl FnOnce() -> R) -> R {
    memory::trim();
    let live = LIVE_BYTES.load(Relaxed);
    let result = f();
    memory::trim();
    // Less if a list of the test program has been replaced meanwhile.
    assert!(LIVE_BYTES.load(Relaxed) <= live, "{what:?}: bytes leaked");
    result
}

/// In a child, because the bytes of other tests would count; on one thread, because a worker that starts meanwhile
/// allocates what it keeps.
#[test]
fn a_stream_that_fails_at_any_call_is_an_error() {
    let status = in_child(|| with_num_threads(1, read_and_write_failing_streams));
    assert_eq!(status, 0);
}

fn read_and_write_failing_streams() {
    let x = tensor();
    let mut bytes = Vec::new();
    npy::write_to(&mut bytes, &x.slice(s![..8, ..8]).unwrap()).unwrap();
    let mut n_faults = 0;
    for fault in [StreamFault::Error, StreamFault::End, StreamFault::Excess] {
        for step in [1, 7, 64, 1 << 20] {
            let n_calls = bytes.len().div_ceil(step);
            for calls in 0..n_calls {
                let outcome = without_leak(&(fault, step, calls), || {
                    let stream = Unreliable { stream: &bytes[..], step, calls, fault };
                    matches!(npy::read_from(stream), Err(Error::Npy(_) | Error::Io(_)))
                });
                assert!(outcome, "{fault:?} after {calls} calls of {step} bytes");
                n_faults += 1;
            }
        }
    }
    // `write_all` panics itself if a writer claims more than it was given.
    for fault in [StreamFault::Error, StreamFault::End] {
        for calls in 0..12 {
            let outcome = without_leak(&(fault, calls), || {
                let step = 1 << 18;
                let stream = Unreliable { stream: io::sink(), step, calls, fault };
                npy::write_to(stream, &x).is_ok()
            });
            assert_eq!(outcome, calls > 8, "{fault:?} after {calls} calls");
            x.write::<f64>().expect("the borrow has ended");
            n_faults += 1;
        }
    }
    for len in 0..bytes.len() {
        let part = &bytes[..len];
        let is_error = || matches!(npy::read_from(part), Err(Error::Npy(_)));
        assert!(without_leak(&len, is_error), "{len} bytes");
        n_faults += 1;
    }
    println!("faults injected: {n_faults} in streams");
    assert!(n_faults > 2000, "{n_faults} faults");
}

#[test]
fn a_file_that_cannot_be_written_whole_is_not_replaced() {
    let folder = std::env::temp_dir().join(format!("belvedere-faults-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("x.npy");
    npy::write(&path, &tensor![1, 2, 3]).unwrap();
    let status = in_child(|| {
        // Files of more than 64 KiB are refused in this process.
        let limit = libc::rlimit { rlim_cur: 1 << 16, rlim_max: 1 << 16 };
        // SAFETY: the limit is a live value, and the signal is ignored instead of ending the process.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
        }
        assert!(matches!(npy::write(&path, &tensor()), Err(Error::Io(_))));
    });
    assert_eq!(status, 0);
    assert_eq!(npy::read(&path).unwrap().to_vec::<i32>().unwrap(), [1, 2, 3]);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "a temporary file is left");
    std::fs::remove_dir_all(&folder).unwrap();
}
