// SPDX-License-Identifier: GPL-2.0

//! Units in which perf shows some events (`.unit` and `.scale`), and the list of those
//! events.

use crate::catalogue::BoxKind;
use crate::platform::Processor;

/// A unit, and the size of one count in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Name that perf prints.
    pub name: &'static str,
    /// Factor by which perf multiplies the count.
    pub scale: f64,
}

const MIB: f64 = 1_048_576.0;

/// A command of a memory channel, a request for a whole cache line: 64 bytes.
const LINES: Unit = Unit {
    name: "MiB",
    scale: 64.0 / MIB,
};

/// A data flit of QPI: 8 bytes.
const FLITS: Unit = Unit {
    name: "MiB",
    scale: 8.0 / MIB,
};

/// A cycle of the PCU's clock of 800 MHz.
const CYCLES: Unit = Unit {
    name: "ns",
    scale: 1.25,
};

/// Beginnings of the names of events with a unit.
pub(crate) struct WithUnit {
    /// Of a memory channel: lines.
    pub(crate) lines: &'static [&'static str],
    /// Of a QPI port: flits, some of which have data.
    pub(crate) flits: &'static [&'static str],
    /// Of the PCU: cycles of which no manual says that they are of its clock.
    pub(crate) no_cycles: &'static [&'static str],
}

/// Returns the unit of an event, `None` for a plain count.
pub fn unit(kind: BoxKind, name: &str) -> Option<Unit> {
    let WithUnit {
        lines,
        flits,
        no_cycles,
    } = Processor::current().description().with_unit;
    let is_one_of = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    let (event, subevent) = name.split_once('.').unwrap_or((name, ""));
    match kind {
        BoxKind::Imc => is_one_of(lines).then_some(LINES),
        BoxKind::Ha => {
            let to_memory = [
                "imc_reads.normal",
                "imc_writes.full",
                "imc_writes.full_isoch",
            ]
            .contains(&name);
            to_memory.then_some(LINES)
        }
        BoxKind::Qpi => {
            let data = ["data", "drs_data", "ncb_data"].contains(&subevent);
            (is_one_of(flits) && data).then_some(FLITS)
        }
        BoxKind::Pcu => (event.contains("_cycles") && !is_one_of(no_cycles)).then_some(CYCLES),
        _ => None,
    }
}

/// Returns the number of counts in one of a printed unit, `None` if no event of the box
/// has that unit.
pub fn per_unit(kind: BoxKind, printed: &str) -> Option<f64> {
    let unit = match kind {
        _ if printed.is_empty() => return Some(1.0),
        BoxKind::Imc | BoxKind::Ha => LINES,
        BoxKind::Qpi => FLITS,
        BoxKind::Pcu => CYCLES,
        _ => return None,
    };
    (unit.name == printed).then_some(1.0 / unit.scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_that_the_box_does_not_have_is_no_count() {
        assert_eq!(per_unit(BoxKind::Qpi, "MiB"), Some(131_072.0));
        assert_eq!(per_unit(BoxKind::Imc, "MiB"), Some(16_384.0));
        assert_eq!(per_unit(BoxKind::Pcu, "ns"), Some(0.8));
        assert_eq!(per_unit(BoxKind::Pcu, "MiB"), None);
        assert_eq!(per_unit(BoxKind::Ubox, ""), Some(1.0));
        assert_eq!(per_unit(BoxKind::Ubox, "MiB"), None);
    }
}
