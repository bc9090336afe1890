// SPDX-License-Identifier: GPL-2.0

//! The types that describe a box type: one [`BoxLayout`] each.
//!
//! All boxes share one engine ([`crate::pmon`]); the box types differ in data. A
//! new type is rows in `tests/data`, a file under `boxes/` and a line in `boxes.rs`. Functions in a
//! layout are small: most boxes use the common ones of this file.

use std::sync::LazyLock;

use crate::catalogue::{BoxType, Catalogue, Event};
use crate::clock::Clock;
use crate::filter::Condition;
use crate::readings::{Reading, Readings};
use crate::register::Word;
use crate::topology::{PackageShape, Part};
use crate::traffic::{EventSelect, UMASK_ZERO};

/// Index of the fixed counter; general counters are 0 to 7.
pub(crate) const FIXED: usize = 8;

/// Largest number of filter and match registers of a box, in words of 32 bits.
pub(crate) const FILTERS: usize = 60;

/// Number of free-running registers of a box that has them.
pub(crate) const FREE_RUNNING: usize = 2;

/// `en` of most control registers.
pub(crate) const EN: u32 = 1 << 22;

/// `ev_sel_ext` of most control registers that have it.
pub(crate) const EV_SEL_EXT: u32 = 1 << 21;

/// `invert` of every control register that has it.
pub(crate) const INVERT: u32 = 1 << 23;

/// `ov_en` of most control registers that have it.
pub(crate) const OV_EN: u32 = 1 << 20;

/// The register of a box at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Register {
    /// `BOX_CTL`.
    BoxControl,
    /// `BOX_STATUS`.
    Status,
    /// Clears bits of `BOX_STATUS` and keeps nothing.
    StatusClear,
    /// `CTLn`, or `FIXED_CTL` as [`FIXED`].
    Control(usize),
    /// A whole 64-bit counter (MSR).
    Counter(usize),
    /// The low dword of a counter (PCI).
    CounterLow(usize),
    /// The high dword of a counter (PCI).
    CounterHigh(usize),
    /// A filter or match register.
    Filter(usize),
    /// A filter or match register of 64 bits: this word and the next one.
    Wide(usize),
    /// A 32-bit counter that nothing stops.
    FreeRunning(usize),
}

/// Positions of those fields of `CTLn` that differ between box types.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// Bits of `thresh`, from bit 24 up.
    pub(crate) thresh: u32,
    /// Bits of `umask` that exist, as in the field.
    pub(crate) umask: u8,
    /// Where the event select is.
    pub(crate) coding: Coding,
    /// `en`.
    pub(crate) enable: u32,
    /// `ov_en`, 0 if there is none.
    pub(crate) overflow_enable: u32,
    /// The bit without which a counter stops at its largest value, if there is one.
    pub(crate) wrap: u32,
    /// `invert` is bit 23.
    pub(crate) has_invert: bool,
    /// Edge detection and inversion need a threshold.
    pub(crate) need_thresh: bool,
    /// `occ_invert` (30) and `occ_edge_det` (31) exist, for events with code bit 7.
    pub(crate) has_occupancy: bool,
}

/// Where a control register has the event select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Bits 7:0, and a bit for the extra bit if that exists.
    Usual { ext: u32 },
    /// Bits 7:0 of codes with nine bits; which of them have bit 8 follows from the other bits.
    Cut,
    /// Bits 5:1.
    Short,
    /// Bits 5:1; each counter k has events of its own, whose codes are 32 * k higher here.
    OfCounter,
    /// Bits 13:9, or bits 21:19 while bit 7 is 1, which is the extra bit then.
    Either,
}

impl Coding {
    /// The largest event select; the extra bit is bit 8.
    pub(crate) fn most(self) -> u16 {
        match self {
            Self::Usual { ext: 0 } | Self::Cut => 0xff,
            Self::Usual { .. } => 0x1ff,
            Self::Short | Self::OfCounter => 0x1f,
            Self::Either => 0x107,
        }
    }

