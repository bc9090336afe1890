// SPDX-License-Identifier: GPL-2.0

//! Wakes a guest that sleeps (ACPI state S3).
//!
//! The emulator tells on its monitor when the guest has fallen asleep. Nothing in the guest
//! runs then, so it is woken from here.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Duration of a sleep.
const SLEEP: Duration = Duration::from_millis(100);
/// Time limit for the emulator to open its monitor, and the time between two attempts.
const OPENING: (Duration, Duration) = (Duration::from_secs(30), Duration::from_millis(5));
/// Name of the event on the monitor.
const ASLEEP: &str = "\"SUSPEND\"";

/// Starts a thread that wakes the guest after each time it falls asleep. The thread ends
/// with the emulator.
pub(crate) fn keep_waking(monitor: PathBuf) {
    std::thread::spawn(move || {
        if let Err(error) = wake_always(&monitor) {
            eprintln!("the guest is not woken any more: {error}");
        }
    });
}

fn wake_always(monitor: &Path) -> io::Result<()> {
    let mut commands = connect(monitor)?;
    commands.write_all(b"{\"execute\":\"qmp_capabilities\"}\n")?;
    for line in BufReader::new(commands.try_clone()?).lines() {
        // The emulator has ended.
        let Ok(line) = line else { break };
        if line.contains(ASLEEP) {
            sleep(SLEEP);
            commands.write_all(b"{\"execute\":\"system_wakeup\"}\n")?;
        }
    }
    Ok(())
}

fn connect(monitor: &Path) -> io::Result<UnixStream> {
    let deadline = Instant::now() + OPENING.0;
    loop {
        match UnixStream::connect(monitor) {
            Err(_) if Instant::now() < deadline => sleep(OPENING.1),
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_guest_that_falls_asleep_is_woken() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("monitor");
        let listener = UnixListener::bind(&path).expect("a socket");
        keep_waking(path);
        let (mut monitor, _) = listener.accept().expect("a connection");
        let mut commands = BufReader::new(monitor.try_clone().expect("a copy")).lines();
        let mut next = || commands.next().expect("a line").expect("readable");
        assert!(next().contains("qmp_capabilities"));
        for event in ["WAKEUP", "SUSPEND"] {
            writeln!(monitor, "{{\"event\": \"{event}\"}}").expect("written");
        }
        assert!(next().contains("system_wakeup"));
    }
}
