//! Comparison with NumPy: the same expressions evaluated by both.

use belvedere_explain::{Kind, Scalar, Step, explain};
use std::io::Write;
use std::process::{Command, Stdio};

/// `x` is `arange(24).reshape(2, 3, 4)`.
const TEXTS: &str = "
x.T; x.mT; x.transpose(); x.transpose((2, 0, 1)); x.transpose(2, 0, 1); transpose(x, (1, 2, 0)); np.transpose(x)
permute_dims(x, (2, 1, 0)); x.swapaxes(0, 2); np.swapaxes(x, -1, 0); moveaxis(x, 0, -1); np.moveaxis(x, [0, 2], [1, 0])
x.reshape(6, 4); x.reshape((4, -1)); x.reshape([3, 8]); reshape(x, (2, 12)); x.T.reshape(4, 6); x[0].T.reshape(2, 2, 3)
x.T.reshape(12, 2); x[:, :2].reshape(2, -1); x.ravel(); x.T.ravel(); np.ravel(x[1]); expand_dims(x, (0, 4))
x[None].squeeze(); x[:, None].squeeze(1); squeeze(x[None, :, None], (0, 2)); x.squeeze(1); x.reshape(5, 5)
broadcast_to(x, (5, 2, 3, 4)); broadcast_to(x[:, :1], (2, 7, 4)); broadcast_to(x, (2, 3, 5)); flip(x); flip(x, 1)
flip(x, (0, 2)); fliplr(x); flipud(x); rot90(x); rot90(x, 2); rot90(x, 3, (1, 2)); rot90(x, -1, (2, 0))
sliding_window_view(arange(10), 3); sliding_window_view(x, (2, 2), axis=(1, 2)); sliding_window_view(x[0], (2, 3))
diagonal(x); x.diagonal(1); x.diagonal(-1, 1, 2); x.diagonal(axis1=0, axis2=2); x[0].diagonal(10); x.diagonal(0, 1, 1)
x.copy(); x.T.copy(); ascontiguousarray(x.T); ascontiguousarray(x); asfortranarray(x); x.T.astype(float32)
x.astype(uint8); (x - 12).astype(uint8); x.view(int32); x.view('uint8'); x[:, :, ::2].view(int32); x.view(complex128)
x + x; x.T + x.T; x + x.T.copy().T; x - 1; 2 * x; 1 - x; x / 4; x @ x.mT; x[0] @ x[1].T; x[0, 0] @ x[1].T; x @ x
x * x[:, :1]; x + arange(3); x.astype(float32) * 2; -x; x.astype(int8) + x.astype(float16); x.sum(); x.sum(0)
x // 5; x % 5; 7 // (x + 1); 100 % (x + 1); x // -4; x % -4; (x - 12) // 5; x // 2.5; x % 2.5; x ** 2; 2 ** x; x ** 0.5
x < 5; x <= x[0]; x > 7.5; x >= x.T.copy().T; x == 3; x != x[:, :1]; 5 < x; 5 >= x; 3 == x; x.astype(uint8) < -1
x & 6; x | 1; x ^ x[0]; x << 2; x >> 1; ~x; (x > 3) & (x < 9); 1 + x * 2 < 9; x.astype(float32) == x; x[0] // x[1]
x.T % 3 + 1; x.astype(int8) ** x.astype(int8)[:, :1]; -x ** 2; (x < 5) | (x > 20)
x.max((0, 2)); x.mean(1, keepdims=True); x.min(axis=-1); pad(x, 1); pad(x[0], ((1, 2), (0, 1))); pad(x, (1, 0))
tile(x, 2); tile(x[0], (2, 1, 2)); repeat(x, 2); repeat(x, 3, 1); x.repeat(2, axis=-1); array_split(arange(10), 3)[1]
array_split(x, 5, axis=2)[4]; arange(3, 10, 2); arange(10, 0, -3); arange(0, 1, 0.25); zeros((2, 3), dtype=int8)
full((2, 2), 7); zeros((3, 4), order='F'); array([[1, 2], [3, 4]]); array([1.5, 2]); array([[1, 2], [3, 4]], order='F')
eye(3); linspace(0, 1, 5); zeros_like(x.T); array([True, False]); array([[1, 2], [3]]); zeros((0, 3)).reshape(3, 0)
x.astype(complex128).imag; array([1 + 2j, 3]).real; x[1:2].reshape(12); x[::-1, ::-1, ::-1].reshape(24)
broadcast_arrays(x, x[0])[1]; x.reshape(24, copy=False); x.T.reshape(24, copy=False); x[2]; x[0, 3]; x[0, 0, 0, 0]
";

