//! `Memories`: the simulated memories that tensors refer to, and their known contents.
//!
//! Nothing is allocated for the elements. A value is computed from a formula (`arange`), looked up in the view that
//! was copied, or listed if the memory has at most [`MAX_LISTED`] elements: `arange(10**18)` costs the same as
//! `arange(10)`.

use super::error::{EvalError, EvalResult, Span};
use super::value::Array;
use crate::step::{Scalar, TensorSnapshot, Values};
use belvedere::{Complex, DType, Tensor};
use belvedere_layout::Chain;
use std::sync::Arc;

/// The maximum number of elements of a tensor whose values are computed.
pub(super) const MAX_LISTED: usize = 4096;

/// A simulated memory.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// The dtype of `values`.
    pub dtype: DType,
    /// Its length in elements of that dtype.
    pub len: usize,
    pub values: Values,
}

impl Memory {
    /// Returns its length in elements of another dtype.
    pub(super) fn len_as(&self, dtype: DType) -> usize {
        let bytes = self.len as u128 * self.dtype.size() as u128;
        usize::try_from(bytes / dtype.size() as u128).unwrap_or(usize::MAX)
    }

    /// Returns its contents reinterpreted in another dtype.
    pub(super) fn values_as(&self, dtype: DType) -> Values {
        if dtype == self.dtype {
            return self.values.clone();
        }
        match self.values {
            Values::Constant(value) if value == Scalar::zero(self.dtype) => {
                Values::Constant(Scalar::zero(dtype))
            }
            _ => self.bitcast(dtype).map_or(Values::Unknown, |it| Values::List(it.into())),
        }
    }

    fn bitcast(&self, dtype: DType) -> Option<Vec<Scalar>> {
        let listed = self.listed()?;
        let whole = self.len_as(dtype) * dtype.size() / self.dtype.size();
        let n_old = (dtype.size() / self.dtype.size()).max(1);
        let bytes = tensor(&listed[..whole / n_old * n_old], self.dtype)?;
        scalars(&bytes.bitcast(dtype).ok()?)
    }

    /// Returns all values, if they are known and at most [`MAX_LISTED`].
    pub(super) fn listed(&self) -> Option<Vec<Scalar>> {
        if self.len > MAX_LISTED {
            return None;
        }
        (0..self.len).map(|offset| self.values.at(offset)).collect()
    }
}

/// All memories of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Memories(Vec<Memory>);

impl Memories {
    /// Adds a memory and returns its number.
    pub(super) fn add(&mut self, dtype: DType, len: usize, values: Values) -> usize {
        self.0.push(Memory { dtype, len, values });
        self.0.len() - 1
    }

    pub(super) fn get(&self, number: usize) -> &Memory {
        &self.0[number]
    }

    pub(super) fn get_mut(&mut self, number: usize) -> &mut Memory {
        &mut self.0[number]
    }

    /// Returns the length of a tensor's memory in elements of the tensor's dtype.
    pub(super) fn len_for(&self, array: &Array) -> usize {
        self.get(array.memory).len_as(array.dtype)
    }

    /// Returns a tensor with the current contents of its memory.
    pub(super) fn snapshot(&self, array: &Array) -> TensorSnapshot {
        let memory = self.get(array.memory);
        TensorSnapshot {
            dtype: array.dtype,
            chain: array.chain.clone(),
            memory: array.memory,
            memory_len: memory.len_as(array.dtype),
            values: memory.values_as(array.dtype),
        }
    }

    /// Returns the contents of a row-major copy of `chain` over the memory of `array`.
    pub(super) fn copied(&self, array: &Array, chain: &Chain) -> Values {
        match self.get(array.memory).values_as(array.dtype) {
            Values::Unknown => Values::Unknown,
            Values::Constant(value) if array.layout().is_some() => Values::Constant(value),
            _ => Values::Copy(Arc::new((self.snapshot(array), chain.clone()))),
        }
    }

    /// Returns the elements in row-major order, if they are known and at most [`MAX_LISTED`].
    pub(super) fn elements(&self, array: &Array) -> Option<Vec<Scalar>> {
        if array.chain.len() > MAX_LISTED {
            return None;
        }
        let snapshot = self.snapshot(array);
        (0..array.chain.len()).map(|position| snapshot.element(position)).collect()
    }

    /// Returns a real tensor with the same elements, if they are known and at most [`MAX_LISTED`].
    pub(super) fn real(&self, array: &Array) -> Option<Tensor> {
        tensor(&self.elements(array)?, array.dtype)?.reshape(array.shape()).ok()
    }
}

/// Returns a 1-D tensor of scalars.
pub(super) fn tensor(values: &[Scalar], dtype: DType) -> Option<Tensor> {
    let n = [values.len()];
    let made = if dtype.is_complex() {
        Tensor::from_vec(values.iter().map(|&it| to_complex(it)).collect(), n)
    } else if dtype.is_floating() {
        Tensor::from_vec(values.iter().map(|&it| to_complex(it).re).collect(), n)
    } else if dtype == DType::UInt64 {
        Tensor::from_vec(values.iter().map(|&it| to_integer(it) as u64).collect(), n)
    } else {
        Tensor::from_vec(values.iter().map(|&it| to_integer(it) as i64).collect(), n)
    };
    made.ok()?.astype(dtype).ok()
}

/// Returns the elements of a tensor in row-major order.
pub(super) fn scalars(tensor: &Tensor) -> Option<Vec<Scalar>> {
    let dtype = tensor.dtype();
    Some(if dtype.is_complex() {
        let values = tensor.astype(DType::Complex128).ok()?.to_vec::<Complex<f64>>().ok()?;
        values.iter().map(|it| Scalar::Complex(it.re, it.im)).collect()
    } else if dtype.is_floating() {
        let values = tensor.astype(DType::Float64).ok()?.to_vec::<f64>().ok()?;
        values.iter().map(|&it| Scalar::Float(it)).collect()
    } else if dtype == DType::UInt64 {
        tensor.to_vec::<u64>().ok()?.iter().map(|&it| Scalar::Int(it.into())).collect()
    } else {
        let values = tensor.astype(DType::Int64).ok()?.to_vec::<i64>().ok()?;
        values.iter().map(|&it| Scalar::of_integer(it.into(), dtype)).collect()
    })
}

fn to_complex(value: Scalar) -> Complex<f64> {
    match value {
        Scalar::Bool(value) => Complex::new(f64::from(u8::from(value)), 0.0),
        Scalar::Int(value) => Complex::new(value as f64, 0.0),
        Scalar::Float(value) => Complex::new(value, 0.0),
        Scalar::Complex(re, im) => Complex::new(re, im),
    }
}

fn to_integer(value: Scalar) -> i128 {
    match value {
        Scalar::Bool(value) => i128::from(value),
        Scalar::Int(value) => value,
        Scalar::Float(value) => value as i128,
        Scalar::Complex(re, _) => re as i128,
    }
}

/// Casts scalars to a dtype, with the rules of `astype`.
pub(super) fn cast_scalars(
    values: &[Scalar],
    dtype: DType,
    span: &Span,
) -> EvalResult<Vec<Scalar>> {
    let widest = values.iter().fold(DType::Int64, |widest, value| match value {
        Scalar::Complex(..) => DType::Complex128,
        Scalar::Float(_) if !widest.is_complex() => DType::Float64,
        _ => widest,
    });
    tensor(values, widest)
        .and_then(|it| scalars(&it.astype(dtype).ok()?))
        .ok_or_else(|| EvalError::new(format!("cannot cast these values to {dtype}"), span))
}
