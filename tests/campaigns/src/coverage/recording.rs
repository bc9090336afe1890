// SPDX-License-Identifier: GPL-2.0

//! Parser of the machine's recording of a guest; `cover.rs` of the plugin describes the
//! format.

/// Kind of a recorded mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Ran,
    /// A conditional jump was taken.
    Jumped,
    /// A conditional jump was not taken.
    Passed,
}

/// Mark that an instruction ran, or a jump went one way, at least once.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) what: What,
    pub(super) address: u64,
    pub(super) bytes: Vec<u8>,
}

/// Parses all marks; the last line may be incomplete if the emulator was killed.
pub(super) fn parse(text: &str) -> Result<Vec<Mark>, String> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mark = |line| mark(line).ok_or_else(|| format!("'{line}' is no record"));
    whole.lines().map(mark).collect()
}

fn mark(line: &str) -> Option<Mark> {
    let (what, rest) = line.split_once(' ')?;
    let (address, bytes) = rest.split_once(' ')?;
    let what = match what {
        "ran" => What::Ran,
        "jumped" => What::Jumped,
        "passed" => What::Passed,
        _ => return None,
    };
    let byte = |at| u8::from_str_radix(bytes.get(at..at + 2)?, 16).ok();
    Some(Mark {
        what,
        address: u64::from_str_radix(address, 16).ok()?,
        bytes: (0..bytes.len())
            .step_by(2)
            .map(byte)
            .collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_emulator_did_not_finish_is_left() {
        let text = "ran ffffffffa0001000 7501\npassed ffffffffa0001000 7501\nran ffff";
        let mark = |what| Mark {
            what,
            address: 0xffff_ffff_a000_1000,
            bytes: vec![0x75, 0x01],
        };
        let expected = vec![mark(What::Ran), mark(What::Passed)];
        assert_eq!(parse(text), Ok(expected));
        assert_eq!(parse(""), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_record_is_named() {
        for line in ["walked 1000 90", "ran x 90", "ran 1000 9", "ran 1000"] {
            let error = parse(&format!("{line}\n")).expect_err("no record");
            assert_eq!(error, format!("'{line}' is no record"));
        }
    }
}
