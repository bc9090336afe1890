// SPDX-License-Identifier: GPL-2.0

//! Code in a module's file: its sections in the kernel's layout, and its instructions.
//!
//! Addresses are our own, so that no two sections share an address.

use iced_x86::{Code as Kind, Decoder, DecoderOptions, FlowControl};
use object::elf::{SHF_ALLOC, SHF_EXECINSTR};
use object::read::elf::{ElfFile64, ElfSymbol64};
use object::{
    LittleEndian, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationKind,
    RelocationTarget, SectionIndex, SymbolKind,
};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Alignment of the kernel's allocations.
pub(super) const PAGE: u64 = 0x1000;
/// Most instructions to follow from a branch when looking for a panic.
const STEPS: usize = 8;
/// Sections that describe the code to the kernel.
const ABOUT_CODE: [&str; 5] = [".orc", ".ibt", ".alt", ".static_call_sites", "__ex_table"];
/// Part of the name of the functions that Rust calls to panic.
const PANIC: &str = "panicking";

/// A parsed module file.
pub(super) type Elf<'a> = ElfFile64<'a, LittleEndian>;

/// A module's code.
#[derive(Debug, Default)]
pub struct Code {
    /// The part that stays in memory, and the part that is there only during loading.
    pub(super) parts: Vec<Part>,
    pub(super) instructions: BTreeMap<u64, Instruction>,
    /// Start addresses of sections.
    pub(super) sections: HashMap<SectionIndex, u64>,
    /// Symbols that the kernel inserts, by the address of the insertion.
    names: BTreeMap<u64, String>,
}

/// A reference to an address: a call, a jump or a pointer.
#[derive(Clone, Copy, Debug)]
struct Reference {
    from: Option<u64>,
    to: u64,
}

/// Returns the functions that only other unused functions refer to: the compiler has
/// inlined every call of them, and kept the copy.
fn unused(mut functions: Vec<Range<u64>>, references: &[Reference]) -> Vec<Range<u64>> {
    loop {
        let copies = functions.clone();
        functions.retain(|function| {
            let used = |reference: &Reference| {
                let by_copy = |from| copies.iter().any(|copy| copy.contains(&from));
                reference.to == function.start && !reference.from.is_some_and(by_copy)
            };
            !references.iter().any(used)
        });
        if functions.len() == copies.len() {
            return functions;
        }
    }
}

/// Sections that the kernel places together.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) start: u64,
    pub(super) bytes: Vec<u8>,
    /// Marks each byte that the kernel leaves as it is. The kernel inserts addresses, and
    /// replaces each `endbr64` that no indirect jump needs.
    pub(super) fixed: Vec<bool>,
}

#[derive(Debug)]
pub(super) struct Instruction {
    length: u64,
    flow: FlowControl,
    /// True if a conditional jump tests its condition and not the opposite.
    plain: bool,
    /// Target of a jump, unless the kernel inserts the address.
    target: u64,
}

