//! The server of the playground: responses, rejected requests and limits.

use belvedere_cli::play::{Options, Server};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// Returns the port of the server that all tests share.
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

/// Sends bytes and reads the response until the connection is closed.
fn send(bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // The server may close the connection before everything is sent.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// Sends a request and returns the status and the body of the response.
fn request(first: &str, headers: &[&str], body: &str) -> (u16, String) {
    let mut text = format!("{first} HTTP/1.1\r\nConnection: close\r\n");
    for header in headers {
        text += &format!("{header}\r\n");
    }
    text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let answer = send(text.as_bytes());
    let status = answer.split(' ').nth(1).and_then(|it| it.parse().ok());
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status.unwrap_or_else(|| panic!("no status in {answer:?}")), body.to_string())
}

fn host() -> String {
    format!("Host: 127.0.0.1:{}", port())
}

fn explain_request(body: &str) -> (u16, Value) {
    let headers = [&host(), "Content-Type: application/json"];
    let (status, body) = request("POST /api/explain", &headers, body);
    (status, serde_json::from_str(&body).unwrap_or_else(|_| panic!("no JSON: {body}")))
}

#[test]
fn the_page_and_its_files_are_served() {
    for (path, begins) in [
        ("/", "<!DOCTYPE html>"),
        ("/style.css", ":root"),
        ("/app.js", "//"),
        ("/editor.js", "//"),
        ("/grid.js", "//"),
        ("/info.js", "//"),
        ("/picture.js", "//"),
        ("/timeline.js", "//"),
        ("/examples.js", "//"),
        ("/icon.svg", "<svg"),
    ] {
        let (status, body) = request(&format!("GET {path}"), &[&host()], "");
        assert_eq!(status, 200, "{path}");
        assert!(body.starts_with(begins), "{path}: {body:.40}");
    }
    let head =
        send(format!("GET / HTTP/1.1\r\n{}\r\nConnection: close\r\n\r\n", host()).as_bytes());
    assert!(
        head.contains("content-security-policy: default-src 'none'; script-src 'self'"),
        "{head:.600}"
    );
}

