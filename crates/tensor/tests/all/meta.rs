//! Tests of tensors without memory: operations give the shape, strides, dtype and events of the same operation
//! on a tensor with memory, and those that need values say so.

use belvedere::prelude::*;
use belvedere::trace::{self, EventKind};
use belvedere::{Device, Error, ErrorKind, Side, nn, random, with_device};

type Operation = (&'static str, fn(&Tensor) -> Result<Tensor, Error>);

/// Operations on a matrix of 3 × 3.
const OPERATIONS: &[Operation] = &[
    ("t", |x| x.t()),
    ("slice", |x| x.slice(s![1.., ..;-1])),
    ("view", |x| x.t()?.view([3, 3, 1])),
    ("reshape", |x| x.t()?.reshape([9])),
    ("rearrange", |x| x.rearrange("a b -> (b a)", &[])),
    ("contiguous", |x| x.t()?.contiguous()),
    ("astype", |x| x.astype(DType::Float32)),
    ("bitcast", |x| x.bitcast(DType::UInt8)),
    ("imag", |x| x.imag()),
    ("add", |x| x.add(x)),
    ("add of a transpose", |x| x.add(&x.t()?)),
    ("add of a number", |x| x.add(1)),
    ("pow", |x| x.pow(2)),
    ("pow of integers", |x| x.astype(DType::Int64)?.pow(&x.astype(DType::Int64)?)),
    ("less", |x| x.less(0.5)),
    ("where", |x| belvedere::where_(&x.greater(1)?, x, 0.0)),
    ("clip", |x| x.clip(0, None)),
    ("isclose", |x| x.isclose(x)),
    ("nan_to_num", |x| x.nan_to_num(None, None, None)),
    ("sum", |x| x.sum(())),
    ("sum of an axis", |x| x.sum(keep(0))),
    ("sum_as", |x| x.astype(DType::Int8)?.sum_as((), DType::Int8)),
    ("std", |x| x.std_with(1, 1.0)),
    ("argmax", |x| x.argmax(0)),
    ("median", |x| x.median(0)),
    ("softmax", |x| x.softmax(-1)),
    ("cumulative_sum", |x| x.cumulative_sum(0)),
    ("diff", |x| x.diff(1)),
    ("sort", |x| x.sort(0)),
    ("topk", |x| Ok(x.topk(2, 0)?.values)),
    ("searchsorted", |x| x.select(0, 0)?.searchsorted(x, Side::Left)),
    ("take", |x| x.take(&tensor![2, 0], 0)),
    ("index", |x| x.index(at![&tensor![2, 0]])),
    ("concat", |x| concat(&[x, x], 0)),
    ("stack", |x| stack(&[x, x], 1)),
    ("roll", |x| x.roll(1, 0)),
    ("tile", |x| x.tile([2, 1])),
    ("repeat", |x| x.repeat(2, 0)),
    ("tril", |x| x.tril(0)),
    ("pad", |x| x.pad(&[(1, 1), (0, 0)])),
    ("matmul", |x| x.matmul(x)),
    ("matmul of two dtypes", |x| x.matmul(&x.astype(DType::Float32)?)),
    ("einsum", |x| einsum("ij,kj->ik", &[x, x])),
    ("tensordot", |x| x.tensordot(x, 1)),
    ("inv", |x| linalg::inv(x)),
    ("det", |x| linalg::det(x)),
    ("svdvals", |x| linalg::svdvals(x)),
    ("fft", |x| fft::fft(x)),
    ("layer_norm", |x| nn::layer_norm(x, 1, None, None, 1e-5)),
    ("lens", |x| x.t()?.lens().reshape([9])?.pad(&[(1, 1)])?.add(1)),
    ("zeros_like", |x| x.t()?.zeros_like()),
    ("full_like", |x| x.full_like(1)),
    ("lazy", |x| (belvedere::lazy(x) * x + 1.0).eval()),
];

type IndexedOperation = (&'static str, fn(&Tensor, &Tensor, &Tensor) -> Result<Tensor, Error>);

/// Operations on a matrix of 3 × 3, indices of 2 × 3 and a mask of 3 × 3.
const READS: &[IndexedOperation] = &[
    ("take", |x, index, _| x.take(index, 1)),
    ("index_select", |x, index, _| x.index_select(0, &index.slice(s![0])?)),
    ("take_along_axis", |x, index, _| x.take_along_axis(index, 0)),
    ("take_along_axis, broadcast", |x, index, _| x.take_along_axis(&index.slice(s![.., ..1])?, 0)),
    ("gather", |x, index, _| x.gather(0, &index.slice(s![.., 1..])?)),
    ("index", |x, index, _| x.index(at![index])),
    ("index of two", |x, index, _| x.index(at![&index.slice(s![0])?, index])),
    ("index after a slice", |x, index, _| x.index(at![..2, index])),
    ("index with a number", |x, index, _| x.index(at![&index.slice(s![0, 0])?, ..2])),
    ("index of nothing", |x, index, _| x.index(at![&index.slice(s![..0])?])),
    ("where", |x, _, mask| belvedere::where_(mask, x, 0.0)),
    ("masked_fill", |x, _, mask| x.masked_fill(mask, 0.0)),
    ("embedding", |x, index, _| nn::embedding(x, index)),
    ("embedding_grad", |x, index, _| nn::embedding_grad(&x.slice(s![..2])?, index, 9)),
    ("searchsorted", |x, index, _| x.slice(s![0])?.searchsorted(index, Side::Left)),
    ("searchsorted_by", |x, index, _| {
        x.slice(s![0])?.searchsorted_by(0.5, Side::Left, &index.slice(s![1])?)
    }),
    ("digitize", |x, index, _| x.digitize(&index.slice(s![1])?, false)),
];

/// The same, for operations that write to the matrix.
const WRITES: &[IndexedOperation] = &[
    ("put", |x, index, _| x.put(index, 0, 1.5).map(|()| x.clone())),
    ("put_add", |x, index, _| {
        x.put_add(index, 0, x.slice(s![..2])?.unsqueeze(1)?).map(|()| x.clone())
    }),
    ("put_along_axis", |x, index, _| x.put_along_axis(index, 0, 1.5).map(|()| x.clone())),
    ("add_along_axis", |x, index, _| x.add_along_axis(index, 0, 1.5).map(|()| x.clone())),
    ("scatter", |x, index, _| x.scatter(0, index, x).map(|()| x.clone())),
    ("scatter_add", |x, index, _| x.scatter_add(0, index, 1).map(|()| x.clone())),
    ("index_assign", |x, index, _| x.index_assign(at![.., index], 1).map(|()| x.clone())),
    ("index_add_assign", |x, index, _| x.index_add_assign(at![index], 1).map(|()| x.clone())),
    ("masked_assign", |x, _, mask| x.masked_assign(mask, 1).map(|()| x.clone())),
];

fn indices() -> Tensor {
    tensor![[2, 0, 1], [0, 1, 2]]
}

fn matrix() -> Tensor {
    tensor![[4.0, 1.0, 2.0], [1.0, 5.0, 3.0], [2.0, 3.0, 6.0]]
}

#[test]
fn operations_give_the_same_shapes_strides_dtypes_and_events() {
    let x = matrix();
    let y = x.to_device(Device::Meta).unwrap();
    for (name, operation) in OPERATIONS {
        assert_same(name, || operation(&x), || operation(&y));
    }
}

/// Compares the result and the events of an operation with memory and without.
fn assert_same(
    name: &str,
    with_memory: impl Fn() -> Result<Tensor, Error>,
    without: impl Fn() -> Result<Tensor, Error>,
) {
    let (real, real_trace) = trace::record(with_memory);
    let (meta, meta_trace) = trace::record(without);
    let real = real.unwrap_or_else(|error| panic!("{name}: {error}"));
    let meta = meta.unwrap_or_else(|error| panic!("{name} without memory: {error}"));
    assert_eq!(meta.device(), Device::Meta, "{name}");
    assert_eq!((meta.shape(), meta.dtype()), (real.shape(), real.dtype()), "{name}");
    assert_eq!(meta.strides(), real.strides(), "{name}");
    let outermost = |trace: &trace::Trace| {
        let events = trace.events().iter().filter(|it| it.depth == 0);
        let facts =
            events.map(|it| (it.op, it.kind, it.bytes_read, it.bytes_written, it.bytes_allocated));
        facts.collect::<Vec<_>>()
    };
    assert_eq!(outermost(&meta_trace), outermost(&real_trace), "{name}");
}

#[test]
fn indices_and_masks_need_no_memory() {
    let meta = |x: &Tensor| x.to_device(Device::Meta).unwrap();
    let (index, mask) = (indices(), matrix().greater(2).unwrap());
    let (no_index, no_mask) = (meta(&index), meta(&mask));
    for (name, operation) in READS {
        let (x, no_x) = (matrix(), meta(&matrix()));
        let real = || operation(&x, &index, &mask);
        assert_same(name, real, || operation(&no_x, &no_index, &no_mask));
        assert_same(name, real, || operation(&no_x, &index, &mask));
        assert_same(name, real, || operation(&x, &no_index, &no_mask));
        // The same without a listener, which takes other paths.
        assert_eq!(operation(&x, &no_index, &no_mask).unwrap().device(), Device::Meta);
    }
    for (name, operation) in WRITES {
        let (x, no_x) = (matrix(), meta(&matrix()));
        let real = || operation(&x, &index, &mask);
        assert_same(name, real, || operation(&no_x, &no_index, &no_mask));
        assert_same(name, real, || operation(&no_x, &index, &mask));
        let before = matrix();
        let error = operation(&before, &no_index, &no_mask).unwrap_err();
        assert!(matches!(error, Error::NoValues { .. }), "{name}: {error}");
        assert_eq!(before.to_vec::<f64>().unwrap(), matrix().to_vec::<f64>().unwrap(), "{name}");
    }
    // One value for all needs no count: as many elements as there are may be written.
    let (x, one) = (meta(&matrix()), tensor![7.0]);
    let (result, trace) = trace::record(|| x.masked_assign(&no_mask, &one));
    result.unwrap();
    assert_eq!(
        (trace.events()[0].op, trace.events()[0].kind),
        ("masked_assign", EventKind::InPlace)
    );
    let (_, trace) = trace::record(|| x.masked_assign(&mask, &one));
    let written = |it: &&trace::Event| it.depth == 0;
    assert_eq!(trace.events().iter().find(written).unwrap().bytes_written, 40, "5 of 9 elements");
    assert!(matrix().masked_assign(&no_mask, &one).is_err());
    let real = || nn::one_hot(&index, 3, DType::Int8);
    assert_same("one_hot", real, || nn::one_hot(&no_index, 3, DType::Int8));
}

#[test]
fn a_small_index_selects_from_a_tensor_that_would_not_fit() {
    let x = Tensor::empty_on([1usize << 30, 1 << 20], DType::Float32, Device::Meta).unwrap();
    let column = tensor![[7], [-1]];
    assert_eq!(x.take_along_axis(&column, 0).unwrap().shape(), [2, 1 << 20]);
    assert_eq!(x.index(at![&tensor![5, 6]]).unwrap().shape(), [2, 1 << 20]);
    assert!(x.take_along_axis(&tensor![[1 << 30]], 0).is_err(), "out of range");
    assert!(x.index(at![.., &tensor![1 << 20]]).is_err(), "out of range");
    let mask = tensor![true, false, true, true];
    let part = x.slice(s![.., ..4]).unwrap();
    assert_eq!(part.masked_select(&mask).unwrap().shape(), [3 << 30]);
    part.masked_assign(
        &mask,
        &Tensor::empty_on([3usize << 30], DType::Float32, Device::Meta).unwrap(),
    )
    .unwrap();
    let far = Tensor::empty_on([1usize << 40], DType::Int64, Device::Meta).unwrap();
    assert_eq!(tensor![1, 2].take(&far, 0).unwrap().shape(), [1 << 40]);
}

#[test]
fn copies_that_save_time_are_announced_without_memory_as_well() {
    let copies = |device: Device| {
        let column = Tensor::empty_on([1000, 4], DType::Float64, device)?.slice(s![.., ..1])?;
        let x = Tensor::empty_on([4000, 1000], DType::Float64, device)?;
        let (result, trace) = trace::record(|| x.add(&column.t()?));
        result?;
        Ok::<_, Error>(
            trace.copies().map(|it| (it.op, it.kind, it.bytes_copied())).collect::<Vec<_>>(),
        )
    };
    assert_eq!(copies(Device::Meta).unwrap(), copies(Device::Cpu).unwrap());
}

fn meta_indices() -> Tensor {
    indices().to_device(Device::Meta).unwrap()
}

#[test]
fn operations_that_need_values_say_so() {
    let x = &matrix().to_device(Device::Meta).unwrap();
    let mask = &x.greater(1).unwrap();
    let real = &matrix();
    let refused: &[(&str, Result<(), Error>)] = &[
        ("to_vec", x.to_vec::<f64>().map(drop)),
        ("item", x.sum(()).unwrap().item::<f64>().map(drop)),
        ("item", x.get::<f64>(&[0, 0]).map(drop)),
        ("read", x.read::<f64>().map(drop)),
        ("write", x.write::<f64>().map(drop)),
        ("nonzero", x.nonzero().map(drop)),
        ("masked_select", real.masked_select(mask).map(drop)),
        ("masked_select", x.masked_select(mask).map(drop)),
        ("masked_assign", x.masked_assign(mask, &x.slice(s![0]).unwrap())),
        ("index", x.index(at![mask]).map(drop)),
        ("index", real.index(at![&mask.slice(s![0]).unwrap()]).map(drop)),
        ("take", belvedere::take_into(real, &meta_indices().slice(s![0]).unwrap(), 0, real)),
        ("put", real.put(&meta_indices(), 0, 1)),
        ("repeat", real.repeat(&meta_indices().slice(s![0]).unwrap(), 0).map(drop)),
        ("bincount", meta_indices().slice(s![0]).unwrap().bincount(None, 9).map(drop)),
        ("unique_values", x.unique_values().map(drop)),
        ("assign", real.assign(s![..], x)),
        ("add", belvedere::add_into(x, 1, real)),
        ("to_dlpack", belvedere::io::dlpack::export(x).map(drop)),
        ("to_device", x.to_device(Device::Cpu).map(drop)),
    ];
    for (name, result) in refused {
        let error = result.as_ref().err().unwrap_or_else(|| panic!("{name} has a result"));
        assert_eq!(error.kind(), ErrorKind::Value, "{name}: {error}");
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("{name} needs the values of a tensor of shape [")),
            "{text}"
        );
        assert!(text.ends_with("] on device meta, which has no memory"), "{text}");
    }
    let Err(Error::NoValues { op, shape }) = x.unique_values() else { panic!("has no values") };
    assert_eq!((op, &*shape), ("unique_values", &[3, 3][..]));
    assert_eq!(x.to_string(), "<no values: float64[3, 3] on device meta>");
    assert_eq!(real.to_vec::<f64>().unwrap(), matrix().to_vec::<f64>().unwrap(), "unchanged");
}

