// SPDX-License-Identifier: GPL-2.0

//! `load-module FILE [NAME=VALUE...]`: loads a kernel module, once.
//!
//! busybox's `insmod` tries a second time after an error, so that the module's
//! own messages appear twice.

use std::ffi::CString;
use std::fs::File;
use std::process::ExitCode;

use guest_tools::report;
use rustix::io::Errno;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    report::exit("load-module", run(&arguments))
}

fn run(arguments: &[String]) -> Result<(), String> {
    let (path, parameters) = arguments
        .split_first()
        .ok_or("usage: load-module FILE [NAME=VALUE...]")?;
    let file = File::open(path).map_err(|error| format!("{path}: {error}"))?;
    let parameters = CString::new(parameters.join(" ")).map_err(|error| error.to_string())?;
    rustix::system::finit_module(&file, &parameters, 0)
        .map_err(|error| format!("{path}: the kernel says: {}", describe(error)))
}

/// The errors with which modules are refused, in words; else the number's.
fn describe(error: Errno) -> String {
    match error {
        Errno::BUSY => "busy (EBUSY)".to_owned(),
        Errno::NODEV => "no such device (ENODEV)".to_owned(),
        Errno::EXIST => "loaded already (EEXIST)".to_owned(),
        Errno::INVAL => "invalid parameter or state (EINVAL)".to_owned(),
        Errno::NOEXEC => "not a module for this kernel (ENOEXEC)".to_owned(),
        Errno::NOENT => "unknown symbol (ENOENT)".to_owned(),
        Errno::PERM => "not permitted (EPERM)".to_owned(),
        other => other.to_string(),
    }
}
