// SPDX-License-Identifier: GPL-2.0

//! The PCI functions of a package and their configuration space.
//!
//! Documentation/hardware/ivbep.rst sections 1 and 2. Each function has 4 KiB:
//! a type 0 header without base addresses and capabilities, then registers.
//! Offsets in no table read 0. A device whose tables name no function 0 gets one
//! with the ID [`FILLER`], because software looks for other functions only behind a
//! function 0. Hidden functions and access sizes are handled in `machine.rs`.

use crate::bits::{low_half, ones};
use crate::boxes::{CAPID4, CAPID5, CPUNODEID, GIDNIDMAP};
use crate::layout::{Access, Bus, Place, Register, SBOXES};
use crate::package::Package;
use crate::pmon::PmonBox;
use crate::readings::{Reading, Readings};
use crate::register::{Word, Write};
use crate::topology::{PackageShape, Part, Topology};
use crate::violation::{Finding, Rule};

/// The ID of functions 0 that stand in for ones the spec does not name; no
/// product is known to use it.
const FILLER: u16 = 0x0eff;

/// Vendor ID.
const INTEL: u32 = 0x8086;

/// Class "system peripheral, other" and revision 4.
const CLASS_AND_REVISION: u32 = 0x0880_0004;

/// No class, as the functions of C-Boxes 18 to 21 of BDX read.
const NO_CLASS: u32 = 0xffff_ff04;

/// Header type byte: more functions follow.
const MULTIFUNCTION: u32 = 0x80 << 16;

/// First offset behind the header.
const HEADER_END: u16 = 0x40;

/// The registers of a function.
#[derive(Debug)]
enum Content {
    /// The box with this index in the package.
    Box(usize),
    /// The second function of the box with this index.
    Companion(usize),
    /// Registers without counters: offset, description, value.
    Words(Vec<(u16, Word, u32)>),
}

#[derive(Debug)]
struct PciFunction {
    place: Place,
    content: Content,
}

/// All functions of a package.
#[derive(Debug)]
pub(crate) struct Functions {
    all: Vec<PciFunction>,
    /// Index in `all` by bus, device and function.
    index: [[Option<u8>; 256]; 2],
    readings: Readings,
}

/// Returns the place of a function by these readings, if it is there.
fn placed(place: Place, readings: Readings) -> Option<Place> {
    /// IDs of the home agent, of the channel, and of the match function of port 2.
    const AGENT: u16 = 0x0e38;
    const CHANNEL: u16 = 0x0ef1;
    const MATCH: u16 = 0x0e46;
    /// The bit that tells channels 2 and 3 of BDX from 0 and 1.
    const UPPER: u16 = 1 << 2;
    /// IDs of the functions of C-Boxes where all have one, and of the I/O devices there.
    const UNICAST: u16 = 0x3ce8;
    const IIO: u16 = 0x3c40;
    match place.id {
        UNICAST if readings.has(Reading::NoUnicast) => None,
        IIO if !readings.has(Reading::FunctionOfIio) => None,
        0x6fb0..=0x6fb5 | 0x6fd0..=0x6fd5 if readings.has(Reading::SwappedChannels) => {
            Some(Place {
                id: place.id ^ UPPER,
                ..place
            })
        }
        AGENT if readings.has(Reading::HomeAgentElsewhere) => Some(Place {
            device: 30,
            ..place
        }),
        CHANNEL if readings.has(Reading::HomeAgentElsewhere) => None,
        _ if place.id & 0xff == MATCH & 0xff && readings.has(Reading::NoMatchOfPort2) => None,
        MATCH if readings.has(Reading::MatchFunctionElsewhere) => Some(Place {
            id: MATCH + 1,
            ..place
        }),
        _ => Some(place),
    }
}

/// The target of an offset in a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Header,
    Box(usize, Register),
    Word(usize),
    /// An offset with a register only by another source.
    OfOther,
    /// An offset in a PMON block without a register.
    Undocumented,
    /// Outside all blocks.
    Blank,
}