    /// The bit of the control register that is the extra bit, 0 if there is none.
    pub(crate) fn ext(self) -> u32 {
        match self {
            Self::Usual { ext } => ext,
            Self::Cut | Self::Short | Self::OfCounter => 0,
            Self::Either => 1 << 7,
        }
    }

    /// The event select in the control register of a counter.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no field is wider than 8 bits"
    )]
    pub(crate) fn select(self, counter: usize, control: u32) -> EventSelect {
        const WITH_BIT_8: [u8; 4] = [0xdf, 0xe4, 0xe5, 0xe6];
        let ext = control & self.ext() != 0;
        let field = |shift: u32, most: u32| (control >> shift & most) as u8;
        let code = match self {
            Self::Usual { .. } | Self::Cut => field(0, 0xff),
            Self::Short => field(1, 0x1f),
            Self::OfCounter => field(1, 0x1f) | ((counter % 8) as u8 * 32),
            Self::Either if ext => field(19, 7),
            Self::Either => field(9, 0x1f),
        };
        let ext = ext || self == Self::Cut && WITH_BIT_8.contains(&code);
        EventSelect { ext, code }
    }

    /// The control register with another event select.
    pub(crate) fn with(self, control: u32, select: EventSelect) -> u32 {
        let ext = if select.ext { self.ext() } else { 0 };
        match self {
            Self::Usual { .. } | Self::Cut => {
                control & !(0xff | self.ext()) | u32::from(select.code) | ext
            }
            Self::Short | Self::OfCounter => control & !0x3e | u32::from(select.code & 0x1f) << 1,
            Self::Either if select.ext => {
                control & !(7 << 19) | u32::from(select.code & 7) << 19 | ext
            }
            Self::Either => control & !(0x1f << 9 | 1 << 7) | u32::from(select.code & 0x1f) << 9,
        }
    }
}

/// The fields of most boxes.
pub(crate) const COMMON_FIELDS: Fields = Fields {
    thresh: 0xff,
    umask: 0xff,
    coding: Coding::Usual { ext: 0 },
    enable: EN,
    overflow_enable: OV_EN,
    wrap: 0,
    has_invert: false,
    need_thresh: true,
    has_occupancy: false,
};

/// What writes to the registers of some box types do beside storing a value.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quirks {
    /// A control register takes a new event select only if it is written without `en`
    /// before it is written with it.
    pub(crate) control_twice: bool,
    /// `rst` of a control register stays, and holds the counter at 0 meanwhile.
    pub(crate) sticky_reset: bool,
    /// A write of `BOX_CTL` that sets both reset bits at once faults.
    pub(crate) reset_in_steps: bool,
    /// Bits 16 and 17 of `BOX_CTL` let a freeze and overflows have an effect.
    pub(crate) box_enables: bool,
    /// `BOX_CTL` has nothing but a bit for each counter, without which it does not count.
    pub(crate) counter_enables: bool,
    /// A control register selects an event and an occupancy, and counts while both hold.
    pub(crate) joins_occupancy: bool,
    /// One event of the C-Box shows counter 0's occupancy on the other counters.
    pub(crate) shows_counter_0: bool,
    /// A counter reads 0x1000000 too high while its low 24 bits are 0 or 1.
    pub(crate) reads_high: bool,
}

/// Filter registers that must not be written at the wrong moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard {
    /// The word that has the enabling bit.
    pub(crate) word: usize,
    /// That bit.
    pub(crate) enable: u32,
    /// The registers that must not be written meanwhile.
    pub(crate) guarded: &'static [Register],
    /// Such a write faults.
    pub(crate) faults: bool,
}

/// A fixed counter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fixed {
    /// Its control register.
    pub(crate) control: Word,
    /// `en` of its control register.
    pub(crate) enable: u32,
    /// `ov_en` of its control register.
    pub(crate) overflow_enable: u32,
    /// Its bit in `BOX_STATUS`, if any.
    pub(crate) status: Option<u32>,
    /// Its reset bit in the control register, if any.
    pub(crate) rst: u32,
}

