//! Interop: memory of another library, in its order, without a copy.

pub mod belvedere {
    use belvedere::prelude::*;

    /// Scales the columns of a column-major matrix (that of LAPACK or nalgebra) to length 1, in its
    /// own memory.
    pub fn unit_columns(matrix: Vec<f32>, rows: usize) -> Result<Vec<f32>, Error> {
        let columns = Tensor::from(matrix).reshape((-1, rows))?;
        columns.div_assign(&columns.norm(keep(1))?)?;
        columns.into_vec()
    }
}

pub mod ndarray {
    use ndarray::{Array2, ShapeBuilder};

    /// Scales the columns of a column-major matrix (that of LAPACK or nalgebra) to length 1, in its
    /// own memory.
    pub fn unit_columns(matrix: Vec<f32>, rows: usize) -> Vec<f32> {
        let shape = (rows, matrix.len() / rows).f();
        let mut x = Array2::from_shape_vec(shape, matrix).unwrap();
        for mut column in x.columns_mut() {
            let norm = column.dot(&column).sqrt();
            column /= norm;
        }
        x.into_raw_vec_and_offset().0
    }
}
