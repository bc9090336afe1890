// SPDX-License-Identifier: GPL-2.0

//! The virtual processor that makes an access, as the adapter needs it.
//!
//! One implementation is QEMU's (`qemu`), the other a recording fake for tests.

use crate::cost::Instructions;

/// Registers the adapter reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Register {
    Rax,
    Rcx,
    Rdx,
    Rbx,
    Rsp,
    Rbp,
    Rsi,
    Rdi,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15,
    Rip,
    Cs,
    Cr4,
    Efer,
}

impl Register {
    /// All of them with the emulator's names, in the order of their discriminants.
    pub(crate) const ALL: [(Self, &'static str); 20] = [
        (Self::Rax, "rax"),
        (Self::Rcx, "rcx"),
        (Self::Rdx, "rdx"),
        (Self::Rbx, "rbx"),
        (Self::Rsp, "rsp"),
        (Self::Rbp, "rbp"),
        (Self::Rsi, "rsi"),
        (Self::Rdi, "rdi"),
        (Self::R8, "r8"),
        (Self::R9, "r9"),
        (Self::R10, "r10"),
        (Self::R11, "r11"),
        (Self::R12, "r12"),
        (Self::R13, "r13"),
        (Self::R14, "r14"),
        (Self::R15, "r15"),
        (Self::Rip, "rip"),
        (Self::Cs, "cs"),
        (Self::Cr4, "cr4"),
        (Self::Efer, "efer"),
    ];
}

/// A virtual processor inside a callback, and the memory as it sees it.
pub(crate) trait Guest {
    fn register(&self, register: Register) -> u64;

    /// Changes a register.
    fn set_register(&mut self, register: Register, value: u64);

    /// Returns the instructions that a vCPU has executed, 0 if they are not counted.
    fn instructions(&self, vcpu: usize) -> Instructions;

    /// The physical address behind a virtual one.
    fn translate(&self, address: u64) -> Option<u64>;

    /// Fills `buffer` from virtual memory; false if some of it is not mapped.
    fn read_virtual(&self, address: u64, buffer: &mut [u8]) -> bool;

    /// Puts `bytes` into virtual memory; false if some of it is not mapped.
    fn write_virtual(&mut self, address: u64, bytes: &[u8]) -> bool;

    /// Reads a dword of physical memory, device registers included.
    fn read_physical(&self, address: u64) -> Option<u32>;

    /// Writes a dword that is an interrupt message, now or as soon as that is possible.
    ///
    /// Takes the emulator's big lock: no lock of ours may be held.
    fn send(&mut self, address: u32, message: u32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_found_by_their_numbers_and_names() {
        for (number, (register, name)) in Register::ALL.into_iter().enumerate() {
            assert_eq!(register as usize, number);
            assert_eq!(name, format!("{register:?}").to_lowercase());
        }
    }
}
