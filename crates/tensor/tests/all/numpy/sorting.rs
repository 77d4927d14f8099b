//! Sorts, searches, sets, quantiles and histograms.

use crate::numpy::close::Tolerance::{Exact, Steps, Zeros};
use crate::numpy::operand::{Operand, python_tuple};
use crate::numpy::random::{Random, Values, Values::*, types};
use crate::numpy::session::Session;
use belvedere::{
    Bins, DType, Error, Interpolation, Side, Tensor, descending, intersect1d, isin, keep, notin,
    setdiff1d, setxor1d, union1d,
};

/// A sort, in NumPy and in Belvedere.
struct Row {
    name: &'static str,
    /// The Python expression, with `@` for the operand, `%` for the axis, `#` for a position along it.
    python: &'static str,
    ours: fn(&Tensor, isize, usize) -> Result<Tensor, Error>,
}

// NumPy has no descending sort; flipping, sorting and flipping again keeps equal elements in order.
#[rustfmt::skip]
const SORTS: &[Row] = &[
    Row { name: "sort", python: "np.sort(@, %, kind='stable')", ours: |x, axis, _| x.sort(axis) },
    Row { name: "argsort", python: "np.argsort(@, %, kind='stable')", ours: |x, axis, _| x.argsort(axis) },
    Row { name: "sort descending", python: "np.flip(np.sort(np.flip(@, %), %, kind='stable'), %)",
          ours: |x, axis, _| x.sort(descending(axis)) },
    Row { name: "argsort descending", python: "@.shape[%] - 1 - np.flip(np.argsort(np.flip(@, %), %, kind='stable'), %)",
          ours: |x, axis, _| x.argsort(descending(axis)) },
    Row { name: "sort_assign", python: "np.sort(@, %, kind='stable')",
          ours: |x, axis, _| { let x = x.copy()?; x.sort_assign(axis)?; Ok(x) } },
    Row { name: "topk", python: "np.take(np.flip(np.sort(np.flip(@, %), %, kind='stable'), %), np.arange(#), %)",
          ours: |x, axis, k| Ok(x.topk(k, axis)?.values) },
    Row { name: "topk indices", python: "@.shape[%] - 1 - np.take(np.flip(np.argsort(np.flip(@, %), %, kind='stable'), %), np.arange(#), %)",
          ours: |x, axis, k| Ok(x.topk(k, axis)?.indices) },
    Row { name: "topk_least", python: "np.take(np.sort(@, %, kind='stable'), np.arange(#), %)",
          ours: |x, axis, k| Ok(x.topk_least(k, axis)?.values) },
    Row { name: "topk_least indices", python: "np.take(np.argsort(@, %, kind='stable'), np.arange(#), %)",
          ours: |x, axis, k| Ok(x.topk_least(k, axis)?.indices) },
];

#[test]
fn sort_matches_numpy() {
    let Some(mut session) = Session::new("sorts") else { return };
    let (mut random, types) = (Random::new(41), types().collect::<Vec<_>>());
    for row in SORTS {
        for _ in 0..session.times(80) {
            let (shape, dtype) = (random.shape(), random.pick(&types));
            // Some functions of NumPy accept axis 0 for a 0-d array.
            let shape = if shape.is_empty() { vec![1] } else { shape };
            let of = random.pick(&[Any, Whole(-4, 4)]);
            let operand = Operand::new(&mut random, &shape, dtype, of);
            let rank = shape.len();
            let most = if random.once_in(40) { rank + 1 } else { rank };
            let axis = random.below(most);
            let len = shape.get(axis).copied().unwrap_or(0);
            let k = random.pick(&[0, 1, 2, 3, len / 2, len]).min(len);
            let axis =
                if random.once_in(3) { axis as isize - rank as isize } else { axis as isize };
            let python = row.python.replace('@', &operand.named("a"));
            let python = python.replace('%', &axis.to_string()).replace('#', &k.to_string());
            session.ask(row.name, &[&operand.base], python, Exact, || {
                (row.ours)(&operand.view, axis, k)
            });
        }
    }
    session.finish();
}

