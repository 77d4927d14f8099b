//! Request handling: checks of host, origin, method and size, and the responses.
//!
//! Any page in the same browser can send requests to a local server. Three checks keep other sites out: `Host` must be
//! a name of this server (against DNS rebinding), `Origin` must be this server (against cross-origin requests), and
//! the content type must be JSON, which an HTML form of another site cannot send.

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

/// The maximum length of a request body.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// The maximum length of an expression.
const MAX_SOURCE_BYTES: usize = 8 * 1024;

/// The timeout for receiving a body, and for an explanation.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum number of explanations computed concurrently.
const MAX_WORKERS: usize = 4;

/// The path of the API.
const API_PATH: &str = "/api/explain";

/// The content security policy: the page loads files of this server only.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A response to a request.
pub(super) type HttpResponse = Response<Full<Bytes>>;

/// The status and the message of an error response.
type HttpError = (StatusCode, String);

/// Handles requests.
pub(super) struct RequestHandler {
    address: SocketAddr,
    /// The accepted values of `Host`, with the port.
    hosts: Vec<String>,
    workers: Arc<Semaphore>,
}

impl RequestHandler {
    /// Returns a handler for a server that listens on `address`.
    pub(super) fn new(address: SocketAddr) -> RequestHandler {
        let port = address.port();
        let names = ["127.0.0.1".to_string(), "localhost".to_string(), "[::1]".to_string()];
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        hosts.push(address.to_string());
        if port == 80 {
            hosts.extend(names);
        }
        RequestHandler { address, hosts, workers: Arc::new(Semaphore::new(MAX_WORKERS)) }
    }

    /// Returns the response to a request.
    pub(super) async fn answer(&self, request: Request<Incoming>) -> HttpResponse {
        let answer = match self.check_origin(&request) {
            Ok(()) => self.route(request).await,
            Err(refused) => Err(refused),
        };
        answer.unwrap_or_else(error_response)
    }

