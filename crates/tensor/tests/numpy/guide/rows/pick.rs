//! Gathering, scattering, joining, moving.

use super::{Given, Row, rows};
use belvedere::{Error, Indexing, PadMode, Tensor, at, concat, meshgrid, stack};

#[rustfmt::skip]
pub const PICKS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "a[i]", "a[i]" => a.index(at![i]);
    "a[:, i]", "a[:, i]" => a.index(at![.., i]);
    "a[i, 1:]", "a[i, 1:]" => a.index(at![i, 1..]);
    "a[i, i]", "a[i, i]" => a.index(at![i, i]);
    "a[m]", "a[m]" => a.index(at![m]);
    "np.take(a, i, 1)", "torch.index_select(a, 1, i)" => a.take(i, 1);
    "np.take_along_axis(a, np.argsort(a, 1), 1)", "torch.gather(a, 1, a.argsort(1))" => a.take_along_axis(&a.argsort(1)?, 1);
    "np.argwhere(m)", "torch.argwhere(m)" => m.argwhere();
    "a[i] = 0", "a[i] = 0" do a.index_assign(at![i], 0);
    "a[m] = -1", "a[m] = -1" do a.index_assign(at![m], -1);
    "np.add.at(a, i, 1)", "a.index_put_((i,), torch.tensor(1.0, dtype=torch.float64), accumulate=True)" do a.index_add_assign(at![i], 1);
    "np.where(m, 0, a)", "a.masked_fill(m, 0)" => a.masked_fill(m, 0);
));

#[rustfmt::skip]
pub const JOINS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "np.concatenate([a, b])", "torch.cat([a, b])" => concat(&[a, b], 0);
    "np.concatenate([a, b], None)", "" => concat(&[a, b], None);
    "np.stack([a, b], 1)", "torch.stack([a, b], 1)" => stack(&[a, b], 1);
    "np.unstack(c)[1]", "c.unbind()[1]" = c.unstack(0)?.swap_remove(1);
    "np.repeat(v, 2)", "v.repeat_interleave(2)" => v.repeat(2, 0);
    "np.tile(v, 3)", "v.repeat(3)" => v.tile([3]);
    "np.roll(a, 1, 0)", "a.roll(1, 0)" => a.roll(1, 0);
    "np.pad(v, 2)", "torch.nn.functional.pad(v, (2, 2))" => v.pad(&[(2, 2)]);
    "np.pad(v, 2, 'reflect')", "" => v.pad_mode(&[(2, 2)], PadMode::Reflect);
    "np.tril(s)", "torch.tril(s)" => s.tril(0);
    "np.meshgrid(v, v)[0]", "torch.meshgrid(v, v, indexing='xy')[0]" = meshgrid(&[v, v], Indexing::Xy)?.swap_remove(0);
));
