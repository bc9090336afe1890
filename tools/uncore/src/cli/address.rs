// SPDX-License-Identifier: GPL-2.0

//! Addresses of the exporter.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// Begin of the address of a Unix socket.
const UNIX: &str = "unix:";

/// Place at which to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// An IP address and a port.
    Tcp(SocketAddr),
    /// Path of a Unix socket.
    Unix(PathBuf),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix(UNIX).filter(|path| !path.is_empty()) {
            return Ok(Self::Unix(path.into()));
        }
        let address = match text.rsplit_once(':') {
            Some(("", port)) => format!("[::]:{port}"),
            Some(("localhost", port)) => format!("127.0.0.1:{port}"),
            _ => text.to_owned(),
        };
        let wrong = |_| "neither ADDRESS:PORT, such as 127.0.0.1:19738, nor unix:PATH".to_owned();
        address.parse().map(Self::Tcp).map_err(wrong)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "{address}"),
            Self::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for text in ["127.0.0.1:19738", "[::1]:19738", "0.0.0.0:1", "unix:/run/x"] {
            let address: Address = text.parse().expect("an address");
            assert_eq!(address.to_string(), text);
        }
        for (text, expected) in [(":1", "[::]:1"), ("localhost:1", "127.0.0.1:1")] {
            let address: Address = text.parse().expect("an address");
            assert_eq!(address.to_string(), expected);
        }
        for bad in [
            "",
            "19738",
            ":",
            "localhost",
            "other:19738",
            "127.0.0.1",
            "1.2.3.4:65536",
            "unix:",
        ] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }
}
