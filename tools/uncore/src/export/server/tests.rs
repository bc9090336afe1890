// SPDX-License-Identifier: GPL-2.0

//! Clients that are slow, broken or hostile: each harms itself only.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};

use super::*;
use crate::cli::Address;

/// Longer than a socket keeps.
const LARGE: usize = 16 << 20;

/// A server in a thread of its own, until it is dropped.
struct Running {
    address: SocketAddr,
    wake: UnixStream,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start() -> Self {
        let any = Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
        let listener = Listener::new(&any).expect("a port");
        let Listener::Tcp(socket) = &listener else {
            panic!("not TCP");
        };
        let address = socket.local_addr().expect("an address");
        let (wake, sleeper) = UnixStream::pair().expect("a pair");
        let thread = thread::spawn(move || {
            let mut server = Server::new(vec![listener]);
            let mut answer = |request: &Request| Reply {
                body: match request.path.as_str() {
                    "/large" => "x".repeat(LARGE),
                    path => format!("{path}|{}", request.accept),
                },
                ..Reply::line("200 OK")
            };
            while !server.turn(sleeper.as_fd(), &mut answer).expect("a turn") {
                assert!(server.connections.len() <= MOST);
            }
        });
        Self {
            address,
            wake,
            thread: Some(thread),
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        let limit = Some(Duration::from_secs(20));
        stream.set_read_timeout(limit).expect("a limit");
        stream
    }

    /// Sends bytes and returns all that comes.
    fn ask(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("a request");
        rest(&mut stream)
    }

    /// An honest client is served.
    fn expect_service(&self) {
        let answer = self.ask("GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: a/b\r\n\r\n");
        assert!(answer.ends_with("\r\n\r\n/metrics|a/b"), "{answer}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.wake.write_all(b"x");
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(thread::panicking() || ended.is_some_and(|ended| ended.is_ok()));
    }
}

/// All that comes until the end, or until the server has had enough.
fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(length @ 1..) = stream.read(&mut chunk) {
        bytes.extend_from_slice(&chunk[..length]);
    }
    String::from_utf8(bytes).expect("text")
}

#[test]
fn answers_are_whole_and_end_the_connection() {
    let server = Running::start();
    for (request, status, body) in [
        ("GET /a HTTP/1.0\r\n\r\n", "200", "/a|"),
        ("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n", "200", ""),
        (
            "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
            "200",
            "/a|",
        ),
        ("nonsense\r\n\r\n", "400", "400 Bad Request\n"),
    ] {
        let answer = server.ask(request);
        let (head, text) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{request}: {answer}"
        );
        assert!(head.contains("\r\nConnection: close"), "{answer}");
        assert_eq!(text, body, "{request}");
    }
}

#[test]
fn a_request_that_comes_in_pieces_is_served() {
    let server = Running::start();
    let mut stream = server.connect();
    for byte in b"GET /a HTTP/1.0\r\n\r\n" {
        stream.write_all(&[*byte]).expect("a byte");
        thread::sleep(Duration::from_millis(1));
    }
    assert!(rest(&mut stream).ends_with("/a|"));
}

/// A client that sends a byte now and then, and one that takes nothing of its answer.
#[test]
fn slow_clients_lose_their_connection() {
    let server = Running::start();
    let start = Instant::now();
    let mut silent = server.connect();
    let mut lazy = server.connect();
    lazy.write_all(b"GET /large HTTP/1.0\r\n\r\n")
        .expect("a request");
    let mut slow = server.connect();
    let lost = loop {
        if slow.write_all(b"G").is_err() {
            break Instant::now();
        }
        server.expect_service();
        thread::sleep(Duration::from_millis(50));
        assert!(start.elapsed() < 5 * PATIENCE, "still connected");
    };
    assert!(lost - start >= PATIENCE);
    assert_eq!(rest(&mut silent), "");
    let taken = rest(&mut lazy).len();
    assert!(taken < LARGE, "{taken}");
}

#[test]
fn a_header_without_end_is_refused() {
    let server = Running::start();
    let mut stream = server.connect();
    let _ = stream.write_all(b"GET / HTTP/1.0\r\nA: ");
    // The server may close while this is on its way.
    let _ = stream.write_all(&vec![b'x'; request::LONGEST]);
    let answer = rest(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    server.expect_service();
}

#[test]
fn many_connections_do_not_keep_others_out() {
    let server = Running::start();
    let idle: Vec<TcpStream> = (0..3 * MOST).map(|_| server.connect()).collect();
    let start = Instant::now();
    server.expect_service();
    assert!(start.elapsed() < PATIENCE, "it had to wait");
    drop(idle);
    server.expect_service();
}

#[test]
fn clients_may_go_at_any_time() {
    let server = Running::start();
    for request in ["", "GET", "GET /large HTTP/1.0\r\n\r\n"] {
        for _ in 0..10 {
            let mut stream = server.connect();
            stream.write_all(request.as_bytes()).expect("a request");
            drop(stream);
        }
    }
    server.expect_service();
}