/// The bus of a package that a function is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bus {
    /// Bus of the UBox.
    Uncore,
    /// Bus of the IIO devices.
    Iio,
}

/// What a package must have for a function to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing: every package has the function.
    Nothing,
    /// Three links, as the EX part has them.
    ThreeLinks,
    /// A second home agent.
    SecondHomeAgent,
}

/// A PCI function of a package.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) bus: Bus,
    /// Device number.
    pub(crate) device: u8,
    /// Function number.
    pub(crate) function: u8,
    /// Device ID; the vendor is 8086.
    pub(crate) id: u16,
    /// What it is there for.
    pub(crate) needs: Needs,
}

impl Place {
    /// A function on the uncore bus of every part.
    pub(crate) const fn uncore(device: u8, function: u8, id: u16) -> Self {
        Self {
            bus: Bus::Uncore,
            device,
            function,
            id,
            needs: Needs::Nothing,
        }
    }

    /// A function on the uncore bus of the EX part.
    pub(crate) const fn of_third_link(device: u8, function: u8, id: u16) -> Self {
        Self {
            needs: Needs::ThreeLinks,
            ..Self::uncore(device, function, id)
        }
    }

    /// Tells if a package has the function.
    pub(crate) fn is_in(self, shape: PackageShape, part: Part) -> bool {
        match self.needs {
            Needs::Nothing => true,
            Needs::ThreeLinks => part == Part::Ex,
            Needs::SecondHomeAgent => shape.home_agents > 1,
        }
    }
}

/// The S-Boxes of a package that has any.
pub(crate) const SBOXES: u8 = 4;

/// The instances of a box type with MSRs that a package has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Present {
    /// One.
    One,
    /// One for each C-Box of the package.
    Cboxes,
    /// One for each S-Box of the package.
    Sboxes,
    /// Two.
    Two,
}

impl Present {
    /// Bit n: a package has instance n.
    pub(crate) fn mask(self, shape: PackageShape) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 0b11,
            Self::Cboxes => shape.cbox_mask,
            Self::Sboxes => (1 << shape.sboxes) - 1,
        }
    }

    /// The largest number of instances, on a platform with so many C-Boxes at most.
    pub(crate) fn most(self, cboxes: u8) -> u8 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Cboxes => cboxes,
            Self::Sboxes => SBOXES,
        }
    }
}

/// Addresses of the registers of a box type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Access {
    /// MSRs at `base + stride * instance`.
    Msr {
        base: u32,
        stride: u32,
        present: Present,
    },
    /// MSRs at addresses without a pattern: the list of each instance.
    Lists {
        lists: &'static [&'static [(u32, Register)]],
        present: Present,
    },
    /// One PCI function per instance.
    Pci(&'static [Place]),
}

/// A second function of every instance, with registers of the box but no counters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Companion {
    /// One place per instance.
    pub(crate) places: &'static [Place],
    /// Offset of every register.
    pub(crate) registers: &'static [(u16, Register)],
}

impl Companion {
    pub(crate) fn register(&self, offset: u16) -> Option<Register> {
        let found = self.registers.iter().find(|(at, _)| *at == offset);
        found.map(|(_, register)| *register)
    }
}

/// The programmed event of one counter, as far as it decides which signals count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The event's rows.
    pub(crate) event: &'a Event,
    pub(crate) select: EventSelect,
    pub(crate) umask: u8,
    /// The control register.
    pub(crate) control: u32,
    /// The filter registers of the box.
    pub(crate) filters: &'a [u32; FILTERS],
    /// The points with another reading than the first.
    pub(crate) readings: Readings,
}

/// The signals and conditions that a request selects.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// Bit b: signal b.
    pub(crate) signals: u16,
    /// Signals that have the numbers of other event selects.
    pub(crate) others: Vec<(EventSelect, u8)>,
    /// Conditions that a block must meet to count.
    pub(crate) conditions: Vec<Condition>,
    /// The event at the other end of the link that supplies the signals it has; the
    /// box's own event supplies the others.
    pub(crate) sender: Option<EventSelect>,
}

