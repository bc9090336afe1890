// SPDX-License-Identifier: GPL-2.0

//! The `state` command: all differences from reset, in words for people.

use std::fmt::Write as _;

use crate::global::Global;
use crate::package::Package;
use crate::pmon::PmonBox;

/// Describes the package and its boxes that differ from reset, one line each.
pub(crate) fn describe(package: &Package, num_c: u8) -> String {
    let mut text = format!("package {}:", package.number);
    let reset = Global::at_reset(package.global.layout, num_c);
    for (_, register) in package.global.layout.all {
        let value = package.global.read(*register);
        if value != reset.read(*register) {
            let _infallible = write!(text, " {} {value:#x}", reset.layout.name(*register));
        }
    }
    text.push_str(if package.global.frozen && !reset.frozen {
        " frozen\n"
    } else {
        "\n"
    });
    for pmon in &package.boxes {
        text.push_str(&describe_box(pmon));
    }
    text
}

fn describe_box(pmon: &PmonBox) -> String {
    let mut text = String::new();
    for (register, value) in pmon.differences() {
        let name = pmon.layout.register_name(register);
        let _infallible = write!(text, " {name} {value:#x}");
    }
    if pmon.frozen {
        text.push_str(" frozen");
    }
    if pmon.stopped {
        text.push_str(" stopped");
    }
    if pmon.held.is_some() {
        text.push_str(" late-message");
    }
    if text.is_empty() {
        return text;
    }
    format!("  {}:{text}\n", pmon.name())
}
