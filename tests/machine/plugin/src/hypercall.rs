// SPDX-License-Identifier: GPL-2.0

//! The guest's way to talk to the machine: CPUID leaf `0x5a5a0000 | op`, at any
//! privilege level.
//!
//! ==  ================  =====================================================
//! op  in                out
//! ==  ================  =====================================================
//! 0                     RAX = "uncore", RBX = interface version
//! 1   RCX = address,    RAX = 0 done, 1 refused (the buffer says why), 2 no
//!     RDX = size of a   such buffer; RBX = length of the whole answer. The
//!     buffer            buffer holds a command line ended by NUL; the answer
//!                       takes its place, cut to size and ended by NUL.
//! 2                     a marker, for the command `cost`; RAX = instructions that
//!                       all vCPUs executed, 0 if uncounted
//! ==  ================  =====================================================
//!
//! Limit: the buffer must be mapped and written to before, as no page is faulted
//! in here.

use crate::guest::Guest;

/// "uncore", read as a big-endian number.
const SIGNATURE: u64 = 0x756e_636f_7265;
const INTERFACE: u64 = 1;
/// Longer command lines are refused.
const LONGEST: usize = 4096;

/// The requests of the guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Identify,
    Command { address: u64, size: u64 },
    Marker,
}

impl Call {
    /// The call that a CPUID with these registers is.
    pub(crate) fn decode(rax: u64, rcx: u64, rdx: u64) -> Option<Self> {
        match rax & 0xffff_ffff {
            0x5a5a_0000 => Some(Self::Identify),
            0x5a5a_0001 => Some(Self::Command {
                address: rcx,
                size: rdx,
            }),
            0x5a5a_0002 => Some(Self::Marker),
            _ => None,
        }
    }
}

/// RAX, RBX, RCX and RDX after [`Call::Identify`].
pub(crate) const IDENTITY: [u64; 4] = [SIGNATURE, INTERFACE, 0, 0];
/// RAX, RBX, RCX and RDX after a command whose buffer cannot be used.
pub(crate) const NO_BUFFER: [u64; 4] = [2, 0, 0, 0];

/// The command line in the guest's buffer.
pub(crate) fn read_command(guest: &impl Guest, address: u64, size: u64) -> Option<String> {
    let room = usize::try_from(size).ok()?.min(LONGEST);
    let mut line = vec![0; room];
    if !guest.read_virtual(address, &mut line) {
        return None;
    }
    let end = line.iter().position(|byte| *byte == 0)?;
    line.truncate(end);
    String::from_utf8(line).ok()
}

/// Puts the answer into the buffer and gives the registers.
pub(crate) fn write_answer(
    guest: &mut impl Guest,
    address: u64,
    size: u64,
    answer: &Result<String, String>,
) -> [u64; 4] {
    let (status, text) = match answer {
        Ok(text) => (0, text),
        Err(text) => (1, text),
    };
    let room = usize::try_from(size)
        .unwrap_or(usize::MAX)
        .saturating_sub(1);
    let mut bytes = text.as_bytes()[..text.len().min(room)].to_vec();
    bytes.push(0);
    if !guest.write_virtual(address, &bytes) {
        return NO_BUFFER;
    }
    [status, text.len() as u64, 0, 0]
}
