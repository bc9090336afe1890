// SPDX-License-Identifier: GPL-2.0

//! The grammar of `defect`. A defect that the box type cannot have is refused.

use super::flaw::{Field, Flaw, Ratio, Target};
use super::Defect;
use crate::layout::{Access, BoxLayout};
use crate::words::Words;
use crate::CommandError;

/// The filters of each box type: the attributes they look at, by their names in
/// traffic.rst.
const FILTERS: [(&str, &[&str]); 8] = [
    ("cbox", &["state", "nid", "opc", "tid", "nc", "isoc"]),
    ("ha", &["line", "opc"]),
    ("qpi", &["message", "vnw", "dnid"]),
    ("pcu", &["frequency", "reason"]),
    ("bbox", &["message", "line"]),
    ("sbox", &["response", "opcode", "class", "line", "hnid"]),
    ("mbox", &["mode", "line"]),
    ("rbox", &["message", "vnw", "dnid"]),
];

impl Field {
    fn named(word: &str) -> Option<Self> {
        Some(match word {
            "ext" => Self::Ext,
            "thresh" => Self::Thresh,
            "edge" => Self::Edge,
            "invert" => Self::Invert,
            "freeze" => Self::Freeze,
            "value" => Self::Value,
            _ => return None,
        })
    }

    fn exists(self, layout: &BoxLayout) -> bool {
        match self {
            Self::Ext => layout.fields.coding.ext() != 0,
            Self::Invert => layout.fields.has_invert || layout.fields.has_occupancy,
            _ => true,
        }
    }
}

