//! Broadcast operands that are copied before the loop, so that they are packed or cast once and not in
//! every pass over them.
//!
//! [`Plan::estimates`] decides whether the copy saves time. It is an optimisation: where copies are
//! forbidden, or there is no memory for one, the operand is read in place. The copy is recorded before
//! anything is borrowed, and made while the operands are borrowed, so that it holds what the operation would
//! have read.

use super::execute::TempCopy;
use super::operand::Operand;
use crate::copies::CopyReason;
use crate::kernel::cast::cast;
use crate::kernel::copy::copy;
use crate::kernel::map::map;
use crate::plan::{ESTIMATE_MIN_ELEMENTS, Plan, Width, compact, copy_layout};
use crate::trace::{self, Call};
use crate::view::{AnyView, Source};
use crate::{DType, Index, Layout};

/// The layouts of the copies of those among `M` operands that are copied first.
pub(super) struct CopiedFirst<const M: usize>([Option<Layout>; M]);

impl<const M: usize> CopiedFirst<M> {
    /// Finds the operands that are worth a copy, and records the copies. `types` are the dtypes of the
    /// output and of the operands as the body takes them.
    ///
    /// Operands that may share elements with the output are left out: they are copied anyway.
    pub(super) fn choose<const N: usize>(
        call: Call<'_>,
        (out, out_type): (&Layout, DType),
        operands: &[Operand<'_>; M],
        types: &[DType; N],
        may_share: impl Fn(&Operand<'_>) -> bool,
    ) -> CopiedFirst<M> {
        let mut chosen = CopiedFirst([const { None }; M]);
        let has_lens = operands.iter().any(|it| it.lens().is_some());
        if out.len() < ESTIMATE_MIN_ELEMENTS || has_lens {
            return chosen;
        }
        let is_reused = |it: &Layout| it.axes().iter().any(|it| it.stride == 0 && it.len > 1);
        let is_broadcast = |it: &Operand<'_>| {
            let layout = it.memory_layout();
            layout.len() < out.len() || is_reused(layout)
        };
        if !operands.iter().any(is_broadcast) {
            return chosen;
        }
        let spread: [Option<Layout>; M] =
            std::array::from_fn(|n| operands[n].memory_layout().broadcast_to(out.shape()).ok());
        let layouts: [&Layout; N] = std::array::from_fn(|n| match n {
            0 => out,
            n => spread[n - 1].as_ref().unwrap_or(out),
        });
        let width = |memory: DType, inside: DType| match memory == inside {
            true => Width::of(memory.size()),
            false => Width::converted(memory.size(), inside.size()),
        };
        let widths = std::array::from_fn(|n| match n {
            0 => width(out_type, types[0]),
            n => width(operands[n - 1].dtype().unwrap_or(types[n]), types[n]),
        });
        let Ok(estimates) = Plan::estimates(layouts, widths) else {
            return chosen;
        };
        for (n, chosen) in chosen.0.iter_mut().enumerate() {
            if estimates[n + 1].pays()
                && !may_share(&operands[n])
                && let (Ok(layout), Ok(from)) =
                    (copy_layout(out, layouts[n + 1]), compact(layouts[n + 1]))
            {
                let bytes = || from.len().saturating_mul(types[n + 1].size());
                let allowed = trace::check_copy(call.op, CopyReason::Reused, bytes);
                *chosen = allowed.ok().map(|()| layout);
                if let Some(layout) = chosen.as_ref()
                    && trace::is_listening()
                {
                    let event = call.copying(CopyReason::Reused).announce();
                    let (of, dtype) = (&operands[n], types[n + 1]);
                    event.deliver_planned_copy(CopyReason::Reused, of, layout.clone(), dtype);
                }
            }
        }
        chosen
    }

    /// Returns whether no operand is copied first.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Copies the sources, which have been broadcast to one shape.
    pub(super) fn make(&self, sources: &[Source<'_>; M], types: &[DType]) -> [Option<TempCopy>; M] {
        std::array::from_fn(|n| match (&self.0[n], &sources[n]) {
            (Some(layout), Source::View(view)) => copy_of(view, layout, types[n + 1]),
            _ => None,
        })
    }
}

/// Copies the distinct elements of a broadcast view, cast to `dtype`. `None` if there is no memory for it.
fn copy_of(view: &AnyView<'_>, layout: &Layout, dtype: DType) -> Option<TempCopy> {
    let first = |it: &crate::Axis| if it.stride == 0 { Index::from(..1) } else { Index::from(..) };
    let index: Vec<Index> = view.layout().axes().iter().map(first).collect();
    let distinct = view.slice(&index).ok()?;
    let made = match view.dtype() == dtype {
        true => TempCopy::new(distinct, layout.clone(), dtype, |out, view| copy(out, &view)),
        false => {
            let body = cast(view.dtype(), dtype);
            TempCopy::new(distinct, layout.clone(), dtype, |out, view| {
                map(&body, out, &[Source::View(view)])
            })
        }
    };
    made.ok()
}