#[test]
fn partition_matches_numpy() {
    let Some(mut session) = Session::new("partitions") else { return };
    let (mut random, types) = (Random::new(42), types().collect::<Vec<_>>());
    for _ in 0..session.times(200) {
        let (shape, dtype) = (vec![1 + random.below(9), 1 + random.below(40)], random.pick(&types));
        let operand = Operand::new(&mut random, &shape, dtype, Any);
        let kth = random.below(2 * shape[1]) as isize - shape[1] as isize;
        let array = operand.named("a");
        let python = format!("np.sort(np.partition({array}, {kth}, -1), -1)[:, {kth}]");
        session.ask("partition", &[&operand.base], python, Zeros, || {
            operand.view.partition(kth, -1)?.select(-1, kth)
        });
        let python = format!(
            "np.sort(np.take_along_axis({array}, np.argpartition({array}, {kth}, 0), 0), 0)[{kth}]"
        );
        session.ask("argpartition", &[&operand.base], python, Zeros, || {
            let at = operand.view.argpartition(kth, 0)?.select(0, kth)?;
            let columns = (0..shape[1] as isize).map(|j| {
                let at = at.select(0, j)?.item::<i64>()? as isize;
                operand.view.select(1, j)?.select(0, at)
            });
            let columns = columns.collect::<Result<Vec<_>, _>>()?;
            let out = Tensor::zeros([shape[1]], dtype)?;
            for (j, x) in columns.iter().enumerate() {
                out.select(0, j as isize)?.copy_from(x)?;
            }
            Ok(out)
        });
    }
    session.finish();
}

#[test]
fn unique_matches_numpy() {
    let Some(mut session) = Session::new("distinct") else { return };
    // NumPy 2 with AVX-512 does not always sort float16 correctly, and then returns duplicates.
    let types: Vec<DType> = types().filter(|&it| it != DType::Float16).collect();
    let mut random = Random::new(43);
    type Part = fn(&Tensor) -> Result<Tensor, Error>;
    #[rustfmt::skip]
    let rows: [(&str, &str, Part); 8] = [
        ("unique_values", "np.unique(@, equal_nan=False)", |x| x.unique_values()),
        ("unique_counts", "np.unique_counts(@).counts", |x| Ok(x.unique_counts()?.counts)),
        ("unique_counts values", "np.unique_counts(@).values", |x| Ok(x.unique_counts()?.values)),
        ("unique_inverse", "np.unique_all(@).inverse_indices", |x| Ok(x.unique_inverse()?.inverse_indices)),
        ("unique_all values", "np.unique_all(@).values", |x| Ok(x.unique_all()?.values)),
        ("unique_all indices", "np.unique_all(@).indices", |x| Ok(x.unique_all()?.indices)),
        ("unique_all inverse", "np.unique_all(@).inverse_indices", |x| Ok(x.unique_all()?.inverse_indices)),
        ("unique_all counts", "np.unique_all(@).counts", |x| Ok(x.unique_all()?.counts)),
    ];
    for (name, python, ours) in rows {
        for _ in 0..session.times(60) {
            let (shape, dtype) = (random.shape(), random.pick(&types));
            let of = random.pick(&[Any, Whole(-4, 4)]);
            let operand = Operand::new(&mut random, &shape, dtype, of);
            let python = python.replace('@', &operand.named("a"));
            session.ask(name, &[&operand.base], python, Zeros, || ours(&operand.view));
        }
    }
    session.finish();
}

