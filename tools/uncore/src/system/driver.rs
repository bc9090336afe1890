// SPDX-License-Identifier: GPL-2.0

//! Drivers of the counters in the running kernel.

use super::{installed, IN_TREE};
use crate::root::Root;

/// Driver that is loaded or built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Driver {
    /// Number of its open events, if the kernel shows it.
    pub events: Option<u32>,
    /// True if the driver is built into the kernel and cannot be unloaded.
    pub is_built_in: bool,
}

impl Driver {
    /// Reads the driver of this name, if it is there.
    pub fn read(root: &Root, name: &str) -> Option<Self> {
        let maybe = |path: &str| root.text(path).ok();
        let modules = maybe("proc/modules").unwrap_or_default();
        let mut listed = modules
            .lines()
            .map(|line| line.split(' ').collect::<Vec<_>>());
        let listed = listed.find(|words| words.first() == Some(&name));
        let directory = format!("sys/module/{name}");
        let initstate = root.has(&format!("{directory}/initstate"));
        if listed.is_none() && !initstate {
            let is_built_in = name == IN_TREE && is_in_kernel(root);
            return is_built_in.then_some(Self {
                events: None,
                is_built_in,
            });
        }
        let references = maybe(&format!("{directory}/refcnt"));
        let references = references.or_else(|| Some((*listed?.get(2)?).to_owned()));
        Some(Self {
            events: references.and_then(|text| text.parse().ok()),
            is_built_in: false,
        })
    }
}

/// Returns whether intel_uncore is built into the kernel and not disabled by a boot
/// parameter.
fn is_in_kernel(root: &Root) -> bool {
    let maybe = |path: &str| root.text(path).unwrap_or_default();
    let release = maybe("proc/sys/kernel/osrelease");
    let is_there = root.has(&format!("sys/module/{IN_TREE}"))
        || installed::module_is_built_in(root, &release, IN_TREE);
    is_there && !is_left_alone(&maybe("proc/cmdline"))
}

fn is_left_alone(command_line: &str) -> bool {
    let mut words = command_line.split_whitespace();
    words.any(|word| {
        let list = word.strip_prefix("initcall_blacklist=");
        list.is_some_and(|list| list.split(',').any(|name| name == "intel_uncore_init"))
    })
}
