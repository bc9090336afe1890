// SPDX-License-Identifier: GPL-2.0

//! Location of the module's code in the guest's memory, found by content.
//!
//! A part of a module begins on a page. A page is its start if the recorded instructions
//! equal those of the part, several of them in a row. A mismatch elsewhere is ignored:
//! other modules may have run at the same addresses before or after. A single equal
//! instruction may be chance and is not enough.

use super::code::{Code, PAGE};
use super::recording::{Mark, What};
use std::collections::BTreeSet;

/// Number of equal bytes in a row that rules out chance.
const TELLING_BYTES: usize = 32;

/// Location of one part of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Base {
    /// Number of the part.
    part: usize,
    address: u64,
}

impl Base {
    /// Returns the address in `code` of a recorded instruction, if it was the module's.
    pub(super) fn locate(self, code: &Code, mark: &Mark) -> Option<u64> {
        let offset = mark.address.checked_sub(self.address)?;
        let part = &code.parts[self.part];
        part.matches(offset, &mark.bytes)?;
        Some(part.start + offset)
    }

    /// Returns whether the part lies here; `marks` are in the order of their addresses.
    fn is_right(self, code: &Code, marks: &[&Mark]) -> bool {
        let part = &code.parts[self.part];
        let (mut end, mut row) = (0, 0);
        marks.iter().any(|mark| {
            let offset = mark.address.wrapping_sub(self.address);
            let Some(same) = part.matches(offset, &mark.bytes) else {
                return false;
            };
            row = if offset == end { row + same } else { same };
            end = offset + mark.bytes.len() as u64;
            row >= TELLING_BYTES
        })
    }
}

/// Finds all locations of all parts; a part has several if the module was loaded
/// repeatedly.
pub(super) fn find(code: &Code, marks: &[Mark]) -> Vec<Base> {
    let marks = marks.iter().filter(|mark| mark.what == What::Ran);
    let mut marks: Vec<&Mark> = marks.collect();
    marks.sort_unstable_by_key(|mark| mark.address);
    let pages: BTreeSet<u64> = marks.iter().map(|mark| mark.address / PAGE).collect();
    let mut found = Vec::new();
    for (number, part) in code.parts.iter().enumerate() {
        let size = (part.bytes.len() as u64).div_ceil(PAGE);
        let starts = pages
            .iter()
            .flat_map(|page| page.saturating_sub(size)..=*page);
        let starts: BTreeSet<u64> = starts.collect();
        let bases = starts.into_iter().map(|page| Base {
            part: number,
            address: page * PAGE,
        });
        found.extend(bases.filter(|base| base.is_right(code, &marks)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::code::example;

    const THERE: u64 = 0xffff_ffff_a012_3000;

    /// A test module: `mov $number,%eax`, and a call whose target the kernel inserts.
    fn module() -> Code {
        let mov = (0..8).flat_map(|number| [0xb8, number, 2, 3, 4]);
        let bytes: Vec<u8> = mov.chain([0xe8, 0xee, 0xee, 0xee, 0xee]).collect();
        example(&bytes, &[])
    }

    /// Returns marks of the first `number` instructions of the module.
    fn marks(address: u64, number: usize) -> Vec<Mark> {
        let bytes = &module().parts[0].bytes;
        let marks = bytes.chunks(5).take(number).enumerate();
        let mark = |(index, bytes): (usize, &[u8])| Mark {
            what: What::Ran,
            address: address + 5 * index as u64,
            bytes: bytes.to_vec(),
        };
        marks.map(mark).collect()
    }

    #[test]
    fn it_is_where_its_code_ran() {
        let code = module();
        let mut marks = marks(THERE, 8);
        let call = Mark {
            what: What::Ran,
            address: THERE + 40,
            bytes: vec![0xe8, 1, 2, 3, 4],
        };
        marks.push(call);
        let [base] = find(&code, &marks)[..] else {
            panic!("it is in one place")
        };
        assert_eq!(base.address, THERE);
        let found = marks.iter().filter_map(|mark| base.locate(&code, mark));
        let offsets: Vec<u64> = found.map(|address| address - PAGE).collect();
        assert_eq!(offsets, [0, 5, 10, 15, 20, 25, 30, 35, 40]);
    }

    #[test]
    fn it_may_have_been_in_two_places_and_others_in_them() {
        let mut marks = marks(THERE, 8);
        marks.extend(self::marks(THERE + 7 * PAGE, 8));
        marks.extend((0..20).map(|byte| Mark {
            what: What::Ran,
            address: THERE + byte,
            bytes: vec![0x48, 0x89, 0x44, 0x24, 0x08],
        }));
        let code = module();
        let bases = find(&code, &marks);
        let addresses: Vec<u64> = bases.iter().map(|base| base.address).collect();
        assert_eq!(addresses, [THERE, THERE + 7 * PAGE]);
        let found = marks
            .iter()
            .filter(|mark| bases[0].locate(&code, mark).is_some());
        assert_eq!(found.count(), 8);
    }

    #[test]
    fn a_few_alike_are_not_it() {
        assert_eq!(find(&module(), &marks(THERE, 6)), []);
        assert_eq!(find(&module(), &marks(THERE + 1, 8)), [], "off a page");
    }
}
