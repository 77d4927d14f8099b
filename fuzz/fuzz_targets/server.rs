//! Requests to the playground: any bytes are answered or refused, and the server goes on.

#![no_main]

use belvedere_cli::play::{Options, Server};
use libfuzzer_sys::fuzz_target;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::LazyLock;
use std::time::Duration;

/// The address of a server that runs as long as the process.
static ADDRESS: LazyLock<String> = LazyLock::new(|| {
    let server = Server::new(Options { port: 0, ..Options::default() }).expect("a free port");
    let address = server.url().trim_start_matches("http://").trim_end_matches('/').to_string();
    std::thread::spawn(move || server.run());
    address
});

/// Sends bytes on a new connection.
fn send(bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(ADDRESS.as_str()).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    // The server may close the connection before it has read everything.
    let _ = stream.write_all(bytes);
    stream
}

/// Sends a request and returns the answer.
fn ask(body: &str) -> Vec<u8> {
    let mut answer = Vec::new();
    let _ = send(request(body).as_bytes()).read_to_end(&mut answer);
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
            ask(&String::from_utf8_lossy(rest));
        }
        _ => {
            send(data);
        }
    }
    let answer = ask("{\"source\": \"arange(3)\", \"as\": null}");
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
});
