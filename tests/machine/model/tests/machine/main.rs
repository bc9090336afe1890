// SPDX-License-Identifier: GPL-2.0

//! The model against Documentation/hardware/ivbep.rst and traffic.rst. `registers` and `conformance`
//! hold it against the files of tests/data, which have tests of their own against the pages.
//!
//! `bdx` has the same for BDX; other platforms have it in their folder. `definition` and `attributes` are traffic.rst in slow motion, against which
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
#[path = "../../src/platform/nhmex/tests/main.rs"]
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
#[path = "../../src/platform/snb/tests/main.rs"]
mod snb;
mod speed;
mod through;
mod violations;

/// Cases of readings in the folders of platforms.
const CASES_OF_PLATFORMS: [&[readings::Case]; 2] = [snb::readings::CASES, nhmex::readings::CASES];
