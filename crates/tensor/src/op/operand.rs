//! The operands and outputs of operations: tensors, typed views, lenses and numbers.
//!
//! [`Operand`] and [`Target`] are requests: they say what an operation reads and writes, and nothing is
//! borrowed yet. `execute/` borrows the memory and makes the views that kernels take.

mod target;

pub use target::Target;
pub(super) use target::TargetRepr;

use super::execute::try_cast_element;
use super::number::{Typed, WeakScalar};
use crate::kernel::map_lens::RowMajorSource;
use crate::trace::Param;
use crate::view::{AnyLens, AnyView, Cell, Source};
use crate::{DType, Element, Error, Index, Layout, Lens, Shape, Tensor, View, ViewMut, bf16, f16};
use belvedere_layout::Bytes;
use num_complex::Complex;
use std::ops::Range;
use std::sync::LazyLock;

/// An input of an operation: a tensor, a typed view, a lens, or a number.
///
/// Operations take `impl Into<Operand>`, so that `x.add(&y)`, `x.add(1)` and `x.add(&view)` all
/// work. A number is weakly typed: it takes the dtype of the other operands, unless it is of a
/// greater kind. `1` added to `float32` is `float32`; `0.5` added to `int32` gives `float64`.
///
/// Binary operations are methods of `Operand` as well, for a number on the left-hand side:
///
/// ```
/// use belvedere::{Operand, prelude::*};
///
/// assert_eq!(Operand::from(2).pow(&tensor![1, 2, 3])?.to_vec::<i32>()?, [2, 4, 8]);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone)]
pub struct Operand<'a>(pub(super) OperandRepr<'a>);

