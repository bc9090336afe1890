// SPDX-License-Identifier: GPL-2.0

//! Parts of a box, and reasons why a package lacks a box, or the function with its filters, as text for the log at load,
//! `topology` in debugfs, and refused events.

use kernel::fmt;

/// A part of a box that appears and disappears alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// The box without the PCI function of its filter registers.
    Box,
    /// The PCI function with the filter registers.
    Filters,
}

/// A reason why a box, or the function with its filters, is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MissingReason {
    /// No PCI function of the box was found.
    Unseen,
    /// The package has only this number of boxes of the type.
    BeyondCount(u8),
    /// The part has it fused off.
    FusedOff,
    /// Its registers did not read back the values that the probe wrote.
    Silent,
    /// Its registers could not be accessed.
    Unreachable,
    /// Only the first 256 bytes of its configuration space could be accessed.
    NotExtended,
    /// Its PCI function decodes no memory.
    NotDecoded,
    /// The memory of its PCI function is where no device can be.
    Misplaced,
    /// Its registers answer, but its clock stands still.
    Clockless,
    /// Its registers stopped answering after it had been found.
    Failed,
    /// Its PCI function was removed.
    Removed,
    /// No CPU of the package is online.
    Offline,
}

impl fmt::Display for MissingReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentence = match self {
            MissingReason::Unseen => {
                "no PCI function of it, so firmware hides it or the part lacks it"
            }
            MissingReason::BeyondCount(count) => return write!(f, "the package has {count}"),
            MissingReason::FusedOff => "it is fused off",
            MissingReason::Silent => "its registers do not keep what is written",
            MissingReason::Unreachable => "its registers cannot be accessed",
            MissingReason::NotExtended => {
                "its registers above 0xff cannot be accessed, which takes MMCONFIG (pci=nommconf \
                 turns that off)"
            }
            MissingReason::NotDecoded => "firmware has not enabled the memory with its registers",
            MissingReason::Misplaced => {
                "the memory with its registers has an address that is no device's"
            }
            MissingReason::Clockless => "its clock stands still, so the part does not use it",
            MissingReason::Failed => "its registers no longer answer",
            MissingReason::Removed => "its PCI function was removed",
            MissingReason::Offline => "no CPU of the package is online",
        };
        f.write_str(sentence)
    }
}
