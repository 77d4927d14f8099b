//! Reductions, scans, sorting, searching and sets.

use super::{Given, Row, rows};
use belvedere::prelude::*;
use belvedere::{Error, Interpolation, ScanOptions, Side, Tensor};
use belvedere::{intersect1d, isin, notin, setdiff1d, setxor1d, union1d};

#[rustfmt::skip]
pub(super) const REDUCTIONS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "a.sum()", "a.sum()" => a.sum(());
    "a.sum(axis=0)", "a.sum(dim=0)" => a.sum(0);
    "c.sum(axis=(0, 2))", "c.sum(dim=(0, 2))" => c.sum([0, 2]);
    "a.mean(axis=1, keepdims=True)", "a.mean(dim=1, keepdim=True)" => a.mean(keep(1));
    "a.prod(axis=1)", "a.prod(dim=1)" => a.prod(1);
    "a.var(axis=0)", "a.var(dim=0, correction=0)" => a.var(0);
    "a.std(axis=0, ddof=1)", "a.std(dim=0)" => a.std_with(0, 1.0);
    "a.max(axis=1)", "a.amax(dim=1)" => a.max(1);
    "a.argmin(axis=1)", "a.argmin(dim=1)" => a.argmin(1);
    "m.any(axis=0)", "m.any(dim=0)" => m.any(0);
    "m.all()", "m.all()" => m.all(());
    "np.count_nonzero(n)", "torch.count_nonzero(n)" => n.count_nonzero(());
    "np.linalg.norm(v)", "torch.linalg.vector_norm(v)" => v.norm(());
    "np.log(np.sum(np.exp(a), 1))", "torch.logsumexp(a, 1)" => a.logsumexp(1);
    "np.nansum(a, 0)", "torch.nansum(a, 0)" => a.nansum(0);
    "np.nanmean(a, 0)", "torch.nanmean(a, 0)" => a.nanmean(0);
    "np.median(a, 1)", "" => a.median(1);
    "np.quantile(a, 0.25, axis=0)", "torch.quantile(a, 0.25, dim=0)" => a.quantile(0.25, 0);
    "np.histogram(v, 4)[0]", "" = v.histogram(4)?.counts;
    "np.bincount(n)", "torch.bincount(n)" => n.bincount(None, 0);
    "a.sum(axis=0, dtype=np.float32)", "a.sum(dim=0, dtype=torch.float32)" => a.sum_as(0, DType::Float32);
    "n.prod(dtype=np.float64)", "n.prod(dtype=torch.float64)" => n.prod_as((), DType::Float64);
    "a.sum(axis=0, keepdims=True)", "a.sum_to_size(1, 4)" => a.sum_to_shape([1, 4]);
    "a.min(axis=1)", "a.amin(dim=1)" => a.min(1);
    "a.argmax(axis=1)", "a.argmax(dim=1)" => a.argmax(1);
    "np.ptp(a, 1)", "" => a.ptp(1);
    "np.nanprod(a, 0)", "" => a.nanprod(0);
    "np.nanmin(a, 0)", "" => a.nanmin(0);
    "np.nanmax(a, 0)", "" => a.nanmax(0);
    "np.nanvar(a, 0)", "" => a.nanvar(0);
    "np.nanstd(a, 0)", "" => a.nanstd(0);
    "np.nanmedian(a, 1)", "" => a.nanmedian(1);
    "np.percentile(a, 25, axis=0)", "" => a.percentile(25.0, 0);
    "np.quantile(a, 0.25, axis=0, method='lower')", "torch.quantile(a, 0.25, dim=0, interpolation='lower')" => a.quantile_by(0.25, 0, Interpolation::Lower);
    "np.nanquantile(a, 0.25, axis=0)", "torch.nanquantile(a, 0.25, dim=0)" => a.nanquantile(0.25, 0);
    "np.nanquantile(a, 0.25, axis=0, method='lower')", "torch.nanquantile(a, 0.25, dim=0, interpolation='lower')" => a.nanquantile_by(0.25, 0, Interpolation::Lower);
    "np.trapezoid(v, dx=0.5)", "torch.trapezoid(v, dx=0.5)" => v.trapezoid(0, 0.5);
));

