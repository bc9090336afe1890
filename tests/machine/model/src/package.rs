// SPDX-License-Identifier: GPL-2.0

//! One package: its boxes, its PCI functions, its MSR map.
//!
//! Takes addresses, finds the register and hands the access on. Time is in `time.rs` and
//! `overflow.rs`, configuration space in `pci.rs`. MSR map:
//! Documentation/hardware/ivbep.rst section 1.

use crate::bits::{low_half, ones};
use crate::catalogue::BoxType;
use crate::core_map::CoreMap;
use crate::global::{Global, GlobalRegister};
use crate::layout::{Access, BoxLayout, Place, Register};
use crate::memory_counters::MemoryCounters;
use crate::overflow::{Held, FREEZE_DELAY};
use crate::pci::Functions;
use crate::pmon::{Lock, PmonBox};
use crate::readings::{Reading, Readings};
use crate::register::Write;
use crate::residency::{Residency, RESIDENCY_MSRS};
use crate::topology::{PackageShape, Part, Topology};
use crate::violation::{Finding, Rule};
use crate::GeneralProtection;

/// The target of an MSR address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Global(GlobalRegister),
    Box(usize, Register),
    Residency(usize),
    /// Undocumented but there: reads 0.
    Silent(usize),
    /// Undocumented, faults.
    Undocumented(usize),
    /// A box the package has not.
    Missing(&'static str, u8),
}

/// The result of an access with the rules it broke.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome<T> {
    pub(crate) result: Result<T, GeneralProtection>,
    pub(crate) findings: Vec<Finding>,
}

impl<T> Outcome<T> {
    fn fine(value: T, findings: Vec<Finding>) -> Self {
        let result = Ok(value);
        Self { result, findings }
    }

    /// Returns a fault that breaks no rule.
    pub(crate) fn failed() -> Self {
        Self {
            result: Err(GeneralProtection),
            findings: Vec::new(),
        }
    }

    fn fault(rule: Rule) -> Self {
        Self {
            result: Err(GeneralProtection),
            findings: vec![Finding::new(rule, 0_u32)],
        }
    }
}

/// The state of a package.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) number: u8,
    pub(crate) global: Global,
    pub(crate) boxes: Vec<PmonBox>,
    pub(crate) functions: Functions,
    pub(crate) residency: Residency,
    /// The counters of its memory controller that are in memory.
    pub(crate) memory: Option<MemoryCounters>,
    /// Its traffic on the endless axis is *server*.
    pub(crate) flows: bool,
    /// The points with another reading than the first.
    pub(crate) readings: Readings,
    /// Number of its cores.
    pub(crate) cores: u8,
    /// The cores behind the bits of pmi_core_sel.
    pub(crate) core_map: CoreMap,
    /// Cycles of uclk from a message to the freeze of the other boxes.
    pub(crate) freeze_delay: u64,
    /// Cycles of uclk for which the box of an overflow counts on, if a test has set them.
    pub(crate) own_delay: Option<u64>,
    /// Messages on their way to the UBox.
    pub(crate) held: Vec<Held>,
    /// Length of the burst-through that is not over, else 0.
    pub(crate) through: u64,
    /// The present on the endless axis, in uclk cycles.
    pub(crate) now: u64,
    /// The cycle of that axis in which the package was frozen, if it is.
    pub(crate) frozen_since: Option<u64>,
    /// Cycles of that axis in which it was frozen before.
    pub(crate) frozen_before: u64,
    /// Rules that the programming breaks, found when time passed.
    pub(crate) complaints: Vec<(String, Finding)>,
    /// The box types in MSR space.
    pub(crate) windows: Vec<Window>,
}

/// The MSRs of one box type: a pattern, or lists.
#[derive(Debug)]
pub(crate) struct Window {
    pub(crate) layout: &'static BoxLayout,
    base: u32,
    stride: u32,
    /// The largest number of instances.
    most: u8,
    /// The instances that the package has.
    present: u32,
    /// Index of the first one's box.
    first: usize,
}

impl Window {
    /// Index of the box of an instance that is there.
    fn index(&self, instance: u8) -> usize {
        let before = ones(self.present).take_while(|other| *other < instance);
        self.first + before.count()
    }
}

