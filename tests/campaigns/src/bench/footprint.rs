// SPDX-License-Identifier: GPL-2.0

//! Footprint of a loaded driver: PMUs, files, memory, and the sections of its module.

use super::operations::{Names, Subject};
use object::elf::{SectionFlags, SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object as _, ObjectSection as _};
use std::path::Path;
use uncore_e2e::prelude::*;

/// Number of memory measurements.
const ROUNDS: usize = 5;

/// Footprint of a loaded driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Number of PMUs.
    pub pmus: usize,
    /// Number of files in sysfs below the PMUs.
    pub files: usize,
    /// Kilobytes of memory that loading takes; the median.
    pub memory: i64,
    /// Sizes of the module's sections.
    pub sections: Sections,
}

/// Section sizes, in bytes that stay in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sections {
    /// Code.
    pub text: u64,
    /// Constants, unwind tables included.
    pub constants: u64,
    /// Variables.
    pub variables: u64,
}

impl Footprint {
    /// Measures a driver that is not loaded, before and after loading it, and reads the
    /// file of its module.
    pub(super) fn measure(session: &mut Session, driver: Driver, module: &Path) -> Self {
        let subject = Subject::Machine;
        let names = Names { driver, subject };
        let (load, unload) = (names.load(), names.unload());
        let memory = memory_of(session, &load, &unload);
        session.perf_open(&load);
        let pmus = session.ok(&format!("ls -d {DEVICES}/{}*", names.prefix()));
        let files = session.ok(&format!(
            "for pmu in {DEVICES}/{}*; do find $pmu/ -type f; done",
            names.prefix()
        ));
        session.perf_open(&[&unload]);
        Self {
            pmus: pmus.lines().count(),
            files: files.lines().count(),
            memory,
            sections: Sections::of_file(module),
        }
    }

    /// Returns the lines of the footprint for the page and the table.
    pub(super) fn lines(&self) -> [(&'static str, i64); 6] {
        fn number(value: impl TryInto<i64>) -> i64 {
            value.try_into().unwrap_or(i64::MAX)
        }
        [
            ("PMUs", number(self.pmus)),
            ("files in sysfs", number(self.files)),
            ("memory in use after loading, kB", self.memory),
            ("module: code, bytes", number(self.sections.text)),
            ("module: constants, bytes", number(self.sections.constants)),
            ("module: variables, bytes", number(self.sections.variables)),
        ]
    }
}

/// Returns the kilobytes of memory that steps take which load a module; the median.
pub(super) fn memory_of(session: &mut Session, load: &[String], unload: &str) -> i64 {
    let mut memory: Vec<i64> = (0..ROUNDS)
        .map(|_| {
            let before = free(session);
            session.perf_open(load);
            let after = free(session);
            session.perf_open(&[unload]);
            before - after
        })
        .collect();
    memory.sort_unstable();
    memory[ROUNDS / 2]
}

/// Returns free memory in kilobytes, after dropping all caches.
fn free(session: &mut Session) -> i64 {
    let said =
        session.ok("echo 3 >/proc/sys/vm/drop_caches; sleep 0.2; grep MemFree /proc/meminfo");
    let number = said.split_whitespace().nth(1).and_then(|n| n.parse().ok());
    number.unwrap_or_else(|| panic!("`{said}`"))
}

impl Sections {
    /// Reads the section sizes of a module's file.
    pub(super) fn of_file(module: &Path) -> Self {
        let image = std::fs::read(module);
        let image = image.unwrap_or_else(|error| panic!("{}: {error}", module.display()));
        Self::of(&image).unwrap_or_else(|error| panic!("{}: {error}", module.display()))
    }

    /// Returns the section sizes of a module's file, from its section headers.
    fn of(image: &[u8]) -> object::Result<Self> {
        let mut sections = Self::default();
        for section in ElfFile64::<LittleEndian>::parse(image)?.sections() {
            let flags = section.elf_section_header().sh_flags.get(LittleEndian);
            sections.add(section.name()?, flags, section.size());
        }
        Ok(sections)
    }

    fn add(&mut self, name: &str, flags: SectionFlags, size: u64) {
        if name.starts_with(".init") || !flags.contains(SHF_ALLOC) {
            return;
        }
        let part = if flags.contains(SHF_EXECINSTR) {
            &mut self.text
        } else if flags.contains(SHF_WRITE) {
            &mut self.variables
        } else {
            &mut self.constants
        };
        *part += size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_told_by_their_flags() {
        let code = SHF_ALLOC | SHF_EXECINSTR;
        let mut sections = Sections::default();
        for (name, flags, size) in [
            (".text", code, 100),
            (".text.unlikely", code, 10),
            (".init.text", code, 1000),
            (".rodata", SHF_ALLOC, 20),
            (".data", SHF_ALLOC | SHF_WRITE, 4),
            (".bss", SHF_ALLOC | SHF_WRITE, 5),
            (".comment", SectionFlags(0), 1000),
        ] {
            sections.add(name, flags, size);
        }
        let expected = Sections {
            text: 110,
            constants: 20,
            variables: 9,
        };
        assert_eq!(sections, expected);
    }

    #[test]
    fn sections_are_those_of_a_file() {
        let program = std::env::current_exe().and_then(std::fs::read);
        let program = program.expect("this program");
        let sections = Sections::of(&program).expect("sections");
        assert!(sections.text > 0 && sections.constants > 0 && sections.variables > 0);
        assert!(Sections::of(&program[..0x100]).is_err());
    }
}
