//! `model`: every interleaving of the borrow table, the thread pool and the table of leases, and the mutants that must fail.
//!
//! The tests of `model/` are only worth what they can find. So each memory ordering and each wake-up that the code relies on
//! is weakened or left out in a copy of the sources, one at a time, and a test has to fail on the copy.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::failure::{Failure, Outcome};
use crate::part::{self, Part, PartEnd};
use crate::run::Runner;

/// The folder of the builds.
const FOLDER: &str = "target/model";

/// The folder of the changed sources.
const MUTANT: &str = "target/model/mutant";

/// What a copy needs, beside its manifests.
const COPIED: [&str; 4] =
    ["model/src", "crates/tensor/src/borrow", "crates/tensor/src/pool", "crates/grad/src"];

/// A change of the sources, and the tests of which one has to fail.
struct Mutant {
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    tests: &'static str,
}

const STATE: &str = "crates/tensor/src/borrow/state.rs";
const TABLE: &str = "crates/tensor/src/borrow/table.rs";
const WORKER: &str = "crates/tensor/src/pool/worker.rs";
const LEASES: &str = "crates/grad/src/lease_table.rs";
const SAVING: &str = "model/src/lease/operations.rs";

const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "a claim in the word does not acquire",
        file: STATE,
        from: "compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed)",
        to: "compare_exchange_weak(word, next, Ordering::Relaxed, Ordering::Relaxed)",
        tests: "two_writers_exclude_each_other",
    },
    Mutant {
        name: "a reader does not release",
        file: STATE,
        from: "fetch_sub(1, Ordering::Release)",
        to: "fetch_sub(1, Ordering::Relaxed)",
        tests: "a_writer_excludes_a_reader",
    },
    Mutant {
        name: "a writer does not release",
        file: STATE,
        from: "fetch_and(!WRITER, Ordering::Release)",
        to: "fetch_and(!WRITER, Ordering::Relaxed)",
        tests: "two_writers_exclude_each_other",
    },
    Mutant {
        name: "entering the table does not acquire the word",
        file: STATE,
        from: "self.word.load(Ordering::Acquire)",
        to: "self.word.load(Ordering::Relaxed)",
        tests: "two_writers_exclude_each_other",
    },
    Mutant {
        name: "leaving the table does not release the word",
        file: STATE,
        from: "fetch_and(!TABLE, Ordering::Release)",
        to: "fetch_and(!TABLE, Ordering::Relaxed)",
        tests: "the_fast_path_follows_the_table",
    },
    Mutant {
        name: "a wake-up without the lock of the table",
        file: STATE,
        from: "let _table = shared.lock();\n        shared.released.notify_all();",
        to: "shared.released.notify_all();",
        tests: "two_writers_exclude_each_other",
    },
    Mutant {
        name: "the last reader wakes no writer",
        file: STATE,
        from: "== TABLE + 1",
        to: "== TABLE + 2",
        tests: "a_writer_excludes_a_reader",
    },
    Mutant {
        name: "a guard that has waited wakes no request behind it",
        file: STATE,
        from: "queued.is_some() && holder != Holder::Operation",
        to: "false",
        tests: "a_waiting_request_fails_when_a_guard_is_granted_before_it",
    },
    Mutant {
        name: "a guard in the word does not release",
        file: STATE,
        from: "fetch_sub(claim, Ordering::Release)",
        to: "fetch_sub(claim, Ordering::Relaxed)",
        tests: "a_guard_of_the_entire_storage_excludes_operations_and_guards",
    },
    Mutant {
        name: "entering the table ignores the guards in the word",
        file: STATE,
        from: "match requested().find_map(|it| conflict_with_guards(word, it)) {",
        to: "match None::<Conflict> {",
        tests: "a_guard_of_the_entire_storage_excludes_operations_and_guards",
    },
    Mutant {
        name: "a callback in the word is not blocked by the table",
        file: STATE,
        from: "true => self.add_unless(TABLE | REGIONS | CLAIMS, CALLBACK_WRITER)",
        to: "true => self.add_unless(REGIONS | CLAIMS, CALLBACK_WRITER)",
        tests: "callbacks_and_guards_of_the_entire_storage_follow_the_table",
    },
    Mutant {
        name: "a callback that reads in the word is not blocked by the table",
        file: STATE,
        from: "false => self.add_unless(TABLE | REGIONS | WRITERS | FULL, reader_of(CALLBACK_READERS))",
        to: "false => self.add_unless(REGIONS | WRITERS | FULL, reader_of(CALLBACK_READERS))",
        tests: "callbacks_and_guards_of_the_entire_storage_follow_the_table",
    },
    Mutant {
        name: "a guard in the word is not blocked by the table",
        file: STATE,
        from: "true => self.add_unless(TABLE | REGIONS | CLAIMS, GUARD_WRITER)",
        to: "true => self.add_unless(REGIONS | CLAIMS, GUARD_WRITER)",
        tests: "callbacks_and_guards_of_the_entire_storage_follow_the_table",
    },
    Mutant {
        name: "requests overtake those that wait",
        file: TABLE,
        from: "(!claim.is_waiting || is_older(claim))",
        to: "!claim.is_waiting",
        tests: "a_reader_does_not_overtake_a_waiting_writer",
    },
    Mutant {
        name: "requests wait for those behind them",
        file: TABLE,
        from: "(!claim.is_waiting || is_older(claim))",
        to: "true",
        tests: "two_writers_exclude_each_other",
    },
    Mutant {
        name: "a child believes the words of its parent",
        file: STATE,
        from: "(blocked_by | GENERATION) == 0",
        to: "blocked_by == 0",
        tests: "borrow::fork_tests",
    },
    Mutant {
        name: "a child does not reset the words of its parent",
        file: STATE,
        from: "            self.reset(&table);\n",
        to: "",
        tests: "borrow::fork_tests",
    },
    Mutant {
        name: "a child forgets the guards in the words of its parent",
        file: STATE,
        from: "REGIONS | INITIAL | GUARDS | callbacks",
        to: "REGIONS | INITIAL | callbacks",
        tests: "borrow::fork_tests",
    },
    Mutant {
        name: "a child forgets a release during a reset",
        file: STATE,
        from: "let _ = self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, of_child);",
        to: "let of_child: Option<u64> = of_child(self.word.load(Ordering::Relaxed));
        self.word.store(of_child.expect(\"a word\"), Ordering::Relaxed);",
        tests: "borrow::fork_tests",
    },
    Mutant {
        name: "a child keeps the callbacks of other threads",
        file: STATE,
        from: "if table.has_inherited(self.address()) { CALLBACKS } else { 0 }",
        to: "CALLBACKS",
        tests: "borrow::fork_tests",
    },
    Mutant {
        name: "a child drops its own callbacks",
        file: STATE,
        from: "if table.has_inherited(self.address()) { CALLBACKS } else { 0 }",
        to: "0",
        tests: "borrow::fork_tests",
    },
    Mutant {
        name: "a child keeps the claims of other threads",
        file: TABLE,
        from: "!claim.is_waiting && (claim.thread == thread || claim.holder == Holder::Guard)",
        to: "true",
        tests: "borrow::fork_tests",
    },
    Mutant {
        name: "a child drops its own guards",
        file: TABLE,
        from: "!claim.is_waiting && (claim.thread == thread || claim.holder == Holder::Guard)",
        to: "false",
        tests: "borrow::fork_tests",
    },
    Mutant {
        name: "an offer does not release",
        file: WORKER,
        from: "fetch_update(Release, Relaxed,",
        to: "fetch_update(Relaxed, Relaxed,",
        tests: "every_piece_runs_once_and_its_writes_are_visible",
    },
    Mutant {
        name: "accepting an offer does not acquire",
        file: WORKER,
        from: "compare_exchange(offer, accepted(offer), Acquire, Relaxed)",
        to: "compare_exchange(offer, accepted(offer), Relaxed, Relaxed)",
        tests: "every_piece_runs_once_and_its_writes_are_visible",
    },
    Mutant {
        name: "finishing does not release",
        file: WORKER,
        from: "compare_exchange(accepted(region), FREE, Release, Relaxed)",
        to: "compare_exchange(accepted(region), FREE, Relaxed, Relaxed)",
        tests: "every_piece_runs_once_and_its_writes_are_visible",
    },
    Mutant {
        name: "a revocation that comes late does not acquire",
        file: WORKER,
        from: "compare_exchange(region, FREE, Relaxed, Acquire)",
        to: "compare_exchange(region, FREE, Relaxed, Relaxed)",
        tests: "every_piece_runs_once_and_its_writes_are_visible",
    },
    Mutant {
        name: "an offer wakes its worker without the lock",
        file: WORKER,
        from: "            drop(self.lock());\n",
        to: "",
        tests: "every_piece_runs_once_and_its_writes_are_visible",
    },
    Mutant {
        name: "a worker that has finished wakes no caller",
        file: WORKER,
        from: "            drop(guard);\n            self.changed.notify_all();",
        to: "            drop(guard);",
        tests: "every_piece_runs_once_and_its_writes_are_visible",
    },
    Mutant {
        name: "a lease is taken after the claim is released",
        file: SAVING,
        from: "    TABLE.lock().entry(KEY).or_default().n_leases += 1;
    let values = read(x);
    drop(claims);",
        to: "    let values = read(x);
    drop(claims);
    TABLE.lock().entry(KEY).or_default().n_leases += 1;",
        tests: "a_write_is_before_the_lease_or_finds_it",
    },
    Mutant {
        name: "a lease has the time before its claim",
        file: SAVING,
        from: "    let claims = claim_one(x, Part::Both, false);\n    let time = now();",
        to: "    let time = now();\n    let claims = claim_one(x, Part::Both, false);",
        tests: "a_tape_that_is_dropped_meanwhile_leaves_nothing",
    },
    Mutant {
        name: "a patch is made before the claim of its write",
        file: SAVING,
        from: "    let claims = claim_one(x, part, true);\n    keep_overwritten(x, part);",
        to: "    keep_overwritten(x, part);\n    let claims = claim_one(x, part, true);",
        tests: "a_write_is_before_the_lease_or_finds_it",
    },
    Mutant {
        name: "a patch is made after its write",
        file: SAVING,
        from: "    keep_overwritten(x, part);\n    x.increment(part);",
        to: "    x.increment(part);\n    keep_overwritten(x, part);",
        tests: "a_write_is_before_the_lease_or_finds_it",
    },
    Mutant {
        name: "a sum in place does not look for patches",
        file: SAVING,
        from: "    if !is_refused {",
        to: "    let is_refused = is_refused && false;\n    if !is_refused {",
        tests: "writes_while_the_gradient_is_computed_do_not_change_it",
    },
    Mutant {
        name: "a contribution counts whatever was overwritten",
        file: SAVING,
        from: "if overwritten.unwrap().next().is_none() {",
        to: "if overwritten.unwrap().next().is_none() || true {",
        tests: "writes_while_the_gradient_is_computed_do_not_change_it",
    },
    Mutant {
        name: "the patches of a shadow are listed before it is copied",
        file: SAVING,
        from: "let (mut values, patches) = (copy(), patches_since(time));",
        to: "let (patches, mut values) = (patches_since(time), copy());",
        tests: "two_writes_while_the_gradient_is_computed_do_not_change_it",
    },
    Mutant {
        name: "a patch is not counted",
        file: LEASES,
        from: "        self.n_patches.fetch_add(1, Ordering::Relaxed);\n",
        to: "",
        tests: "writes_while_the_gradient_is_computed_do_not_change_it",
    },
    Mutant {
        name: "the first lease that ends takes the patches along",
        file: SAVING,
        from: "if storage.n_leases == 0 {",
        to: "if storage.n_leases <= 1 {",
        tests: "a_tape_that_is_dropped_meanwhile_leaves_nothing",
    },
    Mutant {
        name: "the last lease that ends leaves the patches",
        file: SAVING,
        from: "if storage.n_leases == 0 {",
        to: "if storage.n_leases == 99 {",
        tests: "a_tape_that_is_dropped_meanwhile_leaves_nothing",
    },
];

/// Runs the tests of the models, then those of every mutant, and prints the table.
pub(crate) fn run(runner: &mut Runner, _: &[String]) -> Outcome {
    let mut parts = models(runner);
    parts.extend(mutants(runner));
    part::report(&parts)
}

/// Runs the tests of the models. Each is a part; its executions are the interleavings.
pub(crate) fn models(runner: &mut Runner) -> Vec<Part> {
    let name = "models";
    let mut parts = Vec::new();
    let mut command = model_command(runner, Path::new("model"));
    let result = runner.watch(name, command.args(["--", "--nocapture"]), |line| {
        let counted = line.strip_prefix("model ").and_then(|it| it.split_once(": "));
        if let Some((model, executions)) = counted {
            let executions = executions.trim().parse().unwrap_or_default();
            let name = format!("model `{model}`");
            parts.push(Part { cases: 1, executions, ..Part::new(&name) });
        }
    });
    parts.sort_by(|one, two| one.name.cmp(&two.name));
    // The models run at the same time: only the time of all of them is known.
    let all = result.map(|(status, duration)| Part {
        duration,
        end: PartEnd::from_status(status),
        ..Part::new("all models")
    });
    parts.push(Part::from_result(name, all));
    parts
}

/// Runs the tests of the mutants. Each is a part, with one fault, which has to be found.
pub(crate) fn mutants(runner: &mut Runner) -> Vec<Part> {
    let run = |mutant: &Mutant| Part::from_result(mutant.name, run_mutant(runner, mutant));
    MUTANTS.iter().map(run).collect()
}

fn run_mutant(runner: &mut Runner, mutant: &Mutant) -> Result<Part, Failure> {
    write_mutant(runner.root(), mutant)?;
    let folder = Path::new(MUTANT).join("model");
    // A separate step: a mutant that does not compile is no mutant that was found.
    let step = format!("build: {}", mutant.name);
    runner.run(&step, model_command(runner, &folder).arg("--no-run"))?;
    let mut command = model_command(runner, &folder);
    let (status, duration) = runner.watch(mutant.name, command.arg(mutant.tests), |_| ())?;
    let end = match status.success() {
        true => PartEnd::Failed("no model finds it".to_string()),
        false => PartEnd::Passed,
    };
    let name = format!("mutant: {}", mutant.name);
    Ok(Part { cases: 1, executions: 1, faults: 1, duration, end, ..Part::new(&name) })
}

/// A command that runs the tests of the models in a folder.
fn model_command(runner: &Runner, folder: &Path) -> Command {
    let mut command = runner.isolated_cargo();
    // A mutant may panic often, and a backtrace takes longer than an execution.
    command.env("RUST_BACKTRACE", "0");
    command.args(["test", "--target-dir", FOLDER, "--manifest-path"]);
    command.arg(folder.join("Cargo.toml"));
    command
}

/// Copies the sources, with one change.
fn write_mutant(root: &Path, mutant: &Mutant) -> Result<(), Failure> {
    let folder = root.join(MUTANT);
    for path in COPIED {
        copy(&root.join(path), &folder.join(path)).map_err(|error| cannot("copy", path, &error))?;
    }
    // The layout crate stays where it is. Packages of one name have the same files in the folder of the builds, where Cargo would
    // take a mutant for the models of a later run.
    let path = ["\"../crates/", "\"../../../../crates/"];
    let name = ["name = \"belvedere-model\"", "name = \"belvedere-mutant\""];
    change(root, &folder, "model/Cargo.toml", &[path, name])?;
    change(root, &folder, "model/Cargo.lock", &[name])?;
    change(root, &folder, mutant.file, &[[mutant.from, mutant.to]])
}

/// Copies a file with changes of its text, each of which has to be possible.
fn change(root: &Path, folder: &Path, file: &str, changes: &[[&str; 2]]) -> Result<(), Failure> {
    let mut text =
        fs::read_to_string(root.join(file)).map_err(|error| cannot("read", file, &error))?;
    for [from, to] in changes {
        if text.matches(from).count() != 1 {
            return Err(Failure::Step(format!("{file} does not contain `{from}` once")));
        }
        text = text.replace(from, to);
    }
    fs::write(folder.join(file), text).map_err(|error| cannot("write", file, &error))
}

fn cannot(verb: &str, path: &str, error: &io::Error) -> Failure {
    Failure::Step(format!("cannot {verb} {path}: {error}"))
}

/// Copies a file or a folder; files that are equal stay, so that they are not compiled again.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        return fs::read_dir(from)?.try_for_each(|entry| {
            let name = entry?.file_name();
            copy(&from.join(&name), &to.join(&name))
        });
    }
    match fs::read(to).is_ok_and(|bytes| fs::read(from).is_ok_and(|it| it == bytes)) {
        true => Ok(()),
        false => fs::copy(from, to).map(drop),
    }
}
