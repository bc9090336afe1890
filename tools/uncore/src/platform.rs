// SPDX-License-Identifier: GPL-2.0

//! Platforms that the module supports, as far as the command must know them. All else it
//! reads from the module's files.

/// Family of all processors of the platforms.
const FAMILY: u32 = 6;

/// Use of the bits of a match that its mask selects.
const COMPARED: &str = "are compared";

/// Platforms of the module.
pub const PLATFORMS: [Platform; 9] = [
    Platform {
        name: "ivbep",
        processors: &[("Xeon E5 v2 or E7 v2", 62)],
        ubox: Some(0x0e1e),
        has_snoop_modes: false,
        masked: &[("qpi", COMPARED)],
        has_events_in_perf: true,
        relations: concat!(
            include_str!("check/relations/ivbep.csv"),
            include_str!("check/relations/ivbep-alone.csv")
        ),
        doubts: concat!(
            include_str!("doubts/ivbep.csv"),
            include_str!("doubts/ivbep-alone.csv")
        ),
        without: None,
    },
    Platform {
        name: "bdx",
        processors: &[("Xeon E5 v4 or E7 v4", 79), ("Xeon D-1500", 86)],
        ubox: Some(0x6f1e),
        has_snoop_modes: true,
        masked: &[("qpi", COMPARED)],
        has_events_in_perf: true,
        relations: include_str!("check/relations/bdx.csv"),
        doubts: concat!(
            include_str!("doubts/bdx.csv"),
            include_str!("doubts/bdx-alone.csv")
        ),
        without: None,
    },
    Platform {
        name: "hsx",
        processors: &[("Xeon E5 v3 or E7 v3", 63)],
        ubox: Some(0x2f1e),
        has_snoop_modes: true,
        masked: &[("qpi", COMPARED)],
        has_events_in_perf: true,
        relations: include_str!("check/relations/bdx.csv"),
        doubts: concat!(
            include_str!("doubts/bdx.csv"),
            include_str!("doubts/hsx-alone.csv")
        ),
        without: None,
    },
    Platform {
        name: "jkt",
        processors: &[("Xeon E5 v1", 45)],
        ubox: Some(0x3ce0),
        has_snoop_modes: false,
        masked: &[("qpi", COMPARED)],
        has_events_in_perf: true,
        relations: concat!(
            include_str!("check/relations/ivbep.csv"),
            include_str!("check/relations/jkt-alone.csv")
        ),
        doubts: concat!(
            include_str!("doubts/ivbep.csv"),
            include_str!("doubts/jkt-alone.csv")
        ),
        without: Some((
            "irp",
            "lists have events of it, but no source has its registers on this processor (J-11)",
        )),
    },
    SNB,
    Platform {
        name: "ivb",
        processors: &[("Core i7, i5 or i3 3xxx", 58)],
        ..SNB
    },
    Platform {
        name: "hsw",
        processors: &[
            ("Core i7, i5 or i3 4xxx", 60),
            ("mobile Core 4xxxU or Y", 69),
            ("Core 4xxx with Iris Pro", 70),
        ],
        ..SNB
    },
    Platform {
        name: "bdw",
        processors: &[
            ("Core i7, i5, i3 or M 5xxx", 61),
            ("Core 5xxx with Iris Pro", 71),
        ],
        ..SNB
    },
    Platform {
        name: "nhmex",
        processors: &[("Xeon 7500 or 6500", 46), ("first Xeon E7", 47)],
        ubox: None,
        has_snoop_modes: false,
        masked: &[("rbox", COMPARED), ("sbox", "are left out")],
        has_events_in_perf: false,
        relations: include_str!("check/relations/nhmex.csv"),
        doubts: include_str!("doubts/nhmex.csv"),
        without: None,
    },
];

/// The first of the clients, whose uncores differ in some events.
const SNB: Platform = Platform {
    name: "snb",
    processors: &[("Core i7, i5 or i3 2xxx", 42)],
    ubox: None,
    has_snoop_modes: false,
    masked: &[],
    has_events_in_perf: true,
    relations: include_str!("check/relations/snb.csv"),
    doubts: include_str!("doubts/snb.csv"),
    without: None,
};

