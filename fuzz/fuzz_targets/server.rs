//! Requests to the playground: any bytes are answered or refused, and the server goes on.

#![no_main]

use belvedere_cli::play::{Options, Server};
use libfuzzer_sys::fuzz_target;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::LazyLock;
use std::time::Duration;

/// The address of a server that runs as long as the process.
static ADDRESS: LazyLock<String> = LazyLock::new(|| {
    let server = Server::new(Options { port: 0, ..Options::default() }).expect("a free port");
    let address = server.url().trim_start_matches("http://").trim_end_matches('/').to_string();
    std::thread::spawn(move || server.run());
    address
});

/// Sends bytes and returns what the server answers until it closes the connection.
fn send(bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(ADDRESS.as_str()).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    // The server may close the connection before it has read everything.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

fn request(body: &str) -> String {
    let address = ADDRESS.as_str();
    format!(
        "POST /api/explain HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fuzz_target!(|data: &[u8]| {
    match data.split_first() {
        // A well-formed request with any body.
        Some((first, rest)) if first % 2 == 0 => {
            send(request(&String::from_utf8_lossy(rest)).as_bytes());
        }
        _ => {
            send(data);
        }
    }
    let answer = send(request("{\"source\": \"arange(3)\", \"as\": null}").as_bytes());
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
});
