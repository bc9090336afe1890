// SPDX-License-Identifier: GPL-2.0

//! The R-Box of Nehalem-EX: nhmex.rst (sections 7, 12, 14 and 15) and traffic.rst.
//!
//! An event select is a port of the side and one of its six registers, which says what counts.
//! Registers are pairs of equals. A row of the catalogue holds for each port.

use crate::catalogue::BoxKind;
use crate::expect::{EventSelect, Rule, Special, SubRegister};
use uncore_catalogue::Row;

/// Ports of a side, and registers of each.
const PORTS: u8 = 4;
const REGISTERS: u8 = 6;

/// Names of [DRV] for values of IPERF: the event select and the value.
const NAMES_OF_DRIVER: [(&str, u8, &str); 6] = [
    ("QPI0_FLIT_SEND", 0, "IPERF=0x80000000"),
    ("QPI0_IDLE_FILT", 0, "IPERF=0x40000000"),
    ("QPI0_DATE_RESPONSE", 0, "IPERF=0x000000c4"),
    ("QPI1_FILT_SEND", REGISTERS, "IPERF=0x80000000"),
    ("QPI1_IDLE_FILT", REGISTERS, "IPERF=0x40000000"),
    ("QPI1_DATE_RESPONSE", REGISTERS, "IPERF=0x000000c4"),
];

/// Registers whose user gives what counts: their names, and the fields to give.
const WHOLE: [(&str, &str); REGISTERS as usize] = [
    ("IPERF0", "iperf_cfg"),
    ("IPERF1", "iperf_cfg"),
    ("QLX0", "qlx0"),
    ("QLX1", "qlx1"),
    // Without a match, every packet counts.
    ("XBR1", ""),
    ("XBR2", ""),
];

/// Returns a row of the catalogue for each port.
pub(super) fn of_ports(row: &Row) -> impl Iterator<Item = Row> + '_ {
    (0..PORTS).map(|port| Row {
        event: format!("PORT{port}_{}", row.event),
        code: REGISTERS * port + row.code,
        ..row.clone()
    })
}

/// Returns rows beside those of the catalogue, for the registers themselves and with names of
/// [DRV]. All else is as in a row of the box.
pub(super) fn others(row: &Row) -> Vec<Row> {
    let with = |event: &str, code, filter: &str| Row {
        event: event.to_owned(),
        subevent: String::new(),
        code,
        filter: filter.to_owned(),
        ..row.clone()
    };
    let registers = (0..).zip(WHOLE);
    let registers = registers.map(|(code, (event, filter))| with(event, code, filter));
    let registers = registers.flat_map(|row| of_ports(&row).collect::<Vec<_>>());
    let of_driver = NAMES_OF_DRIVER.iter();
    let of_driver = of_driver.map(|(event, code, filter)| with(event, *code, filter));
    registers.chain(of_driver).collect()
}

/// The register of the event select `CODE`, of IPERF or of a half of QLX. The values in the catalogue
/// are those of the lower half.
struct Of<const CODE: u8>;

impl<const CODE: u8> Of<CODE> {
    const EVENTS: [EventSelect; 1] = [(false, CODE)];

    const IT: SubRegister = {
        let (column, field, bits) = match CODE % REGISTERS {
            2 => ("QLX", "qlx0", 0xff),
            3 => ("", "qlx1", 0xff),
            _ => ("IPERF", "iperf_cfg", u32::MAX),
        };
        SubRegister {
            kind: BoxKind::Rbox,
            column,
            field,
            events: &Self::EVENTS,
            bits,
            own: &[],
        }
    };
}

#[rustfmt::skip]
pub(super) const SUB_REGISTERS: [SubRegister; 4 * PORTS as usize] = [
    Of::<0>::IT, Of::<1>::IT, Of::<2>::IT, Of::<3>::IT,
    Of::<6>::IT, Of::<7>::IT, Of::<8>::IT, Of::<9>::IT,
    Of::<12>::IT, Of::<13>::IT, Of::<14>::IT, Of::<15>::IT,
    Of::<18>::IT, Of::<19>::IT, Of::<20>::IT, Of::<21>::IT,
];

/// The match sets of a port.
pub(super) const fn packets(port: u8) -> Special {
    let first = REGISTERS * port + 4;
    Special {
        kind: BoxKind::Rbox,
        ext: false,
        codes: first..=first + 1,
        rule: Rule::CrossbarPackets,
    }
}
