// SPDX-License-Identifier: GPL-2.0

//! One row: an event or a sub-event.

use super::kind::BoxKind;
use super::needs::Needs;

/// One event or sub-event.
#[derive(Clone, Debug)]
pub struct Row {
    /// The box type that counts it.
    pub kind: BoxKind,
    /// Event name as the manual spells it.
    pub event: String,
    /// Sub-event name, empty for an event without sub-events.
    pub subevent: String,
    /// Event select.
    pub code: u8,
    /// Extended select bit, `None` where the sources disagree.
    pub ext: Option<bool>,
    /// Sub-event mask; on the PCU bits 7:6 are `occ_sel`.
    pub umask: u8,
    /// Counters that can count it, bit k for counter k.
    pub counters: u8,
    /// Largest increment in one cycle as printed; `None` where the list has none.
    pub max_inc: Option<u32>,
    /// What it needs besides.
    pub needs: Needs,
}

impl Row {
    /// Reads a line, `None` if the box is none of ours.
    pub(super) fn parse(line: &str) -> Result<Option<Self>, String> {
        let columns: Vec<&str> = line.split(',').collect();
        let [kind, event, code, ext, subevent, umask, counters, max_inc, filter, _source] =
            columns[..]
        else {
            return Err(format!("{} columns, not 10", columns.len()));
        };
        let Some(kind) = BoxKind::of_column(kind) else {
            return Ok(None);
        };
        Ok(Some(Self {
            kind,
            event: event.to_owned(),
            subevent: subevent.to_owned(),
            code: hex_byte(code)?,
            ext: extended_select(ext)?,
            umask: hex_byte(umask)?,
            counters: counter_set(counters)?,
            max_inc: number_or_empty(max_inc)?,
            needs: Needs::parse(filter, subevent)?,
        }))
    }

    /// The file under `events/` that offers this row, `None` if none may.
    ///
    /// The fixed counter has the name `clockticks`, so the event of that name
    /// on the UBox' general counters is `clockticks_general`.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        if self.needs.undocumented || self.ext.is_none() {
            return None;
        }
        if self.kind == BoxKind::Ubox && self.event == "CLOCKTICKS" {
            return Some("clockticks_general".to_owned());
        }
        let mut name = self.event.to_lowercase();
        if !self.subevent.is_empty() {
            name.push('.');
            name.push_str(&self.subevent.to_lowercase());
        }
        Some(name)
    }

    /// Whether it counts clocks: one in every cycle.
    #[must_use]
    pub fn is_clock(&self) -> bool {
        self.event == "CLOCKTICKS" || self.event == "DCLOCKTICKS"
    }

    /// Counters that the driver may take: on R2PCIe and R3QPI the manual's
    /// event list and a note contradict each other over ring events; the
    /// note's counters are right by both (hardware/ivbep.md, D-11).
    #[must_use]
    pub fn placement(&self) -> u8 {
        let ring = self.event.starts_with("RING_");
        match self.kind {
            BoxKind::R2pcie if ring => self.counters & 0b1100,
            BoxKind::R3qpi if ring => self.counters & 0b0100,
            _ => self.counters,
        }
    }
}

fn hex_byte(text: &str) -> Result<u8, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u8::from_str_radix(digits, 16).map_err(|error| format!("`{text}`: {error}"))
}

fn extended_select(text: &str) -> Result<Option<bool>, String> {
    match text {
        "0" => Ok(Some(false)),
        "1" => Ok(Some(true)),
        "?" => Ok(None),
        _ => Err(format!("`{text}` is no extended select")),
    }
}

fn number_or_empty(text: &str) -> Result<Option<u32>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().map_err(|error| format!("`{text}`: {error}"))?;
    Ok(Some(number))
}

/// `0-1`, `1-3` or `0` as a set of counters.
fn counter_set(text: &str) -> Result<u8, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let bound = |text: &str| match text.parse::<u8>() {
        Ok(counter) if counter < 8 => Ok(counter),
        _ => Err(format!("`{text}` is no counter")),
    };
    let (first, last) = (bound(first)?, bound(last)?);
    Ok((first..=last).fold(0, |set, counter| set | 1 << counter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: &str) -> Row {
        let row = Row::parse(line).expect("a right line");
        row.expect("a box of ours")
    }

    #[test]
    fn a_row_is_read_column_by_column() {
        let row = row("CBO,TOR_OCCUPANCY,0x36,0,NID_OPCODE,0x41,0,20,F1.opc+F1.nid,x");
        assert_eq!((row.code, row.ext), (0x36, Some(false)));
        assert_eq!((row.umask, row.counters), (0x41, 1));
        assert_eq!(row.max_inc, Some(20));
        let needs = Needs {
            opc: true,
            nid: true,
            ..Needs::default()
        };
        assert_eq!(row.needs, needs);
    }

    #[test]
    fn names_are_event_and_sub_event() {
        for (line, name) in [
            (
                "QPI,TxL_FLITS_G1,0x00,1,DRS,0x18,0-3,2,,x",
                Some("txl_flits_g1.drs"),
            ),
            (
                "QPI,MESSAGE,0x38,1,DRS.WbIData,0x00,0-3,2,PKT_MATCH0[12:0]=0x1C80,x",
                Some("message.drs.wbidata"),
            ),
            (
                "UBOX,CLOCKTICKS,0x00,0,,0x00,0-1,,,x",
                Some("clockticks_general"),
            ),
            (
                "UBOX,FILTER_MATCH,0x41,0,ENABLE,0x01,0-1,,UBoxFilter[3:0],x",
                None,
            ),
            (
                "PCU,PKG_C_STATE_RESIDENCY_C0_CYCLES,0x2a,?,,0x00,0-3,,,x",
                None,
            ),
        ] {
            assert_eq!(row(line).name().as_deref(), name, "{line}");
        }
    }

    #[test]
    fn only_ring_events_of_ring_stops_are_placed_by_the_note() {
        for (line, counters) in [
            ("R2PCIe,RING_AD_USED,0x07,0,CW,0x33,0-3,1,,x", 0b1100),
            ("R3QPI,RING_IV_USED,0x0a,0,ANY,0xff,0-2,1,,x", 0b0100),
            ("R3QPI,CLOCKTICKS,0x01,0,,0x00,0-2,0,,x", 0b0111),
            ("HA,RING_AD_USED,0x3e,0,CW,0x33,0-3,1,,x", 0b1111),
            ("CBO,RING_AD_USED,0x1b,0,UP,0x33,2-3,1,,x", 0b1100),
        ] {
            assert_eq!(row(line).placement(), counters, "{line}");
        }
    }

    #[test]
    fn other_boxes_are_skipped() {
        let line = "core,INST_RETIRED,0xc0,0,,0x00,0-3,1,,x";
        assert!(Row::parse(line).expect("a right line").is_none());
    }

    #[test]
    fn malformed_lines_are_named() {
        for (line, said) in [
            ("CBO,E,0x11,0,,0x00,0", "7 columns"),
            ("CBO,E,0xggg,0,,0x00,0,1,,x", "`0xggg`"),
            ("CBO,E,0x11,0,,0x00,0-9,1,,x", "`9` is no counter"),
            ("CBO,E,0x11,0,,0x00,0,many,,x", "`many`"),
            ("CBO,E,0x11,0,,0x00,0,1,F7.xyz,x", "unknown filter `F7.xyz`"),
            ("CBO,E,0x11,2,,0x00,0,1,,x", "`2` is no extended select"),
        ] {
            let error = Row::parse(line).expect_err("malformed");
            assert!(error.contains(said), "{error}");
        }
    }
}
