//! Tests of tracing: each operation announces one event, with its operands, its effect and its caller.

use belvedere::prelude::*;
use belvedere::trace::{self, Event, EventKind, EventOperand, Recorder, Trace};
use belvedere::{Device, Error, Side, copies, nn, random, with_device, without_waiting};

fn matrix() -> Tensor {
    Tensor::arange(0..12).unwrap().astype(DType::Float64).unwrap().reshape([3, 4]).unwrap()
}

/// The events that the program called, without those inside of other operations.
fn outermost(trace: &Trace) -> Vec<&Event> {
    trace.events().iter().filter(|it| it.depth == 0).collect()
}

fn assert_one_event<R>(name: &str, operation: impl Fn() -> Result<R, Error>) {
    let (result, trace) = trace::record(operation);
    result.unwrap_or_else(|error| panic!("{name}: {error}"));
    let events = outermost(&trace);
    let ops: Vec<&str> = events.iter().map(|it| it.op).collect();
    assert_eq!(ops, [name]);
    for event in trace.events() {
        assert!(
            event.caller.file().ends_with("trace.rs"),
            "{name}: {} at {}",
            event.op,
            event.caller
        );
    }
}

#[test]
fn every_operation_announces_one_event_with_the_line_of_its_caller() {
    let x = &matrix();
    let columns = &x.t().unwrap();
    let square = &Tensor::eye(3, DType::Float64).unwrap();
    let small = &Tensor::ones([4], DType::Int8).unwrap();
    let (ints, mask) = (&tensor![2, 0, 1], &tensor![true, false, true]);
    let (v, complex) = (&tensor![3.0, 1.0, 2.0], &tensor![Complex::new(1.0, 2.0)]);
    let out = &Tensor::zeros([3, 4], DType::Float64).unwrap();

    // Creation, views and copies.
    assert_one_event("zeros", || Tensor::zeros([2], DType::Int8));
    assert_one_event("ones", || Tensor::ones([2], DType::Int8));
    assert_one_event("full", || Tensor::full([2], 1.5));
    assert_one_event("full", || Tensor::full_as([2], 1, DType::Int8));
    assert_one_event("full_like", || x.full_like(1));
    assert_one_event("arange", || Tensor::arange(0..4));
    assert_one_event("arange", || Tensor::arange_step(0.0, 1.0, 0.5, DType::Float64));
    assert_one_event("linspace", || Tensor::linspace(0.0, 1.0, 3, DType::Float64));
    assert_one_event("eye", || Tensor::eye_with((3, 3), 1, DType::Int8));
    assert_one_event("from_vec", || Tensor::from_vec(vec![1, 2], [2]));
    assert_one_event("from_slice", || Tensor::from_slice(&[1, 2], [2]));
    assert_one_event("tensor", || Ok(tensor![1, 2]));
    assert_one_event("t", || x.t());
    assert_one_event("permute_dims", || x.permute([1, 0]));
    assert_one_event("slice", || x.slice(s![1.., ..;2]));
    assert_one_event("broadcast_to", || x.expand([2, 3, 4]));
    assert_one_event("view", || x.view([12]));
    assert_one_event("reshape", || columns.reshape([12]));
    assert_one_event("flatten", || x.ravel());
    assert_one_event("rearrange", || x.rearrange("a b -> (b a)", &[]));
    assert_one_event("copy", || x.copy());
    assert_one_event("astype", || x.astype(DType::Float32));
    assert_one_event("bitcast", || x.bitcast(DType::UInt64));
    assert_one_event("imag", || x.imag());
    assert_one_event("real", || complex.real());
    assert_one_event("to_vec", || x.to_vec::<f64>());
    assert_one_event("item", || x.get::<f64>(&[0, 1]));

    // Elementwise operations and writes.
    assert_one_event("add", || x.add(x));
    assert_one_event("add", || x.add(1));
    assert_one_event("add", || x.add_assign(0));
    assert_one_event("add", || belvedere::add_into(x, 1, out));
    assert_one_event("pow", || x.pow(2));
    assert_one_event("where", || belvedere::where_(x, x, 0.0));
    assert_one_event("clip", || x.clip(0, 5));
    assert_one_event("clip", || x.clip(0, None));
    assert_one_event("isclose", || x.isclose(x));
    assert_one_event("nan_to_num", || x.nan_to_num(Some(0.0), None, None));
    assert_one_event("assign", || out.assign(s![1], 0.0));
    assert_one_event("assign", || out.fill(0.0));
    assert_one_event("set", || out.set(&[0, 0], 1.0));
    assert_one_event("write", || out.write::<f64>());
    assert_one_event("read", || out.read::<f64>());

    // Reductions, scans and sorts.
    assert_one_event("sum", || x.sum(()));
    assert_one_event("sum", || x.sum(0));
    assert_one_event("mean", || x.mean(1));
    assert_one_event("std", || x.std_with(1, 1.0));
    assert_one_event("argmax", || x.argmax(0));
    assert_one_event("softmax", || x.softmax(-1));
    assert_one_event("cumulative_sum", || x.cumsum(0));
    assert_one_event("diff", || x.diff(1));
    assert_one_event("sort", || x.sort(0));
    assert_one_event("argsort", || x.argsort(0));
    assert_one_event("topk", || v.topk(2, 0));
    assert_one_event("unique_values", || v.unique_values());
    assert_one_event("searchsorted", || v.searchsorted(v, Side::Left));
    assert_one_event("median", || x.median(()));

    // Indexing and joining.
    assert_one_event("take", || x.take(ints, 0));
    assert_one_event("index", || x.index(at![ints]));
    assert_one_event("index_assign", || out.index_assign(at![ints], 0.0));
    assert_one_event("nonzero", || mask.nonzero());
    assert_one_event("masked_select", || v.masked_select(mask));
    assert_one_event("concat", || concat(&[x, x], 0));
    assert_one_event("stack", || stack(&[x, x], 0));
    assert_one_event("roll", || x.roll(1, 0));
    assert_one_event("tile", || x.tile([2, 1]));
    assert_one_event("repeat", || x.repeat(2, 0));
    assert_one_event("repeat", || x.repeat(ints, 0));
    assert_one_event("tril", || x.tril(0));

    // Linear algebra and the rest.
    assert_one_event("matmul", || x.matmul(columns));
    assert_one_event("matmul", || x.matmul(small));
    assert_one_event("einsum", || einsum("ij,kj->ik", &[x, x]));
    assert_one_event("tensordot", || x.tensordot(x, 2));
    assert_one_event("inv", || linalg::inv(square));
    assert_one_event("svd", || linalg::svd_with(square, false));
    assert_one_event("det", || linalg::det(square));
    assert_one_event("fft", || fft::fft(v));
    assert_one_event("layer_norm", || nn::layer_norm(x, 1, None, None, 1e-5));
    assert_one_event("uniform", || {
        random::Generator::new(1).uniform(0.0, 1.0, [2], DType::Float64)
    });
}

