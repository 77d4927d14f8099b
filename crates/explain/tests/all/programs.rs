//! Programs of several lines: in-place writes, memory over time, scopes without copies, and what is too large.

use crate::{elements, fails, last, summary, works};
use belvedere_explain::{Kind, Step, explain};

fn values(source: &str) -> Vec<String> {
    elements(&last(source))
}

#[test]
fn a_write_in_place_reads_its_operands_first() {
    assert_eq!(values("x = arange(5); x[1:] += x[:-1]; x"), ["0", "1", "3", "5", "7"]);
    assert_eq!(values("x = arange(4); y = x[::-1]; x += y; x"), ["3", "3", "3", "3"]);
    assert_eq!(
        values("x = arange(6).reshape(2, 3); x[x > 3] = 0; x"),
        ["0", "1", "2", "3", "0", "0"]
    );
    assert_eq!(values("x = zeros(3, dtype=int64); x[[0, 2]] += 1; x"), ["1", "0", "1"]);
    assert_eq!(values("x = arange(3); x.mul_(2).add_(1); x"), ["1", "3", "5"]);
    // On a number it is an assignment.
    assert_eq!(summary(&last("n = 3; n += 4; n *= 2; n")), "= 14");
}

#[test]
fn a_step_in_place_shows_what_was_written() {
    let report = works("x = arange(6); x[2:4] = 9");
    let step = &report.steps[1];
    assert_eq!((step.kind, summary(step)), (Kind::InPlace, "in place [2] [1] 2".into()));
    assert_eq!(elements(step), ["9", "9"]);
    assert_eq!(elements(&report.steps[0])[2], "2", "a step keeps the values at its time");
}

#[test]
fn what_is_written_with_unknown_values_is_unknown() {
    let report = works("x = zeros(3); big = ones(10**6); x[0] = big.sum(); x + 1");
    let step: &Step = report.steps.last().unwrap();
    assert_eq!(summary(step), "new [3] [1] 0 float64");
    assert_eq!(step.result.as_ref().unwrap().element(1), None);
}

#[test]
fn live_and_peak_memory_follow_the_variables() {
    let report = works("x = arange(100)\ny = x + 1\nx = y\nz = (y * 2) + (y * 3)\ny[0]");
    let live: Vec<u128> = report.steps.iter().map(|it| it.live_bytes).collect();
    // x; x and y; x is freed when it is assigned; two products and a sum; the products are freed.
    assert_eq!(live, [800, 1600, 1600, 1600, 2400, 3200, 1600]);
    let peak = works("x = arange(1000).reshape(10, 100); x.std(0)").steps.pop().unwrap();
    assert!(peak.peak_bytes >= peak.live_bytes && peak.live_bytes == 8000 + 800, "{peak:?}");
}

#[test]
fn copies_can_be_forbidden() {
    let step =
        fails("x = arange(6).reshape(2, 3)\nwith no_copies():\n    y = x.T\n    y.reshape(6)\nx");
    assert_eq!(step.expr, "y.reshape(6)");
    assert!(step.why.is_some(), "a refused copy has its reason");
    works(
        "x = arange(6).reshape(2, 3)\nwith bv.no_copies():\n    with allow_copies():\n        x.T.reshape(6)",
    );
    works("x = arange(6).reshape(2, 3)\nwith no_copies(): x.T\nx.T.reshape(6)");
}

#[test]
fn a_program_gives_the_same_report_twice() {
    let source = "x = torch.arange(12).reshape(3, 4)\ny = x.T @ x\ny[y > 60] = 0\nnp.linalg.norm(y, axis=0)\nrand(3)";
    let steps = || format!("{:?}", explain(source, None).steps);
    assert_eq!(steps(), steps());
}

#[test]
fn large_tensors_have_costs_and_no_values() {
    for (call, expected) in [
        ("x @ x.T", "new [1000000, 1000000] [1000000, 1] 0 float64"),
        ("x.sum(0)", "new [2000000] [1] 0 float64"),
        ("x[:, [3, 5]]", "new [1000000, 2] [2, 1] 0 float64"),
        ("np.linalg.svd(x, full_matrices=False)[1]", "new [1000000] [1] 0 float64"),
        ("np.fft.rfft(x)", "new [1000000, 1000001] [1000001, 1] 0 complex128"),
        ("x.T.reshape(-1)", "copy [2000000000000] [1] 0 float64, 16000000000000 bytes"),
        ("x += 1", "in place [1000000, 2000000] [2000000, 1] 0 float64"),
        ("arange(4).expand(10**12, 4).sum(0)", "new [4] [1] 0"),
        (
            "einsum('i,j,k,l->', ones(3000), ones(3000), ones(3000), ones(3000))",
            "new [] [] 0 float64",
        ),
    ] {
        let step = last(&format!("x = zeros((10**6, 2 * 10**6)); {call}"));
        assert_eq!(summary(&step), expected, "{call}");
    }
    let step = fails("x = zeros(10**6); x.sum().item()");
    let message = step.error.unwrap().message;
    assert!(message.starts_with("`item` needs values"), "{message}");
}

#[test]
fn the_work_of_a_program_is_bounded() {
    // Each call is within the limits of a tensor; together they are not, and the values of the later ones are unknown.
    let source = "x = ones(4096)\n".to_string() + &"x = (x * 2).sort().cumsum(0)\n".repeat(40);
    let report = works(&source);
    let is_known = |step: &Step| step.result.as_ref().unwrap().element(0).is_some();
    assert!(is_known(&report.steps[0]) && report.steps.len() > 100);
    for source in [
        "diff(zeros(10**9), n=10**9)",
        "unstack(zeros(10**9))",
        "np.bincount([10**15])",
        "np.repeat(arange(3), [10**15, 1, 1])",
        "arange(3).tile((10**6,) * 3)",
        "np.linalg.matrix_power(ones((64, 64)), 10**18)",
        "np.histogram(ones(3), 10**12)[0]",
    ] {
        explain(source, None);
    }
}
