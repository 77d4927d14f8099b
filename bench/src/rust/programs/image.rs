//! Image processing: sharpen an RGB image by what its blurred version lacks.

pub mod belvedere {
    use belvedere::prelude::*;

    /// Sharpens an image of shape [height, width, 3]: each value plus its distance from the mean of
    /// its 3 × 3 neighbours. The result is without the border.
    pub fn sharpen(image: &Tensor) -> Result<Tensor, Error> {
        let x = image.astype(DType::Float32)?;
        let blurred = x.windows(0, 3, 1)?.windows(1, 3, 1)?.mean([-1, -2])?;
        zip((&x.slice(s![1..-1, 1..-1])?, &blurred))
            .map(|x: f32, mean: f32| (2.0 * x - mean).clamp(0.0, 255.0) as u8)
    }
}

pub mod ndarray {
    use ndarray::{Array3, ArrayView3, Zip, s};

    /// Sharpens an image of shape [height, width, 3]: each value plus its distance from the mean of
    /// its 3 × 3 neighbours. The result is without the border.
    pub fn sharpen(image: ArrayView3<u8>) -> Array3<u8> {
        let x = image.mapv(f32::from);
        let (h, w, channels) = x.dim();
        let mut sums = Array3::<f32>::zeros((h - 2, w - 2, channels));
        for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
            sums += &x.slice(s![i..h - 2 + i, j..w - 2 + j, ..]);
        }
        Zip::from(x.slice(s![1..-1, 1..-1, ..]))
            .and(&sums)
            .map_collect(|x, sum| (2.0 * x - sum / 9.0).clamp(0.0, 255.0) as u8)
    }
}
