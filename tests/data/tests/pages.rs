// SPDX-License-Identifier: GPL-2.0

//! The places and bits of registers against the page of each platform in Documentation/hardware,
//! which is written from the sources.
//!
//! The column `source` of a register names the text on the page before its bits. Behind it are items
//! such as `rsv 0! 21; en 22 RW`, or the next table. Behind a `|` is the row of that table which is
//! the register's, or its column, or `first` for the first item alone.

use std::collections::BTreeSet;
use std::fs;
use uncore_catalogue::{Address, At, Facts, Place, Register, What};

fn page(facts: &Facts) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Documentation/hardware");
    // Behind it is the page of the platform from which it has the differences.
    let pages = [facts.name, &facts.processors[0].like];
    let pages = pages.iter().filter(|name| !name.is_empty());
    let text =
        pages.map(|name| fs::read_to_string(format!("{folder}/{name}.rst")).expect("a page"));
    let text: String = text.collect();
    // A blank in these names would end them. Columns stay where they are.
    let names = ["rsv 0!", "must 0", "rsv 1!", "must 1"];
    let shorts = ["must0 ", "must0 ", "must1 ", "must1 "];
    let names = names.into_iter().zip(shorts);
    names.fold(text, |text, (name, short)| text.replace(name, short))
}

/// Bits by what a write to them means.
#[derive(Debug, Default, PartialEq)]
struct Bits {
    stored_or_acting: u64,
    cleared: u64,
    zero: u64,
    one: u64,
    reserved: u64,
    /// The page does not say.
    open: u64,
}

impl Bits {
    fn of(register: &Register) -> Self {
        Self {
            stored_or_acting: register.rw & !register.one | register.wo,
            cleared: register.w1c,
            zero: register.zero,
            one: register.one,
            reserved: register.reserved,
            open: 0,
        }
    }

    /// Notes what the words of an item say: a name and bits, or bits and a name.
    fn note(&mut self, words: &[&str], what: What) {
        if words.contains(&"others") && words.contains(&"reserved") {
            self.reserved = !(self.stored_or_acting | self.zero);
        }
        let found = words
            .iter()
            .zip(0..)
            .find_map(|(word, at)| Some((at, range(word)?)));
        let Some((at, bits)) = found else {
            return;
        };
        let has = |name| words[..(at + 3).min(words.len())].contains(&name);
        let is_name = at > 0 || words[0].contains(':') || has("must0");
        let class = match () {
            () if has("rsv") && has("ig") => &mut self.open,
            () if has("must0") => &mut self.zero,
            () if has("must1") => &mut self.one,
            () if has("rsv") || has("reserved") => &mut self.reserved,
            () if has("ig") || has("read") || has("not") && has("used") || !is_name => return,
            () if what == What::Status => &mut self.cleared,
            () => &mut self.stored_or_acting,
        };
        *class |= bits;
    }

    /// Notes the cells of a row: a mask, bits that must be 0, other bits.
    fn note_cells(&mut self, [mask, zero, others]: [&str; 3]) {
        let hex = mask.trim_start_matches("0x");
        let ranges = |cell| words(cell).into_iter().filter_map(range);
        self.stored_or_acting = u64::from_str_radix(hex, 16).expect("a mask");
        self.zero = ranges(zero).fold(0, |all, bits| all | bits);
        self.reserved = match others {
            "reserved" => !(self.stored_or_acting | self.zero),
            _ if others.contains("ignored") => 0,
            _ => ranges(others).fold(0, |all, bits| all | bits),
        };
    }

    fn within(self, size: u32, open: u64) -> Self {
        let here = (u64::MAX >> (64 - size)) & !open;
        Self {
            stored_or_acting: self.stored_or_acting & here,
            cleared: self.cleared & here,
            zero: self.zero & here,
            one: self.one & here,
            // A field of another row is no reserved bit.
            reserved: self.reserved & here & !self.stored_or_acting,
            open: 0,
        }
    }
}

/// The bits of `31:24` or `7`.
fn range(word: &str) -> Option<u64> {
    let (last, first) = word.split_once(':').unwrap_or((word, word));
    let (last, first): (u32, u32) = (last.parse().ok()?, first.parse().ok()?);
    (first <= last && last < 64).then(|| u64::MAX >> (63 - last + first) << first)
}

/// The words of some text, without signs behind them.
fn words(text: &str) -> Vec<&str> {
    let words = text.split_whitespace();
    words
        .map(|word| word.trim_end_matches([';', ',', '.']))
        .collect()
}

/// Cells of the rows of the first table in a text, its heading first. A row ends where the next
/// one begins with a cell.
fn table(text: &str) -> Vec<Vec<String>> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with("=="));
    let ruler = lines.next().expect("a table");
    let starts: Vec<usize> = (0..ruler.len())
        .filter(|at| ruler[*at..].starts_with('=') && !ruler[..*at].ends_with('='))
        .collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let (mut rulers, mut in_heading) = (0, true);
    for line in lines {
        if line.starts_with("==") {
            rulers += 1;
            in_heading = false;
            if rulers == 2 {
                break;
            }
            continue;
        }
        let ends = starts.iter().skip(1).copied().chain([usize::MAX]);
        let cells = starts.iter().zip(ends).map(|(start, end)| {
            let end = end.min(line.len());
            line.get(*start..end.max(*start))
                .unwrap_or_default()
                .trim()
                .to_owned()
        });
        let continues = line.starts_with(' ') || in_heading && !rows.is_empty();
        match rows.last_mut() {
            Some(row) if continues => {
                for (cell, more) in row.iter_mut().zip(cells) {
                    let both = format!("{cell} {more}");
                    both.trim().clone_into(cell);
                }
            }
            _ => rows.push(cells.collect()),
        }
    }
    rows
}

