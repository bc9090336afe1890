// SPDX-License-Identifier: GPL-2.0

//! Requests and answers of HTTP/1.

/// Longest request, with all of its header fields.
pub(super) const LONGEST: usize = 8 << 10;
/// Number of header fields.
const FIELDS: usize = 64;

/// A request that can be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::export) struct Request {
    /// The path, without the query.
    pub(in crate::export) path: String,
    /// The header Accept; empty if there is none.
    pub(in crate::export) accept: String,
    /// True if the client wants the header of the answer only.
    pub(in crate::export) is_head: bool,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::export) struct Reply {
    /// Number and reason.
    pub(in crate::export) status: &'static str,
    pub(in crate::export) content_type: &'static str,
    pub(in crate::export) body: String,
}

/// State of a request that comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Parsed {
    Partial,
    Request(Request),
    /// It cannot be answered; this tells why.
    Refused(Reply),
}

impl Reply {
    /// A line of text.
    pub(in crate::export) fn line(status: &'static str) -> Self {
        Self {
            status,
            content_type: "text/plain; charset=utf-8",
            body: format!("{status}\n"),
        }
    }

    /// The bytes that are sent.
    pub(super) fn bytes(&self, is_head: bool) -> Vec<u8> {
        let Self {
            status,
            content_type,
            body,
        } = self;
        let allow = if status.starts_with("405") {
            "Allow: GET, HEAD\r\n"
        } else {
            ""
        };
        let mut text = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n{allow}\
             Connection: close\r\n\r\n",
            body.len()
        );
        if !is_head {
            text.push_str(body);
        }
        text.into_bytes()
    }
}

/// Parses what has come so far. A body is not looked at: no request that is answered needs one.
pub(super) fn parse(received: &[u8]) -> Parsed {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let mut parsed = httparse::Request::new(&mut fields);
    let refused = |status| Parsed::Refused(Reply::line(status));
    match parsed.parse(received) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) if received.len() < LONGEST => return Parsed::Partial,
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            return refused("431 Request Header Fields Too Large");
        }
        Err(httparse::Error::Version) => return refused("505 HTTP Version Not Supported"),
        Err(_) => return refused("400 Bad Request"),
    }
    let values = |name: &str| {
        let fields = parsed.headers.iter();
        let same = fields.filter(|field| field.name.eq_ignore_ascii_case(name));
        let texts = same.map(|field| String::from_utf8_lossy(field.value));
        texts.collect::<Vec<_>>()
    };
    let is_head = match parsed.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => return refused("405 Method Not Allowed"),
    };
    let needs_host = parsed.version == Some(1);
    if needs_host && values("host").len() != 1 {
        return refused("400 Bad Request");
    }
    let target = parsed.path.unwrap_or_default();
    let path = target.split(['?', '#']).next().unwrap_or_default();
    Parsed::Request(Request {
        path: path.to_owned(),
        accept: values("accept").join(","),
        is_head,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str, accept: &str, is_head: bool) -> Parsed {
        Parsed::Request(Request {
            path: path.to_owned(),
            accept: accept.to_owned(),
            is_head,
        })
    }

    #[test]
    fn requests_are_read() {
        for (text, expected) in [
            (
                "GET /metrics HTTP/1.0\r\n\r\n",
                request("/metrics", "", false),
            ),
            ("HEAD / HTTP/1.1\r\nhost: x\r\n\r\n", request("/", "", true)),
            (
                "GET /metrics?x=1 HTTP/1.1\r\nHost:\r\nACCEPT: a/b\r\nAccept: c/d;q=0.1\r\n\r\n",
                request("/metrics", "a/b,c/d;q=0.1", false),
            ),
            // With the next one behind it, or with a body.
            (
                "GET /a HTTP/1.0\n\nGET /b HTTP/1.0\n\n",
                request("/a", "", false),
            ),
            (
                "GET /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                request("/a", "", false),
            ),
        ] {
            assert_eq!(parse(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn every_begin_of_a_request_is_partial() {
        let text = "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n";
        for length in 0..text.len() {
            assert_eq!(
                parse(&text.as_bytes()[..length]),
                Parsed::Partial,
                "{length}"
            );
        }
    }

    #[test]
    fn all_else_is_refused() {
        let many = "A: b\r\n".repeat(FIELDS + 1);
        let long = "a".repeat(LONGEST);
        for (text, status) in [
            ("POST /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "405"),
            ("BREW /metrics HTTP/1.0\r\n\r\n", "405"),
            ("get /metrics HTTP/1.0\r\n\r\n", "405"),
            ("GET /metrics HTTP/1.1\r\n\r\n", "400"),
            ("GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
            ("GET /metrics HTTP/2.0\r\n\r\n", "505"),
            ("GET /metrics\r\n\r\n", "400"),
            ("\u{16}\u{3}\u{1}\u{2}", "400"),
            ("GET /\0 HTTP/1.0\r\n\r\n", "400"),
            ("GET / HTTP/1.0\r\nA b\r\n\r\n", "400"),
            (&format!("GET / HTTP/1.0\r\n{many}\r\n"), "431"),
            (&format!("GET /{long}"), "431"),
            (&format!("GET / HTTP/1.0\r\nA: {long}"), "431"),
        ] {
            match parse(text.as_bytes()) {
                Parsed::Refused(reply) => assert!(reply.status.starts_with(status), "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn an_answer_says_how_long_it_is() {
        let reply = Reply::line("404 Not Found");
        let bytes = String::from_utf8(reply.bytes(false)).expect("text");
        assert!(bytes.starts_with("HTTP/1.1 404 Not Found\r\n"), "{bytes}");
        assert!(bytes.contains("\r\nContent-Length: 14\r\n"), "{bytes}");
        assert!(bytes.ends_with("\r\n\r\n404 Not Found\n"), "{bytes}");
        let head = String::from_utf8(reply.bytes(true)).expect("text");
        assert_eq!(bytes.strip_prefix(&head), Some("404 Not Found\n"));
    }
}
