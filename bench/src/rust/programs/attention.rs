//! Attention with several heads.

pub mod belvedere {
    use belvedere::prelude::*;

    /// Returns softmax(q · kᵀ / √width) · v of each head; all are of shape [tokens, heads, width].
    pub fn attention(q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Tensor, Error> {
        let [_, _, width] = q.dims()?;
        let scores = einsum("qhd,khd->hqk", &[q, k])?.div((width as f32).sqrt())?;
        einsum("hqk,khd->qhd", &[&scores.softmax(-1)?, v])
    }
}

pub mod ndarray {
    use ndarray::{Array3, ArrayView3, Axis};

    /// Returns softmax(q · kᵀ / √width) · v of each head; all are of shape [tokens, heads, width].
    pub fn attention(q: ArrayView3<f32>, k: ArrayView3<f32>, v: ArrayView3<f32>) -> Array3<f32> {
        let (_, heads, width) = q.dim();
        let mut out = Array3::zeros(q.dim());
        for head in 0..heads {
            let [q, k, v] = [&q, &k, &v].map(|x| x.index_axis(Axis(1), head));
            let mut weights = q.dot(&k.t()) / (width as f32).sqrt();
            for mut row in weights.rows_mut() {
                let max = row.fold(f32::NEG_INFINITY, |max, &x| max.max(x));
                row.mapv_inplace(|x| (x - max).exp());
                row /= row.sum();
            }
            out.index_axis_mut(Axis(1), head).assign(&weights.dot(&v));
        }
        out
    }
}
