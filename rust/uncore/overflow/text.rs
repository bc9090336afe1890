// SPDX-License-Identifier: GPL-2.0

//! A line of text that is put together where nothing can be allocated. What does not fit is left
//! out, item by item.

use kernel::{
    ffi::CStr,
    fmt,
    prelude::*, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Room for the text. A record of a tracepoint cannot have much more than twice as much.
const ROOM: usize = 2048;

/// What stands for items that did not fit.
const MORE: &[u8] = b" ...";

/// Items, separated by spaces.
///
/// # Invariants
///
/// The first `used` bytes are text without a zero, all others are zero, and `used` is less than
/// [`ROOM`] by at least the length of [`MORE`] and 1, unless `cut`.
pub(super) struct Text {
    bytes: [u8; ROOM],
    used: usize,
    cut: bool,
}

impl Text {
    /// No items.
    pub(super) fn new() -> impl Init<Self> {
        // INVARIANT: All zero.
        init!(Self {
            bytes: [0; ROOM],
            used: 0,
            cut: false,
        })
    }

    /// Removes all items.
    pub(super) fn clear(&mut self) {
        // INVARIANT: As new.
        self.truncate(0);
        self.cut = false;
    }

    /// Adds an item, if it fits.
    pub(super) fn add(&mut self, item: fmt::Arguments<'_>) {
        if self.cut {
            return;
        }
        let before = self.used;
        let separator = if before == 0 { "" } else { " " };
        if fmt::Write::write_fmt(self, fmt!("{separator}{item}")).is_err() {
            self.truncate(before);
            self.put(MORE);
            self.cut = true;
        }
    }

    /// The text.
    pub(super) fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or(c"")
    }

    fn truncate(&mut self, length: usize) {
        if let Some(rest) = self.bytes.get_mut(length..) {
            rest.fill(0);
        }
        self.used = length;
    }

    fn put(&mut self, text: &[u8]) {
        let end = self.used.saturating_add(text.len());
        if let Some(room) = self.bytes.get_mut(self.used..end) {
            room.copy_from_slice(text);
            self.used = end;
        }
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = ROOM.saturating_sub(self.used);
        if text.len() >= left.saturating_sub(MORE.len()) || text.bytes().any(|byte| byte == 0) {
            return Err(fmt::Error);
        }
        self.put(text.as_bytes());
        Ok(())
    }
}
