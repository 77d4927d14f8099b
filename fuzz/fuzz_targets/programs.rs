//! Random sequences of operations on several threads, compared with loops over lists of elements.
//!
//! All threads write to one storage. Their elements alternate in memory, so that a kernel that writes beside its own
//! elements changes those of another thread; and all read a second one.

#![no_main]

use std::thread;

use arbitrary::{Result, Unstructured};
use belvedere::{Index, Slice, Tensor};
use belvedere_fuzz::any;
use belvedere_fuzz::programs::Program;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = check(Unstructured::new(data));
});

fn check(mut u: Unstructured) -> Result<()> {
    let n_threads = u.int_in_range(1..=3usize)?;
    // Sometimes enough elements for tiles and blocks.
    let n = if u.ratio(1, 8)? { u.int_in_range(1..=3000)? } else { u.int_in_range(1..=40)? };
    let shapes: Vec<Vec<usize>> =
        (0..n_threads).map(|_| any::shape(&mut u, n)).collect::<Result<_>>()?;
    let memory: Vec<i64> = (0..(n * n_threads) as i64).map(|i| i * 7 % 31 - 15).collect();
    let base = Tensor::from_vec(memory.clone(), [memory.len()]).expect("as many as the shape has");
    let shared = Tensor::from_vec(memory[..n].to_vec(), &shapes[0]).expect("a shape of `n`");
    let rest = u.take_rest();
    let inputs = rest.chunks(rest.len().div_ceil(n_threads).max(1));
    let inputs: Vec<&[u8]> = inputs.chain([&[][..]; 3]).take(n_threads).collect();

    let finished: Vec<Vec<i64>> = thread::scope(|scope| {
        let start = |t: usize| {
            let slice = Slice::from(t as isize..).by(n_threads as isize);
            let own = base.slice([Index::Slice(slice)]).and_then(|it| it.reshape(&shapes[t]));
            let mut program = Program::new(own.expect("n elements"), memory.clone(), &shared);
            let input = inputs[t];
            scope.spawn(move || {
                let _ = program.run(&mut Unstructured::new(input));
                program.finish()
            })
        };
        let threads: Vec<_> = (0..n_threads).map(start).collect();
        threads.into_iter().map(|it| it.join().expect("the thread checks its results")).collect()
    });

    let expected: Vec<i64> = (0..memory.len()).map(|i| finished[i % n_threads][i]).collect();
    assert_eq!(base.to_vec::<i64>().expect("all threads have ended"), expected);
    assert_eq!(shared.to_vec::<i64>().expect("all threads have ended"), memory[..n]);
    Ok(())
}
