//! The program: its output, input, files and exit codes.
//!
//! The output is compared with the files in `golden/`. `BELVEDERE_UPDATE=1` rewrites them; review the diff.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn belvedere(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_belvedere"));
    command.args(arguments).env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
    command
}

fn run(arguments: &[&str]) -> Output {
    belvedere(arguments).output().expect("the program starts")
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("it prints UTF-8")
}

fn golden(name: &str, arguments: &[&str], code: i32) {
    let output = run(arguments);
    let printed = printed(&output);
    assert_eq!(output.status.code(), Some(code), "{name}");
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"));
    if std::env::var_os("BELVEDERE_UPDATE").is_some() {
        std::fs::write(&path, &printed).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(printed == expected, "the output differs from golden/{name}.txt:\n{printed}");
}

#[test]
fn reports_match_the_golden_files() {
    let refused = "arange(12).reshape(3,4).T.view(6,2)";
    let chain = "x = arange(24).reshape(2,3,4); y = x.permute(1,0,2)[:, ::-1]; y.view(6, 4)";
    golden("refused", &["explain", refused], 1);
    golden("refused_chain", &["explain", chain], 1);
    golden("refused_drawn", &["explain", "--draw", refused], 1);
    golden("refused_json", &["explain", "--json", refused], 1);
    golden("copied", &["explain", "x = arange(12).reshape(3, 4); x.T.reshape(-1)"], 0);
    golden("runs", &["explain", "arange(120).reshape(2,3,4,5).permute(2,3,0,1).view(120)"], 1);
    golden("unit_axes", &["explain", "arange(12).reshape(3,1,4)[:, :, :2].view(6)"], 1);
    golden(
        "lens",
        &[
            "explain",
            "--draw",
            "x = arange(6).reshape(2, 3); x.lens().pad(((0, 1), (1, 0))); x.T.lens().reshape(6)",
        ],
        0,
    );
    golden(
        "windows",
        &["explain", "--draw", "arange(6).unfold(0, 3, 1); arange(3).expand(2, 3)"],
        0,
    );
    golden("values", &["explain", "x = arange(6); x.shape, x.strides; x.is_contiguous()"], 0);
    golden("types", &["explain", "arange(4, dtype=int32).view(int64).astype(float32)"], 0);
    golden("large", &["explain", "arange(10**18).reshape(10**6, 10**6, -1).T.copy()"], 0);
}

#[test]
fn plans_and_remarks_match_the_golden_files() {
    let sum = "a = arange(3).reshape(3,1); b = zeros(4); c = a + b; (c.T + a.T).copy(); c @ c.T";
    golden("plan", &["explain", "--plan", sum], 0);
    golden("tiles", &["explain", "--plan", "a = zeros((512, 512)); a + a.T"], 0);
    let reused = "a = zeros((256, 64, 64)); b = zeros((64, 64)); a + b.T; b.T + b";
    golden("reused", &["explain", "--plan", reused], 0);
    let converted = "a = zeros((300, 100)); b = zeros(100, dtype=float16); a * b; a * 2";
    golden("converted", &["explain", "--plan", converted], 0);
    let other = "x = arange(6).reshape(2,3); x[:, ::-1]; x.flip(0); x.T.flatten(); x.repeat(2); x.squeeze(0)";
    golden("as_torch", &["explain", "--as", "torch", other], 1);
    golden("as_numpy", &["explain", "--as", "numpy", other], 1);
}

#[test]
fn errors_match_the_golden_files() {
    golden("mistake_name", &["explain", "x = arange(10)\ny = x.reshpae(2, 5)"], 1);
    golden("mistake_bracket", &["explain", "x = arange(10)\ny = x.reshape((2, 5)\nz = y.T"], 1);
    golden(
        "mistake_pattern",
        &["explain", "zeros((2, 12, 3)).rearrange('b (h w) c -> b c h', h=3)"],
        1,
    );
    golden("mistake_index", &["explain", "zeros((2, 3))[0, 5]"], 1);
    golden("mistake_broadcast", &["explain", "zeros((2, 3)) + zeros(4)"], 1);
    golden(
        "mistake_long",
        &["explain", &format!("x = {}arange(3).q{}", "1 + ".repeat(60), " + 2".repeat(60))],
        1,
    );
}

#[test]
fn the_examples_in_the_help_run() {
    golden("help", &["explain", "--help"], 0);
    let help = printed(&run(&["explain", "--help"]));
    let examples = help.lines().filter_map(|line| line.trim().strip_prefix("belvedere explain "));
    let mut n = 0;
    for example in examples.filter(|it| it.ends_with('\'')) {
        let (options, quoted) = example.split_once('\'').expect("an example is quoted");
        let mut arguments = vec!["explain"];
        arguments.extend(options.split_whitespace());
        arguments.push(&quoted[..quoted.len() - 1]);
        let output = run(&arguments);
        let refused = example.contains("view(6,2)");
        assert_eq!(
            output.status.code(),
            Some(i32::from(refused)),
            "{example}: {}",
            printed(&output)
        );
        n += 1;
    }
    assert_eq!(n, 5);
}

#[test]
fn the_source_is_read_from_standard_input() {
    let mut command = belvedere(&["explain", "--json", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"x = arange(6)\nx.reshape(2, 3).T\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["steps"][2]["strides"], serde_json::json!([1, 3]));
}

#[test]
fn invalid_utf8_is_an_error_step() {
    let mut command = belvedere(&["explain", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&[0xff, 0xfe, b'(', 0, b'\n']).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(1));
}

#[test]
fn the_fields_of_the_json_are_the_documented_ones() {
    let source = "x = arange(12).reshape(3, 4); x.T.view(6, 2)";
    let json: serde_json::Value =
        serde_json::from_slice(&run(&["explain", "--json", source]).stdout).unwrap();
    let steps = json["steps"].as_array().unwrap();
    let documented = [
        "name",
        "expr",
        "op",
        "shape",
        "strides",
        "offset",
        "contiguous",
        "kind",
        "bytes_copied",
        "shares_with",
        "error",
        "why",
    ];
    for step in steps {
        let fields: Vec<&String> =
            step.as_object().unwrap().keys().take(documented.len()).collect();
        assert_eq!(fields, documented);
    }
    let why = &steps[3]["why"];
    assert_eq!(why["axes"], serde_json::json!([0, 1]));
    assert_eq!((&why["stride"], &why["needed"], &why["mark"]), (&1.into(), &12.into(), &3.into()));
    assert_eq!(steps[3]["error"]["span"], serde_json::json!([33, 44]));
    assert_eq!(steps[1]["name"], "x");
}

#[test]
fn output_is_coloured_only_in_terminals_or_on_request() {
    let is_coloured = |command: &mut Command| command.output().unwrap().stdout.contains(&0x1b);
    let arguments = ["explain", "--draw", "arange(3).T"];
    assert!(!is_coloured(&mut belvedere(&arguments)));
    assert!(is_coloured(belvedere(&arguments).env("CLICOLOR_FORCE", "1")));
    assert!(!is_coloured(belvedere(&arguments).env("NO_COLOR", "1")));
}

#[test]
fn pictures_are_written_to_files() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (svg, html) = (folder.join("explained.svg"), folder.join("explained.html"));
    let source = "arange(12).reshape(3,4).T.view(6,2)";
    let files = ["--svg", svg.to_str().unwrap(), "--html", html.to_str().unwrap()];
    let output = run(&[&["explain", source], &files[..]].concat());
    assert_eq!(output.status.code(), Some(1), "the view is refused, and drawn");
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg"));
    let page = std::fs::read_to_string(html).unwrap();
    assert!(page.contains("<svg") && page.contains("<title>arange(12)"));

    let nowhere = run(&["explain", source, "--svg", "/nowhere/at/all.svg"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&nowhere.stderr).starts_with("belvedere: /nowhere/at/all.svg"));
}

#[test]
fn completions_exist_for_each_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&run(&["completions", shell]));
        assert!(script.contains("explain"), "{shell}");
    }
}

#[test]
fn invalid_arguments_exit_with_2() {
    for arguments in [&["explain"][..], &["explain", "--as", "matlab", "x"], &["explian", "x"]] {
        assert_eq!(run(arguments).status.code(), Some(2));
    }
}
