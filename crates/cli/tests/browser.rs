//! Runs the browser tests of the playground page, `tests/browser/page.mjs`, against a local server.
//!
//! `cargo xtask test` finds or installs Chrome and Playwright and sets `BELVEDERE_CHROME` and `BELVEDERE_PLAYWRIGHT`;
//! without these variables the test is skipped with a message. Screenshots are kept in
//! `target/browser/screenshots`.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The server process, killed on drop.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_page_works_in_a_browser() {
    for variable in ["BELVEDERE_CHROME", "BELVEDERE_PLAYWRIGHT"] {
        if std::env::var_os(variable).is_none() {
            // Not `eprintln!`, whose output the test harness captures.
            let message = format!(
                "\nSKIPPED: the browser tests did not run: {variable} is not set; \
                 `cargo xtask test` sets it\n"
            );
            std::io::stderr().write_all(message.as_bytes()).expect("stderr");
            return;
        }
    }
    let mut server = Server(play());
    let address = address_of(&mut server.0);
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a folder in target/");
    let script = Command::new("node")
        .arg(package.join("tests/browser/page.mjs"))
        .arg(&address)
        .arg(target.join("browser/screenshots"))
        .output()
        .expect("node can be run");
    let (stdout, stderr) =
        (String::from_utf8_lossy(&script.stdout), String::from_utf8_lossy(&script.stderr));
    assert!(script.status.success(), "{stdout}\n{stderr}");
    println!("{stdout}");
    stops_at_ctrl_c(&mut server.0);
}

fn play() -> Child {
    Command::new(env!("CARGO_BIN_EXE_belvedere"))
        .args(["play", "--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be run")
}

/// Reads the URL that the program prints.
fn address_of(server: &mut Child) -> String {
    let mut output = BufReader::new(server.stdout.take().expect("it is piped"));
    let mut line = String::new();
    output.read_line(&mut line).expect("a line");
    server.stdout = Some(output.into_inner());
    let start = line.find("http://").unwrap_or_else(|| panic!("no address in {line:?}"));
    line[start..].split_whitespace().next().expect("an address").to_string()
}

#[cfg(unix)]
fn stops_at_ctrl_c(server: &mut Child) {
    let id = server.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().expect("kill can be run");
    assert!(sent.success());
    let status = server.wait().expect("it ends");
    assert!(status.success(), "{status}");
    let mut rest = String::new();
    server.stdout.take().expect("it is piped").read_to_string(&mut rest).expect("text");
    assert!(rest.contains("stopped"), "{rest:?}");
}

#[cfg(not(unix))]
fn stops_at_ctrl_c(_: &mut Child) {}
