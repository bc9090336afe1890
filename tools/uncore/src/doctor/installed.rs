// SPDX-License-Identifier: GPL-2.0

//! Checks of the installed kernels: which of them have the module, and why the
//! others lack it.

use super::{Check, Target};
use crate::system::Kernel;

const NAME: &str = "installed";

pub(super) fn checks(target: &Target<'_>) -> Vec<Check> {
    match Kernel::all(&target.system.root) {
        Ok(kernels) => kernels.iter().map(|kernel| check(target, kernel)).collect(),
        Err(error) => vec![Check::warning(NAME, error.to_string(), "run this as root")],
    }
}

fn check(target: &Target<'_>, kernel: &Kernel) -> Check {
    let release = &kernel.release;
    let is_running = target.host.release.as_ref() == Some(release);
    match &kernel.module {
        Ok(_) => Check::pass(NAME, format!("Linux {release} has the module")),
        Err(_) if is_running && target.is_module_loaded() => Check::pass(
            NAME,
            format!("Linux {release} has the module loaded, but not installed"),
        ),
        Err(absence) => {
            let finding = format!("Linux {release} has no module: {}", absence.reason);
            match &absence.remedy {
                Some(remedy) => Check::warning(NAME, finding, remedy),
                None => Check::pass(NAME, finding),
            }
        }
    }
}