impl Package {
    pub(crate) fn new(topology: &Topology, number: u8) -> Self {
        let shape = topology.packages[usize::from(number)];
        let platform = topology.platform.description();
        let graphics = topology.readings.has(Reading::GraphicsSlice);
        let most_cboxes = platform.most_cores + u8::from(graphics);
        let (mut boxes, mut windows) = (Vec::new(), Vec::new());
        for layout in topology.layouts() {
            let present = instances(layout, shape, topology.part);
            let window = |base, stride, most| Window {
                layout,
                base,
                stride,
                most,
                present,
                first: boxes.len(),
            };
            windows.extend(match layout.access {
                Access::Msr {
                    base,
                    stride,
                    present,
                } => Some(window(base, stride, present.most(most_cboxes))),
                Access::Lists { .. } => Some(window(0, u32::MAX, 0)),
                Access::Pci(_) => None,
            });
            let source = |instance| topology.source(number, layout, instance);
            let pmon = |i| PmonBox::at_reset(layout, source(i), topology.readings);
            boxes.extend(ones(present).map(pmon));
        }
        let mut global = Global::at_reset(topology.global(), topology.num_c(number));
        global.take_readings(topology.readings, shape.cores);
        for pmon in &mut boxes {
            pmon.flows = topology.flows;
            let is_channel = pmon.layout.kind == BoxType::Imc;
            pmon.clocked = !is_channel || shape.channels >> pmon.source.instance & 1 == 1;
        }
        let of_flows = topology.flows.then(|| topology.whole(number));
        Self {
            number,
            frozen_since: global.frozen.then_some(0),
            global,
            functions: Functions::new(topology, number, &boxes),
            boxes,
            residency: Residency::at_reset(number, platform.most_cores, 0),
            memory: platform.host_bridge.map(|bridge| {
                MemoryCounters::at_reset(&bridge.counters, topology.platform, of_flows)
            }),
            flows: topology.flows,
            readings: topology.readings,
            cores: shape.cores,
            core_map: shape.core_map,
            freeze_delay: FREEZE_DELAY,
            own_delay: None,
            held: Vec::new(),
            through: 0,
            now: 0,
            frozen_before: 0,
            complaints: Vec::new(),
            windows,
        }
    }

    /// The box of a PMU name, as in `cbox_3`.
    pub(crate) fn box_named(&self, name: &str) -> Option<usize> {
        self.boxes.iter().position(|pmon| pmon.name() == name)
    }

    /// Reads an MSR; `None` if it is none of the uncore's.
    pub(crate) fn read_msr(&mut self, core: u8, msr: u32) -> Option<Outcome<u64>> {
        let outcome = match self.target(msr)? {
            Target::Global(register) => {
                let value = self.global.read_out(register) | self.bits_of_cboxes(register);
                Outcome::fine(value, vec![])
            }
            Target::Box(index, register) if self.boxes[index].lacks_register(register) => {
                Outcome::failed()
            }
            Target::Box(index, register) => Outcome::fine(self.read_box(index, register), vec![]),
            Target::Residency(index) => Outcome::fine(*self.residency(core, index)?, vec![]),
            Target::Silent(_) => Outcome::fine(0, vec![Finding::new(Rule::Undocumented, 0_u32)]),
            Target::Undocumented(_) => Outcome::fault(Rule::Undocumented),
            Target::Missing(..) => self.missing(),
        };
        Some(outcome)
    }

    /// Writes an MSR; `None` if it is none of the uncore's.
    pub(crate) fn write_msr(&mut self, core: u8, msr: u32, value: u64) -> Option<Outcome<()>> {
        let findings = match self.target(msr)? {
            Target::Global(_) | Target::Box(..) if self.refuses_high_half(msr, value) => {
                return Some(Outcome {
                    result: Err(GeneralProtection),
                    findings: Finding::of_high_half(value),
                });
            }
            Target::Global(register) => self.write_global(register, value),
            Target::Box(index, register) => {
                match self.boxes[index].lock_of(register) {
                    Some(Lock::Faults) => return Some(Outcome::failed()),
                    Some(Lock::Ignores) => return Some(Outcome::fine((), Vec::new())),
                    None => {}
                }
                let write = Write::whole(low_half(value));
                if let Some(rule) = self.boxes[index].refuses(register, write) {
                    return Some(Outcome::fault(rule));
                }
                self.write_box_msr(index, register, value)
            }
            Target::Residency(index) => {
                *self.residency(core, index)? = value;
                Vec::new()
            }
            Target::Silent(_) => vec![Finding::new(Rule::Undocumented, 0_u32)],
            Target::Undocumented(_) => return Some(Outcome::fault(Rule::Undocumented)),
            Target::Missing(..) => return Some(self.missing()),
        };
        Some(Outcome::fine((), findings))
    }

