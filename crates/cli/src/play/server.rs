//! The HTTP server: hyper on one thread, with limits on all resources a client can hold.

use super::http::RequestHandler;
use super::timed_stream::TimedStream;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The default port.
pub const DEFAULT_PORT: u16 = 4747;

/// The maximum number of open connections; browsers open six per host.
const MAX_CONNECTIONS: usize = 64;

/// The timeout for receiving the headers of a request, which also closes idle connections.
const HEADER_TIMEOUT: Duration = Duration::from_secs(20);

/// The timeout for a client to receive more of a response. A client that sends requests and reads no responses
/// would hold its connection.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest time that a connection stays open; browsers open another one.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(120);

/// The maximum size of the headers of a request.
const MAX_HEADER_BYTES: usize = 16 * 1024;

/// The time that pending responses may take after Ctrl-C.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// The address to listen on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The address to listen on; the loopback address by default.
    pub host: IpAddr,
    /// The port; 0 selects any free port.
    pub port: u16,
    /// The time after which a connection is closed whose client receives nothing of a response.
    pub write_timeout: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: DEFAULT_PORT,
            write_timeout: WRITE_TIMEOUT,
        }
    }
}

/// A server with a bound listener.
pub struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
    write_timeout: Duration,
}

impl Server {
    /// Binds the address.
    ///
    /// # Errors
    /// If the address does not belong to this machine or the port is in use.
    pub fn new(options: Options) -> io::Result<Server> {
        let listener = std::net::TcpListener::bind((options.host, options.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Server { listener, address, write_timeout: options.write_timeout })
    }

    /// Returns the URL of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Opens the page in the default browser. Returns as soon as the command is started.
    ///
    /// # Errors
    /// If the command that opens a browser does not exist.
    pub fn open_browser(&self) -> io::Result<()> {
        let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
            "macos" => ("open", &[]),
            "windows" => ("explorer", &[]),
            _ => ("xdg-open", &[]),
        };
        let mut command = Command::new(program);
        command.args(arguments).arg(self.url()).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(drop)
    }

    /// Serves requests until SIGINT or SIGTERM.
    ///
    /// # Errors
    /// If the event loop or the signal handlers cannot be set up.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let outcome = runtime.block_on(async { self.serve(interrupted()?).await });
        // Blocking tasks cannot be cancelled; they are abandoned after the timeout.
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        outcome
    }

    async fn serve(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let listener = TcpListener::from_std(self.listener)?;
        let handler = Arc::new(RequestHandler::new(self.address));
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut connections = JoinSet::new();
        let accept = async {
            loop {
                // A permit is released when a connection ends. The semaphore is never closed.
                let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
                let Ok((stream, _)) = listener.accept().await else {
                    // For example, no file descriptor is free: retry after some connections have ended.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                while connections.try_join_next().is_some() {}
                let handler = Arc::clone(&handler);
                let stream = TimedStream::new(stream, self.write_timeout);
                connections.spawn(async move {
                    // The time of a connection is bounded, whatever the client does.
                    let served = connection(stream, &handler);
                    let _ = tokio::time::timeout(CONNECTION_TIMEOUT, served).await;
                    drop(permit);
                });
            }
        };
        select_first(stop, accept).await;
        drop(listener);
        let all_ended = async { while connections.join_next().await.is_some() {} };
        // Idle keep-alive connections are closed after the timeout.
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT / 4, all_ended).await;
        Ok(())
    }
}

/// Serves one connection. Connection errors are ignored.
async fn connection(stream: TimedStream, handler: &RequestHandler) {
    let answer = service_fn(|request| async { Ok::<_, Infallible>(handler.answer(request).await) });
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), answer)
        .await;
}

/// Installs the handlers for SIGINT and SIGTERM, and returns a future that waits for one of them.
fn interrupted() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        Ok(async move {
            select_first(interrupt.recv(), terminate.recv()).await;
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// Waits for the first of two futures and drops the other.
async fn select_first(a: impl Future, b: impl Future) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    std::future::poll_fn(|context| {
        let is_done = a.as_mut().poll(context).is_ready() || b.as_mut().poll(context).is_ready();
        if is_done { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}
