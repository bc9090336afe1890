// SPDX-License-Identifier: GPL-2.0

//! perf events by the system call itself, and their values.

#![expect(unsafe_code, reason = "perf_event_open has no safe wrapper")]

use std::fs::File;
use std::io::{Error, Read as _};
use std::os::fd::{FromRawFd as _, RawFd};

/// Directory of the PMUs.
pub const DEVICES: &str = "/sys/bus/event_source/devices";

/// Words of an attribute; this is the size of its ninth version.
const WORDS: usize = 18;
/// Total time enabled and running, beside the value.
const READ_FORMAT: u64 = 0b11;

/// Errno values a test may meet, by name.
const ERRNOS: [(i32, &str); 15] = [
    (libc::EPERM, "EPERM"),
    (libc::ENOENT, "ENOENT"),
    (libc::ESRCH, "ESRCH"),
    (libc::EIO, "EIO"),
    (libc::E2BIG, "E2BIG"),
    (libc::EAGAIN, "EAGAIN"),
    (libc::ENOMEM, "ENOMEM"),
    (libc::EACCES, "EACCES"),
    (libc::EBUSY, "EBUSY"),
    (libc::EEXIST, "EEXIST"),
    (libc::ENODEV, "ENODEV"),
    (libc::EINVAL, "EINVAL"),
    (libc::ENOSPC, "ENOSPC"),
    (libc::ETIMEDOUT, "ETIMEDOUT"),
    (libc::EOPNOTSUPP, "EOPNOTSUPP"),
];

/// The request to the kernel: `struct perf_event_attr` as 64-bit words. The first
/// word is its type and its size.
pub struct Attr([u64; WORDS]);

impl Attr {
    /// Index of the word with the read format.
    pub const READ_FORMAT: usize = 4;

    /// Returns an attribute whose read format has the times only.
    pub fn new() -> Self {
        let mut words = [0; WORDS];
        words[0] = (size_of::<[u64; WORDS]>() as u64) << 32;
        words[Self::READ_FORMAT] = READ_FORMAT;
        Self(words)
    }

    /// Sets the type, which is a PMU's number.
    pub fn set_type(&mut self, number: u32) {
        self.0[0] |= u64::from(number);
    }

    /// Sets bits of a word other than the first.
    pub fn set(&mut self, word: usize, bits: u64) {
        assert_ne!(word, 0, "the kernel reads as much as the first word says");
        self.0[word] |= bits;
    }

    /// Opens an event.
    pub fn open(&self, pid: i32, cpu: i32, group: RawFd) -> Result<File, Error> {
        // SAFETY: the attribute is readable for the size its first word states, and
        // the kernel copies it before the call returns.
        let fd = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                self.0.as_ptr(),
                pid,
                cpu,
                group,
                0,
            )
        };
        let fd = RawFd::try_from(fd).map_err(|_| Error::other("a descriptor out of range"))?;
        if fd < 0 {
            return Err(Error::last_os_error());
        }
        // SAFETY: the kernel has just returned this descriptor; it has no other
        // owner.
        Ok(unsafe { File::from_raw_fd(fd) })
    }
}

impl Default for Attr {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the words that a read of an event gives, up to `ROOM` of them.
pub fn read<const ROOM: usize>(mut event: &File) -> Result<Vec<u64>, Error> {
    let mut bytes = vec![0; ROOM * size_of::<u64>()];
    let size = event.read(&mut bytes)?;
    Ok(words(&bytes[..size]))
}

/// Returns the words in the bytes of a read.
pub fn words(bytes: &[u8]) -> Vec<u64> {
    let words = bytes.chunks_exact(size_of::<u64>());
    let word = |word: &[u8]| {
        word.iter()
            .rev()
            .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
    };
    words.map(word).collect()
}

/// The number that a PMU has in attributes.
pub fn pmu_type(pmu: &str) -> Result<u32, String> {
    let path = format!("{DEVICES}/{pmu}/type");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let number = text.trim().parse();
    number.map_err(|error| format!("{path}: {error}"))
}

/// An error by the name of its errno.
pub fn errno_name(error: &Error) -> String {
    let code = error.raw_os_error().unwrap_or(0);
    let known = ERRNOS.iter().find(|(number, _)| *number == code);
    known.map_or_else(|| error.to_string(), |(_, name)| (*name).to_owned())
}
