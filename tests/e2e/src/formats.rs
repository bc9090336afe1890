// SPDX-License-Identifier: GPL-2.0

//! The fields of each box type's config words, from
//! Documentation/hardware/ivbep.rst, section 12: sysfs shows these, and the
//! user's page has them in its table.

use crate::catalogue::BoxKind;

/// A field: the name and the content of its file under `format/`.
pub type Field = (&'static str, &'static str);

const EVENT: Field = ("event", "config:0-7");
const EXTENDED_EVENT: Field = ("event", "config:0-7,21");
const UMASK: Field = ("umask", "config:8-15");
const EDGE: Field = ("edge", "config:18");
const THRESH: Field = ("thresh", "config:24-31");
const NARROW_THRESH: Field = ("thresh", "config:24-28");

const CBOX: &[Field] = &[
    ("tid_en", "config:19"),
    ("filter_tid", "config1:0-4"),
    ("filter_state", "config1:17-22"),
    ("filter_nid", "config1:32-47"),
    ("filter_opc", "config1:52-60"),
    ("filter_nc", "config1:62"),
    ("filter_isoc", "config1:63"),
];

const HA: &[Field] = &[
    ("filter_addr", "config1:0-45"),
    ("filter_opc", "config2:0-5"),
];

const IRP: &[Field] = &[("set", "config:32")];

/// Field of the boxes whose general counters have an overflow enable bit.
pub const INTERVAL: Field = ("interval", "config:32-63");

const PCU: &[Field] = &[
    ("occ_sel", "config:14-15"),
    ("occ_invert", "config:30"),
    ("occ_edge", "config:31"),
    ("filter_band0", "config1:0-7"),
    ("filter_band1", "config1:8-15"),
    ("filter_band2", "config1:16-23"),
    ("filter_band3", "config1:24-31"),
];

const QPI: &[Field] = &[
    ("match_vnw", "config1:3-4"),
    ("match_opc", "config1:5-8"),
    ("match_mc", "config1:9-12"),
    ("match_dnid", "config1:13-17"),
    ("match_rnid4", "config1:31"),
    ("match_rnid30", "config1:32-35"),
    ("match_rds", "config1:48-51"),
    ("mask_vnw", "config2:3-4"),
    ("mask_opc", "config2:5-8"),
    ("mask_mc", "config2:9-12"),
    ("mask_dnid", "config2:13-17"),
    ("mask_rnid4", "config2:31"),
    ("mask_rnid30", "config2:32-35"),
    ("mask_rds", "config2:48-51"),
];

/// Fields that combine several fields above and own no bit.
const QPI_VIEWS: &[Field] = &[
    ("match0", "config1:0-31"),
    ("match1", "config1:32-63"),
    ("mask0", "config2:0-31"),
    ("mask1", "config2:32-63"),
];

/// The fields that own the bits of a request.
pub fn fields(kind: BoxKind) -> Vec<Field> {
    let extended = matches!(kind, BoxKind::Pcu | BoxKind::Qpi);
    let narrow = matches!(kind, BoxKind::Pcu | BoxKind::Ubox);
    let mut fields = vec![
        if extended { EXTENDED_EVENT } else { EVENT },
        EDGE,
        if narrow { NARROW_THRESH } else { THRESH },
    ];
    if kind != BoxKind::Pcu {
        fields.push(UMASK);
    }
    if !matches!(kind, BoxKind::Cbox | BoxKind::Irp) {
        fields.push(INTERVAL);
    }
    fields.extend_from_slice(match kind {
        BoxKind::Cbox => CBOX,
        BoxKind::Ha => HA,
        BoxKind::Irp => IRP,
        BoxKind::Pcu => PCU,
        BoxKind::Qpi => QPI,
        BoxKind::Imc | BoxKind::R2pcie | BoxKind::R3qpi | BoxKind::Ubox => &[],
    });
    fields
}

/// The fields that only show others in another way.
pub fn views(kind: BoxKind) -> &'static [Field] {
    match kind {
        BoxKind::Qpi => QPI_VIEWS,
        _ => &[],
    }
}

/// The word (0 for config, 1 for config1, 2 for config2) and the bits of it
/// that a field owns.
pub fn bits((name, bits): Field) -> (usize, u64) {
    let (word, ranges) = bits.split_once(':').unwrap_or_else(|| panic!("{name}"));
    let word = ["config", "config1", "config2"]
        .iter()
        .position(|&known| known == word);
    let number = |text: &str| text.parse::<u32>().expect("the number of a bit");
    let mask = ranges.split(',').fold(0, |mask, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        (number(first)..=number(last)).fold(mask, |mask, bit| mask | 1_u64 << bit)
    });
    (word.expect("a config word"), mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user_page;
    use std::collections::BTreeSet;

    type Listed = BTreeSet<(String, String)>;

    #[test]
    fn fields_do_not_overlap() {
        for kind in BoxKind::ALL {
            let mut owned = [0; 3];
            for field in fields(kind) {
                let (word, mask) = bits(field);
                assert_eq!(owned[word] & mask, 0, "{kind}: {field:?}");
                owned[word] |= mask;
            }
        }
        assert_eq!(bits(EXTENDED_EVENT), (0, 0x20_00ff));
    }

    /// The fields of a type that the rows of the table name. Boxes are `all`,
    /// `all but` some, or some; `mask*` is each `match*`, in config2.
    fn on_the_page(kind: BoxKind, rows: &[Vec<String>]) -> Listed {
        let mut listed = Listed::new();
        for row in rows {
            let [name, bits, boxes, _] = row.as_slice() else {
                panic!("not four cells: {row:?}");
            };
            let named = |list: &str| list.split(", ").any(|name| name == kind.unit());
            let has = match boxes.strip_prefix("all but ") {
                Some(list) => !named(list),
                None => boxes == "all" || named(boxes),
            };
            if !has {
                continue;
            }
            let mut add = |name: &str, bits: &str| {
                let fresh = listed.insert((name.to_owned(), bits.to_owned()));
                assert!(fresh, "{kind}: {name} twice");
            };
            add(name, bits);
            if let (Some(rest), Some(range)) =
                (name.strip_prefix("match"), bits.strip_prefix("config1:"))
            {
                add(&format!("mask{rest}"), &format!("config2:{range}"));
            }
        }
        let masks = ("mask*".to_owned(), "config2".to_owned());
        assert_eq!(listed.remove(&masks), kind == BoxKind::Qpi, "{kind}");
        listed
    }

    #[test]
    fn the_page_has_these_and_no_other() {
        let rows = user_page::table("Config fields");
        for kind in BoxKind::ALL {
            let all = [&fields(kind), views(kind)].concat();
            let expected: Listed = all
                .into_iter()
                .map(|(name, bits)| (name.to_owned(), bits.to_owned()))
                .collect();
            assert_eq!(on_the_page(kind, &rows), expected, "{kind}");
        }
    }
}