impl Words<'_> {
    /// The words behind `defect`.
    pub(crate) fn defect(&mut self) -> Result<Defect, CommandError> {
        const WANTED: &str = "a defect";
        match self.word(WANTED)? {
            "event" => self.in_boxes(Self::event),
            "umask" => self.in_boxes(|words, _| Ok(Flaw::Umask(words.number("an umask")?))),
            "ignore" => self.in_boxes(Self::ignored),
            "rate" => self.in_boxes(|words, layout| {
                let counter = words.counter(layout)?;
                Ok(Flaw::Rate(counter, words.ratio(0)?))
            }),
            "clock" => self.in_boxes(|words, _| Ok(Flaw::Clock(words.ratio(1)?))),
            "narrow" => self.in_boxes(Self::narrow),
            "saturate" => self.in_boxes(|_, _| Ok(Flaw::Saturates)),
            "torn" => self.in_boxes(Self::torn),
            "flip" => self.in_boxes(Self::flip),
            "reads" => self.in_boxes(Self::reads),
            "next" => self.in_boxes(|words, _| {
                let targets = [("control", Target::Control), ("value", Target::Value)];
                Ok(Flaw::Next(words.choice("control or value", &targets)?))
            }),
            "swap-nodes" => Ok(Defect::SwapNodes(self.package()?, self.package()?)),
            "misroute" => Ok(Defect::Misroute(self.package()?, self.package()?)),
            other => Err(CommandError::bad(other, WANTED)),
        }
    }

    /// `TYPE`, the flaw's own words, `[PKG]`.
    fn in_boxes(
        &mut self,
        flaw: impl Fn(&mut Self, &'static BoxLayout) -> Result<Flaw, CommandError>,
    ) -> Result<Defect, CommandError> {
        let word = self.word("a box type")?;
        let mut layouts = self.platform.description().layouts.iter().copied();
        let found = layouts.find(|layout| layout.name == word);
        let layout = found.ok_or_else(|| CommandError::no_such("box type", word))?;
        let flaw = flaw(self, layout)?;
        let package = self.optional_word().map(|word| {
            let number = Words::parse_number(word);
            number.ok_or_else(|| CommandError::bad(word, "a package number"))
        });
        Ok(Defect::Boxes {
            kind: layout.name,
            package: package.transpose()?,
            flaw,
        })
    }

    fn event(&mut self, layout: &'static BoxLayout) -> Result<Flaw, CommandError> {
        Ok(Flaw::Event {
            select: self.select(layout)?,
            counts: self.select(layout)?,
        })
    }

    fn select(&mut self, layout: &BoxLayout) -> Result<u16, CommandError> {
        const WANTED: &str = "an event select of that box type";
        self.up_to(0, layout.fields.coding.most(), WANTED)
    }

    fn ignored(&mut self, layout: &'static BoxLayout) -> Result<Flaw, CommandError> {
        const WANTED: &str = "a field or a filter of that box type";
        let word = self.word(WANTED)?;
        let field = Field::named(word).filter(|field| field.exists(layout));
        let flaw = field.map(Flaw::Ignores).or_else(|| filter(layout, word));
        flaw.ok_or_else(|| CommandError::bad(word, WANTED))
    }

    fn counter(&mut self, layout: &BoxLayout) -> Result<usize, CommandError> {
        let word = self.word("a counter")?;
        let found = layout.counter_named(word);
        found.ok_or_else(|| CommandError::no_such("counter", word))
    }

    /// Parses a ratio such as `3/4`.
    fn ratio(&mut self, least: u32) -> Result<Ratio, CommandError> {
        const WANTED: &str = "a ratio, as in 3/4";
        let word = self.word(WANTED)?;
        let number = |word| Words::parse_number(word).filter(|number: &u32| *number <= 1000);
        let parts = word.split_once('/');
        let parts = parts.and_then(|(above, below)| Some((number(above)?, number(below)?)));
        match parts {
            Some((numerator, denominator @ 1..)) if numerator >= least => Ok(Ratio {
                numerator,
                denominator,
            }),
            _ => Err(CommandError::bad(word, WANTED)),
        }
    }

    fn narrow(&mut self, layout: &'static BoxLayout) -> Result<Flaw, CommandError> {
        const WANTED: &str = "a smaller number of bits";
        let bits = self.up_to(1, layout.width - 1, WANTED)?;
        Ok(Flaw::Narrow(bits))
    }

    fn torn(&mut self, layout: &'static BoxLayout) -> Result<Flaw, CommandError> {
        if !matches!(layout.access, Access::Pci(_)) {
            let wanted = "a box type with counters in two halves";
            return Err(CommandError::bad(layout.name, wanted));
        }
        Ok(Flaw::Torn(self.ratio(1)?))
    }

    fn flip(&mut self, layout: &'static BoxLayout) -> Result<Flaw, CommandError> {
        let bit = self.up_to(0, layout.width - 1, "a bit of its counters")?;
        Ok(Flaw::Flip(bit, self.ratio(1)?))
    }

    fn reads(&mut self, layout: &'static BoxLayout) -> Result<Flaw, CommandError> {
        let highest = match layout.access {
            Access::Msr { .. } | Access::Lists { .. } => 63,
            Access::Pci(_) => 31,
        };
        let bit = self.up_to(0, highest, "a bit of its control registers")?;
        let values = [("0", false), ("1", true)];
        Ok(Flaw::Reads(bit, self.choice("0 or 1", &values)?))
    }

    fn up_to<T>(&mut self, least: T, most: T, wanted: &'static str) -> Result<T, CommandError>
    where
        T: Copy + TryFrom<u64> + PartialOrd,
    {
        let word = self.word(wanted)?;
        let number = Words::parse_number(word);
        let number = number.filter(|number| (&least..=&most).contains(&number));
        number.ok_or_else(|| CommandError::bad(word, wanted))
    }
}

/// One of the filters of a box type.
fn filter(layout: &BoxLayout, word: &str) -> Option<Flaw> {
    let (_, attributes) = FILTERS.iter().find(|(kind, _)| *kind == layout.name)?;
    let attribute = attributes.iter().find(|name| **name == word)?;
    Some(Flaw::Passes(attribute))
}
