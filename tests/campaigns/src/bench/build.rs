// SPDX-License-Identifier: GPL-2.0

//! The kernel that a module was built for, and its compilers: its code, and so its exact figures,
//! depend on them.

use object::read::elf::ElfFile64;
use object::{LittleEndian, Object as _, ObjectSection as _};
use std::path::Path;

/// Returns the kernel, rustc and gcc of a module's file, in one line.
pub(super) fn build(path: &Path) -> Result<String, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let image = std::fs::read(path).map_err(|error| wrong(&error))?;
    let section = |name: &str| -> Result<Vec<u8>, String> {
        let file = ElfFile64::<LittleEndian>::parse(&*image).map_err(|error| wrong(&error))?;
        let section = file.section_by_name(name);
        let section = section.ok_or_else(|| wrong(&format!("no {name}")))?;
        let data = section.data().map_err(|error| wrong(&error))?;
        Ok(data.to_vec())
    };
    named(&section(".modinfo")?, &section(".comment")?).map_err(|error| wrong(&error))
}

/// Returns the build that these sections name.
fn named(information: &[u8], comment: &[u8]) -> Result<String, String> {
    let find = |section: &[u8], prefix: &str| -> Result<String, String> {
        let texts = String::from_utf8_lossy(section);
        let mut found = texts
            .split('\0')
            .filter_map(|text| text.strip_prefix(prefix));
        let found = found.next().ok_or_else(|| format!("no `{prefix}`"))?;
        Ok(found.trim().to_owned())
    };
    let magic = find(information, "vermagic=")?;
    let kernel = magic.split(' ').next().unwrap_or_default();
    let rustc = find(comment, "rustc version ")?;
    let gcc = find(comment, "GCC: ")?;
    Ok(format!("{kernel}, rustc {rustc}, gcc {gcc}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_a_kernel_and_two_compilers() {
        let information = b"license=GPL\0vermagic=7.3.4-plain SMP mod_unload \0";
        let comment = b"\0rustc version 1.95.0 (5980 2026-04-14)\0GCC: (Debian) 12.2.0\0";
        let build = named(information, comment);
        let expected = "7.3.4-plain, rustc 1.95.0 (5980 2026-04-14), gcc (Debian) 12.2.0";
        assert_eq!(build.as_deref(), Ok(expected));
        let error = named(information, b"GCC: 12\0").expect_err("no rustc");
        assert!(error.contains("rustc"), "{error}");
    }

    #[test]
    fn a_file_that_is_no_module_is_named() {
        for path in ["/nowhere.ko", "/proc/self/exe"] {
            let error = build(Path::new(path)).expect_err(path);
            assert!(error.starts_with(path), "{error}");
        }
    }
}