impl Functions {
    pub(crate) fn new(topology: &Topology, package: u8, boxes: &[PmonBox]) -> Self {
        let mut functions = Self {
            all: Vec::new(),
            index: [[None; 256]; 2],
            readings: topology.readings,
        };
        let Some(pci) = &topology.platform.description().pci else {
            return functions;
        };
        let shape = topology.packages[usize::from(package)];
        for (index, pmon) in boxes.iter().enumerate() {
            if let Access::Pci(places) = pmon.layout.access {
                let place = places[usize::from(pmon.source.instance)];
                functions.add(place, Content::Box(index));
            }
            if let Some(companion) = &pmon.layout.companion {
                let place = companion.places[usize::from(pmon.source.instance)];
                functions.add(place, Content::Companion(index));
            }
        }
        for (place, words) in pci.plain_functions.iter().copied().flatten() {
            let free = functions
                .find(place.bus, place.device, place.function)
                .is_none();
            if free && place.is_in(shape, topology.part) {
                let words = words.iter().map(|(at, word)| (*at, *word, word.reset));
                functions.add(pci.plain(*place), Content::Words(words.collect()));
            }
        }
        let cboxes = if topology.readings.has(Reading::AllUnicast) {
            0xff
        } else {
            shape.cbox_mask
        };
        for place in ones(cboxes).map(pci.cbox_function) {
            functions.add(pci.plain(place), Content::Words(Vec::new()));
        }
        functions.add_fillers();
        functions.set(CPUNODEID, shape.node.into());
        functions.set(GIDNIDMAP, shape.group_map);
        let has = |reading| topology.readings.has(reading);
        if !has(Reading::NoFuses) {
            functions.set(CAPID4, capid4(topology.part, shape));
            functions.set(
                CAPID5,
                match () {
                    () if has(Reading::NoCboxFuses) => 0,
                    () if has(Reading::OtherFuses) => u32::MAX,
                    () => shape.cbox_mask,
                },
            );
        }
        functions
    }

    fn add(&mut self, place: Place, content: Content) {
        let Some(place) = placed(place, self.readings) else {
            return;
        };
        let slot = &mut self.index[place.bus as usize][slot(place.device, place.function)];
        *slot = u8::try_from(self.all.len()).ok();
        self.all.push(PciFunction { place, content });
    }

    fn add_fillers(&mut self) {
        let places: Vec<Place> = self.all.iter().map(|function| function.place).collect();
        for place in places {
            if self.find(place.bus, place.device, 0).is_none() {
                let filler = Place {
                    function: 0,
                    id: FILLER,
                    ..place
                };
                self.add(filler, Content::Words(Vec::new()));
            }
        }
    }

    /// Sets a register that firmware or the factory has filled in, where there is one.
    fn set(&mut self, offset: u16, value: u32) {
        for function in &mut self.all {
            if let Content::Words(words) = &mut function.content {
                let here = words.iter_mut().filter(|(at, ..)| *at == offset);
                here.for_each(|(.., stored)| *stored = value);
            }
        }
    }

    /// The index of a function.
    pub(crate) fn find(&self, bus: Bus, device: u8, function: u8) -> Option<usize> {
        self.index[bus as usize][slot(device, function)].map(usize::from)
    }
}

/// CAPID4, of which bits 7:6 tell S-Boxes and links.
fn capid4(part: Part, shape: PackageShape) -> u32 {
    match (part, shape.sboxes) {
        (_, 0..SBOXES) => 0,
        (Part::Ep, _) => 1 << 6,
        (Part::Ex, _) => 2 << 6,
    }
}

fn slot(device: u8, function: u8) -> usize {
    usize::from(device % 32) * 8 + usize::from(function % 8)
}

impl PciFunction {
    fn header(&self, offset: u16) -> u32 {
        match offset {
            0x00 => u32::from(self.place.id) << 16 | INTEL,
            0x08 if (0x6ff2..=0x6ff5).contains(&self.place.id) => NO_CLASS,
            0x08 => CLASS_AND_REVISION,
            0x0c if self.place.function == 0 => MULTIFUNCTION,
            _ => 0,
        }
    }
}

impl Package {
    fn config_target(&self, function: usize, offset: u16) -> Target {
        if offset < HEADER_END {
            return Target::Header;
        }
        let beside = self.readings.has(Reading::LinkCountersBeside);
        match &self.functions.all[function].content {
            Content::Words(words) => {
                let found = words.iter().position(|(at, ..)| *at == offset);
                found.map_or(Target::Blank, Target::Word)
            }
            Content::Companion(index) => {
                let companion = self.boxes[*index].layout.companion.as_ref();
                let found = companion.and_then(|companion| companion.register(offset));
                match (found, self.link_counter(*index, offset)) {
                    (Some(register), _) => Target::Box(*index, register),
                    (None, Some(register)) if beside => Target::Box(*index, register),
                    (None, Some(_)) => Target::OfOther,
                    (None, None) => Target::Blank,
                }
            }
            Content::Box(index) => {
                let layout = self.boxes[*index].layout;
                match layout.register(offset) {
                    Some(Register::FreeRunning(_)) if beside => Target::OfOther,
                    Some(register) => Target::Box(*index, register),
                    None if layout.of_other.contains(&offset) => Target::OfOther,
                    None if layout.is_undocumented(offset) => Target::Undocumented,
                    None => Target::Blank,
                }
            }
        }
    }

