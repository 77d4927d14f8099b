//! Tensors as text.

use super::Tensor;
use super::text::{Cell, FloatKind, Style, call, render};
use crate::dtype::AnyTask;
use crate::view::{AnyLens, AnyView, Input, read};
use crate::{Bool, DType, Element, Lens};
use std::fmt;

/// The elements, as NumPy prints them: aligned, and shortened when there are many.
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match read([Input::Tensor(self)], |[view]| text_of(&view, Style::PLAIN)) {
            Ok(text) => f.write_str(&text),
            // Being printed must not fail because somebody holds a guard.
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

/// The elements and the padding, as those of a tensor.
impl fmt::Display for Lens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match read([Input::Lens(self)], |[view]| text_of_lens(&AnyLens::new(&view, self))) {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

/// The layout, the type and the storage; not the elements.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor")
            .field("dtype", &format_args!("{}", self.dtype))
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .field("offset", &self.offset())
            .field("storage", &self.storage)
            .finish()
    }
}

impl Tensor {
    /// The elements as NumPy's `repr` shows them, with a name in the place of its `array`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1.0f32, 2.5], [3.0, 4.0]];
    /// assert_eq!(x.repr("array"), "array([[1. , 2.5],\n       [3. , 4. ]], dtype=float32)");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn repr(&self, name: &str) -> String {
        match read([Input::Tensor(self)], |[view]| text_of(&view, Style::call(name))) {
            Ok(text) => call(name, &text, &self.shape(), self.dtype),
            Err(error) => format!("{name}(<{error}>)"),
        }
    }

    /// What it is and how it lies in memory, in words.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = Tensor::zeros([3, 4], DType::Float32)?;
    /// let text = x.t()?.explain();
    /// assert!(text.contains("shape [4, 3], strides [1, 4]"), "{text}");
    /// assert!(text.contains("not contiguous: axis 1 has stride 4 where 1 is needed"), "{text}");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn explain(&self) -> String {
        let Tensor { storage, layout, dtype } = self;
        let mut text = format!(
            "{dtype}, shape {:?}, strides {:?}, offset {}: {} element{}, {} bytes\n",
            self.shape(),
            self.strides(),
            self.offset(),
            self.len(),
            if self.len() == 1 { "" } else { "s" },
            self.n_bytes(),
        );
        text += &format!("  {}\n", contiguity(layout));
        let span = layout.span();
        let others = storage.n_shares().saturating_sub(1);
        text += &format!(
            "  elements {} to {} of a storage of {} bytes at {:#x}{}, {}",
            span.start,
            span.end,
            storage.len(),
            storage.address(),
            if storage.is_writable() { "" } else { ", read-only" },
            match others {
                0 => "which nobody else sees".to_string(),
                1 => "which one other tensor sees".to_string(),
                n => format!("which {n} other tensors see"),
            }
        );
        text
    }
}

/// Whether a layout is contiguous, and if not, which axis is to blame.
fn contiguity(layout: &crate::Layout) -> String {
    if layout.is_contiguous() {
        return "contiguous: the elements lie one behind the other".to_string();
    }
    let mut needed = 1isize;
    for (k, axis) in layout.axes().iter().enumerate().rev().filter(|(_, axis)| axis.len != 1) {
        if axis.stride != needed {
            let stride = axis.stride;
            let order = match (layout.is_col_major(), layout.is_dense()) {
                (true, _) => "; the elements lie one behind the other in column-major order",
                (_, true) => "; the elements lie one behind the other in another order",
                _ => "",
            };
            return format!(
                "not contiguous: axis {k} has stride {stride} where {needed} is needed{order}"
            );
        }
        needed = needed.saturating_mul(axis.len as isize);
    }
    "contiguous: the elements lie one behind the other".to_string()
}

/// The text of the elements of a view.
fn text_of(view: &AnyView<'_>, style: Style) -> String {
    struct Text<'a, 'v>(&'a AnyView<'v>, Style);

    impl AnyTask for Text<'_, '_> {
        type Output = String;

        fn run<T: Element>(self) -> String {
            let view = self.0.typed::<T>().expect("the task was chosen by the view's own type");
            render(&view.shape(), self.1, &mut |index| {
                cell(view.get(index).expect("the text asks for indices inside of the shape"))
            })
        }
    }

    view.dtype().with_any(Text(view, style))
}

/// The text of what a lens shows.
fn text_of_lens(lens: &AnyLens<'_>) -> String {
    struct Text<'a, 'v>(&'a AnyLens<'v>);

    impl AnyTask for Text<'_, '_> {
        type Output = String;

        fn run<T: Element>(self) -> String {
            render(self.0.chain().shape(), Style::PLAIN, &mut |index| {
                let value = self.0.get::<T>(index);
                cell(value.expect("the text asks for indices inside of the shape"))
            })
        }
    }

    lens.dtype().with_any(Text(lens))
}

/// An element as the text knows it.
fn cell<T: Element>(value: T) -> Cell {
    let float = match T::DTYPE {
        DType::Float16 => FloatKind::F16,
        DType::BFloat16 => FloatKind::BF16,
        DType::Float32 | DType::Complex64 => FloatKind::F32,
        _ => FloatKind::F64,
    };
    match T::DTYPE {
        DType::Bool => Cell::Bool(value.cast::<Bool>().is_true()),
        dtype if dtype.is_unsigned() => Cell::UInt(value.cast()),
        dtype if dtype.is_integer() => Cell::Int(value.cast()),
        dtype if dtype.is_complex() => {
            let value: crate::Complex<f64> = value.cast();
            Cell::Complex(value.re, value.im, float)
        }
        _ => Cell::Float(value.cast(), float),
    }
}
