//! `serde`: tensors as their dtype, shape and values in row-major order; dtypes as their names.
//!
//! Formats that people read get a list of numbers, such as `{"dtype":"float32","shape":[2],"values":[0.5,1.0]}`. Complex
//! numbers are pairs, and floats that are not finite are the texts `NaN`, `Infinity` and `-Infinity`, because JSON has no
//! numbers for them. Binary formats get the little-endian bytes of the elements. Strides and sharing are not kept.

use crate::copies::{self, CopyReason};
use crate::dtype::{AnyTask, NumberKind};
use crate::op::Operand;
use crate::trace::{Call, composite};
use crate::{Complex, DType, Element, Error, Layout, ReadGuard, Tensor};
use serde_core::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Unexpected};
use serde_core::ser::{self, SerializeSeq, SerializeStruct, Serializer};
use serde_core::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;

const FIELDS: &[&str] = &["dtype", "shape", "values"];

/// The most elements for which memory is reserved before they are read: a header does not prove that they exist.
const MAX_RESERVED_ELEMENTS: usize = 1 << 16;

/// The bytes of elements are little-endian; a processor of the other order swaps them.
const IS_SWAPPED: bool = cfg!(target_endian = "big");

/// Serializes the name: `"float32"`.
///
/// ```
/// use belvedere::DType;
///
/// assert_eq!(serde_json::to_string(&DType::Float32)?, "\"float32\"");
/// # Ok::<(), serde_json::Error>(())
/// ```
impl Serialize for DType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for DType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<DType, D::Error> {
        struct NameVisitor;

        impl de::Visitor<'_> for NameVisitor {
            type Value = DType;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a dtype, such as \"float32\"")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<DType, E> {
                DType::from_name(name).ok_or(E::invalid_value(Unexpected::Str(name), &self))
            }
        }

        deserializer.deserialize_str(NameVisitor)
    }
}

/// Serializes the dtype, the shape and the values in row-major order.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![[1.0f32, 2.0], [3.0, f32::NAN]].t()?;
/// let text = serde_json::to_string(&x).unwrap();
/// assert_eq!(text, r#"{"dtype":"float32","shape":[2,2],"values":[1.0,3.0,2.0,"NaN"]}"#);
/// let back: Tensor = serde_json::from_str(&text).unwrap();
/// assert_close!(back, x, equal_nan = true);
/// # Ok::<(), belvedere::Error>(())
/// ```
///
/// Binary formats get bytes instead of numbers. A reader is not given the strides, and checks that there are as many
/// values as the shape has elements and that the dtype can hold them, before it reserves memory for them.
///
/// # Errors
/// If a guard holds an element for writing, or the tensor has no values.
///
/// # Memory
/// Does not copy, unless the format is binary and the elements are not contiguous.
impl Serialize for Tensor {
    #[track_caller]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Tensor", FIELDS.len())?;
        fields.serialize_field("dtype", &self.dtype())?;
        fields.serialize_field("shape", &*self.shape())?;
        fields.serialize_field("values", &TensorValues(self))?;
        fields.end()
    }
}

/// The values of a tensor in row-major order.
struct TensorValues<'a>(&'a Tensor);

impl Serialize for TensorValues<'_> {
    #[track_caller]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return self.0.dtype().with_any(WriteNumbers { tensor: self.0, serializer });
        }
        let guard = bytes_of(self.0).and_then(|bytes| bytes.read::<u8>());
        let guard: ReadGuard<u8> = guard.map_err(ser::Error::custom)?;
        let view = guard.view();
        serializer.serialize_bytes(view.as_slice().expect("the bytes are contiguous"))
    }
}

/// Returns the little-endian bytes of the elements in row-major order; a view, if they are contiguous and the processor is
/// little-endian.
fn bytes_of(tensor: &Tensor) -> Result<Tensor, Error> {
    let (dtype, size) = (tensor.dtype(), tensor.dtype().size());
    let call = Call::new("serialize").copying(CopyReason::Requested);
    let dense = match tensor.is_contiguous() {
        true => tensor.clone(),
        false => tensor.copied(call)?,
    };
    let flat = |x: &Tensor| -> Result<Tensor, Error> {
        let layout = x.layout().view([x.len()])?.reinterpret(size, 1)?;
        Tensor::from_storage(x.storage().clone(), layout, DType::UInt8)
    };
    match IS_SWAPPED {
        true => flat(&assembled(&flat(&dense)?, dtype)?),
        false => flat(&dense),
    }
}

/// Returns the elements of little-endian bytes.
fn assembled(bytes: &Tensor, dtype: DType) -> Result<Tensor, Error> {
    let size = dtype.size();
    let elements = bytes.layout().view([bytes.len() / size, size])?;
    copies::allow(|| bytes.with_layout(elements).assemble(dtype, IS_SWAPPED))
}

/// Writes elements as numbers.
struct WriteNumbers<'a, S> {
    tensor: &'a Tensor,
    serializer: S,
}