/// What an [`Operand`] is.
#[derive(Clone)]
pub(super) enum OperandRepr<'a> {
    /// A tensor, which has to be borrowed.
    Tensor(&'a Tensor),
    /// The same, owned by the operand.
    Owned(Tensor),
    /// Memory that is borrowed already.
    View(AnyView<'a>),
    /// A lens that no strides describe (`From` makes tensors of the others). What has to be borrowed is
    /// the tensor of the elements it reaches.
    Lens(&'a Lens),
    /// A number without a dtype.
    Scalar(WeakScalar),
    /// A number as an element of a dtype.
    Cell(Cell),
}

// The operands of an operation are an array on the stack.
const _: () = assert!(size_of::<Operand<'_>>() <= 160);

/// The layout of a number in memory.
static SCALAR_LAYOUT: LazyLock<Layout> =
    LazyLock::new(|| Layout::scalar(0).expect("offset 0 is a layout"));

/// Makes the layout that is otherwise made on first use.
pub(crate) fn initialize_statics() {
    LazyLock::force(&SCALAR_LAYOUT);
}

impl<'a> Operand<'a> {
    /// Returns an operand for the elements that a lens reaches. Kernels see them through the lens with
    /// [`AnyLens`], also if the lens has strides.
    pub(crate) fn from_reached(lens: &'a Lens) -> Operand<'a> {
        Operand(OperandRepr::Lens(lens))
    }

    /// Returns the dtype, or the number, that the dtype of a result depends on.
    pub(super) fn typed(&self) -> Typed {
        match &self.0 {
            OperandRepr::Scalar(scalar) => Typed::Number(*scalar),
            _ => Typed::DType(self.dtype().expect("all but numbers have a dtype")),
        }
    }

    /// Returns the shape: the empty one for a number.
    ///
    /// ```
    /// use belvedere::{Operand, prelude::*};
    ///
    /// assert_eq!(Operand::from(&tensor![[1, 2, 3]]).shape(), [1, 3]);
    /// assert_eq!(Operand::from(1.5).shape(), [0usize; 0]);
    /// ```
    pub fn shape(&self) -> Shape {
        match &self.0 {
            OperandRepr::Lens(lens) => lens.shape(),
            _ => self.layout().map_or_else(|| Shape::from([0usize; 0]), Layout::shape),
        }
    }

    /// Returns the value of a real number without a dtype.
    pub(super) fn real_number(&self) -> Option<f64> {
        match self.0 {
            OperandRepr::Scalar(WeakScalar::Int(value)) => Some(value as f64),
            OperandRepr::Scalar(WeakScalar::Float(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns the leading part of `shape`: the first positions of each axis. A number is returned as it is.
    ///
    /// # Errors
    /// If an axis is shorter, the ranks differ, or a lens has another shape.
    pub(super) fn leading_part(self, op: &'static str, shape: &[usize]) -> Result<Self, Error> {
        let own = self.shape();
        if own == *shape || matches!(self.0, OperandRepr::Scalar(_)) {
            return Ok(self);
        }
        let is_within = own.len() == shape.len() && own.iter().zip(shape).all(|(a, b)| a >= b);
        let index: Vec<Index> = shape.iter().map(|&len| (..len).into()).collect();
        match self.0 {
            OperandRepr::Tensor(tensor) if is_within => {
                Ok(tensor.with_layout(tensor.layout().slice(&index)?).into())
            }
            OperandRepr::Owned(tensor) if is_within => {
                Ok(tensor.with_layout(tensor.layout().slice(&index)?).into())
            }
            OperandRepr::View(view) if is_within => Ok(view.slice(&index)?.into()),
            _ => {
                let (needed, given) = (shape.into(), own.into());
                Err(Error::ShapeMismatch { op, needed, given })
            }
        }
    }

    /// Returns the dtype, which all but a [`WeakScalar`] have.
    #[inline]
    pub(super) fn dtype(&self) -> Option<DType> {
        match &self.0 {
            OperandRepr::Tensor(tensor) => Some(tensor.dtype()),
            OperandRepr::Owned(tensor) => Some(tensor.dtype()),
            OperandRepr::View(view) => Some(view.dtype()),
            OperandRepr::Lens(lens) => Some(lens.dtype()),
            OperandRepr::Cell(cell) => Some(cell.dtype()),
            OperandRepr::Scalar(_) => None,
        }
    }

    /// Returns the layout of a tensor or a view; `None` for numbers and lenses.
    #[inline]
    pub(super) fn layout(&self) -> Option<&Layout> {
        match &self.0 {
            OperandRepr::Tensor(tensor) => Some(tensor.layout()),
            OperandRepr::Owned(tensor) => Some(tensor.layout()),
            OperandRepr::View(view) => Some(view.layout()),
            OperandRepr::Lens(_) | OperandRepr::Scalar(_) | OperandRepr::Cell(_) => None,
        }
    }

    /// Returns the layout of the elements in memory: of those that a lens reaches, and of rank 0 for a
    /// number.
    pub(super) fn memory_layout(&self) -> &Layout {
        match &self.0 {
            OperandRepr::Lens(lens) => lens.reached().layout(),
            _ => self.layout().unwrap_or(&SCALAR_LAYOUT),
        }
    }

    /// Returns the tensor that has to be borrowed, if there is one.
    #[inline]
    pub(super) fn to_borrow(&self) -> Option<&Tensor> {
        match &self.0 {
            OperandRepr::Tensor(tensor) => Some(tensor),
            OperandRepr::Owned(tensor) => Some(tensor),
            OperandRepr::Lens(lens) => Some(lens.reached()),
            OperandRepr::View(_) | OperandRepr::Scalar(_) | OperandRepr::Cell(_) => None,
        }
    }

    /// Returns the bytes that the elements are at.
    ///
    /// # Panics
    /// If it is a number without a dtype.
    pub(super) fn bytes(&self) -> Bytes<'_> {
        let (address, size) = (self.base_ptr().addr(), self.dtype().map_or(0, DType::size));
        Bytes { address, layout: self.memory_layout(), size }
    }

    /// Returns where offset 0 of [`Operand::memory_layout`] is.
    ///
    /// # Panics
    /// If it is a number without a dtype.
    pub(super) fn base_ptr(&self) -> *mut u8 {
        match &self.0 {
            OperandRepr::View(view) => view.ptr().as_ptr(),
            OperandRepr::Cell(cell) => cell.ptr().cast_mut(),
            OperandRepr::Scalar(_) => panic!("a number without a dtype is not in memory"),
            _ => self.to_borrow().expect("the others are tensors").storage().ptr().as_ptr(),
        }
    }

    /// Returns whether it has elements in memory: it is a tensor, a lens or a view, and not a number.
    pub(crate) fn is_in_memory(&self) -> bool {
        match &self.0 {
            OperandRepr::View(_) => true,
            _ => self.to_borrow().is_some_and(|it| !it.storage().is_meta()),
        }
    }

    /// Returns whether it has no memory.
    #[inline]
    pub(crate) fn is_meta(&self) -> bool {
        self.to_borrow().is_some_and(|it| it.storage().is_meta())
    }

    /// Returns the tensor, if the operand is one: not a number, a borrowed view, or a lens without strides.
    ///
    /// ```
    /// use belvedere::{Operand, prelude::*};
    ///
    /// let x = tensor![1, 2];
    /// assert_eq!(Operand::from(&x).as_tensor().unwrap().len(), 2);
    /// assert!(Operand::from(1).as_tensor().is_none());
    /// ```
    pub fn as_tensor(&self) -> Option<&Tensor> {
        self.tensor()
    }

    /// Returns the lens, if the operand is one that no strides describe.
    ///
    /// ```
    /// use belvedere::{Operand, prelude::*};
    ///
    /// let lens = tensor![1, 2, 3].lens().pad([(1, 0)])?;
    /// assert!(Operand::from(&lens).as_lens().is_some());
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn as_lens(&self) -> Option<&Lens> {
        self.lens()
    }

    /// Returns the value of a number; `None` for all other operands.
    ///
    /// ```
    /// use belvedere::{Operand, prelude::*, trace::Param};
    ///
    /// assert_eq!(Operand::from(1.5).as_number(), Some(Param::Float(1.5)));
    /// assert_eq!(Operand::from(&tensor![1.5]).as_number(), None);
    /// ```
    pub fn as_number(&self) -> Option<Param<'static>> {
        Some(self.to_param()).filter(|it| *it != Param::None)
    }

    /// Returns the addresses that a borrowed view lies in; `None` for all other operands.
    pub(crate) fn borrowed_span(&self) -> Option<Range<usize>> {
        let OperandRepr::View(view) = &self.0 else { return None };
        let (base, size) = (view.ptr().addr().get(), view.dtype().size());
        let span = view.layout().span();
        Some(base + span.start * size..base + span.end * size)
    }

    /// Returns the tensor, if it is one.
    #[inline]
    pub(super) fn tensor(&self) -> Option<&Tensor> {
        match &self.0 {
            OperandRepr::Tensor(tensor) => Some(tensor),
            OperandRepr::Owned(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// Returns the lens, if it is one that no strides describe.
    #[inline]
    pub(super) fn lens(&self) -> Option<&Lens> {
        match &self.0 {
            OperandRepr::Lens(lens) => Some(lens),
            _ => None,
        }
    }

    /// Returns what a kernel reads of this operand in logical order, broadcast to `shape`. `source` is
    /// what was borrowed for it.
    pub(super) fn stream<'b>(&'b self, source: Source<'b>, shape: &[usize]) -> RowMajorSource<'b> {
        let why = "the shapes were broadcast";
        match (self.lens(), source) {
            (Some(lens), Source::View(view)) => {
                RowMajorSource::Lens(AnyLens::new(&view, lens).broadcast_to(shape).expect(why))
            }
            (None, Source::View(view)) => {
                RowMajorSource::Source(Source::View(view.broadcast_to(shape).expect(why)))
            }
            (_, same_shape) => RowMajorSource::Source(same_shape),
        }
    }

    /// Returns a number as an element of `dtype`; `None` for all other operands.
    ///
    /// # Errors
    /// If the dtype cannot hold the number.
    pub(crate) fn cell(&self, dtype: DType) -> Result<Option<Cell>, Error> {
        match &self.0 {
            OperandRepr::Scalar(scalar) => scalar.cell(dtype).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns whether `dtype` can hold it, if it is a number without a dtype; true for all other operands.
    #[inline]
    pub(super) fn fits(&self, dtype: DType) -> bool {
        match &self.0 {
            OperandRepr::Scalar(scalar) => scalar.check_fits(dtype).is_ok(),
            _ => true,
        }
    }

    /// Returns a number as an argument of an event; [`Param::None`] for all other operands.
    pub(crate) fn to_param(&self) -> Param<'static> {
        match &self.0 {
            OperandRepr::Scalar(WeakScalar::Bool(value)) => (*value).into(),
            OperandRepr::Scalar(WeakScalar::Int(value)) => (*value).into(),
            OperandRepr::Scalar(WeakScalar::Float(value)) => (*value).into(),
            OperandRepr::Scalar(WeakScalar::Complex(value)) => (*value).into(),
            OperandRepr::Cell(cell) => cell.to_param(),
            _ => Param::None,
        }
    }

    /// Returns whether it has strides and the shape of a tensor.
    #[inline]
    pub(super) fn has_shape_of(&self, tensor: &Tensor) -> bool {
        let (own, other) = (self.layout().map_or(&[][..], Layout::axes), tensor.layout().axes());
        own.len() == other.len() && (0..own.len()).all(|k| own[k].len == other[k].len)
    }

    /// Gives a number without a dtype this one. All other operands stay as they are.
    ///
    /// # Errors
    /// If the dtype cannot hold the number. The operand stays as it is then.
    #[inline]
    pub(super) fn set_scalar_dtype(&mut self, dtype: DType) -> Result<(), Error> {
        if let OperandRepr::Scalar(scalar) = &self.0 {
            self.0 = OperandRepr::Cell(scalar.cell(dtype)?);
        }
        Ok(())
    }

    /// Replaces a tensor of rank 0 by its element, cast to a dtype, unless another thread has borrowed it.
    pub(super) fn cast_element(&mut self, dtype: DType) {
        if let Some(cell) = self.tensor().and_then(|it| try_cast_element(it, dtype)) {
            self.0 = OperandRepr::Cell(cell);
        }
    }
}

/// Returns the dtype of all operands that have one, if it is the same and the numbers among them take it.
#[inline(always)]
pub(super) fn one_type(operands: &[Operand<'_>]) -> Option<DType> {
    let mut common = None;
    for operand in operands {
        match (operand.dtype(), common) {
            (Some(dtype), None) => common = Some(dtype),
            (Some(dtype), Some(before)) if dtype != before => return None,
            _ => {}
        }
    }
    let dtype = common?;
    let takes_it = |it: &Operand<'_>| match &it.0 {
        OperandRepr::Scalar(scalar) => scalar.promoted_with(common) == dtype,
        _ => true,
    };
    operands.iter().all(takes_it).then_some(dtype)
}

impl<'a> From<&'a Tensor> for Operand<'a> {
    fn from(tensor: &'a Tensor) -> Operand<'a> {
        Operand(OperandRepr::Tensor(tensor))
    }
}

impl<'a> From<&'a Lens> for Operand<'a> {
    fn from(lens: &'a Lens) -> Operand<'a> {
        Operand(lens.strided().map_or(OperandRepr::Lens(lens), OperandRepr::Tensor))
    }
}

impl From<Tensor> for Operand<'_> {
    fn from(tensor: Tensor) -> Self {
        Operand(OperandRepr::Owned(tensor))
    }
}

impl<'a, T: Element> From<&View<'a, T>> for Operand<'a> {
    fn from(view: &View<'a, T>) -> Operand<'a> {
        Operand(OperandRepr::View(view.into()))
    }
}

impl<'a, T: Element> From<View<'a, T>> for Operand<'a> {
    fn from(view: View<'a, T>) -> Operand<'a> {
        Operand(OperandRepr::View((&view).into()))
    }
}

impl<'a, T: Element> From<&'a ViewMut<'_, T>> for Operand<'a> {
    fn from(view: &'a ViewMut<'_, T>) -> Operand<'a> {
        Operand(OperandRepr::View((&view.as_view()).into()))
    }
}

impl<'a> From<AnyView<'a>> for Operand<'a> {
    fn from(view: AnyView<'a>) -> Operand<'a> {
        Operand(OperandRepr::View(view))
    }
}

impl From<Cell> for Operand<'_> {
    fn from(cell: Cell) -> Self {
        Operand(OperandRepr::Cell(cell))
    }
}

impl From<WeakScalar> for Operand<'_> {
    fn from(scalar: WeakScalar) -> Self {
        Operand(OperandRepr::Scalar(scalar))
    }
}

impl From<bool> for Operand<'_> {
    fn from(value: bool) -> Self {
        WeakScalar::Bool(value).into()
    }
}

impl From<f16> for Operand<'_> {
    fn from(value: f16) -> Self {
        WeakScalar::Float(value.to_f64()).into()
    }
}

impl From<bf16> for Operand<'_> {
    fn from(value: bf16) -> Self {
        WeakScalar::Float(value.to_f64()).into()
    }
}

impl From<f32> for Operand<'_> {
    fn from(value: f32) -> Self {
        WeakScalar::Float(value as f64).into()
    }
}

impl From<f64> for Operand<'_> {
    fn from(value: f64) -> Self {
        WeakScalar::Float(value).into()
    }
}

impl From<Complex<f32>> for Operand<'_> {
    fn from(value: Complex<f32>) -> Self {
        WeakScalar::Complex(Complex::new(value.re as f64, value.im as f64)).into()
    }
}

impl From<Complex<f64>> for Operand<'_> {
    fn from(value: Complex<f64>) -> Self {
        WeakScalar::Complex(value).into()
    }
}

/// Integers of every size are numbers without a type.
macro_rules! integers {
    ($($type:ty)*) => {$(
        impl From<$type> for Operand<'_> {
            fn from(value: $type) -> Self {
                WeakScalar::Int(value as i128).into()
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64 isize usize);
