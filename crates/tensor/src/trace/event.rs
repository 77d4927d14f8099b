//! [`Event`]: what one operation did to memory.

use super::{CallSite, Param};
use crate::copies::CopyReason;
use crate::plan::Plan;
use crate::{Chain, DType, Layout, LayoutError, StorageId};
use std::fmt;
use std::panic::Location;
use std::thread::ThreadId;

/// An operation: its name, operands, effect and caller.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Event {
    /// The name of the operation: `reshape`, `add`, `sum` …
    pub op: &'static str,
    /// The arguments that are not tensors, by name.
    pub params: Vec<(&'static str, Param<'static>)>,
    /// The tensors, views and numbers that were read.
    pub inputs: Vec<EventOperand>,
    /// The results, and what was written in place. Of an operation that returns the parts of a tensor as views, such
    /// as `split`, `rows` and `unstack`, these are the first 64; it is announced when it is called, also if its
    /// iterator is not advanced.
    pub outputs: Vec<EventOperand>,
    /// The effect on memory.
    pub kind: EventKind,
    /// The bytes of the elements that were read; elements that a broadcast axis repeats count once. Of the tensor
    /// that a gather reads from, those that its index selects count, each time that it selects them.
    pub bytes_read: usize,
    /// The bytes of the elements that were written; by a scatter, those that its index selects.
    pub bytes_written: usize,
    /// The bytes of the storages that were allocated.
    pub bytes_allocated: usize,
    /// 0 for an operation that the program called, 1 for one inside of it, and so on. A copy that an
    /// operation makes of an operand is inside of it.
    pub depth: usize,
    /// The thread that called the operation.
    pub thread: ThreadId,
    /// Whether the operation ran the loops of an elementwise plan ([`Event::plan`]).
    pub(super) is_planned: bool,
    /// The Rust source line that called the operation.
    pub caller: &'static Location<'static>,
    /// The source line of another language that called the operation, if a locator is installed
    /// ([`locate_callers`](super::locate_callers)).
    pub call_site: Option<CallSite>,
}

/// The effect of an operation on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// The same memory with another layout; nothing was read or written.
    View,
    /// New memory with new values.
    New,
    /// Elements of existing memory were overwritten.
    InPlace,
    /// New memory with the elements of the operand.
    Copy(CopyReason),
    /// Values were read into a number, a bool or a text.
    Read,
    /// Memory of another library, a vector or a file became a tensor, without a copy.
    Import,
    /// Another library was given access to the memory.
    Export,
}

impl EventKind {
    /// Returns its name: `view`, `new`, `in place`, `copy`, `read`, `import`, `export`.
    ///
    /// ```
    /// use belvedere::trace::EventKind;
    ///
    /// assert_eq!(EventKind::InPlace.name(), "in place");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            EventKind::View => "view",
            EventKind::New => "new",
            EventKind::InPlace => "in place",
            EventKind::Copy(_) => "copy",
            EventKind::Read => "read",
            EventKind::Import => "import",
            EventKind::Export => "export",
        }
    }
}

/// An operand or a result of an operation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EventOperand {
    /// A tensor: a layout over a storage.
    Tensor {
        /// The storage. Ids are not reused, so equal ids are the same memory.
        storage: StorageId,
        /// The length of the storage in bytes.
        storage_len: usize,
        /// The map from index to offset in the storage, in elements.
        layout: Layout,
        /// The type of the elements.
        dtype: DType,
    },
    /// A lens: a chain over a storage.
    Lens {
        /// The storage.
        storage: StorageId,
        /// The length of the storage in bytes.
        storage_len: usize,
        /// The map from index to offset in the storage, in elements.
        chain: Chain,
        /// The type of the elements.
        dtype: DType,
    },
    /// A borrowed view, whose storage is not known.
    View {
        /// The map from index to offset from the view's pointer, in elements.
        layout: Layout,
        /// The type of the elements.
        dtype: DType,
    },
    /// A number, which is not in memory. It has a dtype if the operation gave it one.
    Number {
        /// The dtype it was given.
        dtype: Option<DType>,
    },
}