#[test]
fn writes_to_nothing_are_events() {
    let x = matrix().to_device(Device::Meta).unwrap();
    let (_, trace) = trace::record(|| {
        x.add_assign(1)?;
        x.slice(s![1..])?.copy_from(&x.slice(s![..2])?)?;
        x.fill(0)
    });
    let written = trace.events().iter().filter(|it| it.kind == EventKind::InPlace);
    assert_eq!(written.map(|it| it.op).collect::<Vec<_>>(), ["add", "assign", "assign"]);
    assert!(belvedere::Tensor::zeros([0], DType::Int8).unwrap().to_device(Device::Meta).is_ok());
}

#[test]
fn storages_without_memory_are_compared_by_identity() {
    let x = Tensor::empty_on([4], DType::Float64, Device::Meta).unwrap();
    let y = Tensor::empty_on([4], DType::Float64, Device::Meta).unwrap();
    assert_eq!(x.shares_memory(&y), Some(false));
    assert_eq!(x.shares_memory(&x.slice(s![1..]).unwrap()), Some(true));
    assert_eq!(x.slice(s![..2]).unwrap().shares_memory(&x.slice(s![2..]).unwrap()), Some(false));
    // Distinct storages need no copy of the operand.
    let (_, trace) = trace::record(|| y.copy_from(&x.flip(0)?));
    assert_eq!(trace.bytes_copied(), 0, "{trace}");
}

