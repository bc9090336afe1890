// SPDX-License-Identifier: GPL-2.0

//! The part of a layout that `boxes.csv` and `registers.csv` of the platform have.

use super::prelude::*;
use super::PCI_BLOCK;
use crate::layout::Needs;
use uncore_catalogue::{Address, BoxRow, Facts, Places, Register as Row, What};

/// Returns a layout with what the data says of a box type with these registers, and with the counters
/// of `usual` if that has any. Panics if the platform has no such box: then the file of the box is
/// wrong.
pub(crate) fn described(
    platform: &str,
    kind: &str,
    registers: &str,
    usual: &BoxLayout,
) -> BoxLayout {
    let facts = Facts::of(platform);
    let row = facts.box_of(kind);
    let rows: Vec<&Row> = facts
        .registers
        .iter()
        .filter(|row| row.kind == registers)
        .collect();
    let word = |what| {
        let found = rows.iter().find(|row| row.what == what);
        found.map(|row| word_of(row, 0))
    };
    let words = |what| -> &[Word] {
        let rows = rows.iter().filter(|row| row.what == what);
        let words = rows.flat_map(|row| (0..words_of(row)).map(|part| word_of(row, part)));
        words.collect::<Vec<_>>().leak()
    };
    let offsets = |what| {
        let rows = rows.iter().filter(|row| row.what == what);
        &*rows
            .filter_map(|row| short(row.at.own(0)?))
            .collect::<Vec<_>>()
            .leak()
    };
    let counters = match usual.counters {
        0 => usize::from(row.counters),
        by_reading => by_reading,
    };
    let status = word(What::Status);
    let shown = status.map_or(0, |status| status.w1c | status.ro);
    let status_first = match shown {
        0 => 0,
        _ => 1 + (shown >> counters & 1),
    };
    let pci = matches!(row.at, Places::Functions(_));
    let in_function = |at: fn(&Row, u8) -> Option<u32>| {
        let all = all(pci, counters, &rows, at).into_iter();
        &*all
            .filter_map(|(at, register)| Some((short(at)?, register)))
            .collect::<Vec<_>>()
            .leak()
    };
    let block = pci.then_some(PCI_BLOCK);
    BoxLayout {
        name: &row.unit,
        numbered: row.numbered,
        kind: BoxType::of(kind).expect("a known type"),
        clock: Clock::named(&row.clock).expect("a known clock"),
        access: access(row, counters, &rows),
        counters,
        counters_per_set: counters / usize::from(row.sets),
        width: row.width,
        control: word(What::Ctl).expect("control registers"),
        fixed: word(What::FixedCtl)
            .map(|control| fixed(control, shown & !(((1 << counters) - 1) * status_first))),
        box_control: word(What::Box),
        status,
        status_first,
        filters: words(What::Filter),
        registers: match row.at {
            Places::Bases(_) => &[],
            _ => in_function(|row, counter| row.at.own(counter)),
        },
        companion: (!row.second.functions().is_empty()).then(|| Companion {
            places: places(&row.second),
            registers: in_function(|row, _| match row.at {
                Address::Second(at) => Some(at),
                _ => None,
            }),
        }),
        blocks: row.block.or(block).map_or(&[], |block| vec![block].leak()),
        silent: offsets(What::Silent),
        free_running: words(What::Free),
        of_other: offsets(What::Other),
        ..*usual
    }
}

/// The fixed counter with this control register and bit of the status.
fn fixed(control: Word, status: u32) -> Fixed {
    Fixed {
        control,
        enable: if control.rw & EN == 0 { control.rw } else { EN },
        overflow_enable: control.rw & OV_EN,
        status: (status != 0).then_some(status),
        rst: control.wo,
    }
}

fn access(row: &BoxRow, counters: usize, rows: &[&Row]) -> Access {
    let present = match &*row.present {
        "one" => Present::One,
        "two" => Present::Two,
        "cboxes" => Present::Cboxes,
        _ => Present::Sboxes,
    };
    match &row.at {
        Places::Stride { base, stride } => Access::Msr {
            base: *base,
            stride: *stride,
            present,
        },
        Places::Bases(bases) => {
            let lists = bases.iter().enumerate().map(|(instance, base)| {
                let list = all(false, counters, rows, |row, counter| match &row.at {
                    Address::Each(all) => all.get(instance).copied(),
                    _ => Some(base + row.at.own(counter)?),
                });
                &*list.leak()
            });
            let lists = lists.collect::<Vec<_>>().leak();
            Access::Lists { lists, present }
        }
        at @ Places::Functions(_) => Access::Pci(places(at)),
    }
}

/// All registers of a box with their addresses.
fn all(
    pci: bool,
    counters: usize,
    rows: &[&Row],
    at: impl Fn(&Row, u8) -> Option<u32>,
) -> Vec<(u32, Register)> {
    let counter = |at: u32, index| {
        if pci {
            vec![
                (at, Register::CounterLow(index)),
                (at + 4, Register::CounterHigh(index)),
            ]
        } else {
            vec![(at, Register::Counter(index))]
        }
    };
    let (mut filters, mut free) = (0, 0);
    let mut found = Vec::new();
    for register in rows {
        let per_counter = matches!(register.what, What::Ctl | What::Ctr);
        let count = if per_counter { counters } else { 1 };
        let (filter, running) = (filters, free);
        match register.what {
            What::Filter => filters += words_of(register),
            What::Free => free += 1,
            _ => {}
        }
        for (index, counter_index) in (0..count).zip(0..) {
            let Some(at) = at(register, counter_index) else {
                continue;
            };
            found.extend(match register.what {
                What::Box => vec![(at, Register::BoxControl)],
                What::Status => vec![(at, Register::Status)],
                What::Clear => vec![(at, Register::StatusClear)],
                What::Ctl => vec![(at, Register::Control(index))],
                What::Ctr => counter(at, index),
                What::FixedCtl => vec![(at, Register::Control(FIXED))],
                What::FixedCtr => counter(at, FIXED),
                What::Filter if words_of(register) == 2 => vec![(at, Register::Wide(filter))],
                What::Filter => vec![(at, Register::Filter(filter))],
                What::Free => vec![(at, Register::FreeRunning(running))],
                What::Silent | What::Other => Vec::new(),
            });
        }
    }
    found
}

fn places(places: &Places) -> &'static [Place] {
    let places = places.functions().iter().map(|place| Place {
        bus: if place.io { Bus::Iio } else { Bus::Uncore },
        needs: match &*place.needs {
            "ex" => Needs::ThreeLinks,
            "ha1" => Needs::SecondHomeAgent,
            _ => Needs::Nothing,
        },
        ..Place::uncore(place.device, place.function, place.id)
    });
    places.collect::<Vec<_>>().leak()
}

/// Words of 32 bits of a register.
fn words_of(row: &Row) -> usize {
    if row.size == Some(64) {
        2
    } else {
        1
    }
}

/// A word of a register.
fn word_of(row: &'static Row, part: usize) -> Word {
    let half = |mask: u64| (mask >> (32 * part) & 0xffff_ffff) as u32;
    Word {
        rw: half(row.rw),
        wo: half(row.wo),
        w1c: half(row.w1c),
        ro: half(row.ro),
        zero: half(row.zero),
        one: half(row.one),
        reserved: half(row.reserved),
        ..Word::named(&row.name)
    }
}

fn short(at: u32) -> Option<u16> {
    at.try_into().ok()
}
