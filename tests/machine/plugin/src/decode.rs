// SPDX-License-Identifier: GPL-2.0

//! The instructions that the adapter acts on, and their operands.
//!
//! Takes the bytes and the address of one instruction, gives its action
//! ([`Action`]) or nothing. Addresses are computed when the instruction runs, from
//! the operands kept here. No state, no emulator.
//!
//! There are too many loads and stores to look at all of them. In the kernel image
//! only the forms in which it accesses the modelled devices count: its accessors of
//! memory-mapped configuration space (accumulator, plain base register) and of the
//! local APIC (fixmap displacement). In modules every `mov` counts. The interrupt flag is
//! changed by the kernel, and by SYSCALL of user space. Not handled: SYSENTER,
//! string instructions, read-modify-write instructions, and port instructions of
//! firmware and user space.

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register as Iced};

use crate::chipset::NMI_SC;
use crate::cost::Place;
use crate::guest::{Guest, Register};
use crate::section::Event;

/// Displacements that can name the local APIC's fixmap page.
const FIXMAP: std::ops::Range<u64> = 0xffff_ffff_ff40_0000..0xffff_ffff_ff80_0000;

/// An instruction that the machine may have to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// RDMSR.
    ReadMsr,
    /// WRMSR.
    WriteMsr,
    /// CPUID.
    Cpuid,
    /// RDPMC.
    ReadCounter,
    /// RDTSC, or RDTSCP.
    ReadTsc {
        /// True for RDTSCP, which also returns the CPU.
        tells_cpu: bool,
    },
    /// IN.
    PortIn {
        /// Source.
        port: Port,
        /// Bytes.
        size: u8,
    },
    /// OUT.
    PortOut {
        /// Destination.
        port: Port,
        /// Bytes.
        size: u8,
    },
    /// An instruction that sets or clears the interrupt flag.
    Flag(Flag),
    /// A load from memory.
    Load {
        /// Source.
        memory: Memory,
        /// Bytes read.
        size: u8,
        /// Destination.
        into: Destination,
    },
    /// A store to memory.
    Store {
        /// Destination.
        memory: Memory,
        /// Bytes written.
        size: u8,
        /// The written value.
        value: Source,
    },
}

impl Action {
    /// Tells if the emulator never reaches a place behind the instruction where the
    /// result could be corrected, or if its access to the device cannot be
    /// prevented.
    pub(crate) fn must_jump(&self) -> bool {
        match self {
            Self::ReadCounter | Self::ReadTsc { .. } => true,
            Self::Load { memory, .. } => memory.free_base().is_none(),
            _ => false,
        }
    }

    /// Tells if it changes registers that the adapter may have to correct.
    pub(crate) fn has_result(&self) -> bool {
        !matches!(
            self,
            Self::WriteMsr | Self::PortOut { .. } | Self::Store { .. } | Self::Flag(_)
        )
    }
}

/// The port of IN or OUT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Port {
    /// The value of DX.
    Dx,
    /// The instruction's own.
    Number(u8),
}

impl Port {
    /// The number, with DX as it is now.
    pub(crate) fn number(self, guest: &impl Guest) -> u16 {
        match self {
            Self::Dx => {
                let [first, second, ..] = guest.register(Register::Rdx).to_le_bytes();
                u16::from_le_bytes([first, second])
            }
            Self::Number(number) => number.into(),
        }
    }
}

/// The interrupt flag after an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Flag {
    /// CLI and SYSCALL.
    Off,
    /// STI, and HLT, which nothing but an interrupt ends.
    On,
    /// POPF.
    Popped,
    /// IRET.
    Returned,
    /// SYSRET.
    InR11,
}

impl Flag {
    /// What the instruction does, with the registers and the stack as they are now.
    pub(crate) fn event(self, guest: &impl Guest) -> Event {
        let on_stack = |above: u64| {
            let mut flags = [0; 8];
            let at = guest.register(Register::Rsp).wrapping_add(above);
            guest.read_virtual(at, &mut flags) && is_on(u64::from_le_bytes(flags))
        };
        match self {
            Self::Off => Event::Flag(false),
            Self::On => Event::Flag(true),
            Self::Popped => Event::Flag(on_stack(0)),
            Self::Returned => Event::Return(on_stack(16)),
            Self::InR11 => Event::Flag(is_on(guest.register(Register::R11))),
        }
    }
}

/// Tells if interrupts are on with these flags.
fn is_on(flags: u64) -> bool {
    const IF: u64 = 1 << 9;
    flags & IF != 0
}

