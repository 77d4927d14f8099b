//! `Display`, `Debug`, `repr` and `explain` of tensors and lenses.

use super::Tensor;
use super::format::{FloatKind, FormatCell, Style, call, render};
use crate::dtype::AnyTask;
use crate::op::execute::{inspect_operand, read_operands};
use crate::trace::Call;
use crate::view::{AnyLens, AnyView};
use crate::{Bool, DType, Element, Error, Layout, Lens};
use std::fmt;

/// Formats the elements like NumPy: aligned, and summarised above 1000 elements.
///
/// The options of the format string apply to each element. A precision is the number of digits after the
/// decimal point of floats and complex numbers, a width the minimal number of characters.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![[1.0f32, 2.5], [-3.125, 400.0]];
/// assert_eq!(x.to_string(), "[[  1.      2.5  ]\n [ -3.125 400.   ]]");
/// assert_eq!(format!("{x:.1}"), "[[  1.0   2.5]\n [ -3.1 400.0]]");
/// assert_eq!(format!("{:8.2}", tensor![1.0, 2.0]), "[    1.00     2.00]");
/// assert_eq!(format!("{:<4}", tensor![1, 20]), "[1    20  ]");
/// ```
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.storage.is_meta() {
            return write!(f, "<no values: {}{:?} on device meta>", self.dtype, self.shape());
        }
        let style = Style::with_options(f);
        match read_operands(Call::new("display"), &[self.into()], |[view]| text_of(&view, style)) {
            Ok(text) => f.write_str(&text),
            // Formatting must not fail because a guard holds the elements.
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

/// Formats the elements and the padding like a tensor.
impl fmt::Display for Lens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = Style::with_options(f);
        match read_operands(
            Call::new("display"),
            &[crate::Operand::from_reached(self)],
            |[view]| text_of_lens(&AnyLens::new(&view, self), style),
        ) {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

/// Formats the dtype, the layout, and the elements as `Display` does.
///
/// Never waits and never fails: a remark takes the place of elements that another thread or a
/// [`WriteGuard`](crate::WriteGuard) has borrowed for writing, or that have no memory.
///
/// ```
/// use belvedere::prelude::*;
///
/// let x = tensor![[1, 2], [3, 4]];
/// let text = "Tensor(int32, shape [2, 2], strides [1, 2], offset 0:\n[[1 3]\n [2 4]])";
/// assert_eq!(format!("{:?}", x.t()?), text);
///
/// let guard = x.select(0, 1)?.write::<i32>()?;
/// let text = format!("{x:?}");
/// assert!(text.ends_with("offset 0: <elements are borrowed for writing>)"), "{text}");
/// # Ok::<(), belvedere::Error>(())
/// ```
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = Style::with_options(f);
        let (dtype, layout) = (self.dtype, described(&self.layout));
        let text = inspect(self.into(), |view| text_of(view, style));
        write!(f, "Tensor({dtype}, {layout}:{text})")
    }
}

/// Formats the dtype, the number of stages, the tensor's layout, and the elements as `Display` does.
///
/// Never waits and never fails, like `Debug` of a tensor.
impl fmt::Debug for Lens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = Style::with_options(f);
        let (dtype, shape) = (self.dtype(), self.shape());
        let stages = match self.chain().depth() {
            1 => "1 stage".to_string(),
            n => format!("{n} stages"),
        };
        let layout = described(self.tensor().layout());
        let text = inspect(crate::Operand::from_reached(self), |view| {
            text_of_lens(&AnyLens::new(view, self), style)
        });
        write!(f, "Lens({dtype}, shape {shape:?}, {stages} over {layout}:{text})")
    }
}

/// Describes a layout by its shape, strides and offset.
fn described(layout: &Layout) -> impl fmt::Display {
    let (shape, strides, offset) = (layout.shape(), layout.strides(), layout.start());
    fmt::from_fn(move |f| write!(f, "shape {shape:?}, strides {strides:?}, offset {offset}"))
}

/// Formats the elements, or a remark if they cannot be read now, after a space or, if there are several lines,
/// a line break.
fn inspect(operand: crate::Operand<'_>, text: impl FnOnce(&AnyView<'_>) -> String) -> String {
    let text = match inspect_operand(operand, text) {
        Ok(text) => text,
        Err(Error::NoValues { .. }) => "<no values: the device is meta>".into(),
        Err(Error::Busy { .. } | Error::Borrowed { .. }) => {
            "<elements are borrowed for writing>".into()
        }
        Err(error) => format!("<{error}>"),
    };
    let separator = if text.contains('\n') { '\n' } else { ' ' };
    format!("{separator}{text}")
}