impl<S: Serializer> AnyTask for WriteNumbers<'_, S> {
    type Output = Result<S::Ok, S::Error>;

    #[track_caller]
    fn run<T: Element>(self) -> Result<S::Ok, S::Error> {
        let guard = self.tensor.read::<T>().map_err(ser::Error::custom)?;
        let view = guard.view();
        let mut list = self.serializer.serialize_seq(Some(view.len()))?;
        view.iter().try_for_each(|x| list.serialize_element(&ElementNumber(x)))?;
        list.end()
    }
}

/// An element as a number, or two of them if it is complex.
struct ElementNumber<T>(T);

impl<T: Element> Serialize for ElementNumber<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let x = self.0;
        match T::DTYPE.kind() {
            NumberKind::Bool => serializer.serialize_bool(x.cast::<crate::Bool>().is_true()),
            NumberKind::Signed(_) => serializer.serialize_i64(x.cast()),
            NumberKind::Unsigned(_) => serializer.serialize_u64(x.cast()),
            NumberKind::Float(8) => RealNumber(x.cast::<f64>()).serialize(serializer),
            NumberKind::Float(_) | NumberKind::Brain(_) => {
                RealNumber(x.cast::<f32>()).serialize(serializer)
            }
            NumberKind::Complex(8) => {
                let Complex { re, im } = x.cast::<Complex<f32>>();
                [RealNumber(re), RealNumber(im)].serialize(serializer)
            }
            NumberKind::Complex(_) => {
                let Complex { re, im } = x.cast::<Complex<f64>>();
                [RealNumber(re), RealNumber(im)].serialize(serializer)
            }
        }
    }
}

/// A float, or its name if it is not finite.
struct RealNumber<F>(F);

impl<F: Copy + Into<f64> + Serialize> Serialize for RealNumber<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let x: f64 = self.0.into();
        match x.is_finite() {
            true => self.0.serialize(serializer),
            false if x.is_nan() => serializer.serialize_str("NaN"),
            false if x > 0.0 => serializer.serialize_str("Infinity"),
            false => serializer.serialize_str("-Infinity"),
        }
    }
}

/// # Errors
/// If a field is missing, unknown or repeated, the values precede the dtype and the shape, the dtype is unknown, the shape
/// exceeds what can be addressed, there are more or fewer values than elements, or the dtype cannot hold a value.
impl<'de> Deserialize<'de> for Tensor {
    #[track_caller]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tensor, D::Error> {
        deserializer.deserialize_struct("Tensor", FIELDS, TensorVisitor)
    }
}

struct TensorVisitor;

impl<'de> de::Visitor<'de> for TensorVisitor {
    type Value = Tensor;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tensor: its dtype, shape and values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<Tensor, A::Error> {
        let missing = |n: usize| <A::Error as de::Error>::invalid_length(n, &self);
        let dtype = fields.next_element()?.ok_or_else(|| missing(0))?;
        let shape: Vec<usize> = fields.next_element()?.ok_or_else(|| missing(1))?;
        let values = ValuesSeed::new(dtype, &shape)?;
        fields.next_element_seed(values)?.ok_or_else(|| missing(2))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Tensor, A::Error> {
        let (mut dtype, mut shape, mut tensor) = (None, None::<Vec<usize>>, None);
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                "dtype" if dtype.is_none() => dtype = Some(fields.next_value()?),
                "shape" if shape.is_none() => shape = Some(fields.next_value()?),
                "values" if tensor.is_none() => {
                    let (Some(dtype), Some(shape)) = (dtype, &shape) else {
                        let text = "the dtype and the shape must precede the values";
                        return Err(de::Error::custom(text));
                    };
                    tensor = Some(fields.next_value_seed(ValuesSeed::new(dtype, shape)?)?);
                }
                "dtype" => return Err(de::Error::duplicate_field("dtype")),
                "shape" => return Err(de::Error::duplicate_field("shape")),
                "values" => return Err(de::Error::duplicate_field("values")),
                other => return Err(de::Error::unknown_field(other, FIELDS)),
            }
        }
        dtype.ok_or_else(|| de::Error::missing_field("dtype"))?;
        shape.ok_or_else(|| de::Error::missing_field("shape"))?;
        tensor.ok_or_else(|| de::Error::missing_field("values"))
    }
}

/// Reads the values of a tensor of a dtype and a layout.
struct ValuesSeed {
    dtype: DType,
    /// Row-major, and addressable in bytes.
    layout: Layout,
}

impl ValuesSeed {
    fn new<E: de::Error>(dtype: DType, shape: &[usize]) -> Result<ValuesSeed, E> {
        let layout = Layout::row_major(shape).map_err(E::custom)?;
        let bytes = layout.len().checked_mul(dtype.size());
        match bytes.filter(|&bytes| isize::try_from(bytes).is_ok()) {
            Some(_) => Ok(ValuesSeed { dtype, layout }),
            None => Err(E::custom(Error::OutOfMemory { bytes: bytes.unwrap_or(usize::MAX) })),
        }
    }

