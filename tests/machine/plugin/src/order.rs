// SPDX-License-Identifier: GPL-2.0

//! The order in which processors pass points, as a seed decides it.
//!
//! A point is an access to a register of the uncore, a call from a module to the kernel (all
//! locks are among these), or the entry of an NMI. A processor that reaches one may have to sit
//! out a few of its turns: it stays at the instruction, while others go on and its own
//! interrupts are served. The seed decides at which points, and how many turns. Nothing else
//! depends on chance in a machine whose processors share one thread (`one_thread`), so that a
//! seed always gives the same order if the machine did the same before.
//!
//! The directory of an order has these files:
//!
//! - `plan.SEED`: text for the guest to ask for.
//! - `points`: a line for each seed, each point with its processor, and all the guest says.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::report;

/// One point in so many has a processor sit out turns.
const RARITY: u64 = 4;
/// Most turns to sit out.
const MOST_TURNS: u64 = 8;

/// An instruction and the stack on which it runs, which tells one execution from another.
pub(crate) type Place = (u64, u64);

/// The order.
pub(crate) struct Order {
    directory: PathBuf,
    state: Mutex<State>,
}

struct State {
    file: Option<File>,
    /// Nothing between seeds.
    random: Option<Random>,
    /// Turns to sit out, by the place where a processor stays.
    left: BTreeMap<Place, u64>,
}

/// Numbers that follow from a seed (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

impl Order {
    /// Opens the directory. The error names a file that cannot be written.
    pub(crate) fn open(directory: &Path) -> io::Result<Self> {
        Ok(Self {
            directory: directory.to_owned(),
            state: Mutex::new(State {
                file: Some(report::append(&directory.join("points"))?),
                random: None,
                left: BTreeMap::new(),
            }),
        })
    }

    /// Returns the plan of a seed.
    pub(crate) fn plan(&self, seed: u64) -> Result<String, String> {
        let path = self.directory.join(format!("plan.{seed}"));
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Begins with a seed, or ends the last one.
    pub(crate) fn set_seed(&self, seed: Option<u64>) {
        let mut state = self.state();
        state.random = seed.map(Random);
        state.left.clear();
        if let Some(seed) = seed {
            state.write(format_args!("seed {seed}"));
        }
    }

    /// Writes what the guest says.
    pub(crate) fn say(&self, text: &str) {
        let mut state = self.state();
        for line in text.lines() {
            state.write(format_args!("said {line}"));
        }
    }

    /// Tells if there is a seed, so that points are points.
    pub(crate) fn is_on(&self) -> bool {
        self.state().random.is_some()
    }

    /// Tells if a processor may pass a point now; otherwise it sits out a turn.
    pub(crate) fn passes(&self, cpu: usize, place: Place, point: impl Display) -> bool {
        let mut state = self.state();
        let State { random, left, .. } = &mut *state;
        let Some(random) = random else {
            return true;
        };
        let turns = left
            .entry(place)
            .or_insert_with(|| match random.below(RARITY) {
                0 => 1 + random.below(MOST_TURNS),
                _ => 0,
            });
        if *turns > 0 {
            *turns -= 1;
            return false;
        }
        left.remove(&place);
        state.write(format_args!("{cpu} {point}"));
        true
    }

    /// Writes a point that none can be kept from passing.
    pub(crate) fn passed(&self, cpu: usize, point: impl Display) {
        let mut state = self.state();
        if state.random.is_some() {
            state.write(format_args!("{cpu} {point}"));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn write(&mut self, line: fmt::Arguments<'_>) {
        report::write(&mut self.file, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes two processors reach points in turn until each has passed 100 of them.
    fn run(order: &Order, seed: u64) {
        order.set_seed(Some(seed));
        let mut passed = [0; 2];
        while passed.iter().any(|passed| *passed < 100) {
            for (cpu, passed) in passed.iter_mut().enumerate() {
                let place = (0x1000 + *passed, 0x7000 + cpu as u64);
                if order.passes(cpu, place, format_args!("rdmsr {passed}")) {
                    *passed += 1;
                }
            }
        }
        order.set_seed(None);
    }

    fn points(seeds: &[u64]) -> Vec<String> {
        let directory = tempfile::tempdir().expect("a directory");
        let order = Order::open(directory.path()).expect("writable");
        for &seed in seeds {
            run(&order, seed);
        }
        let text = std::fs::read_to_string(directory.path().join("points"));
        let text = text.expect("written");
        text.split("seed ").skip(1).map(str::to_owned).collect()
    }

    #[test]
    fn a_seed_gives_the_same_order_and_another_seed_another() {
        let points = points(&[7, 8, 7]);
        assert_eq!(points[0], points[2]);
        assert_ne!(points[0][1..], points[1][1..]);
        assert!(points[0].starts_with("7\n"), "{}", points[0]);
    }

    #[test]
    fn nobody_sits_out_for_ever() {
        let directory = tempfile::tempdir().expect("a directory");
        let order = Order::open(directory.path()).expect("writable");
        order.set_seed(Some(3));
        let tries = |place| (0..100).find(|_| order.passes(0, (place, 0), "call"));
        let tries: Vec<u64> = (0..200).filter_map(tries).collect();
        assert_eq!(tries.iter().max(), Some(&MOST_TURNS));
        assert!(tries.iter().filter(|tries| **tries == 0).count() > 100);
    }

    #[test]
    fn between_seeds_nothing_is_a_point() {
        let directory = tempfile::tempdir().expect("a directory");
        let order = Order::open(directory.path()).expect("writable");
        assert!((0..100).all(|place| order.passes(0, (place, 0), "call")));
        order.passed(0, "nmi");
        order.say("a\tb");
        assert!(!order.is_on());
        let text = std::fs::read_to_string(directory.path().join("points"));
        assert_eq!(text.expect("written"), "said a\tb\n");
    }

    #[test]
    fn plans_are_those_of_the_directory() {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("plan.5"), "for 3\n").expect("written");
        let order = Order::open(directory.path()).expect("writable");
        assert_eq!(order.plan(5), Ok("for 3\n".to_owned()));
        assert!(order.plan(6).expect_err("no file").contains("plan.6"));
    }
}