/// A memory operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Memory {
    base: Option<Register>,
    index: Option<Register>,
    scale: u8,
    displacement: u64,
}

impl Memory {
    /// The base register, if changing it changes the address by as much.
    pub(crate) fn free_base(&self) -> Option<Register> {
        self.base.filter(|base| self.index != Some(*base))
    }

    /// The value of the base register that makes the address `wanted`.
    pub(crate) fn base_for(&self, wanted: u64, guest: &impl Guest) -> Option<(Register, u64)> {
        let base = self.free_base()?;
        let change = wanted.wrapping_sub(self.address(guest));
        Some((base, guest.register(base).wrapping_add(change)))
    }

    /// The virtual address, with the registers as they are now.
    pub(crate) fn address(&self, guest: &impl Guest) -> u64 {
        let value = |register: Option<Register>| register.map_or(0, |r| guest.register(r));
        value(self.index)
            .wrapping_mul(u64::from(self.scale))
            .wrapping_add(value(self.base))
            .wrapping_add(self.displacement)
    }
}

/// A register or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    pub(crate) register: Register,
    /// Bytes.
    pub(crate) size: u8,
    /// Bits below it: 8 for AH, BH, CH and DH.
    pub(crate) shift: u8,
}

impl Part {
    /// The part's value within the whole register's.
    pub(crate) fn extract(self, whole: u64) -> u64 {
        (whole >> self.shift) & mask(self.size)
    }

    /// Returns the whole register after a write to the part: 32 bits clear the
    /// upper half, 8 and 16 bits keep the other bits.
    pub(crate) fn insert(self, whole: u64, value: u64) -> u64 {
        if self.size >= 4 {
            return value & mask(self.size);
        }
        let field = mask(self.size) << self.shift;
        (whole & !field) | ((value << self.shift) & field)
    }
}

/// The destination of a load's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Destination {
    pub(crate) part: Part,
    /// MOVSX and MOVSXD.
    pub(crate) signed: bool,
}

impl Destination {
    /// AL, AX or EAX.
    pub(crate) fn accumulator(size: u8) -> Self {
        Self {
            part: Part {
                register: Register::Rax,
                size,
                shift: 0,
            },
            signed: false,
        }
    }

    /// The whole register after the load of `value`, `size` bytes wide.
    pub(crate) fn load(self, whole: u64, value: u64, size: u8) -> u64 {
        let value = value & mask(size);
        let sign = 1 << (u32::from(size) * 8 - 1);
        let extended = if self.signed && value & sign != 0 {
            value | !mask(size)
        } else {
            value
        };
        self.part.insert(whole, extended)
    }
}

/// The source of a store's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// A register.
    Part(Part),
    /// An immediate.
    Immediate(u64),
}

impl Source {
    /// The value, with the registers as they are now.
    pub(crate) fn value(self, guest: &impl Guest) -> u64 {
        match self {
            Self::Part(part) => part.extract(guest.register(part.register)),
            Self::Immediate(value) => value,
        }
    }
}

/// The low `size` bytes, set.
pub(crate) fn mask(size: u8) -> u64 {
    match size {
        1 => 0xff,
        2 => 0xffff,
        4 => 0xffff_ffff,
        _ => u64::MAX,
    }
}

/// Decodes the instruction at `address`.
pub(crate) fn decode(bytes: &[u8], address: u64) -> Option<Action> {
    let options = DecoderOptions::NONE;
    let instruction = Decoder::with_ip(64, bytes, address, options).decode();
    match instruction.mnemonic() {
        Mnemonic::Rdmsr => Some(Action::ReadMsr),
        Mnemonic::Wrmsr => Some(Action::WriteMsr),
        Mnemonic::Cpuid => Some(Action::Cpuid),
        Mnemonic::Rdpmc => Some(Action::ReadCounter),
        Mnemonic::Rdtsc => Some(Action::ReadTsc { tells_cpu: false }),
        Mnemonic::Rdtscp => Some(Action::ReadTsc { tells_cpu: true }),
        Mnemonic::Syscall => Some(Action::Flag(Flag::Off)),
        _ if Place::of(address) == Place::User => None,
        Mnemonic::Cli => Some(Action::Flag(Flag::Off)),
        Mnemonic::Sti | Mnemonic::Hlt => Some(Action::Flag(Flag::On)),
        Mnemonic::Popfq => Some(Action::Flag(Flag::Popped)),
        Mnemonic::Iretq => Some(Action::Flag(Flag::Returned)),
        Mnemonic::Sysret | Mnemonic::Sysretq => Some(Action::Flag(Flag::InR11)),
        Mnemonic::In | Mnemonic::Out => port(&instruction),
        Mnemonic::Mov | Mnemonic::Movzx | Mnemonic::Movsx | Mnemonic::Movsxd => {
            memory_access(&instruction, address)
        }
        _ => None,
    }
}

