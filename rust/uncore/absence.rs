// SPDX-License-Identifier: GPL-2.0

//! Why a package lacks a box, or the function with its filters, in words: for the log at load,
//! `topology` and refused events.

use kernel::fmt;

/// A reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Absence {
    /// Nothing of it was ever seen.
    Unseen,
    /// The package has fewer boxes of the type.
    BeyondCount(u8),
    /// It did not keep what the probe wrote, or gave back something else.
    Silent,
    /// Its registers could not be accessed.
    Unreachable,
    /// Only the first 256 bytes of its configuration space could be.
    NotExtended,
    /// Its registers stopped answering after it had been found.
    Failed,
    /// Its PCI function was removed.
    Removed,
    /// No CPU of the package is online.
    Offline,
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentence = match self {
            Absence::Unseen => "no PCI function of it, so firmware hides it or the part lacks it",
            Absence::BeyondCount(count) => return write!(f, "the package has {count}"),
            Absence::Silent => "its registers do not keep what is written",
            Absence::Unreachable => "its registers cannot be accessed",
            Absence::NotExtended => {
                "its registers above 0xff cannot be accessed, which takes MMCONFIG (pci=nommconf \
                 turns that off)"
            }
            Absence::Failed => "its registers no longer answer",
            Absence::Removed => "its PCI function was removed",
            Absence::Offline => "no CPU of the package is online",
        };
        f.write_str(sentence)
    }
}
