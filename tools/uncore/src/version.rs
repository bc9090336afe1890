// SPDX-License-Identifier: GPL-2.0

//! The version of the tool.

/// Version of the tool, with the commit that it was built of if that is known.
pub(crate) const VERSION: &str = match option_env!("UNCORE_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};