/// IN and OUT. The only immediate port that counts is that of NMI_SC.
fn port(instruction: &Instruction) -> Option<Action> {
    let port = match instruction.code() {
        Code::In_AL_imm8 | Code::Out_imm8_AL => {
            let number = instruction.immediate8();
            (u16::from(number) == NMI_SC).then_some(Port::Number(number))?
        }
        _ => Port::Dx,
    };
    Some(match instruction.code() {
        Code::In_AL_DX | Code::In_AL_imm8 => Action::PortIn { port, size: 1 },
        Code::In_AX_DX => Action::PortIn { port, size: 2 },
        Code::In_EAX_DX => Action::PortIn { port, size: 4 },
        Code::Out_DX_AL | Code::Out_imm8_AL => Action::PortOut { port, size: 1 },
        Code::Out_DX_AX => Action::PortOut { port, size: 2 },
        Code::Out_DX_EAX => Action::PortOut { port, size: 4 },
        _ => return None,
    })
}

fn memory_access(instruction: &Instruction, address: u64) -> Option<Action> {
    let action = if instruction.op0_kind() == OpKind::Memory {
        store(instruction)?
    } else if instruction.op1_kind() == OpKind::Memory {
        load(instruction)?
    } else {
        return None;
    };
    let in_module = Place::of(address) == Place::Module;
    (in_module || image_reaches_device(&action)).then_some(action)
}

fn load(instruction: &Instruction) -> Option<Action> {
    let signed = matches!(instruction.mnemonic(), Mnemonic::Movsx | Mnemonic::Movsxd);
    Some(Action::Load {
        memory: memory(instruction)?,
        size: u8::try_from(instruction.memory_size().size()).ok()?,
        into: Destination {
            part: part(instruction.op0_register())?,
            signed,
        },
    })
}

fn store(instruction: &Instruction) -> Option<Action> {
    let size = u8::try_from(instruction.memory_size().size()).ok()?;
    let value = match instruction.op1_kind() {
        OpKind::Register => Source::Part(part(instruction.op1_register())?),
        _ => Source::Immediate(instruction.try_immediate(1).ok()? & mask(size)),
    };
    Some(Action::Store {
        memory: memory(instruction)?,
        size,
        value,
    })
}

fn memory(instruction: &Instruction) -> Option<Memory> {
    if matches!(instruction.segment_prefix(), Iced::FS | Iced::GS) {
        return None;
    }
    let optional = |register: Iced| match register {
        Iced::None | Iced::RIP => Some(None),
        other => part(other)
            .filter(|part| part.size == 8)
            .map(|part| Some(part.register)),
    };
    Some(Memory {
        base: optional(instruction.memory_base())?,
        index: optional(instruction.memory_index())?,
        scale: u8::try_from(instruction.memory_index_scale()).ok()?,
        displacement: instruction.memory_displacement64(),
    })
}

/// The forms of the kernel image's own accessors.
fn image_reaches_device(action: &Action) -> bool {
    let (memory, part) = match action {
        Action::Load { memory, into, .. } => (memory, Some(into.part)),
        Action::Store { memory, value, .. } => match value {
            Source::Part(part) => (memory, Some(*part)),
            Source::Immediate(_) => (memory, None),
        },
        _ => return false,
    };
    let accumulator = part.is_some_and(|p| p.register == Register::Rax && p.size <= 4);
    let plain = memory.index.is_none() && memory.displacement == 0;
    FIXMAP.contains(&memory.displacement) || (accumulator && plain)
}

/// A general register or part of one; nothing for all other kinds.
fn part(register: Iced) -> Option<Part> {
    if !register.is_gpr() {
        return None;
    }
    let high = matches!(register, Iced::AH | Iced::BH | Iced::CH | Iced::DH);
    let full = register.full_register().number();
    Some(Part {
        register: Register::ALL.get(full)?.0,
        size: u8::try_from(register.size()).ok()?,
        shift: if high { 8 } else { 0 },
    })
}

#[cfg(test)]
mod tests;
