//! Running commands: prints them, measures their time, and reports failures in one line.

use std::env;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::table::{self, Column};

/// Variables that describe the package that `cargo run` runs, which is this one. They are removed for commands.
const PACKAGE_VARIABLES: &[&str] = &["CARGO_PKG_", "CARGO_MANIFEST_"];

/// Variables that change what is built, how, or where. The number of jobs, the linker and the download cache are not
/// among them: they are settings of the machine.
const BUILD_VARIABLES: &[&str] = &[
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTDOC",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUST",
    "CARGO_INCREMENTAL",
    "CARGO_PROFILE_",
    "CARGO_TARGET_DIR",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
];

/// Runs commands at the root of the repository and remembers how long each took.
pub(crate) struct Runner {
    /// The folder of the workspace.
    root: PathBuf,
    /// The steps so far, in order, including failed ones.
    durations: Vec<(String, Duration)>,
}

impl Runner {
    /// A runner that has not run anything yet.
    pub(crate) fn new() -> Runner {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = package.parent().expect("xtask is a folder of the repository").to_path_buf();
        Runner { root, durations: Vec::new() }
    }

    /// The folder of the workspace. Commands run here, so their relative paths start here.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A cargo command for this workspace, with the environment of the caller.
    pub(crate) fn cargo(&self) -> Command {
        // Set by cargo itself: the binary of the toolchain that was called.
        let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        self.command(program)
    }

    /// A cargo command for an isolated build (another workspace, or a measured build), without inherited flags or target
    /// folders.
    pub(crate) fn isolated_cargo(&self) -> Command {
        let mut command = self.cargo();
        remove_variables(&mut command, BUILD_VARIABLES);
        command
    }

    /// A program that calls cargo for an isolated build.
    pub(crate) fn isolated(&self, program: &Path) -> Command {
        let mut command = self.command(program);
        remove_variables(&mut command, BUILD_VARIABLES);
        command
    }

    /// Runs a command that has to succeed. Returns how long it took.
    pub(crate) fn run(&mut self, step: &str, command: &mut Command) -> Result<Duration, Failure> {
        let line = self.announce(command);
        let (status, duration) = self.time(step, |_| command.status());
        match status {
            Ok(status) if status.success() => Ok(duration),
            Ok(status) => Err(Failure::Step(format!("{step}: `{line}` ended with {status}"))),
            Err(error) => Err(cannot_start(&line, &error)),
        }
    }

    /// Runs a command that has to succeed. Returns its standard output.
    pub(crate) fn read(&mut self, step: &str, command: &mut Command) -> Result<String, Failure> {
        let line = self.announce(command);
        let (output, _) = self.time(step, |_| command.stderr(Stdio::inherit()).output());
        match output {
            Ok(output) if output.status.success() => {
                Ok(String::from_utf8_lossy(&output.stdout).into_owned())
            }
            Ok(output) => {
                Err(Failure::Step(format!("{step}: `{line}` ended with {}", output.status)))
            }
            Err(error) => Err(cannot_start(&line, &error)),
        }
    }

    /// Runs a command that may fail. Prints each line of its standard error and passes it to `read`.
    pub(crate) fn watch(
        &mut self,
        step: &str,
        command: &mut Command,
        mut read: impl FnMut(&str),
    ) -> Result<(ExitStatus, Duration), Failure> {
        let line = self.announce(command);
        let (status, duration) = self.time(step, |_| {
            let mut child = command.stderr(Stdio::piped()).spawn()?;
            let stderr = child.stderr.take().expect("stderr was piped in the line above");
            // Bytes, not `lines()`: the output of a fuzzer may not be UTF-8.
            for bytes in BufReader::new(stderr).split(b'\n') {
                let text = String::from_utf8_lossy(&bytes?).into_owned();
                eprintln!("{text}");
                read(&text);
            }
            child.wait()
        });
        match status {
            Ok(status) => Ok((status, duration)),
            Err(error) => Err(cannot_start(&line, &error)),
        }
    }

