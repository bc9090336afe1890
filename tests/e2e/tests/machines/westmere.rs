// SPDX-License-Identifier: GPL-2.0

//! Westmere-EX, which has two more C-Boxes than Nehalem-EX, and events of its own: the engine's
//! sweep on the host counts these. On other platforms the test is ignored;
//! `make test-wsmex-KERNEL` runs it.

use super::{boxes_are_right, machine, visible};
use uncore_e2e::prelude::*;

#[test]
#[ignore = "only on Westmere-EX"]
fn boxes_are_those_of_westmere() {
    let config = machine(&[
        ("platform", "wsmex"),
        ("packages", "1"),
        ("cores", "10"),
        ("cboxes", "10"),
    ]);
    let all = visible(&Shape::of(&config), &[]);
    on_new(&config, |session| {
        for _ in 0..2 {
            boxes_are_right(session, &all);
            let folder = format!("{DEVICES}/{}", BoxKind::Cbox.pmu(9));
            let identifier = session.ok(&format!("cat {folder}/identifier"));
            assert_eq!(identifier.trim(), "nhmex-6-2f-2");
            session.reload();
        }
    });
}