    /// Changes an MSR behind the software's back; `None` if there is no register.
    pub(crate) fn poke_msr(&mut self, core: u8, msr: u32, value: u64) -> Option<()> {
        match self.target(msr)? {
            Target::Global(register) => {
                self.settle_all();
                self.global.poke(register, value);
                self.enable_own_counters();
                self.note_freeze(self.now);
                self.forget_deadlines();
            }
            Target::Box(index, register) => {
                self.settle(index);
                self.boxes[index].poke(register, value);
            }
            Target::Residency(index) => *self.residency(core, index)? = value,
            Target::Silent(_) | Target::Undocumented(_) | Target::Missing(..) => return None,
        }
        Some(())
    }

    /// The value of an MSR as it is; `None` if there is no register.
    pub(crate) fn peek_msr(&mut self, core: u8, msr: u32) -> Option<u64> {
        match self.target(msr)? {
            Target::Global(register) => Some(self.global.read(register)),
            Target::Box(index, register) => Some(self.peek_box(index, register)),
            Target::Residency(index) => self.residency(core, index).copied(),
            Target::Silent(_) => Some(0),
            Target::Undocumented(_) | Target::Missing(..) => None,
        }
    }

    /// Returns the bits of C-Boxes in GLOBAL_STATUS, by a reading (H-3): no message sets them.
    fn bits_of_cboxes(&mut self, register: GlobalRegister) -> u64 {
        if register != GlobalRegister::Status || !self.readings.has(Reading::CboxBits) {
            return 0;
        }
        self.settle_all();
        let cboxes = self.boxes.iter();
        let cboxes = cboxes.filter(|pmon| pmon.layout.kind == BoxType::Cbox);
        let wrapped = cboxes.filter(|pmon| pmon.read(Register::Status) != 0);
        wrapped.fold(0, |bits, pmon| bits | 1 << (3 + pmon.source.instance))
    }

    /// The name of an MSR for a message.
    pub(crate) fn msr_name(&self, msr: u32) -> String {
        match self.target(msr) {
            Some(Target::Global(register)) => {
                format!("{} (MSR {msr:#x})", self.global.layout.name(register))
            }
            Some(Target::Box(index, register)) => {
                let pmon = &self.boxes[index];
                let register = pmon.layout.register_name(register);
                format!("{} {register} (MSR {msr:#x})", pmon.name())
            }
            Some(Target::Silent(index) | Target::Undocumented(index)) => {
                format!("{} (MSR {msr:#x})", self.boxes[index].name())
            }
            Some(Target::Missing(name, instance)) => format!("{name}_{instance} (MSR {msr:#x})"),
            Some(Target::Residency(_)) | None => format!("MSR {msr:#x}"),
        }
    }

    /// A residency counter of a core, up to date.
    fn residency(&mut self, core: u8, index: usize) -> Option<&mut u64> {
        let core = if self.readings.has(Reading::ResidencyOfPackage) {
            self.cores - 1
        } else {
            core
        };
        self.residency.settle(self.now);
        self.residency.value(core, index)
    }

    /// Reads a register of a box, up to date.
    pub(crate) fn read_box(&mut self, index: usize, register: Register) -> u64 {
        self.settle(index);
        self.boxes[index].read_out(register)
    }

    /// Returns the content of a register of a box, up to date.
    pub(crate) fn peek_box(&mut self, index: usize, register: Register) -> u64 {
        self.settle(index);
        self.boxes[index].read(register)
    }

    /// Writes a 32-bit register of a box.
    pub(crate) fn write_box(
        &mut self,
        index: usize,
        register: Register,
        write: Write,
    ) -> Vec<Finding> {
        self.settle(index);
        self.boxes[index].write(register, write)
    }

