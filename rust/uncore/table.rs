// SPDX-License-Identifier: GPL-2.0

//! Const functions that make a row of a platform's tables of one aligned line.
//!
//! They fill the structs of [`box_type`] with the values that most rows have. Methods change one
//! field each:
//!
//! ```text
//! event("llc_victims",  0x37,  C01,  1).combined("Table 2-20", const { &[
//!     sub("m_state",    0x01),
//!     sub("nid",        0x40).filter(NID),
//! ] }),
//! ```
//!
//! All of this is evaluated when the module is compiled, and so is [`window`]. Tests on the host
//! refuse what else is wrong in a table.

pub(crate) mod box_type;
pub(crate) mod field;
pub(crate) mod prelude;
pub(crate) mod window;

use self::{
    box_type::*,
    field::Words, //
};

/// The layout of event control registers in a box that has none. The event select is 8 bits.
pub(crate) const NO_CONTROL: Control = Control {
    writable: 0,
    enable: 0,
    overflow_enable: None,
    uncertain: 0,
    acts: 0,
    queue_reset: None,
    twice: false,
    select: bits::<0, 7>(),
};

/// A box type without what only some types have. A table takes from it what it does not state.
/// Names, registers, widths and rates are none here, and no type may be without them.
pub(crate) const ORDINARY_BOX: BoxType = BoxType {
    name: "",
    numbered: true,
    access: Access::Msr {
        bases: &[],
        present: &[],
    },
    box_control: None,
    status: None,
    global_status: &[],
    counters: &[],
    width: 0,
    counter_sets: &[],
    fixed: &[],
    fixed_elsewhere: None,
    control: NO_CONTROL,
    fields: &[],
    filters: &[],
    filter_units: &[],
    one_criterion: false,
    events: &[],
    refuse: nothing_odd,
    occupancy_bit: 0,
    builtin_events: false,
    max_clock_mhz: 0,
    max_increment: 0,
    needs_clock: false,
    misread: None,
    lost_with: None,
    alternative: None,
};

/// Refuses nothing, as [`BoxType::refuse`](box_type::BoxType::refuse).
fn nothing_odd(_: &Event, _: &Words) -> Result<(), &'static str> {
    Ok(())
}

/// One range of bits, `LOW` to `HIGH`, both included.
pub(crate) const fn bits<const LOW: u8, const HIGH: u8>() -> &'static [Bits] {
    const {
        &[Bits {
            low: LOW,
            high: HIGH,
        }]
    }
}

/// A general counter: offset of its control register, offset of the counter.
pub(crate) const fn counter(control: u16, counter: u16) -> Counter {
    Counter { control, counter }
}

/// The first MSRs of `N` boxes at one distance from each other.
#[expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "done when the module is compiled"
)]
pub(crate) const fn every<const N: usize>(first: u32, distance: u32) -> [u32; N] {
    let mut bases = [first; N];
    let mut i = 1;
    while i < N {
        bases[i] = bases[i - 1] + distance;
        i += 1;
    }
    bases
}

/// A field of `format/`.
pub(crate) const fn field(
    name: &'static str,
    word: Word,
    bits: &'static [Bits],
    role: Role,
) -> Field {
    Field {
        name,
        word,
        bits,
        role,
    }
}

/// The field for the number of counts between two trace events. It has the upper half of `config`,
/// which perf of any age can set.
pub(crate) const INTERVAL: Field =
    field("interval", Word::Config, bits::<32, 63>(), Role::Interval);

/// The field for inversion, where it is bit 23.
pub(crate) const INVERT: Field = field("inv", Word::Config, bits::<23, 23>(), Role::Invert);

/// The PCI function that is box `index` of its type, at `device`.`function`.
pub(crate) const fn pci(index: u8, device: u8, function: u8, device_id: u16) -> PciFunction {
    PciFunction {
        device_id,
        device,
        function,
        index,
        filters: None,
    }
}

impl PciFunction {
    /// Sets the function with the box's filter registers, `device`.`function` of its bus.
    pub(crate) const fn filters(self, device: u8, function: u8, device_id: u16) -> Self {
        Self {
            filters: Some(FilterFunction {
                device_id,
                device,
                function,
            }),
            ..self
        }
    }
}

/// A filter register: its offset, the config word with its value and the lowest bit of it there, and
/// the bits that may be written 1.
pub(crate) const fn filter_register(
    offset: u16,
    word: Word,
    shift: u8,
    writable: u64,
) -> FilterRegister {
    FilterRegister {
        place: Place::Offset(offset),
        word,
        shift,
        writable,
        uncertain: 0,
        on_request: 0,
        units: u32::MAX,
        copies: &[],
        constant: None,
        guard: None,
    }
}

