// SPDX-License-Identifier: GPL-2.0

//! What is done to good requests, so that most of them are bad ones. None of this
//! has to spoil anything: a flipped bit may as well make another good request.

use crate::dice::Dice;
use crate::fuzz::attr::{flag, sample, Field, AUX_ACTION, AUX_SAMPLE_SIZE, BRANCHES, CLOCK};
use crate::fuzz::attr::{Attr, CONFIG, CONFIG1, CONFIG2, CONFIG3, CONFIG4, CONFIGS, FLAGS};
use crate::fuzz::attr::{KERNEL_REGISTERS, MAX_STACK, PERIOD, READ_FORMAT, SAMPLE_TYPE};
use crate::fuzz::attr::{RESERVED2, RESERVED3, SIZE, USER_REGISTERS, USER_STACK};
use crate::fuzz::ground::Ground;
use crate::fuzz::operation::{Argument, Open, Target, CGROUP};
use crate::fuzz::oracle::NO_PROCESS;

/// Clocks that there are, and one that there is not.
const CLOCKS: [u64; 3] = [1, 4, 99];

/// Flags that any counting event may have, and that mean nothing to it.
const HARMLESS: [u32; 12] = [8, 9, 11, 12, 13, 14, 17, 18, 21, 22, 23, 26];

/// Spoils a request in one or two places.
pub(super) fn open(dice: &mut Dice, ground: &Ground, open: &mut Open) {
    for _ in 0..dice.between(1, 2) {
        match dice.below(100) {
            0..55 => config(dice, &mut open.attr),
            55..60 => at_random(dice, ground, open),
            60..78 => asks_for_more(dice, &mut open.attr),
            78..86 => flags(dice, &mut open.attr),
            86..92 => size(dice, &mut open.attr),
            _ => call(dice, ground, open),
        }
    }
}

/// Event, umask, filters, thresholds.
fn config(dice: &mut Dice, attr: &mut Attr) {
    let mut change = |field: Field, mask: u64, value: u64| {
        attr.set(field, attr.word(field.0) & !mask | value & mask);
    };
    match dice.below(13) {
        0..4 => {
            let bit = 1 << dice.below(32);
            let field = *dice.pick(&[CONFIG, CONFIG, CONFIG1, CONFIG2]);
            change(field, bit, dice.number());
        }
        4 => {
            let bit = dice.bit();
            let field = *dice.pick(&CONFIGS);
            change(field, bit, bit);
        }
        5 => change(CONFIG, 0xff, dice.number()),
        6 | 7 => change(CONFIG, 0xff00, dice.number()),
        8 => change(CONFIG, 0xff << 24, dice.number()),
        9 => change(*dice.pick(&[CONFIG1, CONFIG2]), !0, 0),
        10 => change(CONFIG1, 0xff << (8 * dice.below(8)), dice.number()),
        // The upper bits of an opcode.
        11 => change(CONFIG1, 3 << 59, dice.number()),
        _ => change(CONFIG, 0xffff_ffff << 32, dice.number() << 32),
    }
}

/// Nothing of it is left.
fn at_random(dice: &mut Dice, ground: &Ground, open: &mut Open) {
    for field in [CONFIG, CONFIG1, CONFIG2] {
        open.attr.set(field, dice.number());
    }
    if dice.chance(30) {
        open.attr.set(CONFIG, dice.number() & 0xff_ffff);
    }
    if dice.chance(20) {
        open.attr
            .set(*dice.pick(&[CONFIG3, CONFIG4]), dice.number());
    }
    if dice.chance(20) {
        open.target = Target::Ours(dice.index(ground.pmus.len()));
    }
}

/// What an event that is only counted has no use for.
fn asks_for_more(dice: &mut Dice, attr: &mut Attr) {
    let few = dice.between(1, 200_000);
    match dice.below(12) {
        0 | 1 => attr.set(PERIOD, few),
        2 => {
            attr.set(PERIOD, few);
            attr.add_flags(flag::FREQ);
        }
        3 => attr.set(PERIOD, dice.number()),
        4 => attr.set(SAMPLE_TYPE, 1 << dice.below(26)),
        5 => attr.set(SAMPLE_TYPE, dice.number() & sample::ALL),
        6 => {
            attr.set(SAMPLE_TYPE, sample::BRANCHES);
            attr.set(BRANCHES, 1 << dice.below(21));
        }
        7 => {
            let which = dice.chance(50);
            let (kind, field) = if which {
                (sample::USER_REGISTERS, USER_REGISTERS)
            } else {
                (sample::KERNEL_REGISTERS, KERNEL_REGISTERS)
            };
            attr.set(SAMPLE_TYPE, kind);
            attr.set(field, dice.bit());
        }
        8 => {
            attr.set(SAMPLE_TYPE, sample::USER_STACK);
            attr.set(USER_STACK, dice.below(0x1_0100));
        }
        9 => {
            attr.set(SAMPLE_TYPE, sample::CALLCHAIN);
            attr.set(MAX_STACK, dice.below(256));
        }
        10 => attr.set(READ_FORMAT, dice.number() & 0x3f),
        _ => {
            let rare = [AUX_ACTION, AUX_SAMPLE_SIZE, RESERVED2, RESERVED3];
            let field = *dice.pick(&rare);
            attr.set(field, 1 << dice.below(16));
        }
    }
}

fn flags(dice: &mut Dice, attr: &mut Attr) {
    match dice.below(6) {
        0 | 1 => {
            let excluded = *dice.pick(&[4, 5, 6, 7, 19, 20]);
            attr.add_flags(1 << excluded);
        }
        2 => {
            attr.add_flags(flag::USE_CLOCK);
            attr.set(CLOCK, *dice.pick(&CLOCKS));
        }
        3 => attr.add_flags(1 << *dice.pick(&HARMLESS)),
        _ => {
            let bit = dice.bit();
            if bit != flag::USE_CLOCK {
                attr.set(FLAGS, attr.word(FLAGS.0) ^ bit);
            }
        }
    }
}

/// Sizes that there were, that there will be, and that there never can be.
fn size(dice: &mut Dice, attr: &mut Attr) {
    attr.size = match dice.below(5) {
        0 => 0,
        1 | 2 => 8 * u32::try_from(dice.between(8, 17)).unwrap_or(8),
        3 => u32::try_from(dice.between(1, 5000)).unwrap_or(1),
        _ => SIZE + 8 * u32::try_from(dice.between(1, 8)).unwrap_or(1),
    };
    if dice.chance(30) {
        let place = dice.between(18, 26);
        attr.set_word(usize::try_from(place).unwrap_or(18), dice.number());
    }
}

/// The call's other arguments.
fn call(dice: &mut Dice, ground: &Ground, open: &mut Open) {
    let cpus = i32::try_from(ground.cpus()).unwrap_or(i32::MAX);
    match dice.below(8) {
        0 => open.pid = 0,
        1 => {
            open.pid = *dice.pick(&[0, 1, NO_PROCESS]);
            open.cpu = -1;
        }
        2 => open.cpu = *dice.pick(&[-1, cpus, cpus + 1, 1000, i32::MAX]),
        3 => open.flags |= dice.bit(),
        4 => open.flags |= CGROUP,
        5 => open.group = Argument::Input,
        6 => open.group = Argument::Event(0xfff),
        _ => open.attr.add_flags(flag::EXCLUSIVE),
    }
}
