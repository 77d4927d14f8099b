//! `Outcome`: the result of an expression in a form in which results of two libraries are compared.

use belvedere::{DType, Element, Shape, StorageId, Strides, Tensor, View};

/// A shape and its elements in row-major order. Numbers have shape `[]`, and vectors one axis.
#[derive(Debug)]
pub(crate) struct Outcome {
    shape: Vec<usize>,
    values: Vec<f64>,
    /// The memory, if it is a tensor.
    storage: Option<StorageId>,
}

impl Outcome {
    pub(crate) fn new(shape: &[usize], values: Vec<f64>) -> Outcome {
        assert_eq!(shape.iter().product::<usize>(), values.len());
        Outcome { shape: shape.to_vec(), values, storage: None }
    }

    fn list(values: impl IntoIterator<Item = f64>) -> Outcome {
        let values: Vec<f64> = values.into_iter().collect();
        Outcome::new(&[values.len()], values)
    }

    /// Panics unless the shapes are equal, and the elements equal within a tolerance, relative for numbers above 1.
    pub(crate) fn assert_near(&self, theirs: &Outcome, tolerance: f64, expression: &str) {
        assert_eq!(self.shape, theirs.shape, "the shape of {expression}");
        let is_near =
            |(x, y): (&f64, &f64)| (x - y).abs() <= tolerance * x.abs().max(y.abs()).max(1.0);
        let pairs = || self.values.iter().zip(&theirs.values);
        assert!(pairs().all(is_near), "{expression} is {self:?}, expected {theirs:?}");
    }

    /// Returns the last column of a row: whether a tensor is a view of an operand; empty for other results.
    pub(crate) fn memory(&self, operands: &[Tensor]) -> &'static str {
        match self.storage {
            Some(id) if operands.iter().any(|it| it.storage().id() == id) => "view",
            Some(_) => "new",
            None => "",
        }
    }
}

impl From<Tensor> for Outcome {
    fn from(tensor: Tensor) -> Outcome {
        let values = tensor.astype(DType::Float64).expect("real numbers").to_vec();
        let storage = Some(tensor.storage().id());
        Outcome { storage, ..Outcome::new(&tensor.shape(), values.expect("float64")) }
    }
}

impl<T: Element + Into<f64>> From<View<'_, T>> for Outcome {
    fn from(view: View<'_, T>) -> Outcome {
        Outcome::new(&view.shape(), view.iter().map(Into::into).collect())
    }
}

impl<T: Into<f64>> From<Vec<T>> for Outcome {
    fn from(values: Vec<T>) -> Outcome {
        Outcome::list(values.into_iter().map(Into::into))
    }
}

impl From<f64> for Outcome {
    fn from(value: f64) -> Outcome {
        Outcome::new(&[], vec![value])
    }
}

impl From<f32> for Outcome {
    fn from(value: f32) -> Outcome {
        f64::from(value).into()
    }
}

impl From<bool> for Outcome {
    fn from(value: bool) -> Outcome {
        f64::from(u8::from(value)).into()
    }
}

impl From<usize> for Outcome {
    fn from(value: usize) -> Outcome {
        (value as f64).into()
    }
}

impl From<&[usize]> for Outcome {
    fn from(lengths: &[usize]) -> Outcome {
        Outcome::list(lengths.iter().map(|&len| len as f64))
    }
}

impl From<&[isize]> for Outcome {
    fn from(strides: &[isize]) -> Outcome {
        Outcome::list(strides.iter().map(|&stride| stride as f64))
    }
}

impl From<Shape> for Outcome {
    fn from(shape: Shape) -> Outcome {
        Outcome::from(&shape[..])
    }
}

impl From<Strides> for Outcome {
    fn from(strides: Strides) -> Outcome {
        Outcome::from(&strides[..])
    }
}

impl From<[usize; 2]> for Outcome {
    fn from(lengths: [usize; 2]) -> Outcome {
        Outcome::from(&lengths[..])
    }
}

impl From<(usize, usize)> for Outcome {
    fn from((rows, columns): (usize, usize)) -> Outcome {
        [rows, columns].into()
    }
}
