// SPDX-License-Identifier: GPL-2.0

//! Source lines of instructions, from a module's debug information.
//!
//! An instruction of an inlined function belongs to a line of that function, to the line
//! that called it, and so on outwards.

use super::code::{Code, Elf};
use addr2line::gimli::{DwarfSections, EndianSlice, LittleEndian, SectionId};
use addr2line::Context;
use object::{
    Object as _, ObjectSection as _, ObjectSymbol as _, RelocationKind, RelocationTarget,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Directories of the module's own sources.
const OURS: [&str; 2] = ["rust", "include"];

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Line {
    /// Path of the file in the tree.
    pub(super) file: String,
    pub(super) number: u32,
    /// Function that contains the line.
    pub(super) function: String,
}

/// Origin of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// Its lines in the module's own sources, the innermost first; at least one.
    pub(super) lines: Vec<Line>,
    /// File, line and column of the innermost line and of all code from elsewhere that
    /// was inlined there. Copies of one instruction in several functions have equal
    /// places.
    pub(super) place: Vec<(String, u32, u32)>,
}

/// Origins of instructions. Instructions of foreign sources have none.
pub(super) type Origins = BTreeMap<u64, Origin>;

/// Reads the origins from the module's file. Fails if the file has no debug
/// information, or debug information that cannot be parsed.
pub(super) fn read(image: &[u8], code: &Code, tree: &Path) -> Result<Origins, String> {
    let file = Elf::parse(image).map_err(|error| error.to_string())?;
    let sections = DwarfSections::load(|id| section(&file, code, id));
    let sections = sections.map_err(|error: object::Error| error.to_string())?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, LittleEndian));
    let context = Context::from_dwarf(dwarf).map_err(|error| error.to_string())?;
    let mut origins = Origins::new();
    for address in code.instructions.keys() {
        let origin = origin(&context, *address, tree).map_err(|error| error.to_string())?;
        if !origin.lines.is_empty() {
            origins.insert(*address, origin);
        }
    }
    if origins.is_empty() {
        return Err(format!("no debug information about {}", tree.display()));
    }
    Ok(origins)
}

fn origin(
    context: &Context<EndianSlice<'_, LittleEndian>>,
    address: u64,
    tree: &Path,
) -> Result<Origin, addr2line::gimli::Error> {
    let mut origin = Origin {
        lines: Vec::new(),
        place: Vec::new(),
    };
    let mut frames = context.find_frames(address).skip_all_loads()?;
    while let Some(frame) = frames.next()? {
        let Some(location) = frame.location else {
            continue;
        };
        let (Some(file), Some(number)) = (location.file, location.line.filter(|line| *line != 0))
        else {
            continue;
        };
        if origin.lines.is_empty() {
            let column = location.column.unwrap_or(0);
            origin.place.push((file.to_owned(), number, column));
        }
        if let Some(file) = own(file, tree) {
            let name = frame
                .function
                .as_ref()
                .and_then(|name| name.demangle().ok());
            let function = name.map_or_else(String::new, Cow::into_owned);
            origin.lines.push(Line {
                file,
                number,
                function,
            });
        }
    }
    Ok(origin)
}

/// Returns the path in the tree, for one of the module's own sources.
fn own(path: &str, tree: &Path) -> Option<String> {
    // Drops each "." of the path.
    let path: PathBuf = Path::new(path)
        .strip_prefix(tree)
        .ok()?
        .components()
        .collect();
    let ours = OURS.iter().any(|directory| path.starts_with(directory));
    ours.then(|| path.display().to_string())
}

/// Returns a section of the debug information, with its relocations applied.
fn section(file: &Elf<'_>, code: &Code, id: SectionId) -> object::Result<Vec<u8>> {
    let Some(section) = file.section_by_name(id.name()) else {
        return Ok(Vec::new());
    };
    let mut data = section.data()?.to_vec();
    for (offset, relocation) in section.relocations() {
        let RelocationTarget::Symbol(index) = relocation.target() else {
            continue;
        };
        if relocation.kind() != RelocationKind::Absolute {
            continue;
        }
        let symbol = file.symbol_by_index(index)?;
        let section = symbol.section_index();
        let base = section.and_then(|index| code.sections.get(&index));
        let value = base.unwrap_or(&0) + symbol.address();
        let value = value.wrapping_add_signed(relocation.addend()).to_le_bytes();
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let size = usize::from(relocation.size() / 8).min(value.len());
        let bytes = data.iter_mut().skip(from).take(size);
        bytes.zip(value).for_each(|(byte, new)| *byte = new);
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_sources_are_those_of_the_module() {
        let own = |path| own(path, Path::new("/tree"));
        assert_eq!(
            own("/tree/rust/uncore.rs"),
            Some("rust/uncore.rs".to_owned())
        );
        assert_eq!(
            own("/tree/include/./trace.h"),
            Some("include/trace.h".to_owned())
        );
        assert_eq!(own("/tree/build/rust/bindings.rs"), None);
        assert_eq!(own("/linux/rust/kernel/lib.rs"), None);
    }

    #[test]
    fn what_has_no_debug_information_is_refused() {
        let program = std::env::current_exe().and_then(std::fs::read);
        let program = program.expect("this program");
        let code = Code::default();
        let error = read(&program, &code, Path::new("/tree")).expect_err("no code");
        assert_eq!(error, "no debug information about /tree");
    }
}