#[test]
fn searchsorted_and_set_operations_match_numpy() {
    let Some(mut session) = Session::new("searches") else { return };
    let (mut random, types) = (Random::new(44), types().collect::<Vec<_>>());
    type Two = fn(&Tensor, &Tensor) -> Result<Tensor, Error>;
    // `@` are the values and `~` is the list. In NumPy's sets all NaNs are equal.
    #[rustfmt::skip]
    let rows: [(&str, &str, Values, Two); 10] = [
        ("searchsorted left", "np.searchsorted(np.sort(~), @, 'left')", Any, |x, l| l.sort(0)?.searchsorted(x, Side::Left)),
        ("searchsorted right", "np.searchsorted(np.sort(~), @, 'right')", Whole(-9, 9), |x, l| l.sort(0)?.searchsorted(x, Side::Right)),
        ("searchsorted by", "np.searchsorted(~, @, 'right', sorter=np.argsort(~, kind='stable'))", Whole(-9, 9),
         |x, l| l.searchsorted_by(x, Side::Right, &l.argsort(0)?)),
        ("isin", "np.isin(@, ~)", Any, |x, l| isin(x, l)),
        ("isin small", "np.isin(@, ~)", Whole(-20, 20), |x, l| isin(x, l)),
        ("notin", "np.isin(@, ~, invert=True)", Whole(-20, 20), |x, l| notin(x, l)),
        ("union1d", "np.union1d(@, ~)", Whole(-20, 20), |x, l| union1d(x, l)),
        ("intersect1d", "np.intersect1d(@, ~)", Whole(-20, 20), |x, l| intersect1d(x, l)),
        ("setdiff1d", "np.setdiff1d(@, ~)", Whole(-20, 20), |x, l| setdiff1d(x, l)),
        ("setxor1d", "np.setxor1d(@, ~)", Whole(-20, 20), |x, l| setxor1d(x, l)),
    ];
    for (name, python, of, ours) in rows {
        for _ in 0..session.times(60) {
            let (shape, len) = (random.shape(), random.below(30));
            let dtype = random.pick(&types);
            // Promotion is tested in promotion.rs. NumPy finds integers in a
            // list of floats if both round to the same float, and returns differences in
            // the type of the first set.
            let mixes = !matches!(of, Any) && name != "setdiff1d";
            let other = match mixes && dtype.is_integer() && random.once_in(3) {
                true => DType::Float64,
                false => dtype,
            };
            let x = Operand::new(&mut random, &shape, dtype, of);
            let list = Operand::new(&mut random, &[len], other, of);
            let python = python.replace('@', &x.named("a")).replace('~', &list.named("b"));
            session.ask(name, &[&x.base, &list.base], python, Zeros, || ours(&x.view, &list.view));
        }
    }
    session.finish();
}

#[test]
fn digitize_matches_numpy() {
    let Some(mut session) = Session::new("digitize") else { return };
    let mut random = Random::new(45);
    for _ in 0..session.times(200) {
        let (shape, len) = (random.shape(), 1 + random.below(9));
        let dtype = random.pick(&[DType::Int32, DType::UInt8, DType::Float32, DType::Float64]);
        let x = Operand::new(&mut random, &shape, dtype, Whole(-9, 9));
        let bins = Operand::new(&mut random, &[len], dtype, Whole(-9, 9));
        let (order, right) = (random.below(3), random.once_in(2));
        let edges = ["np.sort(~)", "np.sort(~)[::-1]", "~"][order].replace('~', &bins.named("b"));
        let is_right = if right { "True" } else { "False" };
        let python = format!("np.digitize({}, {edges}, right={is_right})", x.named("a"));
        session.ask("digitize", &[&x.base, &bins.base], python, Exact, || match order {
            0 => x.view.digitize(&bins.view.sort(0)?, right),
            1 => x.view.digitize(&bins.view.sort(descending(0))?, right),
            _ => x.view.digitize(&bins.view, right),
        });
    }
    session.finish();
}

const METHODS: [(Interpolation, &str); 13] = [
    (Interpolation::Linear, "linear"),
    (Interpolation::Lower, "lower"),
    (Interpolation::Higher, "higher"),
    (Interpolation::Nearest, "nearest"),
    (Interpolation::Midpoint, "midpoint"),
    (Interpolation::InvertedCdf, "inverted_cdf"),
    (Interpolation::AveragedInvertedCdf, "averaged_inverted_cdf"),
    (Interpolation::ClosestObservation, "closest_observation"),
    (Interpolation::InterpolatedInvertedCdf, "interpolated_inverted_cdf"),
    (Interpolation::Hazen, "hazen"),
    (Interpolation::Weibull, "weibull"),
    (Interpolation::MedianUnbiased, "median_unbiased"),
    (Interpolation::NormalUnbiased, "normal_unbiased"),
];