#[test]
fn an_event_has_the_operands_and_the_result() {
    let x = matrix();
    let (y, trace) = trace::record(|| x.add(1));
    let y = y.unwrap();
    let [event] = trace.events() else { panic!("{trace}") };
    let [EventOperand::Tensor { storage, layout, dtype, .. }, EventOperand::Number { .. }] =
        &event.inputs[..]
    else {
        panic!("{event:?}")
    };
    assert_eq!((*storage, layout, *dtype), (x.storage().id(), x.layout(), DType::Float64));
    assert_eq!(event.outputs[0].storage(), Some(y.storage().id()));
    assert_eq!(event.outputs[0].layout(), Some(y.layout()));
    assert_eq!(event.kind, EventKind::New);
    assert_eq!((event.bytes_read, event.bytes_written, event.bytes_allocated), (96, 96, 96));
}

#[test]
fn a_view_is_an_event_that_touches_nothing() {
    let x = matrix();
    let (y, trace) = trace::record(|| x.t());
    let [event] = trace.events() else { panic!("{trace}") };
    assert_eq!(event.kind, EventKind::View);
    assert_eq!(event.outputs[0].layout(), Some(y.unwrap().layout()));
    assert_eq!((event.bytes_read, event.bytes_written, event.bytes_allocated), (0, 0, 0));
}