#[test]
fn creation_follows_the_device() {
    let (made, trace) = trace::record(|| {
        with_device(Device::Meta, || {
            Ok::<_, Error>([
                Tensor::zeros([1usize << 40], DType::Float64)?,
                Tensor::ones([1usize << 40], DType::Float64)?,
                Tensor::full([1usize << 40], 1.5)?,
                Tensor::arange(0..1usize << 40)?,
                Tensor::arange_step(0.0, 1e12, 1.0, DType::Float64)?,
                Tensor::linspace(0.0, 1.0, 1usize << 40, DType::Float64)?,
                Tensor::eye(1 << 20, DType::Float64)?,
                random::Generator::new(1).uniform(0.0, 1.0, [1usize << 40], DType::Float64)?,
            ])
        })
    });
    assert!(made.unwrap().iter().all(|it| it.device() == Device::Meta));
    assert_eq!(trace.events().iter().filter(|it| it.depth == 0).count(), 8);
    assert_eq!(Tensor::zeros([2], DType::Int8).unwrap().device(), Device::Cpu);
}

#[test]
fn a_size_beyond_the_address_space_is_refused() {
    let huge = Tensor::empty_on([usize::MAX / 4], DType::Float64, Device::Meta);
    assert!(huge.is_err());
    let x = Tensor::empty_on([1usize << 40, 1 << 20], DType::UInt8, Device::Meta).unwrap();
    assert_eq!(x.add(1.5).unwrap_err().kind(), ErrorKind::Memory);
}
