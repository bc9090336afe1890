// SPDX-License-Identifier: GPL-2.0

//! The messages that QPI ports and home agents see (traffic.rst, "Messages").

/// Message class, opcode, response data state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) class: u8,
    pub(super) opcode: u8,
    pub(super) state: u8,
}

/// A class with its opcodes, each with its response data state.
type Class = (u8, &'static [(u8, u8)]);

const CLASSES: [Class; 7] = [
    (
        0x0,
        &plain([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15]),
    ),
    (0x1, &plain([0, 1, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14])),
    (0x2, &plain([0, 1, 4, 5, 8, 9, 10, 11, 12])),
    (0x3, &plain([0, 1, 2, 4, 5, 8, 10, 15])),
    (0x4, &plain([0, 1, 3, 4, 5, 7, 9, 11, 12, 13])),
    (0xc, &plain([0, 1, 8, 9, 10, 11, 12, 13, 14, 15])),
    (0xe, &DRS),
];

/// The only class whose first opcodes have states: 8 M, 4 E, 1 F, 0 I.
#[rustfmt::skip]
const DRS: [(u8, u8); 18] = [
    (0, 8), (0, 4), (0, 1), (0, 0),
    (1, 4), (1, 1), (1, 0),
    (2, 4), (2, 1), (2, 0),
    (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (10, 0), (11, 0),
];

/// Opcodes without a response data state.
const fn plain<const N: usize>(opcodes: [u8; N]) -> [(u8, u8); N] {
    let mut with_state = [(0, 0); N];
    let mut index = 0;
    while index < N {
        with_state[index].0 = opcodes[index];
        index += 1;
    }
    with_state
}

/// Messages in the list.
const COUNT: usize = 82;

/// The list, in the page's order.
pub(super) const MESSAGES: [Message; COUNT] = list();

const fn list() -> [Message; COUNT] {
    let mut messages = [Message {
        class: 0,
        opcode: 0,
        state: 0,
    }; COUNT];
    let (mut entry, mut row) = (0, 0);
    while row < CLASSES.len() {
        let (class, opcodes) = CLASSES[row];
        let mut column = 0;
        while column < opcodes.len() {
            let (opcode, state) = opcodes[column];
            messages[entry] = Message {
                class,
                opcode,
                state,
            };
            entry += 1;
            column += 1;
        }
        row += 1;
    }
    assert!(entry == COUNT, "the list is as long as the page's");
    messages
}

#[cfg(test)]
pub(super) mod page {
    use super::*;

    /// Entry, slots and message of each line of the page's table.
    pub(in super::super) fn table() -> Vec<(u64, std::ops::RangeInclusive<u64>, Message)> {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../Documentation/development/traffic.rst"
        );
        let page = std::fs::read_to_string(path).expect("the page");
        page.lines().filter_map(line).collect()
    }

    /// Parses a line of the table; `None` for any other line.
    fn line(text: &str) -> Option<(u64, std::ops::RangeInclusive<u64>, Message)> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [entry, class, mc, opc, rds, _name, slots] = words[..] else {
            return None;
        };
        let named = ["HOM0", "HOM1", "NDR", "SNP", "NCS", "NCB", "DRS"].contains(&class);
        let entry = entry.parse().ok().filter(|_| named)?;
        let (first, last) = slots.split_once('-').unwrap_or((slots, slots));
        let hex = |text| u8::from_str_radix(text, 16).expect("a hexadecimal number");
        let message = Message {
            class: hex(mc),
            opcode: hex(opc),
            state: hex(rds),
        };
        let number = |text: &str| text.parse().expect("a number");
        Some((entry, number(first)..=number(last), message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_pages() {
        let page = page::table();
        assert_eq!(page.len(), COUNT);
        for (index, (entry, slots, message)) in (0..).zip(page) {
            assert_eq!(entry, index);
            let first = index * (index + 1) / 2;
            assert_eq!(slots, first..=first + index, "entry {index}");
            let ours = MESSAGES[usize::try_from(index).expect("an index")];
            assert_eq!(ours, message, "entry {index}");
        }
    }
}