#[test]
fn gathers_and_scatters_count_the_elements_that_the_index_selects() {
    let x = &Tensor::zeros([1000, 4], DType::Float64).unwrap();
    let (rows, lanes) = (&tensor![7, 0, 7], &Tensor::zeros([2, 4], DType::Int32).unwrap());
    let mask = &x.slice(s![.., 0]).unwrap().not_equal(0).unwrap();
    mask.slice(s![..10]).unwrap().fill(true).unwrap();
    let (out, values) =
        (&Tensor::zeros([3, 4], DType::Float64).unwrap(), &tensor![1.0, 2.0, 3.0, 4.0]);
    let bytes = |operation: &dyn Fn() -> Result<(), Error>| {
        let (result, trace) = trace::record(operation);
        result.unwrap();
        let [event] = outermost(&trace)[..] else { panic!("{trace}") };
        (event.bytes_read, event.bytes_written)
    };
    // 3 rows of 4 elements of 8 bytes, and an index of 3 elements of 4 bytes.
    assert_eq!(bytes(&|| x.take(rows, 0).map(drop)), (96 + 12, 96));
    assert_eq!(bytes(&|| x.index(at![rows]).map(drop)), (96 + 12, 96));
    assert_eq!(bytes(&|| nn::embedding(x, rows).map(drop)), (96 + 12, 96));
    assert_eq!(bytes(&|| belvedere::take_into(x, rows, 0, out)), (96 + 12, 96));
    assert_eq!(bytes(&|| x.put(rows, 0, values)), (32 + 12, 96));
    assert_eq!(bytes(&|| x.put_add(rows, 0, values)), (96 + 12 + 32, 96));
    assert_eq!(bytes(&|| x.index_assign(at![rows], 1)), (12, 96));
    // 2 × 4 elements, and as many indices.
    assert_eq!(bytes(&|| x.take_along_axis(lanes, 0).map(drop)), (64 + 32, 64));
    assert_eq!(bytes(&|| x.gather(0, lanes).map(drop)), (64 + 32, 64));
    assert_eq!(bytes(&|| x.scatter(0, lanes, 1)), (32, 64));
    assert_eq!(bytes(&|| x.scatter_add(0, lanes, 1)), (64 + 32, 64));
    // 10 elements, and a mask of 1000 bytes.
    let one = &tensor![1.0];
    let column = &x.slice(s![.., 0]).unwrap();
    assert_eq!(bytes(&|| column.masked_select(mask).map(drop)), (80 + 1000, 80));
    assert_eq!(bytes(&|| column.masked_assign(mask, one)), (1000 + 8, 80));
}