    fn write_box_msr(&mut self, index: usize, register: Register, value: u64) -> Vec<Finding> {
        if let Register::Counter(counter) = register {
            self.settle(index);
            return self.boxes[index].write_value(counter, value);
        }
        let mut findings = Vec::new();
        if self.boxes[index].is_guarded(register) {
            findings.push(Finding::new(Rule::Guarded, 0_u32));
        }
        if let Register::Wide(word) = register {
            self.settle(index);
            findings.extend(self.boxes[index].write_wide(word, value));
            return findings;
        }
        findings.extend(Finding::of_high_half(value));
        findings.extend(self.write_box(index, register, Write::whole(low_half(value))));
        if register == Register::StatusClear {
            self.summarise();
        }
        findings
    }

    fn write_global(&mut self, register: GlobalRegister, value: u64) -> Vec<Finding> {
        self.settle_all();
        let findings = self.global.write(register, value);
        let write = Write::whole(low_half(value));
        self.note_freeze(self.now);
        if register == GlobalRegister::Control && self.global.is_release(write) {
            let boxes_too = self.readings.has(Reading::ReleaseOfBoxes);
            for pmon in &mut self.boxes {
                pmon.stopped = false;
                pmon.frozen &= !boxes_too;
            }
        }
        if register == GlobalRegister::Control && self.global.layout.is_reset(write) {
            self.boxes.iter_mut().for_each(PmonBox::clear_counters);
        }
        self.enable_own_counters();
        self.forget_deadlines();
        findings
    }

    /// The global control enables the counters of boxes without a `BOX_CTL`, and C-Boxes.
    pub(crate) fn enable_own_counters(&mut self) {
        let (enabled, slices) = (self.global.own_counters(), self.global.slices());
        for pmon in &mut self.boxes {
            let is_cbox = pmon.layout.kind == BoxType::Cbox;
            pmon.deselected = is_cbox && slices >> pmon.source.instance & 1 == 0;
            if pmon.layout.quirks.counter_enables && pmon.layout.box_control.is_none() {
                pmon.enable_counters(enabled);
            }
        }
    }

    /// Clears the bits of GLOBAL_STATUS behind which no box has a status any more.
    fn summarise(&mut self) {
        if !self.global.layout.summarises {
            return;
        }
        let mut kept = 0;
        for pmon in &self.boxes {
            for counter in pmon.layout.counter_indexes() {
                let bit = pmon.status_bit(counter);
                if bit == 0 || pmon.status & bit != 0 {
                    kept |= pmon.global_bits(counter);
                }
            }
        }
        self.global.status &= kept;
    }

    /// The outcome of an access to an MSR of a box that the package does not have. Without the
    /// fuses it breaks no rule, as software cannot tell which boxes there are.
    fn missing<T>(&self) -> Outcome<T> {
        let unknown = [Reading::NoFuses, Reading::NoUnicast, Reading::AllUnicast];
        if unknown.iter().any(|reading| self.readings.has(*reading)) {
            Outcome::failed()
        } else {
            Outcome::fault(Rule::NoSuchBox)
        }
    }

    /// Tells if a write faults because it has bits above the 32 of the register.
    fn refuses_high_half(&self, msr: u32, value: u64) -> bool {
        let whole = match self.target(msr) {
            Some(Target::Global(register)) => self.global.is_wide(register),
            Some(Target::Box(_, Register::Counter(_) | Register::Wide(_))) => true,
            _ => false,
        };
        self.readings.has(Reading::HighHalfFaults) && !whole && value >> 32 != 0
    }

    fn target(&self, msr: u32) -> Option<Target> {
        match self.first_target(msr)? {
            Target::Silent(index) if self.is_status(index, Reading::CboxStatus) => {
                Some(Target::Box(index, Register::Status))
            }
            Target::Silent(index)
                if self.is_status(index, Reading::NoCboxStatus)
                    || self.is_status(index, Reading::SparesFault) =>
            {
                Some(Target::Undocumented(index))
            }
            target => Some(target),
        }
    }

    /// Tells if the undocumented address of a box is what a reading has for a status.
    fn is_status(&self, index: usize, reading: Reading) -> bool {
        self.boxes[index].layout.kind == BoxType::Cbox && self.readings.has(reading)
    }

