// SPDX-License-Identifier: GPL-2.0

//! What the readings change in the registers of a box.

use crate::bits::low_half;
use crate::boxes::{BOX_ENABLES, FRZ, RST, RST_CTRL, RST_CTRS};
use crate::catalogue::BoxType;
use crate::layout::{Access, BoxLayout, Register, FIXED, OV_EN};
use crate::pmon::{Lock, PmonBox};
use crate::program::EDGE_DET;
use crate::readings::{Reading, Readings};
use crate::register::{Class, Word};

/// Bits that counters of IRP, R3QPI, S-Box and UBox have by the other reading.
const NARROW: u32 = 44;

/// Bits that counters of a client have by the other reading.
const WIDE: u32 = 48;

/// The registers of a box that a reading is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Those of the general counters.
    Controls,
    FixedControl,
    BoxControl,
    Status,
    Filter(usize),
}

impl Which {
    fn has(self, register: Register) -> bool {
        match register {
            Register::Control(FIXED) => self == Self::FixedControl,
            Register::Control(_) => self == Self::Controls,
            Register::BoxControl => self == Self::BoxControl,
            Register::Status => self == Self::Status,
            Register::Filter(index) => self == Self::Filter(index),
            _ => false,
        }
    }
}

/// Bits that are of another class by a reading.
struct Moved(Reading, BoxType, Which, Class, u32);

#[rustfmt::skip]
const MOVED: &[Moved] = &[
    Moved(Reading::CboxOverflowEnable, BoxType::Cbox, Which::Controls, Class::Stored, OV_EN),
    Moved(Reading::CboxOverflowEnable, BoxType::Sbox, Which::Controls, Class::Stored, OV_EN),
    Moved(Reading::LinkAndC6, BoxType::Cbox, Which::Filter(1), Class::Stored, 1 << 29),
    Moved(Reading::FifteenNodes, BoxType::Cbox, Which::Filter(1), Class::Reserved, 1 << 15),
    Moved(Reading::BoxEnablesOfRings, BoxType::R2pcie, Which::BoxControl, Class::Stored, BOX_ENABLES),
    Moved(Reading::BoxEnablesOfRings, BoxType::R3qpi, Which::BoxControl, Class::Stored, BOX_ENABLES),
    Moved(Reading::StatusOfUclk, BoxType::Ubox, Which::Status, Class::Clears, 1 << 2),
    Moved(Reading::SpareBitsOfPcu, BoxType::Pcu, Which::Controls, Class::Stored, 1 << 19 | 1 << 16),
    Moved(Reading::NoEdgeOfPcu, BoxType::Pcu, Which::Controls, Class::Reserved, EDGE_DET),
    Moved(Reading::NoLinkAndC6, BoxType::Cbox, Which::Filter(0), Class::Reserved, LINK_BDX),
    Moved(Reading::NoLinkAndC6, BoxType::Cbox, Which::Filter(1), Class::Reserved, 1 << 29),
    Moved(Reading::SboxFilter, BoxType::Sbox, Which::Status, Class::Stored, 0xf),
    Moved(Reading::FixedSends, BoxType::Wbox, Which::FixedControl, Class::Stored, OV_EN),
    Moved(Reading::ResetsOfMemory, BoxType::Ha, Which::BoxControl, Class::Acts, RST_CTRS | RST_CTRL),
    Moved(Reading::ResetsOfMemory, BoxType::Imc, Which::BoxControl, Class::Acts, RST_CTRS | RST_CTRL),
    Moved(Reading::LinkOfFilter, BoxType::Cbox, Which::Filter(0), Class::Stored, 0xe0),
    Moved(Reading::NoResetOfRings, BoxType::R2pcie, Which::Controls, Class::Reserved, RST),
    Moved(Reading::NoResetOfRings, BoxType::R3qpi, Which::Controls, Class::Reserved, RST),
];

/// `ov_rq` of GLOBAL_STATUS of BDX.
const OV_RQ: u64 = 1 << 35;

/// The bits of the S-Boxes in the global status.
const SBOXES: u64 = 0b1100;