#[test]
fn the_parts_of_a_tensor_are_the_outputs_of_one_event() {
    let x = &matrix();
    let n_outputs = |name: &str, operation: &dyn Fn() -> Result<usize, Error>| {
        let (n, trace) = trace::record(operation);
        let [event] = outermost(&trace)[..] else { panic!("{trace}") };
        assert_eq!(event.op, name);
        assert_eq!(event.bytes_read, if name == "nonzero" { 96 } else { 0 });
        (n.unwrap(), event.outputs.len())
    };
    assert_eq!(n_outputs("split", &|| Ok(x.split(1, 3)?.count())), (2, 2));
    assert_eq!(n_outputs("chunk", &|| Ok(x.chunk(0, 3)?.count())), (3, 3));
    assert_eq!(n_outputs("rows", &|| Ok(x.rows()?.count())), (3, 3));
    assert_eq!(n_outputs("split_at", &|| x.split_at(0, 1).map(|_| 2)), (2, 2));
    assert_eq!(n_outputs("unstack", &|| Ok(x.unstack(1)?.len())), (4, 4));
    assert_eq!(n_outputs("nonzero", &|| Ok(x.nonzero()?.len())), (2, 2));
    // Announced at the call, with the parts that the iterator would give.
    let (parts, trace) = trace::record(|| x.split(0, 2));
    let parts: Vec<Tensor> = parts.unwrap().collect();
    let outputs: Vec<_> = trace.events()[0].outputs.iter().map(EventOperand::layout).collect();
    assert_eq!(outputs, parts.iter().map(|it| Some(it.layout())).collect::<Vec<_>>());
    // Of many parts, the first 64.
    let long = &Tensor::zeros([1000, 2], DType::Int8).unwrap();
    assert_eq!(n_outputs("rows", &|| Ok(long.rows()?.count())), (1000, 64));
    assert_eq!(n_outputs("unstack", &|| Ok(long.unstack(0)?.len())), (1000, 64));
    assert_eq!(n_outputs("split", &|| Ok(long.split(0, 1)?.count())), (1000, 64));
}

/// Returns the parameters of the only operation that is called, as text.
fn params_of<R>(operation: impl FnOnce() -> Result<R, Error>) -> String {
    let (result, trace) = trace::record(operation);
    result.unwrap();
    let [event] = outermost(&trace)[..] else { panic!("{trace}") };
    let params = event.params.iter().map(|(name, value)| format!("{name}={value}"));
    params.collect::<Vec<_>>().join(" ")
}

#[test]
fn views_have_parameters() {
    let x = &Tensor::zeros([2, 3, 1], DType::Float32).unwrap();
    assert_eq!(params_of(|| x.reshape([-1, 2])), "shape=(3, 2)");
    let columns = &x.reverse_dims();
    assert_eq!(params_of(|| columns.reshape([6])), "shape=(6,)");
    assert_eq!(params_of(|| x.view([-1, 2])), "shape=(-1, 2)");
    assert_eq!(params_of(|| x.permute_dims([2, 0, 1])), "order=(2, 0, 1)");
    assert_eq!(params_of(|| x.transpose(0, -1)), "axes=(0, -1)");
    assert_eq!(params_of(|| x.flip(1)), "axes=(1,)");
    assert_eq!(params_of(|| x.flip(())), "axes=None");
    assert_eq!(params_of(|| x.squeeze(-1)), "axes=(-1,)");
    assert_eq!(params_of(|| x.expand_dims([0, 2])), "axes=(0, 2)");
    assert_eq!(params_of(|| x.unsqueeze(0)), "axes=(0,)");
    let index = s![1, ..;-2, belvedere::Index::NewAxis, belvedere::Index::Ellipsis];
    assert_eq!(params_of(|| x.slice(index)), "index=1, ::-2, None, ...");
    assert_eq!(params_of(|| x.slice(s![-1.., ..2])), "index=-1:, :2");
    let rows = &tensor![0];
    assert_eq!(params_of(|| x.index(at![rows, 1..])), "index=:, 1: tensors=(0,)");
    assert_eq!(params_of(|| x.narrow(1, 1, 2)), "axis=1 start=1 count=2");
    assert_eq!(params_of(|| x.select(1, -1)), "axis=1 at=-1");
    assert_eq!(params_of(|| x.unfold(1, 2, 1)), "axis=1 size=2 step=1");
    assert_eq!(params_of(|| x.broadcast_to([5, 2, 3, 4])), "shape=(5, 2, 3, 4)");
    assert_eq!(params_of(|| x.split(1, 2).map(|it| it.count())), "axis=1 size=2");
    let lens = &x.lens();
    assert_eq!(params_of(|| lens.reshape([3, 2])), "shape=(3, 2)");
    assert_eq!(params_of(|| lens.pad(&[(1, 2), (0, 0), (0, 0)])), "padding=(1, 2, 0, 0, 0, 0)");
}

