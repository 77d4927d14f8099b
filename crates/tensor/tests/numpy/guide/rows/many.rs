//! Many elements made few, or put in order.

use super::{Given, Row, rows};
use belvedere::prelude::*;
use belvedere::{Error, Side, Tensor, descending, isin};

#[rustfmt::skip]
pub const REDUCTIONS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "a.sum()", "a.sum()" => a.sum(());
    "a.sum(axis=0)", "a.sum(dim=0)" => a.sum(0);
    "c.sum(axis=(0, 2))", "c.sum(dim=(0, 2))" => c.sum([0, 2]);
    "a.mean(axis=1, keepdims=True)", "a.mean(dim=1, keepdim=True)" => a.mean(keep(1));
    "a.prod(axis=1)", "a.prod(dim=1)" => a.prod(1);
    "a.var(axis=0)", "a.var(dim=0, correction=0)" => a.var(0, 0.0);
    "a.std(axis=0, ddof=1)", "a.std(dim=0)" => a.std(0, 1.0);
    "a.max(axis=1)", "a.amax(dim=1)" => a.max(1);
    "a.argmin(axis=1)", "a.argmin(dim=1)" => a.argmin(1);
    "m.any(axis=0)", "m.any(dim=0)" => m.any(0);
    "m.all()", "m.all()" => m.all(());
    "np.count_nonzero(n)", "torch.count_nonzero(n)" => n.count_nonzero(());
    "np.linalg.norm(v)", "torch.linalg.vector_norm(v)" => v.norm((), 2.0);
    "np.log(np.sum(np.exp(a), 1))", "torch.logsumexp(a, 1)" => a.logsumexp(1);
    "np.nansum(a, 0)", "torch.nansum(a, 0)" => a.nansum(0);
    "np.nanmean(a, 0)", "torch.nanmean(a, 0)" => a.nanmean(0);
    "np.median(a, 1)", "" => a.median(1);
    "np.quantile(a, 0.25, axis=0)", "torch.quantile(a, 0.25, dim=0)" => a.quantile(0.25, 0);
    "np.histogram(v, 4)[0]", "" = v.histogram(4)?.counts;
    "np.bincount(n)", "torch.bincount(n)" => n.bincount(None, 0);
));

#[rustfmt::skip]
pub const SCANS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "np.cumsum(a, 1)", "torch.cumsum(a, 1)" => a.cumulative_sum(1);
    "np.cumprod(v)", "torch.cumprod(v, 0)" => v.cumulative_prod(0);
    "np.maximum.accumulate(a, 1)", "torch.cummax(a, 1)[0]" => a.cummax(1);
    "np.diff(a, axis=1)", "torch.diff(a, dim=1)" => a.diff(1, 1);
));

#[rustfmt::skip]
pub const ORDER: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "np.sort(a, 1)", "a.sort(1)[0]" => a.sort(1);
    "np.sort(n)[::-1]", "n.sort(descending=True)[0]" => n.sort(descending(0));
    "np.argsort(n, stable=True)", "n.argsort(stable=True)" => n.argsort(0);
    "np.sort(v)[::-1][:2]", "v.topk(2)[0]" = v.topk(2, 0)?.values;
    "np.searchsorted(np.sort(n), [2, 4])", "torch.searchsorted(n.sort()[0], torch.tensor([2, 4]))" => n.sort(0)?.searchsorted(&tensor![2i64, 4], Side::Left);
    "np.unique(n)", "torch.unique(n)" => n.unique_values();
    "np.unique(n, return_counts=True)[1]", "torch.unique(n, return_counts=True)[1]" = n.unique_counts()?.counts;
    "np.isin(n, [1, 3])", "torch.isin(n, torch.tensor([1, 3]))" => isin(n, &tensor![1i64, 3]);
));