/// Draws axes, as our argument and as Python source.
fn axes(random: &mut Random, rank: usize) -> (belvedere::Axes, String) {
    let some = random.order(rank)[..random.below(rank + 1)].to_vec();
    let (axes, python): (belvedere::Axes, _) = match random.once_in(3) {
        true => (().into(), "None".into()),
        false => ((&some[..]).into(), python_tuple(&some)),
    };
    match random.once_in(3) {
        true => (keep(axes), format!("axis={python}, keepdims=True")),
        false => (axes, format!("axis={python}")),
    }
}

/// Draws a non-empty shape: NumPy's quantiles of empty lanes are errors or NaN, inconsistently.
fn full_shape(random: &mut Random) -> Vec<usize> {
    let mut shape = random.shape();
    shape.iter_mut().for_each(|len| *len = (*len).max(1));
    shape
}

// NumPy computes in the dtype of the elements, which also rounds the positions; so it gets
// `float64`. It treats an empty tuple of axes as all axes, except for a scalar.
#[test]
fn quantile_matches_numpy() {
    let Some(mut session) = Session::new("quantiles") else { return };
    let mut random = Random::new(46);
    let types: Vec<DType> = types().filter(|it| !it.is_complex()).collect();
    for (method, name) in METHODS {
        for _ in 0..session.times(60) {
            let (shape, dtype) = (full_shape(&mut random), random.pick(&types));
            let of = random.pick(&[Whole(-9, 9), Within(-3.0, 99.0)]);
            let x = Operand::new(&mut random, &shape, dtype, of);
            let (axes, python) = axes(&mut random, shape.len());
            let levels = [0.0, 1.0, 0.5, 0.25, 0.1, 1.0 / 3.0, 0.9, 0.625];
            let levels: Vec<f64> = (0..random.below(4)).map(|_| random.pick(&levels)).collect();
            let out = if dtype.is_floating() { "@.dtype" } else { "float" };
            let (skips, prefix) = (random.once_in(4), "nan");
            let prefix = if skips { prefix } else { "" };
            let q = if levels.is_empty() { "0.375".into() } else { python_tuple(&levels) };
            let python = format!(
                "np.{prefix}quantile(@.astype(float), {q}, {python}, method='{name}').astype({out})"
            );
            let python = python.replace("axis=()", "axis=NOTHING").replace('@', &x.named("a"));
            if python.contains("NOTHING") {
                continue;
            }
            let q = match levels.is_empty() {
                true => belvedere::tensor![0.375],
                false => Tensor::from_vec(levels.clone(), [levels.len()]).unwrap(),
            };
            let q = if levels.is_empty() { q.select(0, 0).unwrap() } else { q };
            session.ask(name, &[&x.base], python, Steps(4), || match skips {
                true => x.view.nanquantile_by(&q, axes, method),
                false => x.view.quantile_by(&q, axes, method),
            });
        }
    }
    session.finish();
}

#[test]
fn median_and_percentile_match_numpy() {
    let Some(mut session) = Session::new("medians") else { return };
    let mut random = Random::new(47);
    let types: Vec<DType> = types().filter(|it| !it.is_complex()).collect();
    type Median = fn(&Tensor, belvedere::Axes) -> Result<Tensor, Error>;
    let rows: [(&str, &str, Median); 4] = [
        ("median", "np.median(@.astype(float), %)", |x, axes| x.median(axes)),
        ("nanmedian", "np.nanmedian(@.astype(float), %)", |x, axes| x.nanmedian(axes)),
        ("percentile", "np.percentile(@.astype(float), 30, %)", |x, axes| x.percentile(30, axes)),
        ("lower", "np.quantile(@.astype(float), 0.7, %, method='lower')", |x, axes| {
            x.quantile_by(0.7, axes, Interpolation::Lower)
        }),
    ];
    for (name, python, ours) in rows {
        for _ in 0..session.times(120) {
            let (shape, dtype) = (full_shape(&mut random), random.pick(&types));
            // NumPy overflows in sums of the largest numbers, and differences of infinities
            // are NaN.
            let of = match name {
                "percentile" => Within(-9.0, 9.0),
                _ if dtype == DType::Float64 && name != "lower" => Within(-9.0, 9.0),
                _ => Any,
            };
            let x = Operand::new(&mut random, &shape, dtype, of);
            let (axes, words) = axes(&mut random, shape.len());
            if words.contains("axis=()") {
                continue;
            }
            let out = if dtype.is_floating() { "@.dtype" } else { "float" };
            let python = format!("{python}.astype({out})").replace('%', &words);
            let python = python.replace('@', &x.named("a"));
            session.ask(name, &[&x.base], python, Steps(4), || ours(&x.view, axes));
        }
    }
    session.finish();
}