#[test]
fn an_expression_is_explained_and_drawn() {
    let (status, answer) =
        explain_request(r#"{"source": "arange(12).reshape(3, 4).T.view(6, 2)"}"#);
    assert_eq!(status, 200);
    let steps = answer["steps"].as_array().unwrap();
    let kinds: Vec<&str> = steps.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["new", "view", "view", "error"]);
    let transposed = &steps[2]["drawing"];
    assert_eq!(transposed["memory_len"], "12");
    let cells = transposed["views"][0]["cells"].as_array().unwrap();
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
fn operands_are_drawn_broadcast_to_the_result() {
    let (_, answer) = explain_request(r#"{"source": "arange(3).reshape(3, 1) + arange(4)"}"#);
    let sum = answer["steps"].as_array().unwrap().last().unwrap();
    let operands = sum["drawing"]["operands"].as_array().unwrap();
    let styled = |operand: &Value, style: &str| {
        let cells = operand["views"][0]["cells"].as_array().unwrap();
        cells.iter().filter(|it| it["style"] == style).count()
    };
    assert_eq!((styled(&operands[0], "plain"), styled(&operands[0], "repeated")), (3, 9));
    assert_eq!((styled(&operands[1], "plain"), styled(&operands[1], "repeated")), (4, 8));
}

/// Explains a program and returns its last step.
fn last_step(source: &str) -> Value {
    let (status, answer) = explain_request(&serde_json::json!({ "source": source }).to_string());
    assert_eq!(status, 200, "{source}");
    answer["steps"].as_array().unwrap().last().unwrap().clone()
}

#[test]
fn operands_of_reductions_and_products_have_the_axes_that_are_kept() {
    let sum = last_step("arange(12).reshape(3, 4).sum(axis=0)");
    assert_eq!(sum["drawing"]["computation"], "reduction");
    let reads = &sum["drawing"]["operands"][0]["reads"];
    assert_eq!(*reads, serde_json::json!({ "kept": [[1, 0]], "reduced": [0] }));
    let product = last_step("arange(6).reshape(2, 3) @ arange(12).reshape(3, 4)");
    let operands = product["drawing"]["operands"].as_array().unwrap();
    assert_eq!(operands[0]["reads"]["kept"], serde_json::json!([[0, 0]]));
    assert_eq!(operands[1]["reads"]["kept"], serde_json::json!([[1, 1]]));
    // An element of a sorted tensor depends on all of them.
    let sorted = last_step("sort(arange(4))");
    assert_eq!(sorted["drawing"]["operands"][0]["reads"], Value::Null);
}

#[test]
fn three_operands_are_drawn_and_the_others_counted() {
    let step = last_step("a = arange(3)\nstack([a, a, a, a, a, a, a])");
    assert_eq!(step["drawing"]["operands"].as_array().unwrap().len(), 3);
    assert_eq!(step["drawing"]["more_operands"], 4);
    // A stack has the length of a broadcast, but its operands are not broadcast.
    assert_eq!(step["drawing"]["operands"][0]["views"][0]["shape"], serde_json::json!([3]));
}

#[test]
fn a_write_has_its_cells_and_the_values_before_it() {
    let step = last_step("x = arange(6).reshape(2, 3)\nx[:, 1] += 10");
    assert_eq!((&step["kind"], &step["line"]), (&"in place".into(), &2.into()));
    let drawing = &step["drawing"];
    assert_eq!(drawing["written"], serde_json::json!([1, 4]));
    assert_eq!(drawing["values"], serde_json::json!(["0", "11", "2", "3", "14", "5"]));
    assert_eq!(drawing["before"], serde_json::json!(["0", "1", "2", "3", "4", "5"]));
    let masked = last_step("x = arange(4)\nx[x > 2] = 0");
    assert_eq!(masked["drawing"]["written"], serde_json::json!([3]));
    let whole = last_step("x = arange(4)\nx[:] = 0");
    assert_eq!(whole["drawing"]["written"], serde_json::json!([0, 1, 2, 3]));
    // Operands have the values that they had at this step.
    let later = last_step("x = arange(3)\nx += 5\nx * 2");
    assert_eq!(later["drawing"]["operands"][0]["values"], serde_json::json!(["5", "6", "7"]));
    let large = last_step("x = zeros(100000)\nx += 1");
    assert!(large["drawing"]["before"].as_array().unwrap().iter().all(Value::is_null));
}

#[test]
fn the_memory_of_each_step_is_in_the_answer() {
    let step = last_step("x = zeros(100)\ny = x + 1");
    assert_eq!((&step["live_bytes"], &step["peak_bytes"]), (&1600.into(), &1600.into()));
    // Clamped to 64 bits.
    let huge = last_step(
        "a, b, c, d, e = [zeros(2**59), zeros(2**59), zeros(2**59), zeros(2**59), zeros(2**59)]\na",
    );
    assert_eq!(huge["live_bytes"], u64::MAX);
}

#[test]
fn the_as_field_adds_remarks() {
    let (_, answer) = explain_request(r#"{"source": "arange(6)[::-1]", "as": "torch"}"#);
    let remarks = &answer["steps"][1]["remarks"];
    assert!(!remarks.as_array().unwrap().is_empty(), "{answer}");
}

#[test]
fn unknown_hosts_and_foreign_origins_are_rejected() {
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
        let (status, body) = request("POST /api/explain", &headers, r#"{"source": "arange(3)"}"#);
        assert_eq!(status, expected, "{headers:?}: {body}");
        assert!(serde_json::from_str::<Value>(&body).unwrap()["error"].is_string());
    }
    for name in ["localhost", "127.0.0.1", "[::1]"] {
        let (host, origin) =
            (format!("Host: {name}:{port}"), format!("Origin: http://{name}:{port}"));
        assert_eq!(request("GET /", &[&host, &origin], "").0, 200, "{name}");
    }
}

#[test]
fn invalid_requests_get_an_error_status_and_message() {
    let long = format!(r#"{{"source": "{}"}}"#, "x".repeat(9_000));
    let longer = "x".repeat(70_000);
    for (body, expected, says) in [
        ("", 400, "not JSON"),
        ("{", 400, "not JSON"),
        ("[]", 400, "`source` must be a string"),
        (r#"{"source": 3}"#, 400, "`source` must be a string"),
        (r#"{"source": "x", "as": "fortran"}"#, 400, "got \"fortran\""),
        ("\u{fffd}", 400, "not JSON"),
        (&long, 413, "8192 are allowed"),
        (&longer, 413, "longer than 65536 bytes"),
    ] {
        let (status, answer) = explain_request(body);
        let error = answer["error"].as_str().unwrap();
        assert_eq!(status, expected, "{body:.40}: {error}");
        assert!(error.contains(says), "{body:.40}: {error}");
    }
    assert_eq!(request("GET /api/explain", &[&host()], "").0, 405);
    assert_eq!(request("POST /", &[&host()], "").0, 405);
    assert_eq!(request("GET /../Cargo.toml", &[&host()], "").0, 404);
    assert_eq!(request("GET /%00", &[&host()], "").0, 404);
    let plain = [&host(), "Content-Type: text/plain"];
    assert_eq!(request("POST /api/explain", &plain, r#"{"source": "x"}"#).0, 415);
}

#[test]
fn malformed_http_does_not_stop_the_server() {
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(100_000));
    for bytes in [&b"\0\0\0\0\r\n\r\n"[..], b"HELO\r\n\r\n", b"GET\r\n\r\n", long.as_bytes()] {
        let answer = send(bytes);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer:.80}");
    }
    assert_eq!(request("GET /", &[&host()], "").0, 200);
}

#[test]
fn an_incomplete_body_times_out() {
    let head = format!(
        "POST /api/explain HTTP/1.1\r\n{}\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Content-Length: 10\r\n\r\n{{",
        host()
    );
    let answer = send(head.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("timeout while reading the body"), "{answer}");
}

#[test]
fn large_tensors_are_drawn_within_limits() {
    for source in [
        "zeros(1000000, 1000000).T[::-1]",
        "zeros(1).expand(1000000, 1000000, 1000000)",
        "arange(10).pad(((1000000000000, 5),))",
        "arange(2).reshape(2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)",
        "zeros(0, 3)",
        "arange(1000000).unfold(0, 1000, 1)",
        "arange(1000000).reshape(1000,1000).T.view(1000000)",
        "a = zeros(1000, 1000); concatenate([a, a, a, a, a, a, a, a, a, a, a, a])",
        "a = zeros(1000, 1000); a[::2] += a[1::2]",
        "zeros(1000, 1000, 1000).sum(axis=1)",
    ] {
        let (status, answer) =
            explain_request(&serde_json::json!({ "source": source }).to_string());
        assert_eq!(status, 200, "{source}");
        let step = answer["steps"].as_array().unwrap().last().unwrap();
        assert!(step["drawing"].is_object(), "{source}: {step}");
        assert!(answer.to_string().len() < 400_000, "{source}");
    }
}

#[test]
fn a_port_in_use_is_an_error() {
    let taken = Server::new(Options { port: port(), ..Options::default() });
    assert_eq!(taken.err().unwrap().kind(), std::io::ErrorKind::AddrInUse);
}

#[test]
fn repeated_host_and_origin_headers_are_refused() {
    let origin = format!("Origin: http://127.0.0.1:{}", port());
    for headers in [[host(), host()], [host(), host().to_uppercase()]] {
        let (status, body) = request("GET /", &[&headers[0], &headers[1]], "");
        assert_eq!((status, body.contains("several host headers")), (400, true), "{body}");
    }
    let (status, body) = request("GET /", &[&host(), &origin, &origin], "");
    assert_eq!((status, body.contains("several origin headers")), (400, true), "{body}");
}

/// The server closes a connection whose client sends requests and reads no responses: with as many of them as
/// connections are allowed, another client is served all the same.
#[test]
fn clients_that_do_not_read_do_not_hold_the_server() {
    let options =
        Options { port: 0, write_timeout: Duration::from_millis(100), ..Options::default() };
    let server = Server::new(options).unwrap();
    let address = server.url().trim_start_matches("http://").trim_end_matches('/').to_string();
    thread::spawn(move || server.run());
    let one = format!("GET /app.js HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let many = one.repeat(2000);
    let held: Vec<TcpStream> = (0..64)
        .map(|_| {
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.set_write_timeout(Some(Duration::from_millis(50))).unwrap();
            // The server stops reading when its responses are not read.
            let _ = stream.write_all(many.as_bytes());
            stream
        })
        .collect();
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let last = format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(last.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer:.100}");
    drop(held);
}

#[test]
fn an_empty_tensor_with_a_long_axis_is_drawn() {
    let (status, answer) = explain_request(r#"{"source": "zeros((0, 0, 10**18))"}"#);
    assert_eq!((status, &answer["steps"][0]["error"]), (200, &Value::Null), "{answer}");
}