    /// Checks `Host` and `Origin`. Requests without `Origin`, such as those of command line tools, are accepted.
    fn check_origin(&self, request: &Request<Incoming>) -> Result<(), HttpError> {
        let header = |name: HeaderName| request.headers().get(name).map(HeaderValue::as_bytes);
        for name in [HOST, ORIGIN] {
            // Other software in between may have checked another one of them.
            if request.headers().get_all(&name).iter().count() > 1 {
                return Err((StatusCode::BAD_REQUEST, format!("several {name} headers")));
            }
        }
        let is_ours = |host: &[u8]| self.is_known_host(&String::from_utf8_lossy(host));
        match header(HOST) {
            None => return Err((StatusCode::BAD_REQUEST, "missing Host header".into())),
            Some(host) if !is_ours(host) => {
                let host = String::from_utf8_lossy(host);
                return Err((StatusCode::FORBIDDEN, format!("unknown host `{host}`")));
            }
            Some(_) => {}
        }
        match header(ORIGIN) {
            Some(origin) if !origin.strip_prefix(b"http://").is_some_and(is_ours) => {
                let origin = String::from_utf8_lossy(origin);
                Err((StatusCode::FORBIDDEN, format!("cross-origin request from `{origin}`")))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether `host` is one of the server's names. A server that listens on all addresses accepts each of them
    /// as an IP address: unlike a DNS name, it cannot be rebound to another server.
    fn is_known_host(&self, host: &str) -> bool {
        let is_number =
            |host: &str| host.parse().is_ok_and(|it: SocketAddr| it.port() == self.address.port());
        let listens_everywhere = self.address.ip().is_unspecified();
        self.hosts.iter().any(|it| it == host) || listens_everywhere && is_number(host)
    }

    async fn route(&self, request: Request<Incoming>) -> Result<HttpResponse, HttpError> {
        let path = request.uri().path();
        let is_get = matches!(*request.method(), Method::GET | Method::HEAD);
        match (path, page::file(path)) {
            (API_PATH, _) if *request.method() == Method::POST => self.explain(request).await,
            (API_PATH, _) => Ok(not_allowed("POST")),
            (_, Some(file)) if is_get => Ok(serve_file(file)),
            (_, Some(_)) => Ok(not_allowed("GET, HEAD")),
            (path, None) => Err((StatusCode::NOT_FOUND, format!("`{path}` not found"))),
        }
    }

    async fn explain(&self, request: Request<Incoming>) -> Result<HttpResponse, HttpError> {
        let media = request.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let is_json = media.is_some_and(|it| {
            it.split(|&byte| byte == b';').next().is_some_and(|it| it == b"application/json")
        });
        if !is_json {
            let message = "the content type must be application/json".to_string();
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
        let (source, dialect) = parse_request(&body(request).await?)?;
        // The worker holds the permit: a blocking task cannot be cancelled, so it counts until it ends.
        let permit = timeout(REQUEST_TIMEOUT, Arc::clone(&self.workers).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else { return Err(timed_out()) };
        let work = tokio::task::spawn_blocking(move || {
            let answer = api::answer(&explain(&source, dialect)).to_string();
            drop(permit);
            answer
        });
        match timeout(REQUEST_TIMEOUT, work).await {
            Ok(Ok(answer)) => Ok(response(StatusCode::OK, "application/json", answer)),
            Ok(Err(_)) => {
                let message = "the program failed on this expression; please report it";
                Err((StatusCode::INTERNAL_SERVER_ERROR, message.to_string()))
            }
            Err(_) => Err(timed_out()),
        }
    }
}

/// Reads the body, up to [`MAX_BODY_BYTES`] and within [`REQUEST_TIMEOUT`].
async fn body(request: Request<Incoming>) -> Result<Bytes, HttpError> {
    let body = Limited::new(request.into_body(), MAX_BODY_BYTES);
    match timeout(REQUEST_TIMEOUT, body.collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("the body is longer than {MAX_BODY_BYTES} bytes");
            Err((StatusCode::PAYLOAD_TOO_LARGE, message))
        }
        Ok(Err(error)) => {
            Err((StatusCode::BAD_REQUEST, format!("reading the body failed: {error}")))
        }
        Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "timeout while reading the body".into())),
    }
}

/// Parses a request into the expression and the library to compare with.
fn parse_request(body: &[u8]) -> Result<(String, Option<Dialect>), HttpError> {
    let bad = |message: String| (StatusCode::BAD_REQUEST, message);
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| bad(format!("the body is not JSON: {error}")))?;
    let Some(source) = value.get("source").and_then(Value::as_str) else {
        return Err(bad("`source` must be a string".into()));
    };
    if source.len() > MAX_SOURCE_BYTES {
        let message =
            format!("`source` has {} bytes; {MAX_SOURCE_BYTES} are allowed", source.len());
        return Err((StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    let dialect = match value.get("as") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) if name == "numpy" => Some(Dialect::NumPy),
        Some(Value::String(name)) if name == "torch" => Some(Dialect::PyTorch),
        Some(other) => {
            return Err(bad(format!("`as` must be \"numpy\", \"torch\" or null, got {other}")));
        }
    };
    Ok((source.to_string(), dialect))
}

fn timed_out() -> HttpError {
    let message =
        format!("timeout: the request took longer than {} seconds", REQUEST_TIMEOUT.as_secs());
    (StatusCode::SERVICE_UNAVAILABLE, message)
}

fn serve_file(file: &File) -> HttpResponse {
    response(StatusCode::OK, file.media, file.text)
}

fn not_allowed(methods: &'static str) -> HttpResponse {
    let mut answer = error_response((
        StatusCode::METHOD_NOT_ALLOWED,
        format!("method not allowed; use {methods}"),
    ));
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    answer
}

fn error_response((status, message): HttpError) -> HttpResponse {
    response(status, "application/json", json!({ "error": message }).to_string())
}

fn response(status: StatusCode, media: &'static str, text: impl Into<Bytes>) -> HttpResponse {
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
        (CONTENT_SECURITY_POLICY, CONTENT_POLICY),
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
    fn the_host_is_a_name_or_an_address_of_the_server() {
        let here = RequestHandler::new(SocketAddr::from(([127, 0, 0, 1], 4747)));
        let everywhere = RequestHandler::new(SocketAddr::from(([0, 0, 0, 0], 4747)));
        for name in ["127.0.0.1:4747", "localhost:4747", "[::1]:4747"] {
            assert!(here.is_known_host(name) && everywhere.is_known_host(name), "{name}");
        }
        assert!(
            !here.is_known_host("192.168.1.7:4747") && everywhere.is_known_host("192.168.1.7:4747")
        );
        for name in ["192.168.1.7:80", "192.168.1.7", "evil.example:4747", "", "localhost"] {
            assert!(!here.is_known_host(name) && !everywhere.is_known_host(name), "{name}");
        }
        assert!(
            RequestHandler::new(SocketAddr::from(([127, 0, 0, 1], 80))).is_known_host("localhost")
        );
    }
}
