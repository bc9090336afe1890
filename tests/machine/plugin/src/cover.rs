// SPDX-License-Identifier: GPL-2.0

//! Records the executed instructions of modules and the directions of their jumps.
//!
//! The file gets one line at the first occurrence of each of these. Lines are
//! written at once, because the emulator is usually killed:
//!
//! ```text
//! ran ffffffffa0001234 7507
//! jumped ffffffffa0001234 7507
//! passed ffffffffa0001234 7507
//! ```
//!
//! A line holds the address and the bytes that an instruction had when it was
//! translated. A conditional jump also has `jumped`, or `passed` if it went on with
//! the next instruction. The bytes tell apart modules that were loaded at the same
//! address.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use iced_x86::{Decoder, DecoderOptions, FlowControl};

use crate::cost::Place;
use crate::report;

/// An instruction of a module.
#[derive(Debug)]
pub(crate) struct Spot {
    address: u64,
    bytes: Box<[u8]>,
    jump: Option<Jump>,
    ran: AtomicBool,
    jumped: AtomicBool,
    passed: AtomicBool,
}

/// The two targets of a conditional jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Jump {
    target: u64,
    next: u64,
}

impl Jump {
    /// Decodes a conditional jump; nothing for other instructions.
    fn decode(bytes: &[u8], address: u64) -> Option<Self> {
        let instruction = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
        let is_conditional = instruction.flow_control() == FlowControl::ConditionalBranch;
        is_conditional.then(|| Self {
            target: instruction.near_branch_target(),
            next: instruction.next_ip(),
        })
    }
}

/// The spots by address and bytes.
type Spots = HashMap<(u64, Box<[u8]>), &'static Spot>;

/// The file, and all instructions of modules there ever were. They live for ever, as
/// sites do, and equal ones are shared.
#[derive(Debug)]
pub(crate) struct Recorder {
    file: Mutex<Option<File>>,
    spots: Mutex<Spots>,
}

thread_local! {
    /// The last of them that this vCPU ran.
    static LAST: Cell<Option<&'static Spot>> = const { Cell::new(None) };
}

impl Recorder {
    /// Opens the file. The error names it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: Mutex::new(Some(report::append(path)?)),
            spots: Mutex::default(),
        })
    }

    /// The instruction, if it is a module's.
    pub(crate) fn spot(&self, address: u64, bytes: &[u8]) -> Option<&'static Spot> {
        if Place::of(address) != Place::Module {
            return None;
        }
        let mut spots = self.spots.lock().unwrap_or_else(PoisonError::into_inner);
        let spot = spots.entry((address, bytes.into())).or_insert_with(|| {
            Box::leak(Box::new(Spot {
                address,
                bytes: bytes.into(),
                jump: Jump::decode(bytes, address),
                ran: AtomicBool::new(false),
                jumped: AtomicBool::new(false),
                passed: AtomicBool::new(false),
            }))
        });
        Some(*spot)
    }

    /// Records that this vCPU is about to run the instruction.
    pub(crate) fn runs(&self, spot: &'static Spot) {
        self.once("ran", spot, &spot.ran);
        let Some(before) = LAST.replace(Some(spot)) else {
            return;
        };
        // If the next instruction is neither of the two, an interrupt came between.
        match before.jump {
            Some(jump) if jump.next == spot.address => self.once("passed", before, &before.passed),
            Some(jump) if jump.target == spot.address => {
                self.once("jumped", before, &before.jumped);
            }
            _ => {}
        }
    }

    fn once(&self, what: &str, spot: &Spot, done: &AtomicBool) {
        if done.load(Ordering::Relaxed) || done.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut bytes = String::new();
        for byte in &spot.bytes {
            let _ = write!(bytes, "{byte:02x}");
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        report::write(&mut file, format_args!("{what} {:x} {bytes}", spot.address));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: u64 = 0xffff_ffff_a000_1000;
    const NOP: &[u8] = &[0x90];
    /// Over one byte.
    const JNE: &[u8] = &[0x75, 0x01];

    #[test]
    fn conditional_jumps_go_two_ways() {
        let jump = |bytes| Jump::decode(bytes, CODE);
        let to = |target, next| Some(Jump { target, next });
        assert_eq!(jump(JNE), to(CODE + 3, CODE + 2));
        assert_eq!(jump(&[0x74, 0xfe]), to(CODE, CODE + 2));
        assert_eq!(
            jump(&[0x0f, 0x84, 0xf0, 0xff, 0xff, 0xff]),
            to(CODE - 10, CODE + 6)
        );
        assert_eq!(jump(&[0xeb, 0x01]), None, "it has no condition");
        assert_eq!(jump(NOP), None);
    }

    #[test]
    fn each_thing_is_written_once() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("cover");
        let recorder = Recorder::open(&path).expect("writable");
        let spot = |offset, bytes| recorder.spot(CODE + offset, bytes).expect("a module's");
        let (jump, next, target) = (spot(0, JNE), spot(2, NOP), spot(3, NOP));
        for _ in 0..2 {
            for spot in [jump, next, target, jump, target] {
                recorder.runs(spot);
            }
        }
        let text = std::fs::read_to_string(&path).expect("written");
        let expected = [
            "ran ffffffffa0001000 7501",
            "ran ffffffffa0001002 90",
            "passed ffffffffa0001000 7501",
            "ran ffffffffa0001003 90",
            "jumped ffffffffa0001000 7501",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn only_modules_are_recorded_and_changed_code_is_other_code() {
        let directory = tempfile::tempdir().expect("a directory");
        let recorder = Recorder::open(&directory.path().join("cover")).expect("writable");
        assert!(recorder.spot(0x1000, NOP).is_none());
        assert!(recorder.spot(0xffff_ffff_8100_0000, NOP).is_none());
        let spot = |bytes| recorder.spot(CODE, bytes).expect("a module's");
        assert!(std::ptr::eq(spot(NOP), spot(NOP)));
        assert!(!std::ptr::eq(spot(NOP), spot(JNE)));
    }
}
