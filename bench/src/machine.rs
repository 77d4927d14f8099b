//! What the numbers were measured on.

use std::fs;
use std::process::Command;

/// One line: processor, operating system and compiler, as far as they can be told.
pub fn describe() -> String {
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    [processor(), Some(system), compiler()].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The processor's name, where the system has a file that tells it.
fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// The version of the compiler that is found first. Under `cargo run` that is the one that built
/// this program.
fn compiler() -> Option<String> {
    let output = Command::new("rustc").arg("--version").output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
}
