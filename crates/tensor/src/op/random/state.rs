//! The state of a generator as bytes, for programs that store it.

use super::Generator;
use crate::kernel::random::RandomStream;

impl Generator {
    /// The number of bytes of [`Generator::state`].
    pub const STATE_BYTES: usize = 48;

    /// Returns the key and the position of the generator as bytes, from which [`Generator::from_state`] restores it.
    ///
    /// ```
    /// use belvedere::random::Generator;
    ///
    /// let generator = Generator::new(7);
    /// assert_eq!(Generator::from_state(generator.state()), generator);
    /// ```
    pub fn state(&self) -> [u8; Generator::STATE_BYTES] {
        let RandomStream { key, number, part } = self.next;
        let mut state = [0; Generator::STATE_BYTES];
        state[..32].copy_from_slice(&key);
        state[32..40].copy_from_slice(&number.to_le_bytes());
        state[40..].copy_from_slice(&part.to_le_bytes());
        state
    }

    /// Restores a generator from [`Generator::state`].
    ///
    /// ```
    /// use belvedere::prelude::*;
    /// use belvedere::random::Generator;
    ///
    /// let mut first = Generator::new(7);
    /// first.uniform(0.0, 1.0, [3], DType::Float64)?;
    /// let mut second = Generator::from_state(first.state());
    /// let draw = |it: &mut Generator| it.uniform(0.0, 1.0, [3], DType::Float64)?.to_vec::<f64>();
    /// assert_eq!(draw(&mut first)?, draw(&mut second)?);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn from_state(state: [u8; Generator::STATE_BYTES]) -> Generator {
        let number = |from: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&state[from..from + 8]);
            u64::from_le_bytes(bytes)
        };
        let mut key = [0; 32];
        key.copy_from_slice(&state[..32]);
        Generator { next: RandomStream { key, number: number(32), part: number(40) } }
    }
}