#[test]
fn creation_functions_have_parameters() {
    let dtype = DType::Float32;
    assert_eq!(params_of(|| Tensor::zeros([2, 3], dtype)), "shape=(2, 3) dtype=float32");
    assert_eq!(params_of(|| Tensor::ones([2], dtype)), "shape=(2,) dtype=float32");
    assert_eq!(params_of(|| Tensor::full([2], 7u8)), "shape=(2,) dtype=uint8 fill_value=7");
    assert_eq!(params_of(|| Tensor::full([2], true)), "shape=(2,) dtype=bool fill_value=True");
    assert_eq!(
        params_of(|| Tensor::full_as([2], 1.5, dtype)),
        "shape=(2,) fill_value=1.5 dtype=float32"
    );
    assert_eq!(
        params_of(|| Tensor::eye_with((2, 3), -1, dtype)),
        "n_rows=2 n_cols=3 k=-1 dtype=float32"
    );
    assert_eq!(params_of(|| Tensor::arange(1..4)), "start=1 stop=4 step=1 dtype=int32");
    assert_eq!(
        params_of(|| Tensor::arange_step(0.0, 1.0, 0.5, dtype)),
        "start=0.0 stop=1.0 step=0.5 dtype=float32"
    );
    assert_eq!(
        params_of(|| Tensor::linspace(0.0, 1.0, 3, dtype)),
        "start=0.0 stop=1.0 num=3 endpoint=True dtype=float32"
    );
    let meta = || with_device(Device::Meta, || Tensor::zeros([2], dtype));
    assert_eq!(params_of(meta), "shape=(2,) dtype=float32");
}

#[test]
fn a_lens_carries_its_chain() {
    let x = matrix().t().unwrap().lens().reshape([12]).unwrap();
    let (_, trace) = trace::record(|| x.pad(&[(1, 1)])?.add(1.0));
    let [pad, add] = trace.events() else { panic!("{trace}") };
    let [EventOperand::Lens { chain, .. }] = &pad.outputs[..] else { panic!("{pad:?}") };
    assert_eq!(chain.shape(), [14]);
    assert!(matches!(&add.inputs[0], EventOperand::Lens { chain, .. } if chain.shape() == [14]));
}

#[test]
fn a_lens_is_copied_to_a_vector_by_one_event() {
    let x = &matrix().t().unwrap().lens().reshape([12]).unwrap().pad(&[(1, 1)]).unwrap();
    let strided = matrix().lens();
    assert_one_event("to_vec", || x.to_vec::<f64>());
    let (values, trace) = trace::record(|| x.to_vec::<f64>());
    assert_eq!(values.unwrap()[..5], [0.0, 0.0, 4.0, 8.0, 1.0]);
    let [event] = trace.events() else { panic!("{trace}") };
    assert_eq!(event.kind, EventKind::Copy(copies::CopyReason::Requested));
    assert!(event.outputs.is_empty(), "a vector has no storage");
    assert_eq!((event.bytes_copied(), trace.bytes_copied()), (112, 112));
    assert_one_event("to_vec", || strided.to_vec::<f64>());
    assert!(matches!(x.to_vec::<i8>(), Err(Error::WrongDType { .. })));
}