/// `link` of FILTER0 of the C-Box.
const LINK: u32 = 0x1e0;
const LINK_BDX: u32 = 0x3c0;

/// `tid` of FILTER0 of the C-Box.
const TID: u32 = 0x1f;
const TID_BDX: u32 = 0x3f;

/// The status of a C-Box, where it has one.
const CBOX_STATUS: Word = Word {
    w1c: 0xf,
    reserved: !0xf,
    ..Word::named("BOX_STATUS")
};

impl PmonBox {
    /// Takes readings, and the layout that goes with them.
    pub(super) fn take(&mut self, layout: &'static BoxLayout, readings: Readings) {
        self.layout = layout;
        self.readings = readings;
        self.deadline = None;
        self.forget_waves();
        self.trim();
    }

    /// Tells if the filters act later than they are written.
    pub(crate) fn has_latch(&self) -> bool {
        self.latches_at_control() || self.latches_late()
    }

    /// Tells if the filters act from a write of a control register on.
    pub(crate) fn latches_at_control(&self) -> bool {
        self.is(BoxType::Qpi) && self.readings.has(Reading::MatchAtControl)
    }

    fn latches_late(&self) -> bool {
        self.is(BoxType::Pcu) && self.readings.has(Reading::BandsLate)
    }

    /// Time has passed, and with it a change of frequency.
    pub(crate) fn change_frequency(&mut self) {
        if self.latches_late() && !self.is_latched() {
            self.latch();
        }
    }

    fn is(&self, kind: BoxType) -> bool {
        self.layout.kind == kind
    }

    /// The bits of a register that are of another class by the readings.
    fn moved(&self, register: Register) -> impl Iterator<Item = &'static Moved> + '_ {
        MOVED.iter().filter(move |Moved(reading, kind, which, ..)| {
            self.readings.has(*reading) && self.is(*kind) && which.has(register)
        })
    }

    /// The description of a 32-bit register; `None` for counters.
    pub(crate) fn word(&self, register: Register) -> Option<Word> {
        let word = match (register, self.layout.word(register)) {
            (Register::Status, None) if self.is(BoxType::Cbox) => CBOX_STATUS,
            (_, word) => word?,
        };
        let moved = |word: Word, Moved(.., class, bits): &Moved| word.with(*class, *bits);
        let word = self.moved(register).fold(word, moved);
        let linked = register == Register::Filter(0)
            && self.is(BoxType::Cbox)
            && self.readings.has(Reading::LinkAndC6);
        Some(if linked {
            word.with(Class::Stored, self.of_cbox(LINK, LINK_BDX))
        } else {
            word
        })
    }

    /// Register of a C-Box of IVB-EP, or of one of BDX, which has a status.
    fn of_cbox(&self, ivbep: u32, bdx: u32) -> u32 {
        match self.layout.status {
            None => ivbep,
            Some(_) => bdx,
        }
    }

    /// Tells if control registers act later than they are written.
    pub(crate) fn latches_controls(&self) -> bool {
        self.is(BoxType::Pcu) && self.readings.has(Reading::ControlsLate)
    }

    /// Tells if a control register takes an event select only if it is written twice.
    pub(crate) fn is_written_twice(&self) -> bool {
        let in_function = matches!(self.layout.access, Access::Pci(_));
        let by_reading = in_function && self.readings.has(Reading::AllTwice);
        (self.layout.quirks.control_twice || by_reading) && !self.readings.has(Reading::OneWrite)
    }

    /// Tells if a write that sets both reset bits at once faults.
    pub(crate) fn is_reset_in_steps(&self) -> bool {
        self.layout.quirks.reset_in_steps && !self.readings.has(Reading::ResetAtOnce)
    }

    /// Tells if the reset bit of a counter stays 1, and holds the counter.
    pub(crate) fn reset_stays(&self) -> bool {
        self.layout.quirks.sticky_reset && !self.readings.has(Reading::ResetActs)
    }

    /// Tells if a write to match registers that are enabled faults by a reading.
    pub(crate) fn guard_faults(&self) -> bool {
        self.is(BoxType::Mbox) && self.readings.has(Reading::MatchFaults)
    }

