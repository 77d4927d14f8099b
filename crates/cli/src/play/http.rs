//! Request handling: checks of host, origin, method and size, and the responses.
//!
//! Any page in the same browser can send requests to this machine. So the names by which we are called
//! are checked (`Host`, against names that lead here from elsewhere), and so is who asks (`Origin`); and
//! what is sent must say that it is JSON, which no form of a foreign page can.

use super::api;
use super::page::{self, File};
use crate::explain::{Dialect, explain};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, HeaderValue,
    ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// The longest body that is read, in bytes. An expression is much shorter.
const MAX_BODY: usize = 64 * 1024;

/// The longest expression, in bytes.
const MAX_SOURCE: usize = 8 * 1024;

/// How long a body may take to arrive, and how long an explanation may take.
const MAX_TIME: Duration = Duration::from_secs(5);

/// How many explanations are worked on at once.
const MAX_WORKERS: usize = 4;

/// The address of the interface.
const API: &str = "/api/explain";

/// What the page may load: what it came with.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// An answer to a request.
pub(super) type Answer = Response<Full<Bytes>>;

/// A refusal: its status, and why, in a sentence.
type Refused = (StatusCode, String);

/// Answers requests.
pub(super) struct Desk {
    address: SocketAddr,
    /// The names by which we may be called, with the port.
    hosts: Vec<String>,
    workers: Arc<Semaphore>,
}

impl Desk {
    /// Answers those who came to `address`.
    pub(super) fn new(address: SocketAddr) -> Desk {
        let port = address.port();
        let names = ["127.0.0.1".to_string(), "localhost".to_string(), "[::1]".to_string()];
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        hosts.push(address.to_string());
        if port == 80 {
            hosts.extend(names);
        }
        Desk { address, hosts, workers: Arc::new(Semaphore::new(MAX_WORKERS)) }
    }

    /// The answer to a request, whatever it is.
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Answer {
        let answer = match self.accepted(&request) {
            Ok(()) => self.route(request).await,
            Err(refused) => Err(refused),
        };
        answer.unwrap_or_else(refusal)
    }

