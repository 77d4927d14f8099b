//! A stencil on two threads: one step of diffusion.

pub mod belvedere {
    use belvedere::prelude::*;
    use belvedere::with_num_threads;

    /// Writes the mean of the four neighbours of each inner element of `now` to `next`.
    pub fn diffuse(now: &Tensor, next: &Tensor) -> Result<(), Error> {
        let (up, down) = (now.slice(s![..-2, 1..-1])?, now.slice(s![2.., 1..-1])?);
        let (left, right) = (now.slice(s![1..-1, ..-2])?, now.slice(s![1..-1, 2..])?);
        let inner = next.slice(s![1..-1, 1..-1])?;
        let mean = |a: f32, b: f32, c: f32, d: f32| 0.25 * (a + b + c + d);
        with_num_threads(2, || zip((&up, &down, &left, &right)).map_into(&inner, mean))
    }
}

pub mod ndarray {
    use ndarray::{ArrayView2, ArrayViewMut2, Zip, s};

    /// Writes the mean of the four neighbours of each inner element of `now` to `next`, on the
    /// threads of rayon's pool.
    pub fn diffuse(now: ArrayView2<f32>, mut next: ArrayViewMut2<f32>) {
        Zip::from(next.slice_mut(s![1..-1, 1..-1]))
            .and(now.slice(s![..-2, 1..-1]))
            .and(now.slice(s![2.., 1..-1]))
            .and(now.slice(s![1..-1, ..-2]))
            .and(now.slice(s![1..-1, 2..]))
            .par_for_each(|next, a, b, c, d| *next = 0.25 * (a + b + c + d));
    }
}
