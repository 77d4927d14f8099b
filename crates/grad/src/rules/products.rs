//! Matrix products.

use super::{OldContents, Rule, Rules, Saves};
use crate::pullback::Pullback;
use belvedere::Error;

/// `matmul`, with its flags, batches, vectors and accumulation. The sum over broadcast batches is that of every rule.
fn matmul(p: &mut Pullback<'_>) -> Result<(), Error> {
    let mut g = p.g();
    if p.flag("accumulate") {
        p.add_to_old(g.clone());
    }
    let [is_row, is_column] = [0, 1].map(|n| p.shape(n).len() == 1);
    if is_column {
        g = g.unsqueeze(-1)?;
    }
    if is_row {
        g = g.unsqueeze(-2)?;
    }
    let transposes = [p.flag("transpose_a") && !is_row, p.flag("transpose_b") && !is_column];
    if p.needs(0) {
        let b = p.input(1)?;
        let b = if is_column { b.unsqueeze(-1)? } else { b };
        let mut to_a = g.matmul(&if transposes[1] { b } else { b.mt()? })?;
        if transposes[0] {
            to_a = to_a.mt()?;
        }
        p.add(0, if is_row { to_a.squeeze([-2])? } else { to_a });
    }
    if p.needs(1) {
        let a = p.input(0)?;
        let a = if is_row { a.unsqueeze(0)? } else { a };
        let mut to_b = (if transposes[0] { a } else { a.mt()? }).matmul(&g)?;
        if transposes[1] {
            to_b = to_b.mt()?;
        }
        p.add(1, if is_column { to_b.squeeze([-1])? } else { to_b });
    }
    Ok(())
}

pub(super) const RULES: Rules =
    &[("matmul", Rule::general(Saves::Others, matmul).with_old(OldContents::IfAccumulated))];