    /// The counter that nothing stops at an offset of a box, if it has one there.
    fn link_counter(&self, index: usize, offset: u16) -> Option<Register> {
        let register = self.boxes[index].layout.register(offset);
        register.filter(|register| matches!(register, Register::FreeRunning(_)))
    }

    /// Reads the dword at an aligned offset of a function.
    pub(crate) fn read_config(&mut self, function: usize, offset: u16) -> (u32, Vec<Finding>) {
        let value = match self.config_target(function, offset) {
            Target::Header => self.functions.all[function].header(offset),
            Target::Box(index, register) => low_half(self.read_box(index, register)),
            Target::Word(index) => self
                .functions
                .word(function, index)
                .as_deref()
                .map_or(0, |word| rate_of(self.readings, word)),
            Target::Undocumented => return (0, vec![Finding::new(Rule::Undocumented, 0_u32)]),
            Target::OfOther | Target::Blank => 0,
        };
        (value, Vec::new())
    }

    /// Tells if the dword is of a counter.
    pub(crate) fn has_counter_at(&self, function: usize, offset: u16) -> bool {
        matches!(
            self.config_target(function, offset),
            Target::Box(_, Register::CounterLow(_) | Register::CounterHigh(_))
        )
    }

    /// The dword there as it is.
    pub(crate) fn peek_config(&mut self, function: usize, offset: u16) -> u32 {
        match self.config_target(function, offset) {
            Target::Box(index, register) => low_half(self.peek_box(index, register)),
            _ => self.read_config(function, offset).0,
        }
    }

    /// Writes to the dword at an aligned offset of a function. The header ignores
    /// writes; elsewhere only documented registers may be written.
    pub(crate) fn write_config(
        &mut self,
        function: usize,
        offset: u16,
        write: Write,
    ) -> Vec<Finding> {
        match self.config_target(function, offset) {
            Target::Header | Target::OfOther => Vec::new(),
            Target::Box(index, register) if self.boxes[index].lock_of(register).is_some() => {
                Vec::new()
            }
            Target::Box(index, register) => {
                let mut findings = narrow(write);
                findings.extend(self.write_box(index, register, write));
                findings
            }
            Target::Word(index) => {
                let mut findings = narrow(write);
                if let Some((_, word, value)) = self.functions.word(function, index) {
                    *value = word.store(*value, write);
                    findings.extend(word.judge(write));
                }
                findings
            }
            Target::Undocumented | Target::Blank => {
                vec![Finding::new(Rule::Undocumented, 0_u32)]
            }
        }
    }

    /// Changes a register behind the software's back; `None` if there is none.
    pub(crate) fn poke_config(&mut self, function: usize, offset: u16, value: u32) -> Option<()> {
        match self.config_target(function, offset) {
            Target::Box(index, register) => {
                self.settle(index);
                self.boxes[index].poke(register, value.into());
            }
            Target::Word(index) => {
                let (_, word, stored) = self.functions.word(function, index)?;
                *stored = value & (word.rw | word.ro);
            }
            Target::Header | Target::OfOther | Target::Undocumented | Target::Blank => return None,
        }
        Some(())
    }

    /// The name of a register of a function, without its address.
    pub(crate) fn config_name(&mut self, function: usize, offset: u16) -> String {
        match (
            self.config_target(function, offset),
            &self.functions.all[function].content,
        ) {
            (Target::Box(index, register), _) => {
                let pmon = &self.boxes[index];
                let register = pmon.layout.register_name(register);
                format!("{} {register}", pmon.name())
            }
            (Target::Word(index), Content::Words(words)) => words[index].1.name.to_owned(),
            (_, Content::Box(index) | Content::Companion(index)) => self.boxes[*index].name(),
            _ => format!(
                "function 8086:{:04x}",
                self.functions.all[function].place.id
            ),
        }
    }
}

impl Functions {
    fn word(&mut self, function: usize, index: usize) -> Option<&mut (u16, Word, u32)> {
        match &mut self.all[function].content {
            Content::Words(words) => words.get_mut(index),
            Content::Box(_) | Content::Companion(_) => None,
        }
    }
}

/// Returns the value that software reads of a register without counters.
fn rate_of(readings: Readings, (_, word, value): &(u16, Word, u32)) -> u32 {
    /// 6.4 GT/s.
    const SLOW: u32 = 0b011;
    if word.name == "QPI_RATE_STATUS" && readings.has(Reading::SlowLink) {
        value & !0x7 | SLOW
    } else {
        *value
    }
}

/// The rule that registers are written in 32 bits.
fn narrow(write: Write) -> Vec<Finding> {
    match write.lanes.count_ones() / 8 {
        4 => Vec::new(),
        bytes => vec![Finding::new(Rule::NarrowWrite, bytes)],
    }
}
