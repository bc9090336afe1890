// SPDX-License-Identifier: GPL-2.0

//! Buffer for a line of text, for contexts that cannot allocate. Items that do not fit are left out
//! as a whole.

use crate::linux::text::{
    put_text,
    write_char, //
};
use kernel::{
    fmt,
    prelude::*, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Size of the buffer in bytes. A record of a tracepoint can have little more than twice that.
const SIZE: usize = 2048;

/// End of a line whose last items did not fit.
const MORE: &str = " ...";

/// Items of text, separated by spaces.
///
/// # Invariants
///
/// The first `used` bytes are text without a zero, all others are zero, and `used` is less than
/// [`SIZE`] by at least the length of [`MORE`] and 1, unless `cut`.
pub(crate) struct LineBuffer {
    bytes: [u8; SIZE],
    used: usize,
    cut: bool,
}

impl LineBuffer {
    /// Creates an empty line.
    pub(crate) fn new() -> impl Init<Self> {
        // INVARIANT: All zero.
        init!(Self {
            bytes: [0; SIZE],
            used: 0,
            cut: false,
        })
    }

    /// Removes all items.
    pub(crate) fn clear(&mut self) {
        // INVARIANT: As new.
        self.truncate(0);
        self.cut = false;
    }

    /// Adds an item. From the first one that does not fit, no more is added.
    pub(crate) fn add(&mut self, item: fmt::Arguments<'_>) {
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

    /// Returns the text.
    pub(crate) fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or(c"")
    }

    fn truncate(&mut self, length: usize) {
        if let Some(rest) = self.bytes.get_mut(length..) {
            rest.fill(0);
        }
        self.used = length;
    }

    fn put(&mut self, text: &str) {
        if let Some(end) = put_text(&mut self.bytes, self.used, text) {
            self.used = end;
        }
    }
}

impl fmt::Write for LineBuffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = SIZE.saturating_sub(self.used);
        if text.len() >= left.saturating_sub(MORE.len()) || text.bytes().any(|byte| byte == 0) {
            return Err(fmt::Error);
        }
        self.put(text);
        Ok(())
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        write_char(self, character)
    }
}