/// Selects the signals of the umask without conditions, as most boxes do.
pub(crate) fn select_by_umask(request: &Request) -> Selection {
    let wanted = match request.umask {
        0 => 1 << UMASK_ZERO,
        umask => u16::from(umask),
    };
    Selection {
        signals: wanted & request.event.signals,
        ..Selection::default()
    }
}

/// Allows every umask whose bits are listed, as most boxes do.
pub(crate) fn list_by_bits(event: &Event, _select: EventSelect, umask: u8) -> bool {
    event.lists(umask)
}

/// One box type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxLayout {
    /// PMU name without prefix and index.
    pub(crate) name: &'static str,
    /// True if the name carries an index.
    pub(crate) numbered: bool,
    /// The events.
    pub(crate) kind: BoxType,
    /// The catalogue that has them.
    pub(crate) catalogue: &'static LazyLock<Catalogue>,
    /// The clock it counts in.
    pub(crate) clock: Clock,
    /// The addresses of its registers.
    pub(crate) access: Access,
    /// General counters.
    pub(crate) counters: usize,
    /// The catalogue numbers counters modulo this (the IRP has two sets).
    pub(crate) counters_per_set: usize,
    /// Width of the general counters in bits.
    pub(crate) width: u32,
    /// `CTLn`.
    pub(crate) control: Word,
    /// The fields of `CTLn`.
    pub(crate) fields: Fields,
    /// The fixed counter; it is 48 bits wide (U-3).
    pub(crate) fixed: Option<Fixed>,
    /// `BOX_CTL`.
    pub(crate) box_control: Option<Word>,
    /// `BOX_STATUS`.
    pub(crate) status: Option<Word>,
    /// The status bit of counter 0; counter k has the k-th bit after it.
    pub(crate) status_first: u32,
    /// The bits of `GLOBAL_STATUS` for an instance and a counter.
    pub(crate) global_bits: fn(instance: u8, counter: usize) -> u64,
    /// Filter and match registers.
    pub(crate) filters: &'static [Word],
    /// Address (from the MSR base, or config offset) of every register.
    pub(crate) registers: &'static [(u16, Register)],
    /// The second function of registers, if they are not all in one function.
    pub(crate) companion: Option<Companion>,
    /// First and last address of the PMON blocks: all in them that is not in
    /// `registers` is undocumented.
    pub(crate) blocks: &'static [(u16, u16)],
    /// Undocumented addresses that answer all the same: they read 0.
    pub(crate) silent: &'static [u16],
    /// Returns the filter registers with their fields in the places that `select` and the definition
    /// of counts know, where they are in others.
    pub(crate) filters_as: Option<fn([u32; FILTERS]) -> [u32; FILTERS]>,
    /// Returns the signals and conditions of an event.
    pub(crate) select: fn(&Request) -> Selection,
    /// Tells if the catalogue allows an event with an umask.
    pub(crate) lists: fn(&Event, EventSelect, u8) -> bool,
    /// The effects of writes that most boxes do not have.
    pub(crate) quirks: Quirks,
    /// The filter registers that cannot be written while another one enables them.
    pub(crate) guard: Option<Guard>,
    /// The free-running counters.
    pub(crate) free_running: &'static [Word],
    /// The layout by the other reading of a point that the sources leave open.
    pub(crate) other: Option<(Reading, &'static BoxLayout)>,
    /// Addresses that have a register only by the other source. Software may try which of
    /// the sources is right: they read 0 and ignore writes.
    pub(crate) of_other: &'static [u16],
}

impl BoxLayout {
    pub(crate) fn register(&self, address: u16) -> Option<Register> {
        let found = self.registers.iter().find(|(at, _)| *at == address);
        found.map(|(_, register)| *register)
    }

    /// Tells if an address without register lies in a PMON block.
    pub(crate) fn is_undocumented(&self, address: u16) -> bool {
        let mut blocks = self.blocks.iter();
        blocks.any(|(first, last)| (*first..=*last).contains(&address))
    }

