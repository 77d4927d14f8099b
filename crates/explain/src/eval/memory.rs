//! The memories that tensors refer to, and what is known of their contents.
//!
//! No memory is allocated for an expression. What lies at an offset is known by rule (`arange`), or found through
//! the view that was copied, or listed when there are few elements: so `arange(10**18)` costs what `arange(10)` does.

use super::error::{EvalError, EvalResult, Span};
use super::value::Array;
use crate::step::{Scalar, Seen, Values};
use belvedere::{Complex, DType, Tensor};
use belvedere_layout::Chain;
use std::sync::Arc;

/// How many elements are calculated at most.
pub(super) const MAX_LISTED: usize = 4096;

/// One memory.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// The type its contents are listed as.
    pub dtype: DType,
    /// How many elements of that type it holds.
    pub len: usize,
    pub values: Values,
}

impl Memory {
    /// How many elements of another type it holds.
    pub(super) fn len_as(&self, dtype: DType) -> usize {
        let bytes = self.len as u128 * self.dtype.size() as u128;
        usize::try_from(bytes / dtype.size() as u128).unwrap_or(usize::MAX)
    }

    /// Its contents read as elements of another type.
    pub(super) fn values_as(&self, dtype: DType) -> Values {
        if dtype == self.dtype {
            return self.values.clone();
        }
        match self.values {
            Values::Same(value) if value == Scalar::zero(self.dtype) => {
                Values::Same(Scalar::zero(dtype))
            }
            _ => self.bitcast(dtype).map_or(Values::Unknown, |it| Values::Listed(it.into())),
        }
    }

    fn bitcast(&self, dtype: DType) -> Option<Vec<Scalar>> {
        let listed = self.listed()?;
        let whole = self.len_as(dtype) * dtype.size() / self.dtype.size();
        let n_old = (dtype.size() / self.dtype.size()).max(1);
        let bytes = tensor(&listed[..whole / n_old * n_old], self.dtype)?;
        scalars(&bytes.bitcast(dtype).ok()?)
    }

    /// All of its elements, if they are few and known.
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
    /// A new memory; its number.
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

    /// How many elements of its own type the memory of a tensor holds.
    pub(super) fn len_for(&self, array: &Array) -> usize {
        self.get(array.memory).len_as(array.dtype)
    }

    /// A tensor as it can be seen now.
    pub(super) fn seen(&self, array: &Array) -> Seen {
        let memory = self.get(array.memory);
        Seen {
            dtype: array.dtype,
            chain: array.chain.clone(),
            memory: array.memory,
            memory_len: memory.len_as(array.dtype),
            values: memory.values_as(array.dtype),
        }
    }

    /// The contents of a copy of the elements of `array`, in the order in which `chain` visits them.
    pub(super) fn copied(&self, array: &Array, chain: &Chain) -> Values {
        match self.get(array.memory).values_as(array.dtype) {
            Values::Unknown => Values::Unknown,
            Values::Same(value) if array.layout().is_some() => Values::Same(value),
            _ => Values::Copied(Arc::new((self.seen(array), chain.clone()))),
        }
    }

    /// The elements of a tensor in row-major order, if they are few and known.
    pub(super) fn elements(&self, array: &Array) -> Option<Vec<Scalar>> {
        if array.chain.len() > MAX_LISTED {
            return None;
        }
        let seen = self.seen(array);
        (0..array.chain.len()).map(|position| seen.element(position)).collect()
    }

    /// A tensor of our own with the same elements, if they are few and known.
    pub(super) fn real(&self, array: &Array) -> Option<Tensor> {
        tensor(&self.elements(array)?, array.dtype)?.reshape(array.shape()).ok()
    }
}

/// Numbers as a tensor of rank 1.
pub(super) fn tensor(values: &[Scalar], dtype: DType) -> Option<Tensor> {
    let n = [values.len()];
    let made = if dtype.is_complex() {
        Tensor::from_vec(values.iter().map(|&it| complex(it)).collect(), n)
    } else if dtype.is_floating() {
        Tensor::from_vec(values.iter().map(|&it| complex(it).re).collect(), n)
    } else if dtype == DType::UInt64 {
        Tensor::from_vec(values.iter().map(|&it| whole(it) as u64).collect(), n)
    } else {
        Tensor::from_vec(values.iter().map(|&it| whole(it) as i64).collect(), n)
    };
    made.ok()?.astype(dtype).ok()
}

/// The elements of a tensor in row-major order.
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

fn complex(value: Scalar) -> Complex<f64> {
    match value {
        Scalar::Bool(value) => Complex::new(f64::from(u8::from(value)), 0.0),
        Scalar::Int(value) => Complex::new(value as f64, 0.0),
        Scalar::Float(value) => Complex::new(value, 0.0),
        Scalar::Complex(re, im) => Complex::new(re, im),
    }
}

fn whole(value: Scalar) -> i128 {
    match value {
        Scalar::Bool(value) => i128::from(value),
        Scalar::Int(value) => value,
        Scalar::Float(value) => value as i128,
        Scalar::Complex(re, _) => re as i128,
    }
}

/// Numbers converted to another type, as `astype` does it.
pub(super) fn converted(values: &[Scalar], dtype: DType, span: &Span) -> EvalResult<Vec<Scalar>> {
    let widest = values.iter().fold(DType::Int64, |widest, value| match value {
        Scalar::Complex(..) => DType::Complex128,
        Scalar::Float(_) if !widest.is_complex() => DType::Float64,
        _ => widest,
    });
    tensor(values, widest)
        .and_then(|it| scalars(&it.astype(dtype).ok()?))
        .ok_or_else(|| EvalError::new(format!("these numbers cannot be {dtype}"), span))
}
