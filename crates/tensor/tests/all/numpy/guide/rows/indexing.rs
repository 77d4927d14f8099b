//! Gather, scatter, joining and rearranging.

use super::{Given, Row, rows};
use belvedere::prelude::*;
use belvedere::{Error, Indexing, PadMode, Tensor, broadcast_arrays, column_stack, dstack, hstack};
use belvedere::{meshgrid, tril_indices, triu_indices, vstack};

#[rustfmt::skip]
pub(super) const ADVANCED: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
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
    "np.put_along_axis(a[:1], np.array([[2, 0]]), b[:1, :2], 1)", "a.scatter_(1, i[None], b)" do a.scatter(1, &i.unsqueeze(0)?, b);
    "np.add.at(a, (0, np.array([2, 0])), b[0, :2])", "a.scatter_add_(1, i[None], b)" do a.scatter_add(1, &i.unsqueeze(0)?, b);
    "np.add.at(a, i, b[:2])", "a.index_add_(0, i, b[:2])" do a.index_add(0, i, &b.slice(s![..2])?);
    "np.where(m, 0, a)", "a.masked_fill(m, 0)" => a.masked_fill(m, 0);
    "np.nonzero(m)[1]", "m.nonzero(as_tuple=True)[1]" = m.nonzero()?.swap_remove(1);
    "a[m]", "torch.masked_select(a, m)" => a.masked_select(m);
    "np.compress(m[:, 0], a, 0)", "a[m[:, 0]]" => a.compress(&m.slice(s![.., 0])?, 0);
    "np.putmask(a, m, 7)", "a.masked_fill_(m, 7)" do a.masked_assign(m, 7);
    "a[:, i] = 0", "a.index_fill_(1, i, 0)" do a.put(i, 1, 0);
    "np.add.at(a, (slice(None), i), 1)", "a.index_add_(1, i, torch.ones(3, 2).double())" do a.put_add(i, 1, 1);
    "np.put_along_axis(a, a.argmax(1, keepdims=True), 0, 1)", "a.scatter_(1, a.argmax(1, keepdim=True), 0)" do a.put_along_axis(&a.argmax(keep(1))?, 1, 0);
    "np.add.at(a, (np.arange(3), a.argmax(1)), 1)", "a.scatter_add_(1, a.argmax(1, keepdim=True), torch.ones(3, 1).double())" do a.add_along_axis(&a.argmax(keep(1))?, 1, 1);
));

#[rustfmt::skip]
pub(super) const JOINS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
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
    "np.hstack([a, b])", "torch.hstack([a, b])" => hstack(&[a, b]);
    "np.vstack([a, b])", "torch.vstack([a, b])" => vstack(&[a, b]);
    "np.dstack([a, b])", "torch.dstack([a, b])" => dstack(&[a, b]);
    "np.column_stack([v, v])", "torch.column_stack([v, v])" => column_stack(&[v, v]);
    "np.atleast_1d(v)", "torch.atleast_1d(v)" => v.atleast_1d();
    "np.atleast_2d(v)", "torch.atleast_2d(v)" => v.atleast_2d();
    "np.atleast_3d(v)", "torch.atleast_3d(v)" => v.atleast_3d();
    "np.array(v, ndmin=3)", "" => v.atleast_nd(3);
    "np.broadcast_arrays(a, v)[1]", "torch.broadcast_tensors(a, v)[1]" = broadcast_arrays(&[a, v])?.swap_remove(1);
    "np.triu(s)", "torch.triu(s)" => s.triu(0);
    "np.tril_indices(3)[0]", "torch.tril_indices(3, 3)[0]" = tril_indices(3, 3, 0)?[0].clone();
    "np.triu_indices(3)[0]", "torch.triu_indices(3, 3)[0]" = triu_indices(3, 3, 0)?[0].clone();
    "np.pad(v, 2, constant_values=7)", "torch.nn.functional.pad(v, (2, 2), value=7)" => v.pad_with(&[(2, 2)], 7);
));