impl EventOperand {
    /// Returns the storage; `None` for numbers and borrowed views.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace};
    ///
    /// let x = tensor![1, 2];
    /// let (_, trace) = trace::record(|| x.add(1));
    /// let [tensor, number] = &trace.events()[0].inputs[..] else { panic!() };
    /// assert_eq!(tensor.storage(), Some(x.storage().id()));
    /// assert_eq!(number.storage(), None);
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn storage(&self) -> Option<StorageId> {
        match self {
            EventOperand::Tensor { storage, .. } | EventOperand::Lens { storage, .. } => {
                Some(*storage)
            }
            EventOperand::View { .. } | EventOperand::Number { .. } => None,
        }
    }

    /// Returns the layout of a tensor or a view; `None` for numbers and lenses.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace};
    ///
    /// let x = tensor![[1, 2], [3, 4]];
    /// let (y, trace) = trace::record(|| x.t());
    /// assert_eq!(trace.events()[0].outputs[0].layout(), Some(y?.layout()));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn layout(&self) -> Option<&Layout> {
        match self {
            EventOperand::Tensor { layout, .. } | EventOperand::View { layout, .. } => Some(layout),
            EventOperand::Lens { .. } | EventOperand::Number { .. } => None,
        }
    }

    /// Returns the dtype; `None` for a number without one.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace};
    ///
    /// let (_, trace) = trace::record(|| tensor![1.5].abs());
    /// assert_eq!(trace.events().last().unwrap().outputs[0].dtype(), Some(DType::Float64));
    /// ```
    pub fn dtype(&self) -> Option<DType> {
        match self {
            EventOperand::Tensor { dtype, .. }
            | EventOperand::Lens { dtype, .. }
            | EventOperand::View { dtype, .. } => Some(*dtype),
            EventOperand::Number { dtype } => *dtype,
        }
    }

    /// Returns the storage and its length in bytes.
    pub(super) fn allocation(&self) -> Option<(StorageId, usize)> {
        match self {
            EventOperand::Tensor { storage, storage_len, .. }
            | EventOperand::Lens { storage, storage_len, .. } => Some((*storage, *storage_len)),
            EventOperand::View { .. } | EventOperand::Number { .. } => None,
        }
    }

    /// The bytes of the elements in memory; those that a broadcast axis repeats count once.
    pub(super) fn n_distinct_bytes(&self) -> usize {
        let len = match self.layout() {
            Some(layout) => {
                let axes = layout.axes().iter().filter(|axis| axis.stride != 0 || axis.len == 0);
                axes.fold(1, |len: usize, axis| len.saturating_mul(axis.len))
            }
            None => self.len(),
        };
        self.n_bytes_of(len)
    }

    /// Returns the number of elements in memory: 0 for a number.
    pub(super) fn len(&self) -> usize {
        match self {
            EventOperand::Tensor { layout, .. } | EventOperand::View { layout, .. } => layout.len(),
            EventOperand::Lens { chain, .. } => chain.len(),
            EventOperand::Number { .. } => 0,
        }
    }

    /// Returns the bytes of `n` of its elements.
    pub(super) fn n_bytes_of(&self, n: usize) -> usize {
        n.saturating_mul(self.dtype().map_or(0, DType::size))
    }
}

impl Event {
    /// Returns the plan of the loops that the operation ran, if it ran those of an elementwise plan: small
    /// operands, reductions and matrix products do not.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace};
    ///
    /// let (a, b) = (Tensor::zeros([64, 96], DType::Float32)?, Tensor::zeros([96, 64], DType::Float32)?);
    /// let (_, trace) = trace::record(|| a.add(&b.t()?));
    /// let plan = trace.events()[1].plan().expect("two loops");
    /// assert_eq!(plan, "64 × (96, 96, 1), 96 × (1, 1, 64) from (0, 0, 0)");
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn plan(&self) -> Option<String> {
        if !self.is_planned {
            return None;
        }
        let out = self.outputs.first()?.layout()?;
        let spread = |it: &EventOperand| it.layout()?.broadcast_to(out.shape()).ok();
        let inputs = self.inputs.iter().map(|it| match it {
            EventOperand::Number { .. } => Layout::scalar(0).ok()?.broadcast_to(out.shape()).ok(),
            it => spread(it),
        });
        let layouts: Vec<Layout> = inputs.collect::<Option<_>>()?;
        let sizes: Vec<usize> =
            self.inputs.iter().map(|it| it.dtype().map_or(8, DType::size)).collect();
        let size = self.outputs[0].dtype()?.size();
        let text = match (&layouts[..], &sizes[..]) {
            ([a], [i]) => Plan::elementwise([out, a], [size, *i]).ok()?.to_string(),
            ([a, b], [i, j]) => Plan::elementwise([out, a, b], [size, *i, *j]).ok()?.to_string(),
            ([a, b, c], [i, j, k]) => {
                Plan::elementwise([out, a, b, c], [size, *i, *j, *k]).ok()?.to_string()
            }
            _ => return None,
        };
        Some(text)
    }

