// SPDX-License-Identifier: GPL-2.0

//! Commands to the emulated machine: CPUID leaf `0x5a5a0000 | op`, which the
//! machine's QEMU plugin answers (its `hypercall.rs` has the table).

#![expect(unsafe_code, reason = "CPUID with all four registers in 64 bits")]

use std::arch::asm;
use std::fmt;

const IDENTIFY: u64 = 0x5a5a_0000;
const COMMAND: u64 = 0x5a5a_0001;
const MARKER: u64 = 0x5a5a_0002;
/// RAX and RBX of the machine's answer to `IDENTIFY`.
const IDENTITY: (u64, u64) = (0x756e_636f_7265, 1);
/// Room for a command line, and for the answers of commands that just do things.
const LINE: usize = 4 << 10;
/// Room for any answer; each page costs time.
const ANSWER: usize = 1 << 20;

/// Reason why a command was not carried out.
#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    /// The processor does not answer as the machine's do.
    NotTheMachine,
    /// The machine refuses; its own words.
    Refused(String),
    /// The machine has changed flags of the processor.
    Flags,
    /// The machine could not use the buffer.
    Buffer,
    /// The answer is this long, longer than the buffer.
    TooLong(usize),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTheMachine => f.write_str("this is not the emulated machine"),
            Self::Refused(reason) => f.write_str(reason),
            Self::Flags => f.write_str("the emulated machine has changed our flags"),
            Self::Buffer => f.write_str("the emulated machine cannot reach our memory"),
            Self::TooLong(length) => write!(f, "the answer has {length} bytes, more than fit"),
        }
    }
}

impl std::error::Error for Error {}

/// Lets the machine execute a command line that has a short answer, or none.
pub fn command(line: &str) -> Result<String, Error> {
    call(line, LINE)
}

/// Lets the machine execute a command line with an answer of any length.
pub fn query(line: &str) -> Result<String, Error> {
    call(line, ANSWER)
}

/// Sets a marker: the command `cost` returns the difference of the last two.
pub fn mark() {
    // SAFETY: no memory is passed.
    unsafe { cpuid(MARKER, 0, 0) };
}

fn call(line: &str, room: usize) -> Result<String, Error> {
    identify()?;
    let bytes = line.as_bytes();
    if bytes.contains(&0) || bytes.len() >= LINE {
        return Err(Error::Refused("not a command line".to_owned()));
    }
    // Written to and not just allocated, so that it is all mapped.
    let mut buffer = vec![0xff; room];
    buffer[..bytes.len()].copy_from_slice(bytes);
    buffer[bytes.len()] = 0;
    // SAFETY: the machine writes only into the buffer, which is ours and has the
    // size we state.
    let given = unsafe { cpuid(COMMAND, buffer.as_mut_ptr() as u64, buffer.len() as u64) };
    let length = usize::try_from(given.rbx).unwrap_or(usize::MAX);
    answer(given.rax, length, &buffer)
}

fn answer(status: u64, length: usize, buffer: &[u8]) -> Result<String, Error> {
    let text = || {
        let bytes = buffer.get(..length).ok_or(Error::TooLong(length))?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    };
    match status {
        0 => text(),
        1 => Err(Error::Refused(text()?)),
        _ => Err(Error::Buffer),
    }
}

fn identify() -> Result<(), Error> {
    // SAFETY: no memory is passed.
    let answer = unsafe { cpuid(IDENTIFY, 0, 0) };
    if (answer.rax, answer.rbx) != IDENTITY {
        return Err(Error::NotTheMachine);
    }
    if answer.keeps_flags {
        Ok(())
    } else {
        Err(Error::Flags)
    }
}

/// The state of the processor after CPUID.
struct Answer {
    rax: u64,
    rbx: u64,
    /// True if carry and zero, which were set, still are.
    keeps_flags: bool,
}

/// Executes CPUID.
///
/// # Safety
///
/// On the machine some leaves write to memory: `rcx` and `rdx` must then describe
/// a buffer that may be written.
unsafe fn cpuid(mut rax: u64, rcx: u64, rdx: u64) -> Answer {
    let (rbx, carry, zero): (u64, u8, u8);
    // SAFETY: RBX, which LLVM reserves, is saved and put back; flags and memory
    // count as clobbered; writes of the machine go where the caller allows.
    unsafe {
        asm!(
            "mov {saved}, rbx",
            // Carry is of one instruction and zero of another, so that the emulator must know
            // by which ones it computes them.
            "stc",
            "dec {zero}",
            "cpuid",
            "setc {carry}",
            "setz {zero}",
            "xchg {saved}, rbx",
            saved = out(reg) rbx,
            carry = out(reg_byte) carry,
            zero = inout(reg_byte) 1_u8 => zero,
            inout("rax") rax,
            inout("rcx") rcx => _,
            inout("rdx") rdx => _,
            options(nostack),
        );
    }
    Answer {
        rax,
        rbx,
        keeps_flags: carry == 1 && zero == 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elsewhere_it_says_so() {
        let error = command("burst 1").expect_err("tests do not run on the machine");
        assert_eq!(error.to_string(), "this is not the emulated machine");
    }

    #[test]
    fn answers_are_cut_out_of_the_buffer() {
        let buffer = b"no such box\0\xff\xff";
        assert_eq!(answer(0, 2, buffer), Ok("no".to_owned()));
        let refused = Error::Refused("no such box".to_owned());
        assert_eq!(answer(1, 11, buffer), Err(refused));
        assert_eq!(answer(0, 99, buffer), Err(Error::TooLong(99)));
        assert_eq!(answer(2, 0, buffer), Err(Error::Buffer));
    }
}