    /// Returns the number of bytes.
    fn n_bytes(&self) -> usize {
        self.layout.len() * self.dtype.size()
    }

    /// Returns the tensor of values that were counted.
    fn tensor<E: de::Error>(&self, values: Tensor) -> Result<Tensor, E> {
        let layout = self.layout.clone();
        Tensor::from_storage(values.storage().clone(), layout, self.dtype).map_err(E::custom)
    }
}

impl<'de> DeserializeSeed<'de> for ValuesSeed {
    type Value = Tensor;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tensor, D::Error> {
        match deserializer.is_human_readable() {
            true => deserializer.deserialize_seq(self),
            false => deserializer.deserialize_byte_buf(self),
        }
    }
}

impl<'de> de::Visitor<'de> for ValuesSeed {
    type Value = Tensor;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, shape, dtype) = (self.layout.len(), self.layout.shape(), self.dtype);
        write!(f, "{n} values of {dtype} for shape {shape:?} ({} bytes)", self.n_bytes())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<Tensor, A::Error> {
        self.dtype.with_any(ReadNumbers { values, expected: &self, input: PhantomData })
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Tensor, E> {
        self.visit_byte_buf(bytes.to_vec())
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Tensor, E> {
        if bytes.len() != self.n_bytes() {
            return Err(E::invalid_length(bytes.len(), &self));
        }
        let elements = composite(Call::new("deserialize"), &[], || {
            let bytes = Tensor::from(bytes);
            let is_aligned = bytes.storage().address().is_multiple_of(self.dtype.align());
            if is_aligned && !IS_SWAPPED { Ok(bytes) } else { assembled(&bytes, self.dtype) }
        });
        self.tensor(elements.map_err(E::custom)?)
    }
}

/// Reads a list of numbers.
struct ReadNumbers<'a, 'de, A> {
    values: A,
    expected: &'a ValuesSeed,
    input: PhantomData<&'de ()>,
}

impl<'de, A: SeqAccess<'de>> AnyTask for ReadNumbers<'_, 'de, A> {
    type Output = Result<Tensor, A::Error>;

    fn run<T: Element>(self) -> Result<Tensor, A::Error> {
        let ReadNumbers { values: mut list, expected, .. } = self;
        let len = expected.layout.len();
        let mut values: Vec<T> = Vec::with_capacity(len.min(MAX_RESERVED_ELEMENTS));
        while let Some(NumberOf(value)) = list.next_element::<NumberOf<T>>()? {
            if values.len() == len {
                return Err(de::Error::invalid_length(len + 1, expected));
            }
            values.push(value);
        }
        if values.len() != len {
            return Err(de::Error::invalid_length(values.len(), expected));
        }
        let tensor = composite(Call::new("deserialize"), &[], || Ok(Tensor::from(values)));
        expected.tensor(tensor.map_err(de::Error::custom)?)
    }
}

/// An element that is read from a number, a text that names one, or a pair.
struct NumberOf<T>(T);

impl<'de, T: Element> Deserialize<'de> for NumberOf<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NumberOf<T>, D::Error> {
        deserializer.deserialize_any(NumberVisitor(PhantomData)).map(NumberOf)
    }
}

struct NumberVisitor<T>(PhantomData<T>);

impl<T: Element> NumberVisitor<T> {
    /// Returns a number as an element, if the dtype can hold it.
    fn element<E: de::Error>(number: impl Into<Operand<'static>>) -> Result<T, E> {
        let cell = number.into().cell(T::DTYPE).map_err(E::custom)?;
        cell.expect("a number").get().map_err(E::custom)
    }
}

impl<'de, T: Element> de::Visitor<'de> for NumberVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match T::DTYPE.is_complex() {
            true => write!(f, "a pair of numbers for {}", T::DTYPE),
            false => write!(f, "a value of {}", T::DTYPE),
        }
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<T, E> {
        match T::DTYPE.is_bool() {
            true => Self::element(value),
            false => Err(E::invalid_type(Unexpected::Bool(value), &self)),
        }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
        Self::element(value)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
        Self::element(value)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<T, E> {
        Self::element(value)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<T, E> {
        match name {
            "NaN" => Self::element(f64::NAN),
            "Infinity" => Self::element(f64::INFINITY),
            "-Infinity" => Self::element(f64::NEG_INFINITY),
            _ => Err(E::invalid_value(Unexpected::Str(name), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<T, A::Error> {
        let mut part = || -> Result<f64, A::Error> {
            let missing = || de::Error::invalid_length(1, &"a pair of numbers");
            parts.next_element::<NumberOf<f64>>()?.map(|it| it.0).ok_or_else(missing)
        };
        let (re, im) = (part()?, part()?);
        match parts.next_element::<de::IgnoredAny>()? {
            Some(_) => Err(de::Error::invalid_length(3, &"a pair of numbers")),
            None => Self::element(Complex::new(re, im)),
        }
    }
}
