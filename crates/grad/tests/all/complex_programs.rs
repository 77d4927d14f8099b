//! Random programs on complex tensors that write through views of them and of their real and imaginary parts, against
//! differences in each component.

use belvedere::prelude::*;
use belvedere_grad::Tape;

/// Random numbers: a linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

/// Returns a view with the shape `[2, 3]` of one with the shape `[3, 4]`.
fn view(random: &mut Random, x: &Tensor) -> Result<Tensor, Error> {
    let view = match random.below(4) {
        0 => x.slice(s![..2, 1..])?,
        1 => x.slice(s![..;-2, ..3])?,
        2 => x.slice(s![1.., ..;-1])?.slice(s![.., 1..])?,
        _ => x.t()?.slice(s![1..3])?,
    };
    Ok(if random.below(2) == 0 { view.flip([1])? } else { view })
}

/// Writes to a view of a tensor of the pool, or adds a new one.
fn step(random: &mut Random, pool: &mut Vec<Tensor>) -> Result<(), Error> {
    let [x, y] = [0, 1].map(|_| pool[random.below(pool.len())].clone());
    let (a, b) = (view(random, &x)?, view(random, &y)?);
    match random.below(12) {
        0 => a.mul_assign(&b.mul(0.7)?),
        1 => a.add_assign(&b),
        2 => a.real()?.copy_from(&b.imag()?),
        3 => a.imag()?.add_assign(&b.real()?.square()?),
        4 => a.copy_from(&b.conj()?),
        5 => a.real()?.slice(s![0])?.fill(0.3),
        6 => a.imag()?.mul_assign(&b.real()?),
        7 => a.sub_assign(&b.imag()?),
        8 => a.slice(s![1])?.copy_from(&b.sin()?.slice(s![0])?),
        9 => belvedere::conj_into(&a, &a),
        10 => {
            pool.push(x.mul(&y.conj()?)?.mul(0.5)?);
            Ok(())
        }
        _ => {
            pool.push(x.div(&y.abs()?.add(1.0)?)?.add(&y.real()?.square()?)?);
            Ok(())
        }
    }
}

/// Runs the program of a seed.
fn run(seed: u64, z: &Tensor) -> Result<Tensor, Error> {
    let (mut random, mut pool) = (Random(seed), vec![z.copy()?]);
    for _ in 0..8 {
        step(&mut random, &mut pool)?;
    }
    let mut sum = Tensor::zeros([0usize; 0], DType::Float64)?;
    for (n, x) in pool.iter().enumerate() {
        let weight = Complex::new(1.0 + n as f64, -0.5);
        sum = sum.add(&x.sin()?.mul(weight)?.real()?.sum(())?)?;
    }
    Ok(sum)
}

#[test]
fn gradients_of_random_programs_are_the_limits_of_differences() {
    for seed in 1..300 {
        let number = |i: usize| ((i * 37 + 11) % 101) as f64 / 80.0 - 0.6;
        let numbers = (0..12).map(|i| Complex::new(number(2 * i), number(2 * i + 1)));
        let z = Tensor::from_vec(numbers.collect(), [3, 4]).unwrap();
        let tape = Tape::new();
        tape.watch(&z).unwrap();
        let y = tape.record(|| run(seed, &z)).unwrap();
        let found = tape.backward(&y).unwrap().wrt(&z).unwrap();
        let parts = |x: &Tensor| x.bitcast(DType::Float64).unwrap().reshape([24]).unwrap();
        let (found, memory) = (parts(&found).to_vec::<f64>().unwrap(), parts(&z));
        for (at, found) in found.into_iter().enumerate() {
            let old = memory.get::<f64>([at]).unwrap();
            let value = |h: f64| {
                memory.set([at], old + h).unwrap();
                run(seed, &z).unwrap().item::<f64>().unwrap()
            };
            let expected = (value(1e-6) - value(-1e-6)) / 2e-6;
            memory.set([at], old).unwrap();
            let is_near = (found - expected).abs() < 1e-5 * (1.0 + expected.abs());
            assert!(is_near, "program {seed}, component {at}: {found}, expected {expected}");
        }
    }
}