    fn first_target(&self, msr: u32) -> Option<Target> {
        if let Some(register) = self.global.at(msr) {
            return Some(Target::Global(register));
        }
        if RESIDENCY_MSRS.contains(&msr) {
            return Some(Target::Residency((msr - RESIDENCY_MSRS.start()) as usize));
        }
        let mut windows = self.windows.iter();
        let found = windows.find_map(|w| target_in(w, msr).or_else(|| listed_in(w, msr)));
        found.or_else(|| {
            self.windows
                .iter()
                .find_map(|window| unlisted_in(window, msr))
        })
    }

    /// The package sleeps and loses what lets its counters count; `None` if it cannot.
    pub(crate) fn lose_enable(&mut self) -> Option<()> {
        self.settle_all();
        self.global.lose_enable()?;
        let (values, controls) = (
            self.readings.has(Reading::SleepLosesAll),
            self.readings.has(Reading::SleepLosesControls),
        );
        for pmon in self.boxes.iter_mut().filter(|_| controls) {
            pmon.clear_controls();
            if values {
                pmon.clear_counters();
            }
        }
        self.enable_own_counters();
        self.note_freeze(self.now);
        self.forget_deadlines();
        Some(())
    }

    /// Puts the counters of a box, or of all, at 0. Their control registers stay, and so do counters
    /// in memory, which nobody can write.
    pub(crate) fn clear_counters(&mut self, pmon: Option<usize>) {
        self.settle_all();
        for (index, of) in self.boxes.iter_mut().enumerate() {
            if pmon.is_none_or(|pmon| pmon == index) {
                of.clear_counters();
            }
        }
        self.forget_deadlines();
    }

    /// Notes counters that show counter 0's occupancy while there is none.
    pub(crate) fn note_orphans(&mut self) {
        if self.global.frozen {
            return;
        }
        for pmon in self.boxes.iter_mut().filter(|pmon| pmon.orphans != 0) {
            for counter in 0..pmon.layout.counters {
                if pmon.orphans >> counter & 1 == 1 && pmon.runs(counter) {
                    pmon.orphans &= !(1 << counter);
                    let finding = Finding::new(Rule::NoOccupancy, 0_u32);
                    let place = format!("{} CTL{counter}", pmon.name());
                    self.complaints.push((place, finding));
                }
            }
        }
    }
}

/// The target of an MSR within the window of one box type.
fn target_in(window: &Window, msr: u32) -> Option<Target> {
    let layout = window.layout;
    let offset = msr.checked_sub(window.base)?;
    let address = u16::try_from(offset % window.stride).ok()?;
    let instance = u8::try_from(offset / window.stride).ok()?;
    if instance >= window.most {
        return None;
    }
    if window.present >> instance & 1 == 0 {
        return Some(Target::Missing(layout.name, instance));
    }
    let index = window.index(instance);
    if let Some(register) = layout.register(address) {
        return Some(Target::Box(index, register));
    }
    if layout.silent.contains(&address) {
        return Some(Target::Silent(index));
    }
    let undocumented = Target::Undocumented(index);
    layout.is_undocumented(address).then_some(undocumented)
}

/// The target of an MSR in the lists of one box type.
fn listed_in(window: &Window, msr: u32) -> Option<Target> {
    let lists = (0..).zip(window.layout.lists());
    let mut registers =
        lists.flat_map(|(instance, list)| list.iter().map(move |at| (instance, at)));
    let (instance, (_, register)) = registers.find(|(_, (at, _))| *at == msr)?;
    Some(if window.present >> instance & 1 == 0 {
        Target::Missing(window.layout.name, instance)
    } else {
        Target::Box(window.index(instance), *register)
    })
}

/// The target of an MSR that lies in the blocks of a box type with lists, and in no list.
fn unlisted_in(window: &Window, msr: u32) -> Option<Target> {
    let address = u16::try_from(msr).ok()?;
    let listed = !window.layout.lists().is_empty();
    let undocumented = Target::Undocumented(window.first);
    (listed && window.layout.is_undocumented(address)).then_some(undocumented)
}

/// The instances of a box type that a package has, a bit for each.
pub(crate) fn instances(layout: &BoxLayout, shape: PackageShape, part: Part) -> u32 {
    match layout.access {
        Access::Msr { present, .. } | Access::Lists { present, .. } => present.mask(shape),
        Access::Pci(places) => {
            let here = |place: &Place| place.is_in(shape, part);
            let bits = places.iter().zip(0_u32..).filter(|(place, _)| here(place));
            bits.fold(0, |mask, (_, bit)| mask | 1 << bit)
        }
    }
}