impl Tensor {
    /// Formats the elements like NumPy's `repr`, with a name in place of `array`.
    ///
    /// ```
    /// use belvedere::prelude::*;
    ///
    /// let x = tensor![[1.0f32, 2.5], [3.0, 4.0]];
    /// assert_eq!(x.repr("array"), "array([[1. , 2.5],\n       [3. , 4. ]], dtype=float32)");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    #[track_caller]
    pub fn repr(&self, name: &str) -> String {
        if self.storage.is_meta() {
            let shape: Vec<String> = self.shape().iter().map(usize::to_string).collect();
            let comma = if shape.len() == 1 { "," } else { "" };
            let shape = format!("({}{comma})", shape.join(", "));
            let dtype = self.dtype;
            return format!("{name}(<no values>, shape={shape}, dtype={dtype}, device='meta')");
        }
        match read_operands(Call::new("repr"), &[self.into()], |[view]| {
            text_of(&view, Style::call(name))
        }) {
            Ok(text) => call(name, &text, &self.shape(), self.dtype),
            Err(error) => format!("{name}(<{error}>)"),
        }
    }

    /// Describes the dtype, the layout and the storage in words.
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
        if storage.is_meta() {
            return text + "  no values: the device is meta, and the storage has no memory";
        }
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
                0 => "not shared".to_string(),
                1 => "shared with one other tensor".to_string(),
                n => format!("shared with {n} other tensors"),
            }
        );
        text
    }
}

/// Describes whether a layout is contiguous, and if not, which axis is not.
fn contiguity(layout: &Layout) -> String {
    if layout.is_contiguous() {
        return "contiguous".to_string();
    }
    let mut needed = 1isize;
    for (k, axis) in layout.axes().iter().enumerate().rev().filter(|(_, axis)| axis.len != 1) {
        if axis.stride != needed {
            let stride = axis.stride;
            let order = match (layout.is_col_major(), layout.is_dense()) {
                (true, _) => "; dense in column-major order",
                (_, true) => "; dense in another order of the axes",
                _ => "",
            };
            return format!(
                "not contiguous: axis {k} has stride {stride} where {needed} is needed{order}"
            );
        }
        needed = needed.saturating_mul(axis.len as isize);
    }
    "contiguous".to_string()
}

/// Formats the elements of a view.
fn text_of(view: &AnyView<'_>, style: Style) -> String {
    struct FormatView<'a, 'v>(&'a AnyView<'v>, Style);

    impl AnyTask for FormatView<'_, '_> {
        type Output = String;

        fn run<T: Element>(self) -> String {
            let view = self.0.typed::<T>().expect("the task was chosen by the view's own type");
            render(&view.shape(), self.1, &mut |index| {
                cell(view.get(index).expect("`render` asks for indices inside of the shape"))
            })
        }
    }

    view.dtype().with_any(FormatView(view, style))
}

/// Formats the elements of a lens.
fn text_of_lens(lens: &AnyLens<'_>, style: Style) -> String {
    struct FormatLens<'a, 'v>(&'a AnyLens<'v>, Style);

    impl AnyTask for FormatLens<'_, '_> {
        type Output = String;

        fn run<T: Element>(self) -> String {
            render(self.0.chain().shape(), self.1, &mut |index| {
                let value = self.0.get::<T>(index);
                cell(value.expect("`render` asks for indices inside of the shape"))
            })
        }
    }

    lens.dtype().with_any(FormatLens(lens, style))
}

/// Converts an element for formatting.
fn cell<T: Element>(value: T) -> FormatCell {
    let float = match T::DTYPE {
        DType::Float16 => FloatKind::F16,
        DType::BFloat16 => FloatKind::BF16,
        DType::Float32 | DType::Complex64 => FloatKind::F32,
        _ => FloatKind::F64,
    };
    match T::DTYPE {
        DType::Bool => FormatCell::Bool(value.cast::<Bool>().is_true()),
        dtype if dtype.is_unsigned() => FormatCell::UInt(value.cast()),
        dtype if dtype.is_integer() => FormatCell::Int(value.cast()),
        dtype if dtype.is_complex() => {
            let value: crate::Complex<f64> = value.cast();
            FormatCell::Complex(value.re, value.im, float)
        }
        _ => FormatCell::Float(value.cast(), float),
    }
}
