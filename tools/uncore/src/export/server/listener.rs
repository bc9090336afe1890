// SPDX-License-Identifier: GPL-2.0

//! Places at which clients connect.

use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
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

/// Socket that takes connections.
#[derive(Debug)]
pub(in crate::export) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// Listens at a place. At all addresses it listens without IPv6, too, if the kernel has none. The
    /// socket of a program that has ended is taken away.
    pub(in crate::export) fn new(address: &Address) -> io::Result<Self> {
        match address {
            Address::Tcp(address) => {
                let listener = match TcpListener::bind(address) {
                    Err(error)
                        if address.ip() == Ipv6Addr::UNSPECIFIED
                            && error.raw_os_error() == Some(libc::EAFNOSUPPORT) =>
                    {
                        TcpListener::bind((Ipv4Addr::UNSPECIFIED, address.port()))
                    }
                    bound => bound,
                }?;
                listener.set_nonblocking(true)?;
                Ok(Self::Tcp(listener))
            }
            Address::Unix(path) => {
                remove_unused(path)?;
                let listener = UnixListener::bind(path)?;
                listener.set_nonblocking(true)?;
                Ok(Self::Unix(listener, path.clone()))
            }
        }
    }

    /// Takes a connection that waits.
    pub(super) fn accept(&self) -> io::Result<Stream> {
        let stream = match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                Stream::Tcp(stream)
            }
            Self::Unix(listener, _) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                Stream::Unix(stream)
            }
        };
        Ok(stream)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self {
            let _ = fs::remove_file(path);
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(listener) => listener.as_fd(),
            Self::Unix(listener, _) => listener.as_fd(),
        }
    }
}

/// Removes a socket at which nobody listens. Fails if somebody does. Other files stay.
fn remove_unused(path: &Path) -> io::Result<()> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if !is_socket {
        return Ok(());
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) => Err(error),
        Ok(_) => Err(io::ErrorKind::AddrInUse.into()),
    }
}

/// Connection with a client.
#[derive(Debug)]
pub(super) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    /// Tells the client that nothing more will come.
    pub(super) fn end(&self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Write),
            Self::Unix(stream) => stream.shutdown(Shutdown::Write),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Unix(stream) => stream.as_fd(),
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

    #[test]
    fn a_socket_of_the_dead_is_replaced_and_one_of_the_living_is_not() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("socket");
        let address = Address::Unix(path.clone());
        drop(UnixListener::bind(&path).expect("a socket"));
        let listener = Listener::new(&address).expect("the place of the dead");
        let other = Listener::new(&address).expect_err("in use");
        assert_eq!(other.kind(), io::ErrorKind::AddrInUse);
        drop(listener);
        assert!(!path.exists());
        fs::write(&path, "kept").expect("a file");
        assert!(Listener::new(&address).is_err());
        assert_eq!(fs::read(&path).expect("a file"), b"kept");
    }
}
