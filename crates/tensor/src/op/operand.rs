//! What operations are given: tensors, views, lenses and scalars.

use super::number::{Scalar, Typed};
use crate::kernel::stream::Stream;
use crate::view::{Along, AnyLens, AnyView, AnyViewMut, Cell, Input, Output, Source};
use crate::{
    DType, Element, Error, Index, Layout, Lens, Shape, Tensor, View, ViewMut, bf16, can_assign, f16,
};
use belvedere_layout::Answer;
use num_complex::Complex;

/// An input of an operation: a tensor, a typed view, a lens, or a number.
///
/// Operations take `impl Into<Operand>`, so that `x.add(&y)`, `x.add(1)` and `x.add(&view)` all
/// work. A number has no type of its own: it becomes what the other operand is, if it is not of a
/// greater kind. `1` added to `float32` is `float32`, `0.5` added to `int32` makes `float64`.
///
/// Operations on two elements are methods here as well, for a number that stands on the left:
///
/// ```
/// use belvedere::{Operand, prelude::*};
///
/// assert_eq!(Operand::from(2).pow(&tensor![1, 2, 3])?.to_vec::<i32>()?, [2, 4, 8]);
/// # Ok::<(), belvedere::Error>(())
/// ```
#[derive(Clone)]
pub struct Operand<'a>(pub(super) Given<'a>);

