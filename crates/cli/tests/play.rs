//! The server of the playground: what it answers, what it refuses, and what it survives.

use belvedere_cli::play::{Options, Server};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// One server for all tests; its port.
fn port() -> u16 {
    static PORT: OnceLock<u16> = OnceLock::new();
    *PORT.get_or_init(|| {
        let server = Server::new(Options { port: 0, ..Options::default() }).unwrap();
        let url = server.url();
        thread::spawn(move || server.run());
        let port = url.trim_end_matches('/').rsplit(':').next().unwrap();
        port.parse().unwrap()
    })
}

/// Sends bytes and reads until the server has nothing more to say.
fn sent(bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // The server may have hung up before the end, which is its right.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// The status and the body of the answer to a request with these lines.
fn asked(first: &str, headers: &[&str], body: &str) -> (u16, String) {
    let mut request = format!("{first} HTTP/1.1\r\nConnection: close\r\n");
    for header in headers {
        request += &format!("{header}\r\n");
    }
    request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let answer = sent(request.as_bytes());
    let status = answer.split(' ').nth(1).and_then(|it| it.parse().ok());
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status.unwrap_or_else(|| panic!("no status in {answer:?}")), body.to_string())
}

fn host() -> String {
    format!("Host: 127.0.0.1:{}", port())
}

fn explained(body: &str) -> (u16, Value) {
    let headers = [&host(), "Content-Type: application/json"];
    let (status, body) = asked("POST /api/explain", &headers, body);
    (status, serde_json::from_str(&body).unwrap_or_else(|_| panic!("no JSON: {body}")))
}

#[test]
fn the_page_and_its_files_are_there() {
    for (path, begins) in [
        ("/", "<!DOCTYPE html>"),
        ("/style.css", ":root"),
        ("/app.js", "//"),
        ("/picture.js", "//"),
        ("/examples.js", "//"),
        ("/icon.svg", "<svg"),
    ] {
        let (status, body) = asked(&format!("GET {path}"), &[&host()], "");
        assert_eq!(status, 200, "{path}");
        assert!(body.starts_with(begins), "{path}: {body:.40}");
    }
    let head =
        sent(format!("GET / HTTP/1.1\r\n{}\r\nConnection: close\r\n\r\n", host()).as_bytes());
    assert!(
        head.contains("content-security-policy: default-src 'none'; script-src 'self'"),
        "{head:.600}"
    );
}

