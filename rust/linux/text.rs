// SPDX-License-Identifier: GPL-2.0

//! Writers of text.
//!
//! C header: none.
//!
//! # Contexts
//!
//! Those of the writer.

use kernel::fmt;

/// Writes a character to a writer of strings.
///
/// The default of [`fmt::Write::write_char`] does the same, with a copy for each writer.
#[inline(never)]
pub(crate) fn write_char(writer: &mut dyn fmt::Write, character: char) -> fmt::Result {
    writer.write_str(character.encode_utf8(&mut [0; 4]))
}
