//! Reproducible random shapes, dtypes and values for the test cases.

use belvedere::{Complex, DType, Tensor};

/// A generator with a fixed seed (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Returns true with probability 1/`n`.
    pub(super) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Returns a number from 0 to 1.
    fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a permutation of the numbers below `n`.
    pub(super) fn order(&mut self, n: usize) -> Vec<isize> {
        let mut order: Vec<isize> = (0..n as isize).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }

    /// Returns a shape, mostly small.
    pub(super) fn shape(&mut self) -> Vec<usize> {
        if self.once_in(60) {
            return self.pick(&[&[70_001][..], &[257, 300], &[2, 33, 40, 30]]).to_vec();
        }
        let rank = self.pick(&[0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4]);
        let mut shape: Vec<usize> =
            (0..rank).map(|_| self.pick(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17])).collect();
        if rank > 0 && self.once_in(30) {
            let k = self.below(rank);
            shape[k] = 0;
        }
        shape
    }

    /// A shape that broadcasts to another one.
    pub(super) fn reduced(&mut self, shape: &[usize]) -> Vec<usize> {
        let n_dropped = if self.once_in(4) { self.below(shape.len() + 1) } else { 0 };
        let mut reduced = shape[n_dropped..].to_vec();
        for len in &mut reduced {
            if self.once_in(5) {
                *len = 1;
            }
        }
        reduced
    }
}

/// The dtypes of NumPy.
pub(super) fn types() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|&dtype| dtype != DType::BFloat16)
}

/// The range of random values.
#[derive(Clone, Copy, Debug)]
pub(super) enum Values {
    /// All values of the dtype, with special values more often.
    Any,
    /// Values between two limits; floats with full precision.
    Within(f64, f64),
    /// Integers between two limits.
    Whole(i64, i64),
}

/// Returns new values in row-major order.
pub(super) fn values(random: &mut Random, shape: &[usize], dtype: DType, values: Values) -> Tensor {
    let n = shape.iter().product();
    let numbers = match values {
        Values::Any if dtype.is_integer() => {
            Tensor::from_vec((0..n).map(|_| any_integer(random)).collect(), shape)
        }
        _ if dtype.is_complex() => {
            let mut number = || real(random, values);
            Tensor::from_vec((0..n).map(|_| Complex::new(number(), number())).collect(), shape)
        }
        _ => {
            let bounded = |x: f64| if dtype.is_unsigned() { x.abs() } else { x };
            Tensor::from_vec((0..n).map(|_| bounded(real(random, values))).collect(), shape)
        }
    };
    numbers.and_then(|x| x.astype(dtype)).expect("values of every type")
}

/// Bit patterns of extreme integers, truncated for narrower dtypes.
fn any_integer(random: &mut Random) -> i64 {
    match random.below(4) {
        0 => random.pick(&[0, 1, -1, 2, i64::MAX, i64::MIN, 127, 128, 255, 1 << 31, 1 << 53]),
        1 => random.below(100) as i64 - 50,
        _ => random.bits() as i64,
    }
}

fn real(random: &mut Random, values: Values) -> f64 {
    const ODD: &[f64] = &[
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        65504.0,
        6e-8,
        3e38,
        1e-40,
        5e-324,
        f64::MAX,
        f64::MIN_POSITIVE,
    ];
    match values {
        Values::Within(low, high) => low + (high - low) * random.share(),
        Values::Whole(low, high) => (low + random.below((high - low + 1) as usize) as i64) as f64,
        Values::Any => match random.below(8) {
            0 => random.pick(ODD),
            1 => f64::from_bits(random.bits()),
            2 => random.below(200) as f64 - 100.0,
            _ => (random.share() - 0.5) * 2f64.powi(random.below(40) as i32 - 20),
        },
    }
}