    /// Returns why a copy was made and how to avoid it; `None` for other events and for copies on request.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace};
    ///
    /// let x = Tensor::arange(0..12)?.reshape([3, 4])?.t()?;
    /// let (_, trace) = trace::record(|| x.reshape([6, 2]));
    /// let advice = trace.events()[0].advice().unwrap();
    /// assert!(advice.starts_with("cannot view [4, 3] (strides [1, 4]) as [6, 2] without a copy"));
    /// # Ok::<(), belvedere::Error>(())
    /// ```
    pub fn advice(&self) -> Option<String> {
        let EventKind::Copy(reason) = self.kind else { return None };
        let layouts = (self.inputs.first().and_then(EventOperand::layout), self.result_layout());
        if let (CopyReason::NoView, (Some(from), Some(to))) = (reason, layouts)
            && let Err(LayoutError::NeedsCopy(refusal)) = from.view(to.shape())
        {
            let size = self.inputs[0].dtype().map_or(1, DType::size);
            return Some(refusal.with_element_size(size).to_string());
        }
        let advice = match reason {
            CopyReason::Requested => return None,
            CopyReason::NoView => "keep the shape, or read it through a lens, which has no strides",
            CopyReason::NotContiguous => {
                "most operations take strided operands at full speed: leave the copy out"
            }
            CopyReason::Overlap => {
                "write to memory that the operand does not share, or shift in one direction only"
            }
            CopyReason::Cast => "convert the operand once, with astype, and keep the result",
            CopyReason::Unaligned => "store the elements aligned and in native byte order",
            CopyReason::Reused => "it saves time; copy the operand once if it is used again",
            CopyReason::Saved => "write to other memory than that which a gradient needs later",
        };
        Some(advice.to_string())
    }

    /// Returns the layout of the result. The copy of a reshape has the shape of its operand until it is viewed.
    fn result_layout(&self) -> Option<&Layout> {
        self.outputs.first().and_then(EventOperand::layout)
    }

    /// Returns the number of bytes that were copied: 0 if the operation is not a copy.
    ///
    /// ```
    /// use belvedere::{prelude::*, trace};
    ///
    /// let (_, trace) = trace::record(|| tensor![1, 2].copy());
    /// assert_eq!(trace.events().last().unwrap().bytes_copied(), 8);
    /// ```
    pub fn bytes_copied(&self) -> usize {
        match self.kind {
            EventKind::Copy(_) => self.bytes_written,
            _ => 0,
        }
    }
}

/// Formats the caller, the name, the shapes, and the effect on memory, on one line.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.call_site {
            Some(call_site) => write!(f, "{call_site}: ")?,
            None => write!(f, "{}: ", self.caller)?,
        }
        write!(f, "{}", self.op)?;
        if let EventKind::Copy(reason) = self.kind {
            return write!(f, " copied {} bytes: {reason}", self.bytes_written);
        }
        write!(f, ": {}", self.kind.name())?;
        for output in &self.outputs {
            match (output, output.dtype()) {
                (EventOperand::Lens { chain, .. }, Some(dtype)) => {
                    write!(f, " {dtype}{:?}", chain.shape())?;
                }
                (_, Some(dtype)) => {
                    write!(
                        f,
                        " {dtype}{:?}",
                        output.layout().map(Layout::shape).unwrap_or_default()
                    )?;
                }
                _ => {}
            }
        }
        match self.bytes_allocated {
            0 => Ok(()),
            bytes => write!(f, ", {bytes} bytes allocated"),
        }
    }
}