#[test]
fn a_copy_inside_an_operation_is_deeper_and_keeps_the_line() {
    let x = Tensor::arange(0..24).unwrap();
    let line = line!() + 1;
    let (_, trace) = trace::record(|| x.assign(s![4..20;5], &x.slice(s![6..10])?));
    let kinds: Vec<_> = trace.events().iter().map(|it| (it.op, it.kind, it.depth)).collect();
    let overlap = EventKind::Copy(copies::CopyReason::Overlap);
    let all =
        [("slice", EventKind::View, 0), ("assign", overlap, 1), ("assign", EventKind::InPlace, 0)];
    assert_eq!(kinds, all);
    assert!(trace.events().iter().all(|it| it.caller.line() == line));
}

#[test]
fn the_parts_of_an_operation_have_the_line_of_its_caller() {
    let x = matrix();
    let line = line!() + 1;
    let (_, trace) = trace::record(|| x.unique_values());
    let (last, parts) = trace.events().split_last().unwrap();
    assert_eq!((last.op, last.depth), ("unique_values", 0));
    assert!(parts.iter().all(|it| it.depth > 0));
    assert!(trace.events().iter().all(|it| it.caller.line() == line));
}

#[test]
fn copy_accounting_is_a_filter_of_the_events() {
    let x = matrix().t().unwrap();
    let ((_, trace), log) = copies::record(|| trace::record(|| x.add(1)?.t()?.contiguous()));
    let copied: Vec<_> = trace.copies().map(|it| (it.op, it.bytes_copied())).collect();
    assert_eq!(log.iter().map(|it| (it.op, it.bytes)).collect::<Vec<_>>(), copied);
    assert_eq!(log.len(), usize::from(!x.t().unwrap().is_contiguous()));
}

#[test]
fn an_operation_that_fails_announces_nothing() {
    let x = matrix();
    let other = tensor![1, 2, 3];
    let (result, trace) = trace::record(|| x.add(&other));
    assert!(result.is_err() && trace.events().is_empty(), "{trace}");
    let (result, trace) = trace::record(|| copies::forbid(|| x.t()?.reshape([12])));
    assert!(result.is_err());
    assert_eq!(trace.events().iter().map(|it| it.op).collect::<Vec<_>>(), ["t"]);
    let singular = Tensor::zeros([2, 2], DType::Float64).unwrap();
    let (result, trace) = trace::record(|| linalg::inv(&singular));
    assert!(result.is_err() && outermost(&trace).is_empty(), "{trace}");
}

#[test]
fn an_attempt_that_would_wait_is_withdrawn() {
    let x = matrix();
    let guard = x.write::<f64>().unwrap();
    let (result, trace) = trace::record(|| without_waiting(|| x.t()?.add(1)));
    assert!(result.is_err());
    assert!(trace.events().iter().all(|it| it.op != "add"), "{trace}");
    drop(guard);
    let (_, trace) = trace::record(|| without_waiting(|| x.t()?.add(1)));
    assert_eq!(trace.events().len(), 2);
}

#[test]
fn a_program_that_is_traced_twice_has_the_same_events() {
    let program = || {
        let x = matrix();
        let y = x.softmax(1)?.matmul(&x.t()?)?;
        y.slice(s![1..])?.add_assign(&y.slice(s![..2])?)?;
        einsum("ij,jk->ki", &[&y, &x])?.sort(0)
    };
    let describe = |trace: &Trace| {
        let events = trace.events().iter();
        let lines = events.map(|it| (it.op, it.kind, it.depth, it.bytes_read, it.bytes_written));
        lines.collect::<Vec<_>>()
    };
    let [a, b] = [trace::record(program).1, trace::record(program).1];
    assert_eq!(describe(&a), describe(&b));
    assert!(a.events().len() > 5);
}

#[test]
fn freed_storages_leave_the_peak() {
    let (_, trace) = trace::record(|| {
        for _ in 0..10 {
            drop(Tensor::zeros([1000], DType::Float64)?);
        }
        let a = Tensor::zeros([1000], DType::Float64)?;
        let b = a.add(1)?;
        Ok::<_, Error>((a, b))
    });
    let peak = trace.by_line().iter().map(|it| it.peak_bytes).max();
    assert_eq!(peak, Some(16_000));
    // Other threads free storages of their own meanwhile.
    let outputs = || trace.events().iter().flat_map(|it| &it.outputs);
    let is_own = |id| outputs().any(|it| it.storage() == Some(id));
    assert_eq!(trace.freed().iter().filter(|it| is_own(it.1)).count(), 10);
}

