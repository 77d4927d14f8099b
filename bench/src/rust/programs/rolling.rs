//! Rolling statistics: how unusual each value of a series is among those before it.

pub mod belvedere {
    use belvedere::prelude::*;

    /// Returns how many standard deviations the last value of each window is above the window's mean.
    pub fn z_scores(series: &Tensor, size: usize) -> Result<Tensor, Error> {
        let windows = series.windows(0, size, 1)?;
        let (last, mean, std) = (windows.select(1, -1)?, windows.mean(1)?, windows.std(1)?);
        zip((&last, &mean, &std)).map(|last: f64, mean: f64, std: f64| (last - mean) / std)
    }
}

pub mod ndarray {
    use ndarray::{Array1, ArrayView1};

    /// Returns how many standard deviations the last value of each window is above the window's mean.
    pub fn z_scores(series: ArrayView1<f64>, size: usize) -> Array1<f64> {
        let score =
            |window: ArrayView1<f64>| (window[size - 1] - window.mean().unwrap()) / window.std(0.0);
        series.windows(size).into_iter().map(score).collect()
    }
}