    /// Width of a counter in bits.
    pub(crate) fn width_of(&self, counter: usize) -> u32 {
        if counter == FIXED {
            48
        } else {
            self.width
        }
    }

    /// The bit of a counter in `BOX_STATUS`, 0 if it has none.
    pub(crate) fn status_bit(&self, counter: usize) -> u32 {
        if counter == FIXED {
            self.fixed.and_then(|fixed| fixed.status).unwrap_or(0)
        } else {
            self.status_first << counter
        }
    }

    /// The indexes of the counters it has, the fixed one last.
    pub(crate) fn counter_indexes(&self) -> impl Iterator<Item = usize> {
        let fixed = self.fixed.map(|_| FIXED);
        (0..self.counters).chain(fixed)
    }

    /// The counter of a name in commands: its number or `fixed`.
    pub(crate) fn counter_named(&self, name: &str) -> Option<usize> {
        let wanted = match name {
            "fixed" => Some(FIXED),
            digits => digits.parse().ok().filter(|counter| *counter != FIXED),
        };
        let mut counters = self.counter_indexes();
        counters.find(|counter| Some(*counter) == wanted)
    }

    /// The description of a 32-bit register; `None` for counters.
    pub(crate) fn word(&self, register: Register) -> Option<Word> {
        match register {
            Register::BoxControl => self.box_control,
            Register::Status => self.status,
            Register::Control(FIXED) => self.fixed.map(|fixed| fixed.control),
            Register::Control(_) => Some(self.control),
            Register::Filter(index) => self.filters.get(index).copied(),
            Register::FreeRunning(index) => self.free_running.get(index).copied(),
            Register::StatusClear => self.status.map(|word| Word {
                name: "OVF_CTL",
                wo: word.w1c | word.ro,
                w1c: 0,
                ro: 0,
                ..word
            }),
            Register::Counter(_)
            | Register::CounterLow(_)
            | Register::CounterHigh(_)
            | Register::Wide(_) => None,
        }
    }

    /// `en` of a counter's control register.
    pub(crate) fn enable_of(&self, counter: usize) -> u32 {
        match self.fixed {
            Some(fixed) if counter == FIXED => fixed.enable,
            _ => self.fields.enable,
        }
    }

    /// `ov_en` of a counter's control register, 0 if it has none.
    pub(crate) fn overflow_enable_of(&self, counter: usize) -> u32 {
        match self.fixed {
            Some(fixed) if counter == FIXED => fixed.overflow_enable,
            _ => self.fields.overflow_enable,
        }
    }

    /// The registers of its instances with their MSR addresses, where these have no pattern.
    pub(crate) fn lists(&self) -> &'static [&'static [(u32, Register)]] {
        match self.access {
            Access::Lists { lists, .. } => lists,
            Access::Msr { .. } | Access::Pci(_) => &[],
        }
    }

    /// The manual's name of a register.
    pub(crate) fn register_name(&self, register: Register) -> String {
        let counter = |index, half| match index {
            FIXED => format!("FIXED_CTR{half}"),
            index => format!("CTR{index}{half}"),
        };
        match register {
            Register::Control(index) if index != FIXED => format!("CTL{index}"),
            Register::Counter(index) => counter(index, ""),
            Register::CounterLow(index) => counter(index, " low"),
            Register::CounterHigh(index) => counter(index, " high"),
            Register::Wide(index) => self.register_name(Register::Filter(index)),
            Register::Status => self
                .status
                .map_or("BOX_STATUS", |word| word.name)
                .to_owned(),
            other => self.word(other).map_or("?", |word| word.name).to_owned(),
        }
    }

    /// The PMU's name for an instance, as in `cbox_3`.
    pub(crate) fn box_name(&self, instance: u8) -> String {
        if self.numbered {
            format!("{}_{instance}", self.name)
        } else {
            self.name.to_owned()
        }
    }
}
