//! Random numbers. The values differ from NumPy's, so the rows compare properties that both have.

use super::{Given, Row, rows};
use belvedere::random::Generator;
use belvedere::{DType, Error, Tensor};

#[rustfmt::skip]
pub(super) const RANDOM: &[Row] = rows!([a, b, c, v, i, m, z, s, n] = (
    "np.random.default_rng(1).random((2, 3)) < 1", "torch.rand(2, 3) < 1" => Generator::new(1).rand([2, 3], DType::Float64)?.less(1);
    "np.isfinite(np.random.default_rng(1).standard_normal(5))", "torch.isfinite(torch.randn(5))" => Generator::new(1).randn([5], DType::Float64)?.isfinite();
    "np.random.default_rng(1).uniform(2, 3, 5) >= 2", "torch.empty(5).uniform_(2, 3) >= 2" => Generator::new(1).uniform(2.0, 3.0, [5], DType::Float64)?.greater_equal(2);
    "np.isfinite(np.random.default_rng(1).normal(2, 3, 5))", "torch.isfinite(torch.empty(5).normal_(2, 3))" => Generator::new(1).normal(2.0, 3.0, [5], DType::Float64)?.isfinite();
    "np.random.default_rng(1).exponential(2, 5) >= 0", "torch.empty(5).exponential_(1 / 2) >= 0" => Generator::new(1).exponential(2.0, [5], DType::Float64)?.greater_equal(0);
    "np.random.default_rng(1).integers(0, 6, 5) < 6", "torch.randint(0, 6, (5,)) < 6" => Generator::new(1).integers(0, 6, [5], DType::Int64)?.less(6i64);
    "np.random.default_rng(1).random(5) < 1", "torch.empty(5).bernoulli_(1).bool()" => Generator::new(1).bernoulli(1.0, [5]);
    "np.sort(np.random.default_rng(1).permutation(8))", "torch.randperm(8).sort()[0]" => Generator::new(1).permutation(8)?.sort(0);
    "np.sort(np.random.default_rng(1).permutation(a, 1), 1)", "a[:, torch.randperm(4)].sort(1)[0]" => Generator::new(1).permutation_of(a, 1)?.sort(1);
    "np.sort(np.random.default_rng(1).choice(5, 5, False))", "torch.multinomial(torch.ones(5), 5).sort()[0]" => Generator::new(1).choice(5, [5], false, None)?.sort(0);
));