#[derive(Clone)]
pub(super) enum Given<'a> {
    Tensor(&'a Tensor),
    Owned(Tensor),
    View(AnyView<'a>),
    /// One that has no strides; the others are tensors.
    Lens(&'a Lens),
    Scalar(Scalar),
}

// Operands of an operation are an array on the stack.
const _: () = assert!(size_of::<Operand<'_>>() <= 160);

/// The output of an operation: a tensor, or a typed view.
pub struct Target<'a>(pub(super) Place<'a>);

pub(super) enum Place<'a> {
    Tensor(&'a Tensor),
    View(AnyViewMut<'a>),
}

impl Operand<'_> {
    /// What it has to say about the type of a result.
    pub(super) fn typed(&self) -> Typed {
        match &self.0 {
            Given::Scalar(scalar) => Typed::Number(*scalar),
            Given::Tensor(tensor) => Typed::DType(tensor.dtype()),
            Given::Owned(tensor) => Typed::DType(tensor.dtype()),
            Given::View(view) => Typed::DType(view.dtype()),
            Given::Lens(lens) => Typed::DType(lens.dtype()),
        }
    }

    /// The lengths of its axes: none for a number.
    pub fn shape(&self) -> Shape {
        match &self.0 {
            Given::Tensor(tensor) => tensor.shape(),
            Given::Owned(tensor) => tensor.shape(),
            Given::View(view) => view.layout().shape(),
            Given::Lens(lens) => lens.shape(),
            Given::Scalar(_) => Shape::from([0usize; 0]),
        }
    }

    /// The first positions of each axis, as many as a shape has; a number is itself.
    ///
    /// # Errors
    /// If an axis is shorter, there is another number of them, or a lens is of another shape.
    pub(super) fn first(self, op: &'static str, shape: &[usize]) -> Result<Self, Error> {
        let own = self.shape();
        if own == *shape || matches!(self.0, Given::Scalar(_)) {
            return Ok(self);
        }
        let is_within = own.len() == shape.len() && own.iter().zip(shape).all(|(a, b)| a >= b);
        let index: Vec<Index> = shape.iter().map(|&len| (..len).into()).collect();
        match self.0 {
            Given::Tensor(tensor) if is_within => Ok(tensor.slice(&index)?.into()),
            Given::Owned(tensor) if is_within => Ok(tensor.slice(&index)?.into()),
            Given::View(view) if is_within => Ok(Operand(Given::View(view.slice(&index)?))),
            _ => {
                let (needed, given) = (shape.into(), own.into());
                Err(Error::ShapeMismatch { op, needed, given })
            }
        }
    }

    /// The type, if it has one.
    #[inline]
    pub(super) fn dtype(&self) -> Option<DType> {
        match &self.0 {
            Given::Tensor(tensor) => Some(tensor.dtype()),
            Given::Owned(tensor) => Some(tensor.dtype()),
            Given::View(view) => Some(view.dtype()),
            Given::Lens(lens) => Some(lens.dtype()),
            Given::Scalar(_) => None,
        }
    }

    /// How it lies in memory: not so a number, nor a lens.
    pub(super) fn layout(&self) -> Option<&Layout> {
        match &self.0 {
            Given::Tensor(tensor) => Some(tensor.layout()),
            Given::Owned(tensor) => Some(tensor.layout()),
            Given::View(view) => Some(view.layout()),
            Given::Lens(_) | Given::Scalar(_) => None,
        }
    }

    /// The tensor, if it is one.
    #[inline]
    pub(super) fn tensor(&self) -> Option<&Tensor> {
        match &self.0 {
            Given::Tensor(tensor) => Some(tensor),
            Given::Owned(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The lens, if it is one that has no strides.
    #[inline]
    pub(super) fn lens(&self) -> Option<&Lens> {
        match &self.0 {
            Given::Lens(lens) => Some(lens),
            _ => None,
        }
    }

    /// What is read of it, as it is shown in a shape that it broadcasts to.
    pub(super) fn stream<'b>(&'b self, source: Source<'b>, shape: &[usize]) -> Stream<'b> {
        let why = "the shapes were broadcast";
        match (self.lens(), source) {
            (Some(lens), Source::View(view)) => {
                Stream::Lens(AnyLens::new(&view, lens).broadcast_to(shape).expect(why))
            }
            (None, Source::View(view)) => {
                Stream::Source(Source::View(view.broadcast_to(shape).expect(why)))
            }
            (_, same_shape) => Stream::Source(same_shape),
        }
    }

    /// The number in memory, as an element of a type; for everything else nothing.
    pub(super) fn cell(&self, dtype: DType) -> Result<Option<Cell>, Error> {
        match &self.0 {
            Given::Scalar(scalar) => scalar.cell(dtype).map(Some),
            _ => Ok(None),
        }
    }

    /// The same; nothing also for a number that the type cannot hold.
    #[inline]
    pub(super) fn cell_if_fits(&self, dtype: DType) -> Option<Cell> {
        match &self.0 {
            Given::Scalar(scalar) => scalar.cell(dtype).ok(),
            _ => None,
        }
    }

    /// What to read, with a number at the place where it was put. Operations that take lenses ask for
    /// [`Operand::input_or_lens`]; to others they are given as copies.
    pub(super) fn input<'b>(&'b self, cell: &'b Option<Cell>) -> Input<'b> {
        assert!(self.lens().is_none(), "an operation that takes no lenses");
        self.input_or_lens(cell)
    }

    /// The same; of a lens, what it reaches. What it shows is a [`Operand::stream`].
    pub(super) fn input_or_lens<'b>(&'b self, cell: &'b Option<Cell>) -> Input<'b> {
        match (&self.0, cell) {
            (_, Some(cell)) => Input::View(cell.view()),
            (Given::Tensor(tensor), _) => Input::Tensor(tensor),
            (Given::Owned(tensor), _) => Input::Tensor(tensor),
            (Given::View(view), _) => Input::View(view.clone()),
            (Given::Lens(lens), _) => Input::Lens(lens),
            (Given::Scalar(_), None) => unreachable!("every number has a cell"),
        }
    }

    /// What to read along a line, with a number at the place where it was put.
    #[inline]
    pub(super) fn along<'b>(&'b self, cell: &'b Option<Cell>) -> Along<'b> {
        match &self.0 {
            Given::Tensor(tensor) => Along::Tensor(tensor),
            Given::Owned(tensor) => Along::Tensor(tensor),
            Given::View(view) => Along::View(view),
            Given::Lens(_) => Along::Nowhere,
            Given::Scalar(_) => cell.as_ref().map_or(Along::Nowhere, Along::Cell),
        }
    }
}

/// The type that all operands have which have one, if it is the same and numbers beside them become it.
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
    let becomes_it = |it: &Operand<'_>| match &it.0 {
        Given::Scalar(scalar) => scalar.joined(common) == dtype,
        _ => true,
    };
    operands.iter().all(becomes_it).then_some(dtype)
}

impl<'a> Target<'a> {
    pub(super) fn layout(&self) -> &Layout {
        match &self.0 {
            Place::Tensor(tensor) => tensor.layout(),
            Place::View(view) => view.layout(),
        }
    }

    /// The tensor, if it is one.
    #[inline]
    pub(super) fn tensor(&self) -> Option<&'a Tensor> {
        match self.0 {
            Place::Tensor(tensor) => Some(tensor),
            Place::View(_) => None,
        }
    }

    pub(super) fn dtype(&self) -> DType {
        match &self.0 {
            Place::Tensor(tensor) => tensor.dtype(),
            Place::View(view) => view.dtype(),
        }
    }

    /// Refuses a result of another shape.
    pub(super) fn check_shape(&self, op: &'static str, shape: &[usize]) -> Result<(), Error> {
        let own = self.layout().shape();
        if own == *shape {
            return Ok(());
        }
        Err(Error::ShapeMismatch { op, needed: shape.into(), given: own.into() })
    }

    /// Refuses a result of another shape, or of a type that may not be written to this one.
    pub(super) fn check(
        &self,
        op: &'static str,
        shape: &[usize],
        dtype: DType,
    ) -> Result<(), Error> {
        self.check_shape(op, shape)?;
        if !can_assign(dtype, self.dtype()) {
            return Err(Error::Cast { from: dtype, to: self.dtype() });
        }
        Ok(())
    }

    /// Whether it shares elements with a tensor, or that could not be decided.
    pub(super) fn may_share(&self, tensor: &Tensor) -> bool {
        let bytes = match &self.0 {
            Place::Tensor(tensor) => tensor.bytes(),
            Place::View(view) => view.bytes(),
        };
        bytes.overlaps(tensor.bytes()) != Answer::No
    }

    pub(super) fn output(self) -> Output<'a> {
        match self.0 {
            Place::Tensor(tensor) => Output::Tensor(tensor),
            Place::View(view) => Output::View(view),
        }
    }
}

impl<'a> From<&'a Tensor> for Operand<'a> {
    fn from(tensor: &'a Tensor) -> Operand<'a> {
        Operand(Given::Tensor(tensor))
    }
}

impl<'a> From<&'a Lens> for Operand<'a> {
    fn from(lens: &'a Lens) -> Operand<'a> {
        Operand(lens.strided().map_or(Given::Lens(lens), Given::Tensor))
    }
}

impl From<Tensor> for Operand<'_> {
    fn from(tensor: Tensor) -> Self {
        Operand(Given::Owned(tensor))
    }
}

