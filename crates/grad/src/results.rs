//! [`Results`]: what functions that are differentiated may return.

use belvedere::Tensor;

/// One or several tensors: what functions return to [`vjp`](crate::vjp), [`checkpoint`](crate::checkpoint) and the like.
pub trait Results: Sized {
    /// Returns the tensors.
    ///
    /// ```
    /// use belvedere::tensor;
    /// use belvedere_grad::Results;
    ///
    /// assert_eq!([tensor![1.0], tensor![2.0]].tensors().len(), 2);
    /// ```
    fn tensors(&self) -> Vec<&Tensor>;

    /// Makes the results of as many tensors as [`Results::tensors`] returned.
    ///
    /// ```
    /// use belvedere::{Tensor, tensor};
    /// use belvedere_grad::Results;
    ///
    /// let [x, y] = Results::from_tensors(vec![tensor![1.0], tensor![2.0]]);
    /// assert!(Tensor::from_tensors(vec![x]).shares_memory(&y) == Some(false));
    /// ```
    ///
    /// # Panics
    /// If their number is another one.
    fn from_tensors(tensors: Vec<Tensor>) -> Self;
}

impl Results for Tensor {
    fn tensors(&self) -> Vec<&Tensor> {
        vec![self]
    }

    fn from_tensors(tensors: Vec<Tensor>) -> Tensor {
        let [tensor] = Results::from_tensors(tensors);
        tensor
    }
}

impl Results for Vec<Tensor> {
    fn tensors(&self) -> Vec<&Tensor> {
        self.iter().collect()
    }

    fn from_tensors(tensors: Vec<Tensor>) -> Vec<Tensor> {
        tensors
    }
}

impl<const N: usize> Results for [Tensor; N] {
    fn tensors(&self) -> Vec<&Tensor> {
        self.iter().collect()
    }

    fn from_tensors(tensors: Vec<Tensor>) -> [Tensor; N] {
        tensors.try_into().unwrap_or_else(|it: Vec<Tensor>| {
            panic!("{N} tensors are needed, there are {}", it.len())
        })
    }
}

/// Clones the tensors of results.
pub(crate) fn to_vec(results: &impl Results) -> Vec<Tensor> {
    results.tensors().into_iter().cloned().collect()
}
