// SPDX-License-Identifier: GPL-2.0

//! The kernels that are installed: which of them have the module, and what the
//! others lack.

use super::{Check, Patient};
use crate::system::Kernel;

const NAME: &str = "installed";

pub(super) fn checks(patient: &Patient<'_>) -> Vec<Check> {
    match Kernel::all(&patient.system.root) {
        Ok(kernels) => kernels
            .iter()
            .map(|kernel| check(patient, kernel))
            .collect(),
        Err(error) => vec![Check::warning(NAME, error.to_string(), "run this as root")],
    }
}

fn check(patient: &Patient<'_>, kernel: &Kernel) -> Check {
    let release = &kernel.release;
    let is_running = patient.host.release.as_ref() == Some(release);
    match &kernel.module {
        Ok(_) => Check::pass(NAME, format!("Linux {release} has the module")),
        Err(_) if is_running && patient.is_module_loaded() => Check::pass(
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