impl<'a, T: Element> From<&View<'a, T>> for Operand<'a> {
    fn from(view: &View<'a, T>) -> Operand<'a> {
        Operand(Given::View(view.into()))
    }
}

impl<'a, T: Element> From<View<'a, T>> for Operand<'a> {
    fn from(view: View<'a, T>) -> Operand<'a> {
        Operand(Given::View((&view).into()))
    }
}

impl<'a, T: Element> From<&'a ViewMut<'_, T>> for Operand<'a> {
    fn from(view: &'a ViewMut<'_, T>) -> Operand<'a> {
        Operand(Given::View((&view.as_view()).into()))
    }
}

impl<'a> From<&'a Tensor> for Target<'a> {
    fn from(tensor: &'a Tensor) -> Target<'a> {
        Target(Place::Tensor(tensor))
    }
}

impl<'a, T: Element> From<ViewMut<'a, T>> for Target<'a> {
    fn from(view: ViewMut<'a, T>) -> Target<'a> {
        Target(Place::View(view.into()))
    }
}

impl<'a, T: Element> From<&'a mut ViewMut<'_, T>> for Target<'a> {
    fn from(view: &'a mut ViewMut<'_, T>) -> Target<'a> {
        Target(Place::View(view.reborrow().into()))
    }
}

impl From<Scalar> for Operand<'_> {
    fn from(scalar: Scalar) -> Self {
        Operand(Given::Scalar(scalar))
    }
}

impl From<bool> for Operand<'_> {
    fn from(value: bool) -> Self {
        Scalar::Bool(value).into()
    }
}

impl From<f16> for Operand<'_> {
    fn from(value: f16) -> Self {
        Scalar::Float(value.to_f64()).into()
    }
}

impl From<bf16> for Operand<'_> {
    fn from(value: bf16) -> Self {
        Scalar::Float(value.to_f64()).into()
    }
}

impl From<f32> for Operand<'_> {
    fn from(value: f32) -> Self {
        Scalar::Float(value as f64).into()
    }
}

impl From<f64> for Operand<'_> {
    fn from(value: f64) -> Self {
        Scalar::Float(value).into()
    }
}

impl From<Complex<f32>> for Operand<'_> {
    fn from(value: Complex<f32>) -> Self {
        Scalar::Complex(Complex::new(value.re as f64, value.im as f64)).into()
    }
}

impl From<Complex<f64>> for Operand<'_> {
    fn from(value: Complex<f64>) -> Self {
        Scalar::Complex(value).into()
    }
}

/// Integers of every size are numbers without a type.
macro_rules! integers {
    ($($type:ty)*) => {$(
        impl From<$type> for Operand<'_> {
            fn from(value: $type) -> Self {
                Scalar::Int(value as i128).into()
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64 isize usize);