#[test]
fn an_expression_is_explained_and_drawn() {
    let (status, answer) = explained(r#"{"source": "arange(12).reshape(3, 4).T.view(6, 2)"}"#);
    assert_eq!(status, 200);
    let steps = answer["steps"].as_array().unwrap();
    let kinds: Vec<&str> = steps.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["new", "view", "view", "error"]);
    let turned = &steps[2]["drawing"];
    assert_eq!(turned["memory_len"], "12");
    let cells = turned["views"][0]["cells"].as_array().unwrap();
    let places: Vec<u64> = cells.iter().map(|it| it["place"].as_u64().unwrap()).collect();
    assert_eq!(places, [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    assert_eq!(cells[5]["sum"], "0 + 1·1 + 2·4 = 9");
    let views = steps[3]["drawing"]["views"].as_array().unwrap();
    assert_eq!(views[0]["seam"]["from"], "8");
    assert_eq!(views[1]["seam"]["to"], "1");
    let at_seam = views[1]["cells"].as_array().unwrap().iter().filter(|it| it["seam"] == true);
    let before: Vec<&Value> = at_seam.map(|it| &it["index"]).collect();
    assert_eq!(
        before,
        [&serde_json::json!([1, 1]), &serde_json::json!([3, 0]), &serde_json::json!([4, 1])]
    );
}

#[test]
fn arithmetic_shows_how_its_operands_are_spread() {
    let (_, answer) = explained(r#"{"source": "arange(3).reshape(3, 1) + arange(4)"}"#);
    let sum = answer["steps"].as_array().unwrap().last().unwrap();
    let operands = sum["drawing"]["operands"].as_array().unwrap();
    let styled = |operand: &Value, style: &str| {
        let cells = operand["views"][0]["cells"].as_array().unwrap();
        cells.iter().filter(|it| it["style"] == style).count()
    };
    assert_eq!((styled(&operands[0], "plain"), styled(&operands[0], "repeated")), (3, 9));
    assert_eq!((styled(&operands[1], "plain"), styled(&operands[1], "repeated")), (4, 8));
}

#[test]
fn other_libraries_are_compared_with() {
    let (_, answer) = explained(r#"{"source": "arange(6)[::-1]", "as": "torch"}"#);
    let remarks = &answer["steps"][1]["remarks"];
    assert!(!remarks.as_array().unwrap().is_empty(), "{answer}");
}

#[test]
fn foreign_names_and_pages_are_refused() {
    let port = port();
    let refused = [
        (vec!["Host: evil.example".to_string()], 403),
        (vec!["Host: 127.0.0.1".to_string()], 403),
        (vec![format!("Host: 127.0.0.1.evil.example:{port}")], 403),
        (vec![], 400),
        (vec![host(), "Origin: http://evil.example".to_string()], 403),
        (vec![host(), "Origin: null".to_string()], 403),
        (vec![host(), format!("Origin: https://127.0.0.1:{port}")], 403),
        (vec![host(), format!("Origin: http://127.0.0.1:{}", port ^ 1)], 403),
    ];
    for (headers, expected) in refused {
        let mut headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        headers.push("Content-Type: application/json");
        let (status, body) = asked("POST /api/explain", &headers, r#"{"source": "arange(3)"}"#);
        assert_eq!(status, expected, "{headers:?}: {body}");
        assert!(serde_json::from_str::<Value>(&body).unwrap()["error"].is_string());
    }
    for name in ["localhost", "127.0.0.1", "[::1]"] {
        let (host, origin) =
            (format!("Host: {name}:{port}"), format!("Origin: http://{name}:{port}"));
        assert_eq!(asked("GET /", &[&host, &origin], "").0, 200, "{name}");
    }
}

#[test]
fn garbage_is_answered_with_a_clear_refusal() {
    let long = format!(r#"{{"source": "{}"}}"#, "x".repeat(9_000));
    let longer = "x".repeat(70_000);
    for (body, expected, says) in [
        ("", 400, "not JSON"),
        ("{", 400, "not JSON"),
        ("[]", 400, "`source` must be a text"),
        (r#"{"source": 3}"#, 400, "`source` must be a text"),
        (r#"{"source": "x", "as": "fortran"}"#, 400, "not \"fortran\""),
        ("\u{fffd}", 400, "not JSON"),
        (&long, 413, "8192 are allowed"),
        (&longer, 413, "longer than 65536 bytes"),
    ] {
        let (status, answer) = explained(body);
        let error = answer["error"].as_str().unwrap();
        assert_eq!(status, expected, "{body:.40}: {error}");
        assert!(error.contains(says), "{body:.40}: {error}");
    }
    assert_eq!(asked("GET /api/explain", &[&host()], "").0, 405);
    assert_eq!(asked("POST /", &[&host()], "").0, 405);
    assert_eq!(asked("GET /../Cargo.toml", &[&host()], "").0, 404);
    assert_eq!(asked("GET /%00", &[&host()], "").0, 404);
    let plain = [&host(), "Content-Type: text/plain"];
    assert_eq!(asked("POST /api/explain", &plain, r#"{"source": "x"}"#).0, 415);
}

#[test]
fn what_is_no_request_at_all_is_survived() {
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(100_000));
    for bytes in [&b"\0\0\0\0\r\n\r\n"[..], b"HELO\r\n\r\n", b"GET\r\n\r\n", long.as_bytes()] {
        let answer = sent(bytes);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer:.80}");
    }
    assert_eq!(asked("GET /", &[&host()], "").0, 200);
}

#[test]
fn a_body_that_never_comes_is_not_waited_for_long() {
    let head = format!(
        "POST /api/explain HTTP/1.1\r\n{}\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Content-Length: 10\r\n\r\n{{",
        host()
    );
    let answer = sent(head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("the body took too long"), "{answer}");
}

#[test]
fn no_expression_is_too_large_to_be_drawn() {
    for source in [
        "zeros(1000000, 1000000).T[::-1]",
        "zeros(1).expand(1000000, 1000000, 1000000)",
        "arange(10).pad(((1000000000000, 5),))",
        "arange(2).reshape(2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)",
        "zeros(0, 3)",
        "arange(1000000).unfold(0, 1000, 1)",
        "arange(1000000).reshape(1000,1000).T.view(1000000)",
    ] {
        let (status, answer) = explained(&serde_json::json!({ "source": source }).to_string());
        assert_eq!(status, 200, "{source}");
        let step = answer["steps"].as_array().unwrap().last().unwrap();
        assert!(step["drawing"].is_object(), "{source}: {step}");
        assert!(answer.to_string().len() < 400_000, "{source}");
    }
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let taken = Server::new(Options { port: port(), ..Options::default() });
    assert_eq!(taken.err().unwrap().kind(), std::io::ErrorKind::AddrInUse);
}