    /// Tells if a register is not there by a reading. It faults, which is the one way to find out.
    pub(crate) fn lacks_register(&self, register: Register) -> bool {
        let is_filter = matches!(register, Register::Filter(_)) && self.is(BoxType::Ubox);
        is_filter && self.readings.has(Reading::NoUboxFilter)
    }

    /// The effect of a write to a register, where it is not that of its box type: firmware has locked
    /// the box, or a counter takes no writes.
    pub(crate) fn lock_of(&self, register: Register) -> Option<Lock> {
        let is_counter = matches!(
            register,
            Register::Counter(_) | Register::CounterLow(_) | Register::CounterHigh(_)
        );
        if self.lacks_register(register) {
            return Some(Lock::Faults);
        }
        let by_reading = match () {
            () if self.readings.has(Reading::CountersRefuse) => Some(Lock::Faults),
            () if self.readings.has(Reading::CountersIgnore) => Some(Lock::Ignores),
            () => None,
        };
        self.lock.or(by_reading.filter(|_| is_counter))
    }

    /// Tells if the counters that nothing else stops stand still.
    pub(crate) fn stops_link_counters(&self) -> bool {
        self.frozen && self.readings.has(Reading::LinkCountersFreeze)
    }

    /// The register as software may write it: a bit that a reading takes the function from
    /// may be written as by the first one.
    pub(crate) fn permitted(&self, register: Register, word: Word) -> Word {
        let first = self.layout.word(register);
        let here = self.moved(register);
        let here = here.filter(|Moved(.., class, _)| *class == Class::Reserved);
        let bits = here.fold(0, |all, Moved(.., bits)| all | bits);
        let allowed = first.map_or(0, |first| first.rw & bits);
        word.with(Class::Stored, allowed)
    }

    /// Bits of a counter, if no defect makes it narrower.
    pub(crate) fn sound_width(&self, counter: usize) -> u32 {
        let narrow = match self.layout.kind {
            BoxType::Ubox if counter == FIXED => self.readings.has(Reading::NarrowUclk),
            BoxType::Ubox => self.readings.has(Reading::NarrowUbox),
            BoxType::Sbox => self.readings.has(Reading::NarrowSboxes),
            BoxType::Irp => self.readings.has(Reading::NarrowIrp),
            BoxType::R3qpi => self.readings.has(Reading::NarrowR3qpi),
            _ => false,
        };
        if narrow {
            NARROW
        } else if self.readings.has(Reading::WideCounters) {
            WIDE
        } else {
            self.layout.width_of(counter)
        }
    }

    /// The bits of a counter, if no defect makes it narrower.
    pub(crate) fn counter_mask(&self, counter: usize) -> u64 {
        (1 << self.sound_width(counter)) - 1
    }

    /// The bit of a counter in `BOX_STATUS`, 0 if it has none.
    pub(crate) fn status_bit(&self, counter: usize) -> u32 {
        match self.layout.kind {
            BoxType::Cbox if self.readings.has(Reading::CboxStatus) => 1 << counter,
            BoxType::Imc if self.readings.has(Reading::ImcStatusInOrder) => 1 << counter.min(4),
            BoxType::Ubox if counter == FIXED && self.readings.has(Reading::StatusOfUclk) => 1 << 2,
            BoxType::Sbox if self.readings.has(Reading::SboxFilter) => 0,
            _ => self.layout.status_bit(counter),
        }
    }

    /// Tells if an overflow of a counter sets its bit in `BOX_STATUS`.
    pub(crate) fn shows_overflow(&self, counter: usize) -> bool {
        !self.readings.has(Reading::StatusByEnable)
            || self.overflow_enable(counter) == 0
            || self.has_overflow_enabled(counter)
    }

    /// Tells if `ov_en` of a counter is set.
    pub(crate) fn has_overflow_enabled(&self, counter: usize) -> bool {
        self.counters[counter].control & self.overflow_enable(counter) != 0
    }