#[test]
fn a_recording_that_is_taken_goes_on_with_an_empty_record() {
    let recording = Recorder::start();
    let x = matrix();
    let first = recording.take();
    assert_eq!(first.events().last().unwrap().op, "reshape");
    let y = x.neg().unwrap();
    drop(y);
    let second = recording.take();
    assert_eq!(second.events().iter().map(|it| it.op).collect::<Vec<_>>(), ["negative"]);
    assert_eq!(second.freed(), [(1, second.events()[0].outputs[0].storage().unwrap())]);
    // An attempt that would wait is withdrawn from what is left.
    x.neg().unwrap();
    let result = without_waiting(|| {
        drop(recording.take());
        x.t()?.add(1)?;
        Err::<(), _>(Error::Busy { write: false, wanted: Box::new([]) })
    });
    assert!(result.is_err());
    let rest = recording.finish();
    assert!(rest.events().is_empty(), "{rest}");
}

#[test]
fn a_recording_sees_its_own_thread_unless_it_is_for_all() {
    let (own, all) = (Recorder::start(), Recorder::start_for_all_threads());
    std::thread::spawn(|| drop(matrix().neg())).join().unwrap();
    assert!(own.finish().events().is_empty());
    let events = all.finish();
    assert!(events.events().iter().any(|it| it.op == "negative"));
}

#[test]
fn small_and_large_operands_announce_the_same() {
    let ops = |n: usize| {
        let x = Tensor::zeros([n, 40], DType::Float64).unwrap();
        let y = x.t().unwrap().copy().unwrap();
        let (_, trace) = trace::record(|| {
            x.add(&y.t()?)?.copy()?;
            x.fill(1)?;
            x.add_assign(&y.t()?)?;
            x.sum(())
        });
        trace.events().iter().map(|it| (it.op, it.kind)).collect::<Vec<_>>()
    };
    assert_eq!(ops(4), ops(1000));
}

#[test]
fn isolated_operations_are_outside_of_the_scopes_around_them() {
    let x = tensor![[1, 2], [3, 4]].t().unwrap();
    let everything = Recorder::start_for_all_threads();
    let own = Recorder::start();
    let log = copies::Recording::start();
    let forbidden = copies::Forbidden::start();
    let inner = trace::isolate(|| {
        assert_eq!(x.reshape([4]).unwrap().len(), 4);
        let (_, inner) = trace::record(|| drop(x.reshape([4]).unwrap()));
        assert!(copies::forbid(|| x.reshape([4])).is_err());
        trace::isolate(|| x.reshape([4]).unwrap());
        inner
    });
    assert_eq!((inner.events().len(), inner.freed().len()), (1, 1));
    assert!(x.reshape([4]).is_err());
    forbidden.end();
    let mine = std::thread::current().id();
    let everything = everything.finish();
    assert!(everything.events().iter().all(|it| it.thread != mine));
    let own = own.finish();
    assert_eq!((own.events().len(), log.finish().len()), (0, 0));
}

#[test]
fn isolation_ends_with_a_panic_and_keeps_scopes_that_are_left_open() {
    let own = Recorder::start();
    let caught = std::panic::catch_unwind(|| trace::isolate(|| panic!("inside")));
    assert!(caught.is_err());
    let left_open = trace::isolate(Recorder::start);
    tensor![1, 2].copy().unwrap();
    let ops = |it: Recorder| it.finish().events().iter().filter(|it| it.op == "copy").count();
    assert_eq!((ops(own), ops(left_open)), (1, 1));
}
