// SPDX-License-Identifier: GPL-2.0

//! Mutations of good requests, most of which make them invalid. A mutation need not do
//! that: a flipped bit may also make another good request.

use crate::fuzz::attr::{flag, sample, Field, AUX_ACTION, AUX_SAMPLE_SIZE, BRANCHES, CLOCK};
use crate::fuzz::attr::{Attr, CONFIG, CONFIG1, CONFIG2, CONFIG3, CONFIG4, CONFIGS, FLAGS};
use crate::fuzz::attr::{KERNEL_REGISTERS, MAX_STACK, PERIOD, READ_FORMAT, SAMPLE_TYPE};
use crate::fuzz::attr::{RESERVED2, RESERVED3, SIZE, USER_REGISTERS, USER_STACK};
use crate::fuzz::env::Env;
use crate::fuzz::operation::{Argument, Open, Target, CGROUP};
use crate::fuzz::oracle::NO_PROCESS;
use crate::rng::Rng;

/// Two valid clocks, and an invalid one.
const CLOCKS: [u64; 3] = [1, 4, 99];

/// Flags that any counting event may have, and that have no effect on it.
const HARMLESS: [u32; 12] = [8, 9, 11, 12, 13, 14, 17, 18, 21, 22, 23, 26];

/// Mutates a request in one or two places.
pub(super) fn open(rng: &mut Rng, env: &Env, open: &mut Open) {
    for _ in 0..rng.between(1, 2) {
        match rng.below(100) {
            0..55 => config(rng, &mut open.attr),
            55..60 => at_random(rng, env, open),
            60..78 => asks_for_more(rng, &mut open.attr),
            78..86 => flags(rng, &mut open.attr),
            86..92 => size(rng, &mut open.attr),
            _ => call(rng, env, open),
        }
    }
}

/// Mutates event, umask, filters or thresholds.
fn config(rng: &mut Rng, attr: &mut Attr) {
    let mut change = |field: Field, mask: u64, value: u64| {
        attr.set(field, attr.word(field.0) & !mask | value & mask);
    };
    match rng.below(13) {
        0..4 => {
            let bit = 1 << rng.below(32);
            let field = *rng.pick(&[CONFIG, CONFIG, CONFIG1, CONFIG2]);
            change(field, bit, rng.number());
        }
        4 => {
            let bit = rng.bit();
            let field = *rng.pick(&CONFIGS);
            change(field, bit, bit);
        }
        5 => change(CONFIG, 0xff, rng.number()),
        6 | 7 => change(CONFIG, 0xff00, rng.number()),
        8 => change(CONFIG, 0xff << 24, rng.number()),
        9 => change(*rng.pick(&[CONFIG1, CONFIG2]), !0, 0),
        10 => change(CONFIG1, 0xff << (8 * rng.below(8)), rng.number()),
        // The upper bits of an opcode.
        11 => change(CONFIG1, 3 << 59, rng.number()),
        _ => change(CONFIG, 0xffff_ffff << 32, rng.number() << 32),
    }
}

/// Replaces the whole request by random values.
fn at_random(rng: &mut Rng, env: &Env, open: &mut Open) {
    for field in [CONFIG, CONFIG1, CONFIG2] {
        open.attr.set(field, rng.number());
    }
    if rng.chance(30) {
        open.attr.set(CONFIG, rng.number() & 0xff_ffff);
    }
    if rng.chance(20) {
        open.attr.set(*rng.pick(&[CONFIG3, CONFIG4]), rng.number());
    }
    if rng.chance(20) {
        open.target = Target::Ours(rng.index(env.pmus.len()));
    }
}

/// Adds a request that makes no sense for an event that is only counted.
fn asks_for_more(rng: &mut Rng, attr: &mut Attr) {
    let few = rng.between(1, 200_000);
    match rng.below(12) {
        0 | 1 => attr.set(PERIOD, few),
        2 => {
            attr.set(PERIOD, few);
            attr.add_flags(flag::FREQ);
        }
        3 => attr.set(PERIOD, rng.number()),
        4 => attr.set(SAMPLE_TYPE, 1 << rng.below(26)),
        5 => attr.set(SAMPLE_TYPE, rng.number() & sample::ALL),
        6 => {
            attr.set(SAMPLE_TYPE, sample::BRANCHES);
            attr.set(BRANCHES, 1 << rng.below(21));
        }
        7 => {
            let which = rng.chance(50);
            let (kind, field) = if which {
                (sample::USER_REGISTERS, USER_REGISTERS)
            } else {
                (sample::KERNEL_REGISTERS, KERNEL_REGISTERS)
            };
            attr.set(SAMPLE_TYPE, kind);
            attr.set(field, rng.bit());
        }
        8 => {
            attr.set(SAMPLE_TYPE, sample::USER_STACK);
            attr.set(USER_STACK, rng.below(0x1_0100));
        }
        9 => {
            attr.set(SAMPLE_TYPE, sample::CALLCHAIN);
            attr.set(MAX_STACK, rng.below(256));
        }
        10 => attr.set(READ_FORMAT, rng.number() & 0x3f),
        _ => {
            let rare = [AUX_ACTION, AUX_SAMPLE_SIZE, RESERVED2, RESERVED3];
            let field = *rng.pick(&rare);
            attr.set(field, 1 << rng.below(16));
        }
    }
}

fn flags(rng: &mut Rng, attr: &mut Attr) {
    match rng.below(6) {
        0 | 1 => {
            let excluded = *rng.pick(&[4, 5, 6, 7, 19, 20]);
            attr.add_flags(1 << excluded);
        }
        2 => {
            attr.add_flags(flag::USE_CLOCK);
            attr.set(CLOCK, *rng.pick(&CLOCKS));
        }
        3 => attr.add_flags(1 << *rng.pick(&HARMLESS)),
        _ => {
            let bit = rng.bit();
            if bit != flag::USE_CLOCK {
                attr.set(FLAGS, attr.word(FLAGS.0) ^ bit);
            }
        }
    }
}

/// Sets a size of an older, a newer or an impossible version.
fn size(rng: &mut Rng, attr: &mut Attr) {
    attr.size = match rng.below(5) {
        0 => 0,
        1 | 2 => 8 * u32::try_from(rng.between(8, 17)).unwrap_or(8),
        3 => u32::try_from(rng.between(1, 5000)).unwrap_or(1),
        _ => SIZE + 8 * u32::try_from(rng.between(1, 8)).unwrap_or(1),
    };
    if rng.chance(30) {
        let place = rng.between(18, 26);
        attr.set_word(usize::try_from(place).unwrap_or(18), rng.number());
    }
}

/// Mutates the other arguments of the call.
fn call(rng: &mut Rng, env: &Env, open: &mut Open) {
    let cpus = i32::try_from(env.cpus()).unwrap_or(i32::MAX);
    match rng.below(8) {
        0 => open.pid = 0,
        1 => {
            open.pid = *rng.pick(&[0, 1, NO_PROCESS]);
            open.cpu = -1;
        }
        2 => open.cpu = *rng.pick(&[-1, cpus, cpus + 1, 1000, i32::MAX]),
        3 => open.flags |= rng.bit(),
        4 => open.flags |= CGROUP,
        5 => open.group = Argument::Input,
        6 => open.group = Argument::Event(0xfff),
        _ => open.attr.add_flags(flag::EXCLUSIVE),
    }
}
