// SPDX-License-Identifier: GPL-2.0

//! `kexec KERNEL INITRD [WORD...]`: starts another kernel in place of this one, with this
//! one's command line and more words. Programs are not ended before, as with
//! `kexec --force`; the kernel calls its reboot notifiers and shuts its devices down.

#![expect(unsafe_code, reason = "kexec_file_load has no safe wrapper")]

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::process::ExitCode;

use guest_tools::report;
use rustix::system::{reboot, RebootCommand};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    report::exit("kexec", run(&words))
}

fn run(words: &[String]) -> Result<(), String> {
    let [kernel, initrd, words @ ..] = words else {
        return Err("usage: kexec KERNEL INITRD [WORD...]".to_owned());
    };
    let open = |path: &String| File::open(path).map_err(|error| format!("{path}: {error}"));
    let (kernel, initrd) = (open(kernel)?, open(initrd)?);
    let line = fs::read_to_string("/proc/cmdline").map_err(|error| error.to_string())?;
    let line = CString::new(format!("{} {}", line.trim_end(), words.join(" ")));
    let line = line.map_err(|error| error.to_string())?;
    load(&kernel, &initrd, &line).map_err(|error| format!("the kernel is refused: {error}"))?;
    reboot(RebootCommand::Kexec).map_err(|error| error.to_string())
}

/// Loads the kernel that [`RebootCommand::Kexec`] starts.
fn load(kernel: &File, initrd: &File, line: &CString) -> io::Result<()> {
    const NO_FLAGS: libc::c_ulong = 0;
    // SAFETY: both files are open; the line and its length, with the NUL, are that of a
    // string that lives longer than the call.
    let status = unsafe {
        libc::syscall(
            libc::SYS_kexec_file_load,
            kernel.as_raw_fd(),
            initrd.as_raw_fd(),
            line.as_bytes_with_nul().len(),
            line.as_ptr(),
            NO_FLAGS,
        )
    };
    match status {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