    /// `ov_en` of a counter's control register, 0 if it has none.
    fn overflow_enable(&self, counter: usize) -> u32 {
        let more = match self.layout.kind {
            BoxType::Cbox | BoxType::Sbox => self.readings.has(Reading::CboxOverflowEnable),
            BoxType::Wbox if counter == FIXED => self.readings.has(Reading::FixedSends),
            _ => false,
        };
        if more {
            OV_EN
        } else {
            self.layout.overflow_enable_of(counter)
        }
    }

    /// The bits of `GLOBAL_STATUS` that an overflow of a counter sets.
    pub(crate) fn global_bits(&self, counter: usize) -> u64 {
        let instance = self.source.instance;
        let is_port = matches!(self.layout.kind, BoxType::Qpi | BoxType::R3qpi);
        let bits = if is_port && self.readings.has(Reading::BitsOfPorts) {
            let first = (self.layout.global_bits)(0, counter);
            (first & !OV_RQ) << instance.min(1) | first & OV_RQ
        } else {
            (self.layout.global_bits)(instance, counter)
        };
        match self.layout.kind {
            BoxType::R3qpi if self.readings.has(Reading::OnlyBitOfR3qpi) => OV_RQ,
            BoxType::R3qpi if self.readings.has(Reading::NoBitOfR3qpi) => bits & !OV_RQ,
            _ if self.readings.has(Reading::SwappedSboxes) && bits & SBOXES != 0 => bits ^ SBOXES,
            _ => bits,
        }
    }

    /// Tells if bits 16 and 17 of `BOX_CTL` let a freeze and overflows have an effect.
    pub(crate) fn has_box_enables(&self) -> bool {
        let acts = self.readings.has(Reading::BoxEnablesAct) && self.layout.box_control.is_some();
        let idle = self.readings.has(Reading::BoxEnablesIdle);
        self.layout.quirks.box_enables && !idle || acts
    }

    /// Returns the value that software reads of a register that holds `value`.
    pub(crate) fn shown(&self, register: Register, value: u64) -> u64 {
        let has = |reading| self.readings.has(reading);
        let unread = match register {
            Register::Control(counter) => {
                let enable = |reading, bits| if has(reading) { bits } else { 0 };
                enable(Reading::EnableUnread, self.layout.enable_of(counter))
                    | enable(Reading::OverflowEnableUnread, self.overflow_enable(counter))
                    | enable(
                        Reading::ResetUnread,
                        if self.is(BoxType::Qpi) { RST } else { 0 },
                    )
                    | if self.reset_stays() { 0 } else { RST }
            }
            Register::BoxControl if has(Reading::BoxEnablesUnread) => BOX_ENABLES,
            Register::Filter(0) if self.is(BoxType::Cbox) && has(Reading::TidUnread) => {
                self.of_cbox(TID, TID_BDX)
            }
            _ => 0,
        };
        let ones = match register {
            Register::Status if has(Reading::ReservedOnesOfStatus) => self.reserved_of(register),
            Register::Control(_) | Register::BoxControl | Register::Filter(_)
                if has(Reading::ReservedOnes) =>
            {
                self.reserved_of(register)
            }
            _ => 0,
        };
        let frozen = register == Register::BoxControl
            && (self.frozen && has(Reading::FreezeRead)
                || self.package_frozen && has(Reading::FreezeReadOfPackage));
        let frozen = if frozen { FRZ } else { 0 };
        u64::from(low_half(value) & !unread | ones | frozen)
    }

    /// Ones in the bits of a read above a counter; `bits` is how many bits it has there.
    pub(crate) fn ones_above(&self, register: Register, bits: u32) -> u64 {
        let whole = match register {
            Register::Counter(_) => u64::MAX,
            _ => u32::MAX.into(),
        };
        if self.readings.has(Reading::OnesAboveCounters) {
            whole & u64::MAX.checked_shl(bits).unwrap_or(0)
        } else {
            0
        }
    }

    /// The bits of a register without any function.
    fn reserved_of(&self, register: Register) -> u32 {
        self.word(register).map_or(0, |word| word.idle())
    }
}