/// The bits of a register on the page.
fn on_page(page: &str, register: &Register) -> Bits {
    let (anchor, part) = register
        .source
        .split_once('|')
        .unwrap_or((&register.source, ""));
    let (_, text) = page
        .split_once(anchor)
        .unwrap_or_else(|| panic!("{register:?}"));
    let mut bits = Bits::default();
    let ends = ["\n\n", "\n* "].map(|end| text.find(end).unwrap_or(text.len()));
    let sentence = &text[..ends[0].min(ends[1])];
    for item in sentence.split([';', ',']).flat_map(|item| item.split(". ")) {
        bits.note(&words(item), register.what);
        if item.contains("others") || part == "first" {
            break;
        }
    }
    if bits != Bits::default() {
        return bits;
    }
    let rows = table(text);
    let (heading, rows) = rows.split_first().expect("a table with a heading");
    let column = heading
        .iter()
        .position(|cell| !part.is_empty() && cell == part);
    let at = heading.iter().position(|cell| cell.starts_with("Bit"));
    let mut above = "";
    for row in rows {
        if let Some(column) = column {
            let cell = Some(&*row[column]).filter(|cell| !cell.is_empty());
            above = cell.unwrap_or(above);
            let name = above.split_whitespace().next().unwrap_or_default();
            bits.note(&[name, &row[0]], register.what);
        } else if let Some(hex) = row.last().and_then(|cell| cell.strip_prefix("0x")) {
            if row[0] == part {
                bits.stored_or_acting = u64::from_str_radix(&hex[..8], 16).expect("eight digits");
                bits.open = !bits.stored_or_acting;
            }
        } else if heading.iter().any(|cell| cell == "May be 1") {
            if row[0] == part {
                bits.note_cells([&row[1], &row[2], &row[3]]);
            }
        } else if part.is_empty() || row[0] == part {
            let at = at.unwrap_or_else(|| panic!("{register:?}"));
            let name = row.iter().filter(|cell| **cell != row[at]);
            let name = name.flat_map(|cell| words(cell).into_iter().take(3));
            let name: Vec<&str> = name.filter(|word| range(word).is_none()).collect();
            let named = heading.iter().any(|cell| cell == "Field" || cell == "Name");
            let name = if named { &name[..] } else { &["ov"] };
            bits.note(&[name, &[&*row[at]]].concat(), register.what);
            if !named {
                let others = row.last().map_or("", |cell| cell);
                others
                    .split(',')
                    .for_each(|item| bits.note(&words(item), register.what));
            }
        }
    }
    bits
}

#[test]
fn bits_are_those_of_the_page() {
    let mut wrong = Vec::new();
    for facts in Facts::all() {
        let page = page(facts);
        for register in facts.registers.iter().filter(|row| !row.source.is_empty()) {
            let found = on_page(&page, register);
            let size = register.size.expect("a size");
            let open = found.open & !Bits::of(register).stored_or_acting;
            let name = format!("{} {} {}", facts.name, register.kind, register.name);
            let expected = Bits::of(register).within(size, open);
            let found = found.within(size, open);
            if found != expected {
                wrong.push(format!("{name}: {found:x?} on the page, {expected:x?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Text with one blank between words.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn places_are_on_the_page() {
    for facts in Facts::all() {
        let page = plain(&page(facts).replace(", presumably", ""));
        for row in &facts.boxes {
            for place in row.at.functions().iter().chain(row.second.functions()) {
                let Place {
                    device,
                    function,
                    id,
                    ..
                } = place;
                let text = format!("D{device}:F{function} ``{id:04x}``");
                assert!(page.contains(&text), "{} {}: {text}", facts.name, row.kind);
            }
        }
        let mut known = BTreeSet::new();
        for register in &facts.registers {
            let kind = register.kind.split('/').next().unwrap_or_default();
            // The ports of an R-Box have one row on the page for each register.
            if !known.insert((kind, &register.name)) || register.what == What::Silent {
                continue;
            }
            let boxes = match &register.at {
                Address::Each(all) if kind != "RBOX" => all.len(),
                _ => 1,
            };
            for (instance, _) in (0..).zip(0..boxes) {
                let texts = match register.place(facts.box_of(kind), instance, 0) {
                    At::Msr(msr) => {
                        let own = register.at.own(0).unwrap_or_default();
                        [format!("0x{msr:X}"), format!("+0x{own:X}")]
                    }
                    At::Config(_, offset) => [format!("0x{offset:X}"), format!("{offset:02X}")],
                };
                let found = texts.iter().any(|text| page.contains(text));
                assert!(found, "{}: {register:?}: {texts:?}", facts.name);
            }
        }
    }
}
