//! The browser for the tests of the playground, and Playwright, which drives it.
//!
//! The browser is `$CHROME` or an installed Chromium or Chrome; otherwise the package of Debian is installed, as root.
//! Playwright is installed from npm below `target/`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::Failure;
use crate::run::Runner;

/// The npm package of Playwright, with a fixed version.
const PLAYWRIGHT: &str = "playwright-core@1.65.0";

/// The folder that Playwright is installed in; screenshots go below it.
const FOLDER: &str = "target/browser";

/// The variables with the paths of the browser and of Playwright, which tests read.
const CHROME_VARIABLE: &str = "BELVEDERE_CHROME";
const PLAYWRIGHT_VARIABLE: &str = "BELVEDERE_PLAYWRIGHT";

/// Names of the browser in `PATH`.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Paths of the browser on systems where it is not in `PATH`.
const PATHS: &[&str] = &[
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/// The advice if there is no browser.
const ADVICE: &str = "`cargo xtask test --skip browser` skips the tests of the page.";

/// The paths of the browser and of Playwright.
pub(crate) struct Browser {
    chrome: PathBuf,
    playwright: PathBuf,
}

impl Browser {
    /// Passes the paths to a command in variables.
    pub(crate) fn set_variables(&self, command: &mut Command) {
        command.env(CHROME_VARIABLE, &self.chrome);
        command.env(PLAYWRIGHT_VARIABLE, &self.playwright);
    }
}

/// Returns the browser and Playwright, and installs them if needed.
pub(crate) fn browser(runner: &mut Runner) -> Result<Browser, Failure> {
    let chrome = match chrome() {
        Some(chrome) => chrome,
        None => install_package(runner, "chromium", "Chromium").map(|()| chrome())?.ok_or_else(
            || Failure::Step(format!("Chromium was installed but not found. {ADVICE}")),
        )?,
    };
    for (program, package) in [("node", "nodejs"), ("npm", "npm")] {
        if in_path(program).is_none() {
            install_package(runner, package, program)?;
        }
    }
    Ok(Browser { chrome, playwright: playwright(runner)? })
}

/// The path of the browser, if it is installed.
fn chrome() -> Option<PathBuf> {
    let named = env::var_os("CHROME").filter(|it| !it.is_empty()).map(PathBuf::from);
    named
        .or_else(|| NAMES.iter().find_map(|name| in_path(name)))
        .or_else(|| PATHS.iter().map(PathBuf::from).find(|it| it.exists()))
}

/// The path of a program in `PATH`.
fn in_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .flat_map(|folder| ["", ".exe", ".cmd"].map(|end| folder.join(format!("{name}{end}"))))
        .find(|file| file.is_file())
}

/// Installs a package of Debian, as root.
fn install_package(runner: &mut Runner, package: &str, what: &str) -> Result<(), Failure> {
    if in_path("apt-get").is_none() || !is_root() {
        return Err(Failure::Step(missing_message(package, what)));
    }
    // A failure is ignored: the installation may succeed with old lists.
    let _ = runner.run("package lists", runner.command("apt-get").arg("update"));
    let mut install = runner.command("apt-get");
    install.args(["install", "--yes", "--no-install-recommends", package]);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    match runner.run(&format!("install {package}"), &mut install) {
        Ok(_) => Ok(()),
        Err(failure) => {
            Err(Failure::Step(format!("{failure}. {}", missing_message(package, what))))
        }
    }
}

/// The error message for a missing program.
fn missing_message(package: &str, what: &str) -> String {
    let how = match env::consts::OS {
        "macos" if package == "chromium" => "`brew install --cask chromium`".to_string(),
        "macos" => format!("`brew install {}`", package.trim_end_matches("js")),
        _ => format!("`sudo apt-get install {package}`"),
    };
    format!("the tests of the page need {what}: {how}, or set $CHROME to a browser. {ADVICE}")
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").stderr(Stdio::null()).output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// The folder of Playwright.
fn playwright(runner: &mut Runner) -> Result<PathBuf, Failure> {
    let folder = runner.root().join(FOLDER);
    let stamp = folder.join(format!("ready-{PLAYWRIGHT}"));
    if stamp.exists() && folder.join("node_modules/playwright-core").is_dir() {
        return Ok(folder);
    }
    let written = |path: &Path, text: &str| {
        fs::write(path, text).map_err(|error| Failure::Step(format!("{}: {error}", path.display())))
    };
    fs::create_dir_all(&folder).map_err(|error| Failure::Step(format!("{FOLDER}: {error}")))?;
    // So that npm uses this folder, not one above it.
    written(&folder.join("package.json"), "{ \"private\": true }\n")?;
    let mut install = runner.command(in_path("npm").unwrap_or_else(|| "npm".into()));
    install.current_dir(&folder).args([
        "install",
        "--no-audit",
        "--no-fund",
        "--silent",
        PLAYWRIGHT,
    ]);
    match runner.run("install playwright", &mut install) {
        Ok(_) => written(&stamp, "")?,
        Err(failure) => return Err(Failure::Step(format!("{failure}. {ADVICE}"))),
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_in_path_are_found() {
        assert!(in_path("cargo").is_some_and(|it| it.is_file()));
        assert_eq!(in_path("no-such-program-anywhere"), None);
    }

    #[test]
    fn the_message_names_the_program_and_the_alternative() {
        let message = missing_message("chromium", "Chromium");
        assert!(message.contains("Chromium") && message.contains("--skip browser"), "{message}");
    }
}
