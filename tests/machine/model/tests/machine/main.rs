// SPDX-License-Identifier: GPL-2.0

//! The model against Documentation/hardware/ivbep.rst: expectations are typed
//! from the tables of that page and from traffic.rst, never from the model's
//! own constants.
//!
//! Which test covers which table (n is the manual's 2-n):
//!
//! | section | subject | tables | tests |
//! |---|---|---|---|
//! | 1, 2 | functions, buses, packages | | `discovery`, `pci` |
//! | 3 | global registers | 1-4 | `registers`, `side_effects`, `overflow` |
//! | 4 | monitoring session | | `side_effects`, `overflow` |
//! | 5 | overflow, freeze, PMI | | `overflow`, `freerun`, `through`, `interrupts` |
//! | 6 | threshold, edge, writable bits, BOX_CTL | 13, 38, 72, 106, 119, 129, 173, 190 | `events`, `random`, `registers`, `side_effects`, `violations` |
//! | 7.1 | UBox registers | 5-9 | `registers` |
//! | 7.2 | C-Box registers | 12-17 | `registers` |
//! | 7.2 | C-Box filters | 16-20, 33, 34 | `events` |
//! | 7.3 | home agent registers | 37-43 | `registers` |
//! | 7.3 | address and opcode match | 42-44 | `home` |
//! | 7.4 | iMC registers | 72-76 | `registers` |
//! | 7.5 | IRP registers | 105-109 | `registers` |
//! | 7.5 | IRP sets and sources | 108-117 | `sets` |
//! | 7.6 | PCU registers | 118-125 | `registers` |
//! | 7.6 | PCU bands, occupancies, residency | 118, 121-127 | `power` |
//! | 7.7 | QPI registers | 128-136, 138 | `registers` |
//! | 7.7, 8 | packet matching | 133-137, 216-218 | `matching` |
//! | 7.7 | flits of linked ports | 142-144, 157-159 | `links` |
//! | 7.8 | R2PCIe registers | 172-176 | `registers` |
//! | 7.9 | R3QPI registers | 189-193 | `registers` |
//! | 7.1-7.9 | all events and sub-events | 10, 11, 19-36, 44-70, 77-104, 110-117, 127, 139-171, 177-188, 194-215 | `conformance` (typed in `tables`) |
//! | 9, 14 | constraints, numbers of events | | `conformance` |
//!
//! `bdx` has the same for BDX, `snb` for Sandy Bridge client, `nhmex` for Nehalem-EX and
//! Westmere-EX. `definition` and `attributes` are traffic.rst in slow motion, against which
//! `random` and `conformance` hold the model; `defects` and `broken_counters` are about what is
//! planted, `readings` about points that the sources leave open, `sleep` about a loss of power.
//! `bench`, `rows` and `sites` help.

#![expect(
    clippy::doc_markdown,
    reason = "names of the manual are words of the text"
)]
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are known to fit"
)]

mod bdx;
mod bench;
mod broken_counters;
mod commands;
mod conditions;
mod conformance;
mod defects;
mod discovery;
mod events;
mod freerun;
mod home;
mod interrupts;
mod links;
mod matching;
mod nhmex;
mod overflow;
mod pci;
mod power;
mod random;
mod readings;
mod registers;
mod sets;
mod side_effects;
mod sites;
mod sleep;
mod snb;
mod speed;
mod tables;
mod through;
mod violations;