    /// Runs a command that may fail. Returns its standard output.
    pub(crate) fn observe(
        &mut self,
        step: &str,
        command: &mut Command,
    ) -> Result<(ExitStatus, String, Duration), Failure> {
        let line = self.announce(command);
        let (output, duration) = self.time(step, |_| command.stderr(Stdio::inherit()).output());
        match output {
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                Ok((output.status, text, duration))
            }
            Err(error) => Err(cannot_start(&line, &error)),
        }
    }

    /// Runs a function as a step with a duration.
    pub(crate) fn time<T>(&mut self, step: &str, work: impl FnOnce(&Path) -> T) -> (T, Duration) {
        let begin = Instant::now();
        let result = work(&self.root);
        let duration = begin.elapsed();
        self.durations.push((step.to_string(), duration));
        (result, duration)
    }

    /// Prints how long each step took, if there was any.
    pub(crate) fn print_durations(&self) {
        if self.durations.is_empty() {
            return;
        }
        let row = |(step, duration): &(String, Duration)| [step.clone(), seconds(*duration)];
        let mut rows: Vec<[String; 2]> = self.durations.iter().map(row).collect();
        if rows.len() > 1 {
            let total = self.durations.iter().map(|(_, duration)| duration).sum();
            rows.push(["total".to_string(), seconds(total)]);
        }
        eprint!("\n{}", table::render([Column::Left("step"), Column::Right("seconds")], &rows));
    }

    /// A command at the root, without the variables of this package.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        remove_variables(&mut command, PACKAGE_VARIABLES);
        command
    }

    /// Prints a command as it could be typed at the root. Returns it without its variables.
    fn announce(&self, command: &Command) -> String {
        let program = Path::new(command.get_program());
        let shown = match program.strip_prefix(&self.root) {
            Ok(relative) => relative.as_os_str(),
            Err(_) => program.file_name().unwrap_or(program.as_os_str()),
        };
        let words: Vec<String> = [shown].into_iter().chain(command.get_args()).map(quote).collect();
        let line = words.join(" ");
        let variables: String = command
            .get_envs()
            .filter_map(|(name, value)| Some(format!("{}={} ", name.display(), quote(value?))))
            .collect();
        eprintln!("\n$ {variables}{line}");
        line
    }
}

/// A duration as it is printed in tables.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{:.1}", duration.as_secs_f64())
}

/// Removes inherited variables that start with one of `prefixes` from a command.
fn remove_variables(command: &mut Command, prefixes: &[&str]) {
    for (name, _) in env::vars_os() {
        if prefixes.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
}

/// Returns an argument, quoted for a shell if needed.
fn quote(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "-_=./:+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The failure of a command that could not be started.
fn cannot_start(line: &str, error: &io::Error) -> Failure {
    Failure::Step(format!("`{line}` could not be run: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_with_special_characters_are_quoted() {
        assert_eq!(quote("--workspace".as_ref()), "--workspace");
        assert_eq!(quote("-D warnings".as_ref()), "'-D warnings'");
        assert_eq!(quote("it's".as_ref()), r"'it'\''s'");
        assert_eq!(quote("".as_ref()), "''");
    }

    #[test]
    fn the_output_of_a_command_is_returned() {
        let mut runner = Runner::new();
        let mut command = runner.cargo();
        let text = runner.read("version", command.arg("--version")).expect("cargo has a version");
        assert!(text.starts_with("cargo "), "{text}");
        assert_eq!(runner.durations.len(), 1);
    }

    #[test]
    fn a_failing_command_is_one_line_with_its_exit_code_and_still_timed() {
        let mut runner = Runner::new();
        let mut command = runner.cargo();
        command.arg("no-such-subcommand").stderr(Stdio::null());
        let message =
            runner.run("typo", &mut command).expect_err("cargo knows no such").to_string();
        assert!(message.starts_with("typo: `cargo no-such-subcommand` ended with "), "{message}");
        assert!(message.ends_with("101"), "{message}");
        assert_eq!(runner.durations.len(), 1);
    }
}
