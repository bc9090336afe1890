// SPDX-License-Identifier: GPL-2.0

//! What experiments know of each platform beside the driver's tables: a file each.

mod bdx;
mod hsx;
mod ivbep;
mod jkt;
mod nhmex;
mod snb;
mod xeon;

use crate::platforms;
use crate::points::Listed;
use crate::uncore::table::box_type::Platform;

/// The platforms.
const ALL: [&Description; 6] = [
    &ivbep::DESCRIPTION,
    &bdx::DESCRIPTION,
    &hsx::DESCRIPTION,
    &jkt::DESCRIPTION,
    &snb::DESCRIPTION,
    &nhmex::DESCRIPTION,
];

/// Returns what experiments know of a platform, by the driver's name of it: that of a processor.
pub(crate) fn find(name: &str) -> Option<&'static Description> {
    let mut all = ALL.into_iter();
    all.find(|description| description.processors.iter().any(|(_, own)| *own == name))
}

/// Returns the driver's platform of a processor, and the name of the processor in the list of
/// readings.
pub(crate) fn platform_of((family, model): (u8, u8)) -> Option<(&'static Platform, &'static str)> {
    let mut all = platforms::ALL.iter();
    let platform = all.find(|platform| platform.cpus.contains(&(family, model)))?;
    let mut known = ALL
        .into_iter()
        .flat_map(|description| description.processors);
    let (_, name) = known.find(|(known, _)| *known == model)?;
    Some((platform, name))
}

/// Returns the name of a processor in the list of readings; `None` if the driver has no platform for
/// it.
pub fn processor(processor: (u8, u8)) -> Option<&'static str> {
    Some(platform_of(processor)?.1)
}

/// Returns the processors, by their names in the list of readings, with what experiments know of their
/// platform.
pub(crate) fn described() -> impl Iterator<Item = (&'static str, &'static Description)> {
    let names = |description: &'static Description| {
        let processors = description.processors.iter();
        processors.map(move |(_, name)| (*name, description))
    };
    ALL.into_iter().flat_map(names)
}

/// Returns the registers of a platform that only the survey looks at, by the driver's name of it.
pub(crate) fn surveyed(name: &str) -> &'static [Surveyed] {
    find(name).map_or(&[], |description| description.surveyed)
}

/// What experiments know of a platform.
pub(crate) struct Description {
    /// Models of family 6, with their names in the list of readings.
    pub(crate) processors: &'static [(u8, &'static str)],
    /// The processor whose points it has as well, but for those in whose place its own are.
    pub(crate) like: Option<&'static str>,
    /// First letter of its own points.
    pub(crate) own: char,
    /// The points, with the way to settle each.
    pub(crate) points: &'static [Listed],
    /// Event control registers that count the clock of a box, by unit, where it is not 0.
    pub(crate) clocks: &'static [(&'static str, u64)],
    /// Global control that stops the counters of a package.
    pub(crate) hold: u64,
    /// Facts for the experiments that several Xeon E5 have; `None` elsewhere.
    pub(crate) xeon: Option<Xeon>,
    /// Registers that only the survey looks at.
    pub(crate) surveyed: &'static [Surveyed],
}

/// What differs among Xeon E5.
#[derive(Clone, Copy, Default)]
pub(crate) struct Xeon {
    /// It is of the third generation or later: a control register can take an event select only from
    /// two writes, bits 17:16 of box controls act, and QPI has a match for sent packets.
    pub(crate) is_late: bool,
    /// Events without sub-events, by unit.
    pub(crate) whole: &'static [(&'static str, u64)],
    /// `state` of the first filter of C-Boxes.
    pub(crate) states: u64,
    /// Filter with `opc`, and its first bit.
    pub(crate) opcode: (usize, u32),
    /// `link` of the first one.
    pub(crate) link: u64,
    /// `tid` of the first one.
    pub(crate) thread: u64,
    /// `num_c`, and its value at reset.
    pub(crate) number: (u64, u64),
}

// Registers that only the survey looks at, and bits of others: whether they exist is uncertain, or the
// driver never writes them. They are for points of Documentation/hardware: U-n, B-n, H-n, J-n, S-n and
// X-n. All of it belongs to the counters: at worst a counter counts something else until the survey
// ends.

/// A register, or bits of one, that only the survey looks at.
pub(crate) struct Surveyed {
    /// The unit of the boxes that have it, or [`GLOBAL`].
    pub(crate) unit: &'static str,
    /// Name of the register.
    pub(crate) register: &'static str,
    /// Place of a register that the driver does not use otherwise: the offset from the first MSR of
    /// the box, or in the configuration space of its function; the MSR for [`GLOBAL`].
    pub(crate) place: Option<u16>,
    /// Bits that may be written.
    pub(crate) bits: u64,
}

/// The unit of registers that act on a whole package.
pub(crate) const GLOBAL: &str = "global";

const fn row(
    unit: &'static str,
    register: &'static str,
    place: Option<u16>,
    bits: u64,
) -> Surveyed {
    Surveyed {
        unit,
        register,
        place,
        bits,
    }
}
