// SPDX-License-Identifier: GPL-2.0

//! What is there once a driver is loaded: PMUs, files, memory, and what its module
//! consists of.

use super::operations::{Names, Subject};
use crate::fixture::{Session, DEVICES};
use crate::Driver;
use std::path::Path;

/// How often memory is measured.
const ROUNDS: usize = 5;

/// What is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// PMUs.
    pub pmus: usize,
    /// Files in sysfs below them.
    pub files: usize,
    /// Kilobytes of memory that are in use after loading and were not before; the
    /// median.
    pub memory: i64,
    /// The module's parts.
    pub sections: Sections,
}

/// Bytes that stay in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sections {
    /// Code.
    pub text: u64,
    /// Constants, tables for unwinding included.
    pub constants: u64,
    /// Variables.
    pub variables: u64,
}

impl Footprint {
    /// Of a driver that is not loaded, before and after, and of its module's file.
    pub(super) fn measure(session: &mut Session, driver: Driver, module: &Path) -> Self {
        let subject = Subject::Machine;
        let names = Names { driver, subject };
        let (load, unload) = (names.load(), names.unload());
        let mut memory: Vec<i64> = (0..ROUNDS)
            .map(|_| {
                let before = free(session);
                session.perf_open(&load);
                let after = free(session);
                session.perf_open(&[&unload]);
                before - after
            })
            .collect();
        memory.sort_unstable();
        session.perf_open(&load);
        let pmus = session.ok(&format!("ls -d {DEVICES}/{}*", names.prefix()));
        let files = session.ok(&format!(
            "for pmu in {DEVICES}/{}*; do find $pmu/ -type f; done",
            names.prefix()
        ));
        session.perf_open(&[&unload]);
        let image = std::fs::read(module);
        let image = image.unwrap_or_else(|error| panic!("{}: {error}", module.display()));
        let sections = Sections::of(&image);
        Self {
            pmus: pmus.lines().count(),
            files: files.lines().count(),
            memory: memory[ROUNDS / 2],
            sections: sections.unwrap_or_else(|| panic!("{} is no module", module.display())),
        }
    }

    /// What the page and the table say of it.
    pub(super) fn lines(&self) -> [(&'static str, i64); 6] {
        let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let count = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
        [
            ("PMUs", count(self.pmus)),
            ("files in sysfs", count(self.files)),
            ("memory in use after loading, kB", self.memory),
            ("module: code, bytes", number(self.sections.text)),
            ("module: constants, bytes", number(self.sections.constants)),
            ("module: variables, bytes", number(self.sections.variables)),
        ]
    }
}

/// Free memory in kilobytes, when nothing is kept that need not be.
fn free(session: &mut Session) -> i64 {
    let said =
        session.ok("echo 3 >/proc/sys/vm/drop_caches; sleep 0.2; grep MemFree /proc/meminfo");
    let number = said.split_whitespace().nth(1).and_then(|n| n.parse().ok());
    number.unwrap_or_else(|| panic!("`{said}`"))
}

impl Sections {
    /// Those of an ELF file of 64 bits, as its section headers tell.
    fn of(image: &[u8]) -> Option<Self> {
        /// Flags of a section.
        const WRITABLE: u64 = 1;
        const ALLOCATED: u64 = 2;
        const EXECUTABLE: u64 = 4;
        let number = |at: usize, size: usize| {
            let bytes = image.get(at..at.checked_add(size)?)?.iter().rev();
            Some(bytes.fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
        };
        let place = |at: usize, size: usize| usize::try_from(number(at, size)?).ok();
        let header = |index: usize| Some(place(0x28, 8)? + index * place(0x3a, 2)?);
        let names = place(header(place(0x3e, 2)?)? + 0x18, 8)?;
        let mut sections = Self::default();
        for index in 0..place(0x3c, 2)? {
            let header = header(index)?;
            let name = image.get(names + place(header, 4)?..)?;
            let (flags, size) = (number(header + 8, 8)?, number(header + 0x20, 8)?);
            let part = match flags & (WRITABLE | ALLOCATED | EXECUTABLE) {
                _ if name.starts_with(b".init") => continue,
                flags if flags & ALLOCATED == 0 => continue,
                flags if flags & EXECUTABLE != 0 => &mut sections.text,
                flags if flags & WRITABLE != 0 => &mut sections.variables,
                _ => &mut sections.constants,
            };
            *part += size;
        }
        Some(sections)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of section headers, and their names at its end.
    fn image(sections: &[(&str, u64, u64)]) -> Vec<u8> {
        let count = sections.len() + 1;
        let names_at = 0x40 * (count + 1);
        let mut image = vec![0; names_at];
        let mut names = Vec::new();
        let mut put = |at: usize, value: u64, size: usize| {
            image[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        };
        put(0x28, 0x40, 8);
        put(0x3a, 0x40, 2);
        put(0x3c, count as u64, 2);
        put(0x3e, count as u64 - 1, 2);
        put(0x40 * count + 0x18, names_at as u64, 8);
        for (index, (name, flags, size)) in sections.iter().enumerate() {
            let header = 0x40 * (index + 1);
            put(header, names.len() as u64, 4);
            put(header + 8, *flags, 8);
            put(header + 0x20, *size, 8);
            names.extend(name.bytes().chain([0]));
        }
        image.extend(names);
        image
    }

    #[test]
    fn sections_are_told_by_their_flags() {
        let image = image(&[
            (".text", 6, 100),
            (".text.unlikely", 6, 10),
            (".init.text", 6, 1000),
            (".rodata", 2, 20),
            (".data", 3, 4),
            (".bss", 3, 5),
            (".comment", 0, 1000),
        ]);
        let sections = Sections {
            text: 110,
            constants: 20,
            variables: 9,
        };
        assert_eq!(Sections::of(&image), Some(sections));
        assert_eq!(Sections::of(&image[..0x100]), None);
    }
}
