// SPDX-License-Identifier: GPL-2.0

//! Writers of text.
//!
//! C header: none.
//!
//! # Contexts
//!
//! Contexts of the writer.

use kernel::fmt;

/// Writes a character to a writer of strings.
///
/// The default of [`fmt::Write::write_char`] writes it, too, with a copy for each writer.
#[inline(never)]
pub(crate) fn write_char(writer: &mut dyn fmt::Write, character: char) -> fmt::Result {
    writer.write_str(character.encode_utf8(&mut [0; 4]))
}

/// Copies a text into a buffer from `start` on. Returns the index after it, or `None` if there is no
/// room for all of it.
pub(crate) fn put_text(buffer: &mut [u8], start: usize, text: &str) -> Option<usize> {
    let end = start.checked_add(text.len())?;
    // Not `copy_from_slice`: objtool does not know the end of its panic in a crate of ours.
    for (to, from) in buffer.get_mut(start..end)?.iter_mut().zip(text.bytes()) {
        *to = from;
    }
    Some(end)
}
