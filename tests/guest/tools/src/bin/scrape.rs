// SPDX-License-Identifier: GPL-2.0

//! `scrape WHERE [PATH [ACCEPT]]`: prints what an exporter has at a path, `/metrics` by default.
//! WHERE is `unix:FILE` or `ADDRESS:PORT`. Any answer but 200 is an error.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use guest_tools::report;

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    report::exit("scrape", run(&words))
}

fn run(words: &[&str]) -> Result<(), String> {
    let (place, path, accept) = match *words {
        [place] => (place, "/metrics", "*/*"),
        [place, path] => (place, path, "*/*"),
        [place, path, accept] => (place, path, accept),
        _ => return Err("usage: scrape WHERE [PATH [ACCEPT]]".to_owned()),
    };
    let answer = ask(place, path, accept).map_err(|error| format!("{place}: {error}"))?;
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .ok_or("an answer without end")?;
    let status = head.lines().next().unwrap_or_default();
    if status != "HTTP/1.1 200 OK" {
        return Err(status.to_owned());
    }
    io::stdout()
        .write_all(body.as_bytes())
        .map_err(|error| error.to_string())
}

fn ask(place: &str, path: &str, accept: &str) -> io::Result<String> {
    let mut stream: Box<dyn Stream> = match place.strip_prefix("unix:") {
        Some(file) => Box::new(UnixStream::connect(file)?),
        None => Box::new(TcpStream::connect(place)?),
    };
    let request = format!("GET {path} HTTP/1.1\r\nHost: guest\r\nAccept: {accept}\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