impl Code {
    /// Parses the code of a module's file.
    pub fn parse(image: &[u8]) -> object::Result<Self> {
        let file = Elf::parse(image)?;
        let mut code = Self::default();
        let mut start = PAGE;
        for init in [false, true] {
            let part = code.part(&file, start, init)?;
            start = (start + part.bytes.len() as u64).next_multiple_of(PAGE);
            code.parts.push(part);
        }
        let mut functions = Vec::new();
        for symbol in file
            .symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Text)
        {
            if let Some(address) = code.address(&symbol) {
                code.decode(address, symbol.size());
                functions.push(address..address + symbol.size());
            }
        }
        let references = code.references(&file)?;
        for copy in unused(functions, &references) {
            code.instructions
                .retain(|address, _| !copy.contains(address));
        }
        Ok(code)
    }

    /// Returns our address of a symbol, if the symbol is in the code.
    fn address(&self, symbol: &ElfSymbol64<'_, '_, LittleEndian>) -> Option<u64> {
        Some(self.sections.get(&symbol.section_index()?)? + symbol.address())
    }

    /// Returns all references to the code, each with its source address if that is in the
    /// code.
    fn references(&self, file: &Elf<'_>) -> object::Result<Vec<Reference>> {
        let branches = self
            .instructions
            .iter()
            .map(|(address, instruction)| Reference {
                from: Some(*address),
                to: instruction.target,
            });
        let mut references: Vec<Reference> = branches.collect();
        for section in file.sections() {
            let flags = section.elf_section_header().sh_flags.get(LittleEndian);
            let name = section.name()?;
            if !flags.contains(SHF_ALLOC) || ABOUT_CODE.iter().any(|about| name.starts_with(about))
            {
                continue;
            }
            let base = self.sections.get(&section.index());
            for (at, relocation) in section.relocations() {
                let RelocationTarget::Symbol(index) = relocation.target() else {
                    continue;
                };
                let symbol = file.symbol_by_index(index)?;
                let Some(address) = self.address(&symbol) else {
                    continue;
                };
                let to = match (symbol.kind(), relocation.kind()) {
                    (SymbolKind::Text, _) => address,
                    (_, RelocationKind::Absolute) => {
                        address.wrapping_add_signed(relocation.addend())
                    }
                    // Relative to the end of the inserted value.
                    _ => address.wrapping_add_signed(relocation.addend() + 4),
                };
                let from = base.map(|base| base + at);
                references.push(Reference { from, to });
            }
        }
        Ok(references)
    }

    /// Lays out the sections of a part, in the order of the file, as the kernel does.
    fn part(&mut self, file: &Elf<'_>, start: u64, init: bool) -> object::Result<Part> {
        let mut part = Part {
            start,
            ..Part::default()
        };
        for section in file.sections() {
            let flags = section.elf_section_header().sh_flags.get(LittleEndian);
            let is_code = flags.contains(SHF_ALLOC | SHF_EXECINSTR);
            if !is_code || section.name()?.starts_with(".init") != init {
                continue;
            }
            let align = usize::try_from(section.align()).unwrap_or(1).max(1);
            let offset = part.bytes.len().next_multiple_of(align);
            part.bytes.resize(offset, 0);
            part.bytes.extend_from_slice(section.data()?);
            part.fixed.resize(part.bytes.len(), true);
            let begin = start + offset as u64;
            self.sections.insert(section.index(), begin);
            for (at, relocation) in section.relocations() {
                let from = offset + usize::try_from(at).unwrap_or(usize::MAX - offset);
                let size = usize::from(relocation.size() / 8);
                part.fixed
                    .iter_mut()
                    .skip(from)
                    .take(size)
                    .for_each(|byte| *byte = false);
                if let RelocationTarget::Symbol(index) = relocation.target() {
                    let name = file.symbol_by_index(index)?.name()?.to_owned();
                    self.names.insert(begin + at, name);
                }
            }
        }
        Ok(part)
    }

    /// Adds the instructions of a function.
    fn decode(&mut self, address: u64, size: u64) {
        let mut parts = self.parts.iter_mut();
        let found = parts.find_map(|part| Some((part.range(address, size)?, part)));
        let Some((range, part)) = found else { return };
        let bytes = &part.bytes[range.clone()];
        let decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
        let mut at = range.start;
        for instruction in decoder {
            let bytes = at..at + instruction.len();
            at = bytes.end;
            if instruction.code() == Kind::Endbr64 {
                part.fixed[bytes].fill(false);
            }
            let known = Instruction {
                length: instruction.len() as u64,
                flow: instruction.flow_control(),
                plain: (instruction.condition_code() as u8) % 2 == 1,
                target: instruction.near_branch_target(),
            };
            self.instructions.insert(instruction.ip(), known);
        }
    }

    /// Returns both ways of a conditional jump: to its target, and to the next
    /// instruction.
    pub(super) fn ways(&self, address: u64) -> Option<[Way; 2]> {
        let instruction = self.instructions.get(&address)?;
        if instruction.flow != FlowControl::ConditionalBranch {
            return None;
        }
        let next = address + instruction.length;
        let jump = match self.name(address) {
            Some(name) => Way {
                to: None,
                condition: instruction.plain,
                panics: name.contains(PANIC),
            },
            None => self.way(instruction.target, instruction.plain),
        };
        Some([jump, self.way(next, !instruction.plain)])
    }

    fn way(&self, to: u64, condition: bool) -> Way {
        Way {
            to: Some(to),
            condition,
            panics: self.panics(to),
        }
    }

    /// Returns whether the code panics without any further condition.
    fn panics(&self, mut address: u64) -> bool {
        for _ in 0..STEPS {
            let Some(instruction) = self.instructions.get(&address) else {
                return false;
            };
            let name = self.name(address);
            address = match instruction.flow {
                FlowControl::Next => address + instruction.length,
                FlowControl::UnconditionalBranch if name.is_none() => instruction.target,
                _ => return name.is_some_and(|name| name.contains(PANIC)),
            };
        }
        false
    }

    /// Returns the symbol that the kernel inserts into an instruction.
    fn name(&self, address: u64) -> Option<&str> {
        let length = self.instructions.get(&address)?.length;
        let (_, name) = self.names.range(address..address + length).next()?;
        Some(name)
    }
}

