//! Nearest neighbours, by |q - p|² = |q|² - 2 q·p + |p|².

pub mod belvedere {
    use belvedere::prelude::*;

    /// Returns, for each row of `queries`, the index of the nearest row of `points`.
    pub fn nearest(queries: &Tensor, points: &Tensor) -> Result<Tensor, Error> {
        let squares = einsum("pk,pk->p", &[points, points])?;
        let products = queries.matmul(&points.t()?)?;
        zip((&squares, &products)).map(|square: f32, dot: f32| square - 2.0 * dot)?.argmin(1)
    }
}

pub mod ndarray {
    use ndarray::{Array1, ArrayView2, Axis};

    /// Returns, for each row of `queries`, the index of the nearest row of `points`.
    pub fn nearest(queries: ArrayView2<f32>, points: ArrayView2<f32>) -> Array1<usize> {
        let squares = (&points * &points).sum_axis(Axis(1));
        let distances = squares - 2.0 * queries.dot(&points.t());
        distances.map_axis(Axis(1), |row| {
            let nearest = row.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
            nearest.unwrap().0
        })
    }
}