/// Processors with one kind of uncore.
#[derive(Debug, PartialEq, Eq)]
pub struct Platform {
    /// Begin of the names of its PMUs: `ivbep` of `ivbep_uncore_cbox_0`.
    pub name: &'static str,
    /// Names and models of its processors, all of family 6.
    processors: &'static [(&'static str, u32)],
    /// PCI device ID of the UBox, which every package has and no other module needs. `None` if
    /// the module is bound to no PCI function.
    pub ubox: Option<u16>,
    /// True if firmware chooses among snoop modes, some with a directory in memory.
    pub has_snoop_modes: bool,
    /// Kinds of boxes with masks, and what they do with the bits of a match that a mask selects,
    /// where that is known.
    masked: &'static [(&'static str, &'static str)],
    /// True if perf has a list of its events.
    pub has_events_in_perf: bool,
    /// Relations between counts, for `check`.
    pub relations: &'static str,
    /// Doubts about what events count.
    pub doubts: &'static str,
    /// A kind of box that lists have events of and the module does not count, and why.
    without: Option<(&'static str, &'static str)>,
}

impl Platform {
    /// Returns the platform of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PLATFORMS.iter().find(|platform| platform.name == name)
    }

    /// Returns the platform of a processor of Intel.
    pub fn of_model(family: u32, model: u32) -> Option<&'static Self> {
        let has_model = |platform: &&Self| {
            let mut processors = platform.processors.iter();
            family == FAMILY && processors.any(|(_, known)| *known == model)
        };
        PLATFORMS.iter().find(has_model)
    }

    /// Returns what a kind of box does with the bits of a match that a mask selects, as the end of
    /// a sentence.
    pub fn masked(&self, unit: &str) -> Option<&'static str> {
        let mut masked = self.masked.iter();
        let (_, end) = masked.find(|(known, _)| *known == unit)?;
        Some(end)
    }

    /// Returns why no PMU of the module is of a kind of box, if lists have events of it.
    pub fn absence(&self, unit: &str) -> Option<&'static str> {
        let (_, why) = self.without.filter(|(known, _)| *known == unit)?;
        Some(why)
    }

    /// Returns the names of its processors.
    pub fn processors(&self) -> String {
        let names = self.processors.iter().map(|(name, _)| *name);
        names.collect::<Vec<_>>().join(" or ")
    }
}

/// Names all processors of all platforms, with their models.
pub fn all_processors() -> String {
    let all = PLATFORMS.iter().flat_map(|platform| platform.processors);
    let all = all.map(|(name, model)| format!("{name} (family {FAMILY} model {model})"));
    all.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_of_one_platform() {
        let name = |family, model| Platform::of_model(family, model).map(|found| found.name);
        assert_eq!(name(6, 62), Some("ivbep"));
        assert_eq!(name(6, 79), Some("bdx"));
        assert_eq!(name(6, 86), Some("bdx"));
        assert_eq!(name(6, 42), Some("snb"));
        assert_eq!(name(6, 58), Some("ivb"));
        assert_eq!([60, 69, 70].map(|model| name(6, model)), [Some("hsw"); 3]);
        assert_eq!([61, 71].map(|model| name(6, model)), [Some("bdw"); 2]);
        assert_eq!(name(6, 46), Some("nhmex"));
        assert_eq!(name(6, 47), Some("nhmex"));
        assert_eq!(name(6, 63), Some("hsx"));
        assert_eq!(name(6, 45), Some("jkt"));
        assert_eq!(name(15, 62), None);
    }

    #[test]
    fn all_are_named_with_their_models() {
        assert_eq!(
            all_processors(),
            "Xeon E5 v2 or E7 v2 (family 6 model 62), Xeon E5 v4 or E7 v4 (family 6 model 79), \
             Xeon D-1500 (family 6 model 86), Xeon E5 v3 or E7 v3 (family 6 model 63), \
             Xeon E5 v1 (family 6 model 45), Core i7, i5 or i3 2xxx (family 6 model 42), \
             Core i7, i5 or i3 3xxx (family 6 model 58), \
             Core i7, i5 or i3 4xxx (family 6 model 60), \
             mobile Core 4xxxU or Y (family 6 model 69), \
             Core 4xxx with Iris Pro (family 6 model 70), \
             Core i7, i5, i3 or M 5xxx (family 6 model 61), \
             Core 5xxx with Iris Pro (family 6 model 71), \
             Xeon 7500 or 6500 (family 6 model 46), first Xeon E7 (family 6 model 47)"
        );
    }
}
