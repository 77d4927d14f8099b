//! A description of the machine on which a benchmark ran.

use std::fs;
use std::process::Command;

/// Returns the processor, the operating system and the compiler in one line, as far as they are known.
pub fn describe() -> String {
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    [processor(), Some(system), compiler()].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Returns these and the cores, caches and memory, one line each.
pub fn details() -> Vec<String> {
    let cores = std::thread::available_parallelism().map_or(1, |it| it.get());
    let processor = processor().unwrap_or_else(|| "an unknown processor".to_string());
    let mut lines = vec![format!("{processor}, {cores} cores")];
    lines.extend(caches().map(|it| format!("caches: {it}")));
    lines.extend(memory().map(|it| format!("memory: {it}")));
    lines.push(format!("{} {}", std::env::consts::OS, std::env::consts::ARCH));
    lines.extend(compiler());
    lines
}

/// The processor's name, where the system reports it in a file.
fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// The data caches of the first core, where the system reports them in files.
fn caches() -> Option<String> {
    let mut found = Vec::new();
    for index in 0..8 {
        let file = |name| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}");
            fs::read_to_string(path).map(|text| text.trim().to_string())
        };
        if let (Ok(level), Ok(kind), Ok(size)) = (file("level"), file("type"), file("size"))
            && kind != "Instruction"
        {
            found.push(format!("L{level} {size}"));
        }
    }
    (!found.is_empty()).then(|| found.join(", "))
}

/// The size of the main memory, where the system reports it in a file.
fn memory() -> Option<String> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(format!("{:.1} GiB", kilobytes / (1 << 20) as f64))
}

/// The version of the first `rustc` in `PATH`. Under `cargo run` that is the one that built
/// this program.
fn compiler() -> Option<String> {
    let output = Command::new("rustc").arg("--version").output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
}
