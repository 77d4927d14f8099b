//! Operands that are copied before they are walked, because they are broadcast and every pass over them
//! would pack or convert the same elements again.
//!
//! Whether that pays is up to [`Plan::estimates`]. The copy is an optimisation and not a need: where
//! copies are forbidden, or there is no memory for one, the operand is walked as it lies. It is announced
//! before anything is borrowed, and made while everything is, so that it holds what the operation
//! would have read.

use crate::copies::{self, CopyReason};
use crate::kernel::cast::cast;
use crate::kernel::copy::copy;
use crate::kernel::map::map;
use crate::plan::{Plan, WORTH_ASKING, Width, compact, copy_layout};
use crate::view::{AnyView, Call, Input, OwnCopy, Source};
use crate::{DType, Index, Layout};

/// Where the copies lie of those among `M` operands that are copied first.
pub(super) struct CopiedFirst<const M: usize>([Option<Layout>; M]);

impl<const M: usize> CopiedFirst<M> {
    /// Finds the operands that it pays to copy, and announces that. `types` are those of the output and
    /// of the operands as the operation takes them.
    ///
    /// What shares elements with the output is left alone: it is copied anyway.
    pub(super) fn choose<const N: usize>(
        call: Call,
        (out, out_type): (&Layout, DType),
        inputs: &[Input<'_>; M],
        types: &[DType; N],
        may_share: impl Fn(&Input<'_>) -> bool,
    ) -> CopiedFirst<M> {
        let mut chosen = [const { None }; M];
        let has_lens = inputs.iter().any(|it| matches!(it, Input::Lens(_)));
        if out.len() < WORTH_ASKING || has_lens {
            return CopiedFirst(chosen);
        }
        let spread: [Option<Layout>; M] =
            std::array::from_fn(|n| inputs[n].layout().broadcast_to(out.shape()).ok());
        let is_reused = |it: &Layout| it.axes().iter().any(|it| it.stride == 0 && it.len > 1);
        if !spread.iter().flatten().any(is_reused) {
            return CopiedFirst(chosen);
        }
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
            n => width(inputs[n - 1].dtype(), types[n]),
        });
        let Ok(estimates) = Plan::estimates(layouts, widths) else {
            return CopiedFirst(chosen);
        };
        for (n, chosen) in chosen.iter_mut().enumerate() {
            if estimates[n + 1].pays()
                && !may_share(&inputs[n])
                && let (Ok(layout), Ok(from)) =
                    (copy_layout(out, layouts[n + 1]), compact(layouts[n + 1]))
            {
                let size = types[n + 1].size();
                let told = copies::announce(call.op, CopyReason::Reused, &from, size, call.caller);
                *chosen = told.ok().map(|()| layout);
            }
        }
        CopiedFirst(chosen)
    }

    /// Makes the copies of what is read, which has been broadcast to one shape.
    pub(super) fn make(&self, sources: &[Source<'_>; M], types: &[DType]) -> [Option<OwnCopy>; M] {
        std::array::from_fn(|n| match (&self.0[n], &sources[n]) {
            (Some(layout), Source::View(view)) => copy_of(view, layout, types[n + 1]),
            _ => None,
        })
    }
}

/// A copy of a view's distinct elements, as elements of a type, unless there is no memory for it.
fn copy_of(view: &AnyView<'_>, layout: &Layout, dtype: DType) -> Option<OwnCopy> {
    let first = |it: &crate::Axis| if it.stride == 0 { Index::from(..1) } else { Index::from(..) };
    let index: Vec<Index> = view.layout().axes().iter().map(first).collect();
    let distinct = view.slice(&index).ok()?;
    let made = match view.dtype() == dtype {
        true => OwnCopy::of(distinct, layout.clone(), dtype, |out, view| copy(out, &view)),
        false => {
            let body = cast(view.dtype(), dtype);
            OwnCopy::of(distinct, layout.clone(), dtype, |out, view| {
                map(&body, out, &[Source::View(view)])
            })
        }
    };
    made.ok()
}
