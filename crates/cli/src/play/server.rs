//! The HTTP server: hyper on one thread, with limits on all resources a client can hold.

use super::http::Desk;
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
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The port that is taken if no other is asked for.
pub const DEFAULT_PORT: u16 = 4747;

/// How many connections are open at once; browsers open six.
const MAX_CONNECTIONS: usize = 64;

/// How long a client may take for the head of a request. It bounds idle connections, too.
const HEAD_TIME: Duration = Duration::from_secs(20);

/// How much of a head is read, in bytes.
const MAX_HEAD: usize = 16 * 1024;

/// How long answers that are on their way may take after Ctrl-C.
const GRACE: Duration = Duration::from_secs(1);

/// Where to listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The address to listen on; the loopback address by default.
    pub host: IpAddr,
    /// The port; 0 is any free one.
    pub port: u16,
}

impl Default for Options {
    fn default() -> Options {
        Options { host: IpAddr::V4(Ipv4Addr::LOCALHOST), port: DEFAULT_PORT }
    }
}

/// A server that has its address and waits to be run.
pub struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Takes the address.
    ///
    /// # Errors
    /// When the address is not ours or the port is in use.
    pub fn new(options: Options) -> io::Result<Server> {
        let listener = std::net::TcpListener::bind((options.host, options.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Server { listener, address })
    }

    /// What to type into a browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Opens the page in the default browser. Success is not reported by the system.
    ///
    /// # Errors
    /// When there is no program that opens pages.
    pub fn open_browser(&self) -> io::Result<()> {
        let (program, words): (&str, &[&str]) = match std::env::consts::OS {
            "macos" => ("open", &[]),
            "windows" => ("explorer", &[]),
            _ => ("xdg-open", &[]),
        };
        let mut command = Command::new(program);
        command.args(words).arg(self.url()).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(drop)
    }

    /// Answers until Ctrl-C, or until the system wants the program to end.
    ///
    /// # Errors
    /// When the system gives no events.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let outcome = runtime.block_on(async { self.serve(interrupted()?).await });
        // Work that cannot be stopped is left alone.
        runtime.shutdown_timeout(GRACE);
        outcome
    }

    async fn serve(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let listener = TcpListener::from_std(self.listener)?;
        let desk = Arc::new(Desk::new(self.address));
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut connections = JoinSet::new();
        let accept = async {
            loop {
                // Closed only with the program: a place comes free when a connection ends.
                let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
                let Ok((stream, _)) = listener.accept().await else {
                    // Out of file handles, for example: others will end.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                while connections.try_join_next().is_some() {}
                let desk = Arc::clone(&desk);
                connections.spawn(async move {
                    connection(stream, &desk).await;
                    drop(place);
                });
            }
        };
        first_of(stop, accept).await;
        drop(listener);
        let all_ended = async { while connections.join_next().await.is_some() {} };
        // Connections that are only kept open for more are cut off.
        let _ = tokio::time::timeout(GRACE / 4, all_ended).await;
        Ok(())
    }
}

/// Answers what comes over one connection. If it breaks, that is the client's business.
async fn connection(stream: TcpStream, desk: &Desk) {
    let answer = service_fn(|request| async { Ok::<_, Infallible>(desk.answer(request).await) });
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), answer)
        .await;
}

/// Waits for Ctrl-C or a request to terminate. From now on these do not end the program by force.
fn interrupted() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        Ok(async move {
            first_of(interrupt.recv(), terminate.recv()).await;
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// Waits until one of two is done, and forgets the other.
async fn first_of(a: impl Future, b: impl Future) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    std::future::poll_fn(|context| {
        let is_done = a.as_mut().poll(context).is_ready() || b.as_mut().poll(context).is_ready();
        if is_done { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}