#[rustfmt::skip]
pub(super) const SCANS: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "np.cumsum(a, 1)", "torch.cumsum(a, 1)" => a.cumulative_sum(1);
    "np.cumprod(v)", "torch.cumprod(v, 0)" => v.cumulative_prod(0);
    "np.maximum.accumulate(a, 1)", "torch.cummax(a, 1)[0]" => a.cummax(1);
    "np.diff(a, axis=1)", "torch.diff(a, dim=1)" => a.diff(1);
    "np.cumulative_sum(v, include_initial=True)", "" => v.cumulative_sum_with(0, ScanOptions { include_initial: true, ..ScanOptions::default() });
    "np.cumulative_prod(n, dtype=np.float64)", "torch.cumprod(n, 0, dtype=torch.float64)" => n.cumulative_prod_with(0, ScanOptions { dtype: Some(DType::Float64), ..ScanOptions::default() });
    "np.minimum.accumulate(a, 1)", "torch.cummin(a, 1)[0]" => a.cummin(1);
    "np.logaddexp.accumulate(a, 1)", "torch.logcumsumexp(a, 1)" => a.logcumsumexp(1);
    "np.diff(v, prepend=v[:1])", "torch.diff(v, prepend=v[:1])" => v.diff_with(0, 1, Some(&v.slice(s![..1])?), None);
));

#[rustfmt::skip]
pub(super) const ORDER: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "np.sort(a, 1)", "a.sort(1)[0]" => a.sort(1);
    "np.sort(n)[::-1]", "n.sort(descending=True)[0]" => n.sort(descending(0));
    "np.argsort(n, stable=True)", "n.argsort(stable=True)" => n.argsort(0);
    "np.sort(v)[::-1][:2]", "v.topk(2)[0]" = v.topk(2, 0)?.values;
    "np.searchsorted(np.sort(n), [2, 4])", "torch.searchsorted(n.sort()[0], torch.tensor([2, 4]))" => n.sort(0)?.searchsorted(&tensor![2i64, 4], Side::Left);
    "np.unique(n)", "torch.unique(n)" => n.unique_values();
    "np.unique(n, return_counts=True)[1]", "torch.unique(n, return_counts=True)[1]" = n.unique_counts()?.counts;
    "np.isin(n, [1, 3])", "torch.isin(n, torch.tensor([1, 3]))" => isin(n, &tensor![1i64, 3]);
    "a.sort(1)", "" do a.sort_assign(1);
    "np.sort(v)[:2]", "v.topk(2, largest=False, sorted=True)[0]" = v.topk_least(2, 0)?.values;
    "np.partition(n, 3)[3]", "n.kthvalue(4)[0]" => n.partition(3, 0)?.select(0, 3);
    "n[np.argpartition(n, 3)[3]]", "" => n.take(&n.argpartition(3, 0)?, 0)?.select(0, 3);
    "np.searchsorted(n, [2, 4], sorter=np.argsort(n))", "torch.searchsorted(n, torch.tensor([2, 4]), sorter=n.argsort())" => n.searchsorted_by(&tensor![2i64, 4], Side::Left, &n.argsort(0)?);
    "np.digitize(v, [0.0, 1.0])", "torch.bucketize(v, torch.tensor([0.0, 1.0]).double(), right=True)" => v.digitize(&tensor![0.0, 1.0], false);
    "np.unique(n, return_index=True)[1]", "" = n.unique_all()?.indices;
    "np.unique(n, return_inverse=True)[1]", "torch.unique(n, return_inverse=True)[1]" = n.unique_inverse()?.inverse_indices;
    "np.isin(n, [1, 3], invert=True)", "torch.isin(n, torch.tensor([1, 3]), invert=True)" => notin(n, &tensor![1i64, 3]);
    "np.union1d(n, [1, 9])", "" => union1d(n, &tensor![1i64, 9]);
    "np.intersect1d(n, [1, 9])", "" => intersect1d(n, &tensor![1i64, 9]);
    "np.setdiff1d(n, [1, 9])", "" => setdiff1d(n, &tensor![1i64, 9]);
    "np.setxor1d(n, [1, 9])", "" => setxor1d(n, &tensor![1i64, 9]);
));