#[test]
fn histogram_matches_numpy() {
    let Some(mut session) = Session::new("histograms") else { return };
    let mut random = Random::new(48);
    let types: Vec<DType> = types().filter(|it| !it.is_complex()).collect();
    for i in 0..session.times(400) {
        // NumPy rounds intermediate edges to the dtype; ours are rounded once.
        let is_even = i % 2 == 0;
        let dtype = random.pick(&types);
        let dtype = if is_even && dtype.is_floating() { DType::Float64 } else { dtype };
        let of = match (is_even, random.once_in(2)) {
            (false, true) => Any,
            (_, true) => Within(-9.0, 9.0),
            (_, false) => Whole(-9, 9),
        };
        let of = if dtype.is_integer() && matches!(of, Any) { Whole(-99, 99) } else { of };
        let shape = random.shape();
        let x = Operand::new(&mut random, &shape, dtype, of);
        let edges = crate::numpy::random::values(&mut random, &[5], DType::Float64, Whole(-9, 9));
        let edges = if random.once_in(20) { edges } else { edges.sort(0).unwrap() };
        let n = random.pick(&[1, 2, 3, 7, 10, 100]);
        let (mut bins, mut words) = match is_even {
            true => (Bins::new(n), format!("bins={n}")),
            false => (Bins::from(&edges), "bins=c".to_string()),
        };
        if is_even && random.once_in(2) {
            let (from, to) = random.pick(&[(-3.0, 4.0), (0.0, 0.1), (2.0, 2.0), (1.0, 0.0)]);
            bins = bins.range(from, to);
            words += &format!(", range=({from}, {to})");
        }
        let weights = Operand::new(&mut random, &shape, DType::Float64, Whole(-9, 9));
        if random.once_in(3) {
            bins = bins.weights(&weights.view);
            words += &format!(", weights={}", weights.named("b"));
        }
        if random.once_in(4) {
            bins = bins.density();
            words += ", density=True";
        }
        let array = x.named("a");
        let array = if dtype.is_bool() { format!("{array}.astype(np.uint8)") } else { array };
        let inputs = [&x.base, &weights.base, &edges];
        let python = format!("np.histogram({array}, {words})");
        let counts = bins.clone();
        session.ask("histogram", &inputs, format!("{python}[0]"), Steps(4), || {
            Ok(x.view.histogram(counts)?.counts)
        });
        session.ask("histogram edges", &inputs, format!("{python}[1]"), Exact, || {
            Ok(x.view.histogram(bins)?.edges)
        });
    }
    session.finish();
}

#[test]
fn bincount_matches_numpy() {
    let Some(mut session) = Session::new("bincounts") else { return };
    let mut random = Random::new(49);
    let types: Vec<DType> = types().filter(|&it| it.is_integer() && it != DType::UInt64).collect();
    for _ in 0..session.times(80) {
        let (len, dtype) = (random.pick(&[0, 1, 5, 40, 70_001]), random.pick(&types));
        let least = if random.once_in(20) { -1 } else { 0 };
        let x = Operand::new(&mut random, &[len], dtype, Whole(least, 20));
        let weights = Operand::new(&mut random, &[len], DType::Float64, Whole(-9, 9));
        let (array, most) = (x.named("a"), random.pick(&[0, 3, 50]));
        let inputs = [&x.base, &weights.base];
        let python = format!("np.bincount({array}, minlength={most})");
        session.ask("bincount", &inputs, python, Exact, || x.view.bincount(None, most));
        if len == 0 {
            // For empty input NumPy returns integer counts, even with weights.
            continue;
        }
        let weight = weights.named("b");
        let python = format!("np.bincount({array}, {weight}, minlength={most})");
        session.ask("bincount weights", &inputs, python, Exact, || {
            x.view.bincount(Some(&weights.view), most)
        });
    }
    session.finish();
}
