// SPDX-License-Identifier: GPL-2.0

//! Software from outside that uses the PMUs: perf's own shell tests, the kernel's self-test
//! of resctrl, libpfm4, LIKWID and PCM. `make test-judges-KERNEL` runs these tests. A failure
//! that is the software's own is listed here with its reason, and must still be one.

mod libpfm4;
mod likwid;
mod pcm;
mod resctrl;
mod shell_tests;

use uncore_e2e::prelude::*;

/// Parameters for software that knows the names of the kernel's own driver only.
const COMPAT: [&str; 1] = ["names=compat"];

/// The usual machine with this software, which takes its time, and with parameters for the
/// module.
fn machine(parameters: &[&str]) -> Config {
    let config = Layer::Judges.on(Config {
        parameters: parameters.iter().map(|&word| word.to_owned()).collect(),
        ..Config::default()
    });
    let timeout = Some(config.command_timeout() * 5);
    Config { timeout, ..config }
}

/// Returns true if the row's name is all that the event needs.
fn is_plain(row: &Row) -> bool {
    let needs = &row.needs;
    let filter = needs.nid || needs.opc || needs.address || needs.home_opcode;
    !(filter || needs.occupancy || needs.undocumented || needs.band.is_some())
}