/// A filter register like [`filter_register`], with its MSR number for each box.
pub(crate) const fn filter_msrs(
    msrs: &'static [u32],
    word: Word,
    shift: u8,
    writable: u64,
) -> FilterRegister {
    FilterRegister {
        place: Place::Msrs(msrs),
        ..filter_register(0, word, shift, writable)
    }
}

/// A filter register that has the value `constant` while an event uses one of these filter units, a
/// bit mask of unit indexes.
pub(crate) const fn constant_filter(place: Place, units: u32, constant: u64) -> FilterRegister {
    FilterRegister {
        place,
        units,
        constant: Some(constant),
        ..filter_register(0, Word::Config, 0, constant)
    }
}

/// A copy of filter units in a filter register, whose fields are `up` bits higher there.
pub(crate) const fn copied(copy: u8, up: u8) -> Copied {
    Copied { copy, up }
}

impl FilterRegister {
    /// Sets the bits that a part may lack.
    pub(crate) const fn uncertain(self, uncertain: u64) -> Self {
        Self { uncertain, ..self }
    }

    /// Sets those of them that are not tried before an event needs one.
    pub(crate) const fn on_request(self, on_request: u64) -> Self {
        Self { on_request, ..self }
    }

    /// Sets the filter units whose fields this register can hold, as a bit mask.
    pub(crate) const fn of_units(self, units: u32) -> Self {
        Self { units, ..self }
    }

    /// Sets the copies that it has of units with several.
    pub(crate) const fn with_copies(self, copies: &'static [Copied]) -> Self {
        Self { copies, ..self }
    }

    /// Sets the index of its guard, the filter register that must be 0 while this one is written.
    pub(crate) const fn guarded_by(self, guard: u8) -> Self {
        Self {
            guard: Some(guard),
            ..self
        }
    }
}

/// A filter unit, which accepts every value and names no address.
pub(crate) const fn filter_unit(
    name: &'static str,
    word: Word,
    mask: u64,
    when_zero: WhenZero,
) -> FilterUnit {
    FilterUnit {
        name,
        word,
        mask,
        copies: 1,
        when_zero,
        names_address: false,
        names_none: None,
        valid: any_value,
    }
}

impl FilterUnit {
    /// Sets the check of its values.
    pub(crate) const fn valid(self, valid: fn(u64) -> Result<(), &'static str>) -> Self {
        Self { valid, ..self }
    }

    /// Sets the number of its copies.
    pub(crate) const fn copies(self, copies: u8) -> Self {
        Self { copies, ..self }
    }

    /// Marks its fields as the name of a physical address.
    pub(crate) const fn address(self) -> Self {
        Self {
            names_address: true,
            ..self
        }
    }

    /// Marks its fields as the name of a physical address, unless they have this value.
    pub(crate) const fn address_but(self, none: u64) -> Self {
        Self {
            names_none: Some(none),
            ..self.address()
        }
    }
}

/// Accepts every value, as [`FilterUnit::valid`](box_type::FilterUnit::valid).
fn any_value(_: u64) -> Result<(), &'static str> {
    Ok(())
}

/// The presets of most events.
const NO_PRESETS: &[Preset] = &[];

/// An event without sub-events, filters, needs and unit. Set its source with [`Event::source`] or
/// with a table of sub-events: a box type takes only events with one.
///
/// `counters` is a bit mask of the general counters that can count it, `max_increment` the most
/// that it can add in a clock.
pub(crate) const fn event(
    name: &'static str,
    select: u32,
    counters: u8,
    max_increment: u16,
) -> Event<false> {
    Event {
        name,
        select,
        counters,
        max_increment,
        filters: 0,
        copy: 0,
        umasks: Umasks::Zero,
        needs: Needs::Nothing,
        class: Class::Plain,
        subevents: &[],
        presets: &NO_PRESETS,
        unit: None,
    }
}

impl<const SOURCE: bool> Event<SOURCE> {
    /// States the source of the event: a section of the manual or [`LISTS`]. The text is for readers
    /// of the table only.
    pub(crate) const fn source(self, source: &str) -> Event {
        assert!(!source.is_empty());
        Event {
            name: self.name,
            select: self.select,
            counters: self.counters,
            max_increment: self.max_increment,
            filters: self.filters,
            copy: self.copy,
            umasks: self.umasks,
            needs: self.needs,
            class: self.class,
            subevents: self.subevents,
            presets: self.presets,
            unit: self.unit,
        }
    }

    /// Sets the sub-events, one or several of which make a umask, and the manual's table of them.
    pub(crate) const fn combined(self, table: &str, rows: &'static [SubEvent]) -> Event {
        self.table(Umasks::Combined, table, rows)
    }

