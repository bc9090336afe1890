// SPDX-License-Identifier: GPL-2.0

//! The model against Documentation/hardware/ivbep.rst and traffic.rst. `registers` holds it against
//! the files of tests/data, which have tests of their own against the pages; `random` holds its counts
//! against the definition. That registers lead to these counts, and where readings differ, is seen by
//! tests/engine, which runs the driver on the model.
//!
//! `bdx` has what BDX has more; other platforms have it in their folder. `defects` and
//! `broken_counters` are about what is planted, `readings` about points that the sources leave open
//! and no experiment of the survey tells, `sleep` about a loss of power.

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
mod defects;
mod discovery;
mod freerun;
#[path = "../../src/platform/hsx/tests.rs"]
mod hsx;
mod interrupts;
#[path = "../../src/platform/jkt/tests.rs"]
mod jkt;
#[path = "../../src/platform/nhmex/tests.rs"]
mod nhmex;
mod overflow;
mod pci;
mod random;
mod readings;
mod registers;
mod residency;
mod server;
mod side_effects;
mod sleep;
#[path = "../../src/platform/snb/tests.rs"]
mod snb;
mod through;
mod violations;

/// Cases of readings in the folders of platforms.
const CASES_OF_PLATFORMS: [&[readings::Case]; 4] =
    [hsx::CASES, jkt::CASES, snb::CASES, nhmex::CASES];