/// Returns 400 index expressions with a mix of all slice forms.
fn slices() -> impl Iterator<Item = String> {
    let parts = ["", "0", "1", "-1", "2", "-2", "-9", "9"];
    let steps = ["", ":", ":2", ":-1", ":-2", ":5"];
    let slice = move |i: usize| {
        let (start, stop) = (parts[i % 8], parts[i / 8 % 8]);
        format!("{start}:{stop}{}", steps[i / 64 % 6])
    };
    let entry = move |i: usize| match i % 7 {
        0 => "None".to_string(),
        1 => "-1".to_string(),
        _ => slice(i / 7),
    };
    (0..400).map(move |i| match i % 3 {
        0 => format!("x[:, :, {}]", slice(i)),
        1 => format!("x[{}, {}]", entry(7 * i), entry(i * 31 + 5)),
        _ => format!("x[{}, ..., {}]", entry(i * 17), entry(i * 13 + 2)),
    })
}

/// Formats a step like `compare.py`.
fn summary(step: &Step) -> String {
    let Some(tensor) = &step.result else { return "error".into() };
    let list = |numbers: Vec<String>| numbers.join(" ");
    let value = |i| match tensor.element(i) {
        Some(Scalar::Bool(value)) => format!("{:?}", f64::from(u8::from(value))),
        Some(Scalar::Int(value)) => format!("{:?}", value as f64),
        Some(Scalar::Float(value) | Scalar::Complex(value, _)) => format!("{value:?}"),
        None => "unknown".into(),
    };
    let shape = tensor.chain.shape().iter().map(usize::to_string).collect();
    let values = (0..tensor.chain.len()).map(value).collect();
    format!("{};{};{}", list(shape), list(values), tensor.dtype)
}

/// Whether a step agrees with NumPy's line, ignoring the strides of axes of length 1.
fn agree(step: &Step, theirs: &str) -> bool {
    let parts: Vec<&str> = theirs.split(';').collect();
    let [shape, strides, values, dtype, shares] = parts[..] else { return summary(step) == theirs };
    if summary(step) != format!("{shape};{values};{dtype}") {
        return false;
    }
    let Some(layout) = step.result.as_ref().and_then(|it| it.layout()) else {
        // A lens here is a copy in NumPy.
        return shares == "0";
    };
    let own = layout.strides();
    let pairs = strides.split_whitespace().zip(own.iter().zip(layout.axes()));
    let mut pairs = pairs.filter(|it| it.1.1.len > 1 && !layout.is_empty());
    // An element is a 0-d view here, and a scalar in NumPy.
    let is_number = shape.is_empty() || layout.is_empty();
    pairs.all(|(theirs, (ours, _))| theirs == ours.to_string())
        && (is_number || (shares == "1") == step.shares_with.contains(&1))
}

#[test]
fn expressions_agree_with_numpy() {
    let Some(python) = std::env::var_os("BELVEDERE_PYTHON") else {
        let message =
            "\nSKIPPED: explain was not compared with NumPy: BELVEDERE_PYTHON is not set\n";
        std::io::stderr().write_all(message.as_bytes()).expect("stderr");
        return;
    };
    let texts = TEXTS.lines().flat_map(|line| line.split("; ")).map(str::trim);
    let texts: Vec<String> =
        texts.filter(|it| !it.is_empty()).map(String::from).chain(slices()).collect();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/compare.py");
    let mut command = Command::new(python);
    let mut child = command
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = texts.join("\n");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("Python ends");
    writer.join().expect("no panic").expect("Python reads");
    let answers = String::from_utf8(output.stdout).expect("text");
    assert_eq!(answers.lines().count(), texts.len());
    let (mut n_refused, mut n_views) = (0, 0);
    for (text, theirs) in texts.iter().zip(answers.lines()) {
        let report = explain(&format!("x = arange(24).reshape(2, 3, 4); {text}"), None);
        let step = report.steps.last().expect("a report has steps");
        assert!(agree(step, theirs), "{text}\n NumPy: {theirs}\n here: {}", summary(step));
        n_refused += usize::from(step.kind == Kind::Error);
        n_views += usize::from(step.kind == Kind::View);
    }
    assert!(n_refused > 5 && n_views > 300, "{n_refused} refused, {n_views} views");
}