    /// Sets the sub-events, each a umask by itself, and the manual's table of them.
    pub(crate) const fn listed(self, table: &str, rows: &'static [SubEvent]) -> Event {
        self.table(Umasks::Listed, table, rows)
    }

    /// Sets the sub-events, each a umask with or without the bits `added`, and the manual's table of
    /// them.
    pub(crate) const fn listed_with(
        self,
        added: u8,
        table: &str,
        rows: &'static [SubEvent],
    ) -> Event {
        self.table(Umasks::ListedWith(added), table, rows)
    }

    const fn table(self, umasks: Umasks, source: &str, subevents: &'static [SubEvent]) -> Event {
        Event {
            umasks,
            subevents,
            ..self.source(source)
        }
    }

    /// Adds a filter unit, by its index, that every umask needs.
    pub(crate) const fn filter(mut self, unit: u8) -> Self {
        self.filters |= 1 << unit;
        self
    }

    /// Adds filter units, a bit mask of their indexes, that every umask needs.
    pub(crate) const fn filters(mut self, units: u16) -> Self {
        self.filters |= units;
        self
    }

    /// Sets the copy that it uses of its filter units with several.
    pub(crate) const fn copy(self, copy: u8) -> Self {
        Self { copy, ..self }
    }

    /// Makes it an occupancy.
    pub(crate) const fn occupancy(mut self) -> Self {
        self.class = Class::Occupancy;
        self
    }

    /// Sets its natural unit.
    pub(crate) const fn unit(mut self, unit: Unit) -> Self {
        self.unit = Some(unit);
        self
    }

    /// Sets its other names, most with values of its threshold and filters.
    pub(crate) const fn presets(self, presets: &'static &'static [Preset]) -> Self {
        Self { presets, ..self }
    }

    /// Sets its dependence on another event.
    pub(crate) const fn needs(self, needs: Needs) -> Self {
        Self { needs, ..self }
    }
}

/// Values of an event's filters, as `config1` and `config2`, with a whole name. Set their source
/// with [`Preset::source`]: an event takes only presets with one.
pub(crate) const fn preset(name: &'static str, config1: u64, config2: u64) -> Preset<false> {
    Preset {
        name,
        config: 0,
        config1,
        config2,
    }
}

/// Presets of an event, behind one pointer: `presets![also("name")]`.
macro_rules! presets {
    ($($preset:expr),* $(,)?) => {
        const { &(&[$($preset),*] as &[$crate::uncore::table::box_type::Preset]) }
    };
}
pub(crate) use presets;

/// A second name that public event lists give an event without sub-events.
pub(crate) const fn also(name: &'static str) -> Preset {
    preset(name, 0, 0).source(LISTS)
}

impl<const SOURCE: bool> Preset<SOURCE> {
    /// Sets the umask of a sub-event, a threshold, and enable fields of filters, in place.
    pub(crate) const fn config(self, config: u64) -> Self {
        Self { config, ..self }
    }

    /// States the source of the values: a table of the manual or [`LISTS`].
    pub(crate) const fn source(self, source: &str) -> Preset {
        assert!(!source.is_empty());
        Preset {
            name: self.name,
            config: self.config,
            config1: self.config1,
            config2: self.config2,
        }
    }
}

/// The row for an event without a sub-event, in an event that has others.
pub(crate) const fn bare() -> SubEvent {
    sub("", 0)
}

/// A sub-event without filters and unit that may be combined.
pub(crate) const fn sub(name: &'static str, umask: u8) -> SubEvent {
    SubEvent {
        name,
        naming: Naming::Manual,
        umask,
        filters: 0,
        excludes: 0,
        unit: None,
    }
}

impl SubEvent {
    /// Adds a filter unit, by its index, that the sub-event needs.
    pub(crate) const fn filter(mut self, unit: u8) -> Self {
        self.filters |= 1 << unit;
        self
    }

    /// Makes its name the whole name in `events/`, as only public event lists have it.
    pub(crate) const fn whole(mut self) -> Self {
        self.naming = Naming::Whole;
        self
    }

    /// Refuses it in combinations.
    pub(crate) const fn exclusive(self) -> Self {
        self.excludes(!self.umask)
    }

    /// Refuses it in combinations with any of these bits of the umask.
    pub(crate) const fn excludes(mut self, bits: u8) -> Self {
        self.excludes = bits;
        self
    }

    /// Sets its natural unit.
    pub(crate) const fn unit(mut self, unit: Unit) -> Self {
        self.unit = Some(unit);
        self
    }

    /// Marks it as one that only public event lists have.
    pub(crate) const fn lists(mut self) -> Self {
        self.naming = Naming::Lists;
        self
    }
}