/// One of the two ways of a conditional jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// Address of the next instruction on this way, if it is the module's.
    pub(super) to: Option<u64>,
    /// Value of the condition on this way. Compilers may test the condition or its
    /// opposite; the value is that of the condition itself.
    pub(super) condition: bool,
    /// True if this way leads only to a panic.
    pub(super) panics: bool,
}

impl Part {
    fn range(&self, address: u64, size: u64) -> Option<Range<usize>> {
        let from = usize::try_from(address.checked_sub(self.start)?).ok()?;
        let to = from.checked_add(usize::try_from(size).ok()?)?;
        (to <= self.bytes.len()).then_some(from..to)
    }

    /// Returns the number of these bytes that equal those at an offset, without those
    /// that the kernel inserts. `None` if one byte differs.
    pub(super) fn matches(&self, offset: u64, bytes: &[u8]) -> Option<usize> {
        let from = usize::try_from(offset).ok()?;
        let to = from.checked_add(bytes.len())?;
        let mut number = 0;
        let ours = self.bytes.get(from..to)?.iter().zip(&self.fixed[from..to]);
        for ((byte, fixed), there) in ours.zip(bytes) {
            if *fixed {
                if byte != there {
                    return None;
                }
                number += 1;
            }
        }
        Some(number)
    }
}

/// Returns code for a test: one part with these bytes, where 0xee marks an inserted byte.
#[cfg(test)]
pub(super) fn example(bytes: &[u8], names: &[(u64, &str)]) -> Code {
    let mut code = Code::default();
    code.parts.push(Part {
        start: PAGE,
        bytes: bytes.to_vec(),
        fixed: bytes.iter().map(|byte| *byte != 0xee).collect(),
    });
    code.decode(PAGE, bytes.len() as u64);
    let names = names.iter();
    code.names = names
        .map(|(at, name)| (PAGE + at, (*name).to_owned()))
        .collect();
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conditional_jump_has_two_ways() {
        let code = example(
            &[
                0x74, 0x01, // 0: je 3
                0xc3, // 2: ret
                0x90, // 3: nop
                0xe8, 0xee, 0xee, 0xee, 0xee, // 4: call
            ],
            &[(5, "_RNv4core9panicking5panic")],
        );
        let way = |offset, condition, panics| Way {
            to: Some(PAGE + offset),
            condition,
            panics,
        };
        let ways = [way(3, true, true), way(2, false, false)];
        assert_eq!(code.ways(PAGE), Some(ways));
        assert_eq!(code.ways(PAGE + 3), None);
        assert_eq!(code.instructions.len(), 4);
    }

    #[test]
    fn the_opposite_condition_jumps_the_other_way() {
        let conditions = |bytes| {
            let ways = example(bytes, &[]).ways(PAGE).expect("conditional");
            ways.map(|way| way.condition)
        };
        assert_eq!(conditions(&[0x7e, 0x00]), [true, false], "jle");
        assert_eq!(conditions(&[0x7f, 0x00]), [false, true], "jg");
    }

    #[test]
    fn a_jump_may_leave_the_module() {
        let jump = [0x0f, 0x80, 0xee, 0xee, 0xee, 0xee, 0xc3];
        let code = example(&jump, &[(2, "_RNv4core9panicking12add_overflow")]);
        let [jump, next] = code.ways(PAGE).expect("conditional");
        assert_eq!((jump.to, jump.panics), (None, true));
        assert!(!next.panics);
    }

    #[test]
    fn what_the_kernel_puts_in_may_be_anything() {
        let part = &example(&[0xe8, 0xee, 0xee, 0xee, 0xee, 0xc3], &[]).parts[0];
        assert_eq!(part.matches(0, &[0xe8, 1, 2, 3, 4]), Some(1));
        assert_eq!(part.matches(0, &[0xe9, 1, 2, 3, 4]), None);
        assert_eq!(part.matches(5, &[0xc3]), Some(1));
        assert_eq!(part.matches(5, &[0xc3, 0xc3]), None, "it ends there");
        let sealed = &example(&[0xf3, 0x0f, 0x1e, 0xfa, 0xc3], &[]).parts[0];
        assert_eq!(sealed.matches(0, &[0x0f, 0x1f, 0x40, 0xd6]), Some(0));
    }

    #[test]
    fn copies_that_nothing_calls_are_unused() {
        let functions = vec![0..10, 10..20, 20..30, 30..40];
        let reference = |from, to| Reference { from, to };
        let references = [
            reference(None, 0),
            reference(Some(5), 10),
            reference(Some(25), 30),
            reference(Some(35), 30),
        ];
        assert_eq!(unused(functions, &references), [20..30, 30..40]);
    }

    #[test]
    fn what_is_no_file_of_a_module_is_refused() {
        assert!(Code::parse(b"\x7fELF and so on").is_err());
    }
}