    /// Whether it comes from our own page, or from no page at all.
    fn accepted(&self, request: &Request<Incoming>) -> Result<(), Refused> {
        let header = |name: HeaderName| request.headers().get(name).map(HeaderValue::as_bytes);
        let is_ours = |host: &[u8]| self.is_called(&String::from_utf8_lossy(host));
        match header(HOST) {
            None => return Err((StatusCode::BAD_REQUEST, "there is no Host header".into())),
            Some(host) if !is_ours(host) => {
                let host = String::from_utf8_lossy(host);
                return Err((StatusCode::FORBIDDEN, format!("this server is not `{host}`")));
            }
            Some(_) => {}
        }
        match header(ORIGIN) {
            Some(origin) if !origin.strip_prefix(b"http://").is_some_and(is_ours) => {
                let origin = String::from_utf8_lossy(origin);
                Err((StatusCode::FORBIDDEN, format!("pages of `{origin}` may not ask here")))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether `host` is one of the server's names. A server that listens on all addresses accepts each of them
    /// as an IP address: unlike a DNS name, it cannot be rebound to another server.
    fn is_called(&self, host: &str) -> bool {
        let is_number =
            |host: &str| host.parse().is_ok_and(|it: SocketAddr| it.port() == self.address.port());
        let listens_everywhere = self.address.ip().is_unspecified();
        self.hosts.iter().any(|it| it == host) || listens_everywhere && is_number(host)
    }

    async fn route(&self, request: Request<Incoming>) -> Result<Answer, Refused> {
        let path = request.uri().path();
        let is_get = matches!(*request.method(), Method::GET | Method::HEAD);
        match (path, page::file(path)) {
            (API, _) if *request.method() == Method::POST => self.explain(request).await,
            (API, _) => Ok(not_allowed("POST")),
            (_, Some(file)) if is_get => Ok(sent(file)),
            (_, Some(_)) => Ok(not_allowed("GET, HEAD")),
            (path, None) => Err((StatusCode::NOT_FOUND, format!("there is no `{path}`"))),
        }
    }

    async fn explain(&self, request: Request<Incoming>) -> Result<Answer, Refused> {
        let media = request.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let is_json = media.is_some_and(|it| {
            it.split(|&byte| byte == b';').next().is_some_and(|it| it == b"application/json")
        });
        if !is_json {
            let message = "the content type must be application/json".to_string();
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
        let (source, dialect) = asked(&body(request).await?)?;
        // The permit goes with the work: a thread cannot be stopped, so it counts until it ends.
        let permit = timeout(MAX_TIME, Arc::clone(&self.workers).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else { return Err(too_busy()) };
        let work = tokio::task::spawn_blocking(move || {
            let answer = api::answer(&explain(&source, dialect)).to_string();
            drop(permit);
            answer
        });
        match timeout(MAX_TIME, work).await {
            Ok(Ok(answer)) => Ok(made(StatusCode::OK, "application/json", answer)),
            Ok(Err(_)) => {
                let message = "the program failed on this expression; please report it";
                Err((StatusCode::INTERNAL_SERVER_ERROR, message.to_string()))
            }
            Err(_) => Err(too_busy()),
        }
    }
}

/// The whole body, if it is short and comes in time.
async fn body(request: Request<Incoming>) -> Result<Bytes, Refused> {
    let body = Limited::new(request.into_body(), MAX_BODY);
    match timeout(MAX_TIME, body.collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("the body is longer than {MAX_BODY} bytes");
            Err((StatusCode::PAYLOAD_TOO_LARGE, message))
        }
        Ok(Err(error)) => Err((StatusCode::BAD_REQUEST, format!("the body broke off: {error}"))),
        Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the body took too long".into())),
    }
}

/// The expression and whose rules to compare with.
fn asked(body: &[u8]) -> Result<(String, Option<Dialect>), Refused> {
    let bad = |message: String| (StatusCode::BAD_REQUEST, message);
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| bad(format!("the body is not JSON: {error}")))?;
    let Some(source) = value.get("source").and_then(Value::as_str) else {
        return Err(bad("`source` must be a text".into()));
    };
    if source.len() > MAX_SOURCE {
        let message = format!("`source` has {} bytes; {MAX_SOURCE} are allowed", source.len());
        return Err((StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    let dialect = match value.get("as") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) if name == "numpy" => Some(Dialect::NumPy),
        Some(Value::String(name)) if name == "torch" => Some(Dialect::PyTorch),
        Some(other) => {
            return Err(bad(format!("`as` is \"numpy\", \"torch\" or null, not {other}")));
        }
    };
    Ok((source.to_string(), dialect))
}

fn too_busy() -> Refused {
    let message = format!("this took longer than {} seconds", MAX_TIME.as_secs());
    (StatusCode::SERVICE_UNAVAILABLE, message)
}

fn sent(file: &File) -> Answer {
    made(StatusCode::OK, file.media, file.text)
}

fn not_allowed(methods: &'static str) -> Answer {
    let mut answer =
        refusal((StatusCode::METHOD_NOT_ALLOWED, format!("allowed is {methods} only")));
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    answer
}

fn refusal((status, message): Refused) -> Answer {
    made(status, "application/json", json!({ "error": message }).to_string())
}

fn made(status: StatusCode, media: &'static str, text: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(text.into()));
    *answer.status_mut() = status;
    let media = match media {
        "text/html" => "text/html; charset=utf-8",
        "text/css" => "text/css; charset=utf-8",
        "text/javascript" => "text/javascript; charset=utf-8",
        other => other,
    };
    let headers = [
        (CONTENT_TYPE, media),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in headers {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_knows_its_names() {
        let here = Desk::new(SocketAddr::from(([127, 0, 0, 1], 4747)));
        let everywhere = Desk::new(SocketAddr::from(([0, 0, 0, 0], 4747)));
        for name in ["127.0.0.1:4747", "localhost:4747", "[::1]:4747"] {
            assert!(here.is_called(name) && everywhere.is_called(name), "{name}");
        }
        assert!(!here.is_called("192.168.1.7:4747") && everywhere.is_called("192.168.1.7:4747"));
        for name in ["192.168.1.7:80", "192.168.1.7", "evil.example:4747", "", "localhost"] {
            assert!(!here.is_called(name) && !everywhere.is_called(name), "{name}");
        }
        assert!(Desk::new(SocketAddr::from(([127, 0, 0, 1], 80))).is_called("localhost"));
    }
}
