// SPDX-License-Identifier: GPL-2.0

//! Converts instructions to calls of the model, and applies its answers.
//!
//! Everything here runs in callbacks of the vCPU that executes the instruction,
//! on its own thread, many at once. Writes are observed only and run in the
//! emulator as well, which ignores them; reads are answered (see `vcpu`). Logic
//! of the uncore found here belongs in the model.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use uncore_machine::{Gate, GeneralProtection, Machine};

use crate::apic::{self, Layout};
use crate::chipset::{self, NmiStatus};
use crate::config_space::{self, Target};
use crate::core_pmu;
use crate::cost::{Access, Cost, Meter};
use crate::decode::{Action, Destination, Memory, Source};
use crate::delivery;
use crate::guest::{Guest, Register};
use crate::hypercall::{self, Call};
use crate::options::Options;
use crate::report::Report;
use crate::section::Event;
use crate::site::Site;
use crate::tsc::Tsc;
use crate::uncore::{Effects, Uncore};
use crate::vcpu::{Changes, Identity, Vcpu};

/// Address range of devices that the kernel maps on demand, without KASLR.
const VMALLOC: Range<u64> = 0xffff_c900_0000_0000..0xffff_e900_0000_0000;
/// Above it the kernel maps devices at fixed addresses.
const FIXMAP: u64 = 0xffff_ffff_ff00_0000;

/// MSR: extended features, long mode among them.
const EFER: u32 = 0xc000_0080;
/// MSR with the time stamp counter.
const TIME_STAMP_COUNTER: u32 = 0x10;
/// MSR whose value RDTSCP leaves in ECX.
const TSC_AUX: u32 = 0xc000_0103;

/// The continuation after a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Next {
    /// Execute the instruction.
    Run,
    /// The result is in the registers: continue with the next instruction, at this
    /// address.
    Skip(u64),
}

/// The effect of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// The emulator's own effect.
    AsIs,
    /// Leave these values in registers.
    Result(Changes),
    /// Leave these values in registers, for a load that must not reach its device.
    Loaded(Changes, Memory),
    /// Raise #GP.
    Fault,
}

impl Answer {
    /// Leaves a value, if there is one, in EDX:EAX.
    fn edx_eax(value: Option<u64>) -> Self {
        value.map_or(Self::AsIs, |value| Self::Result(Changes::edx_eax(value)))
    }
}

/// A device register in memory that is not, or not wholly, the emulator's.
enum Device {
    Config(Target),
    /// A physical address of the memory controller's registers.
    Memory(u64),
    Lvtpc,
    LvtTimer,
}

/// The whole adapter.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct Adapter {
    uncore: Uncore,
    vcpus: Vec<Vcpu>,
    meter: Meter,
    /// Sections with interrupts off are measured.
    sections: bool,
    tsc: Tsc,
    layout: Layout,
    /// Each package has two last-level caches.
    divided: bool,
    core_pmu: bool,
    ecam: bool,
    /// Physical addresses of the memory controller's registers.
    memory_window: Option<Range<u64>>,
    /// The address port of configuration mechanism #1.
    config_address: AtomicU32,
    nmi_status: NmiStatus,
    free_running: AtomicBool,
}

impl Adapter {
    /// The adapter of a machine just out of reset. Fails if the model refuses to run
    /// freely; the text says why.
    pub(crate) fn new(options: &Options, report: Report, vcpus: usize) -> Result<Self, String> {
        let cores = options
            .topology
            .packages
            .iter()
            .map(|package| package.cores);
        let layout = Layout::new(cores.max().unwrap_or(1), options.threads);
        let mut machine = Machine::new(options.topology.clone());
        if options.free_run {
            machine
                .command("free-run on")
                .map_err(|error| error.to_string())?;
        }
        Ok(Self {
            memory_window: machine.memory_window(),
            uncore: Uncore::new(machine, report),
            vcpus: std::iter::repeat_with(Vcpu::default).take(vcpus).collect(),
            meter: Meter::default(),
            sections: options.count,
            tsc: Tsc::default(),
            layout,
            divided: options.topology.divided_at.is_some(),
            core_pmu: options.core_pmu,
            ecam: options.ecam,
            config_address: AtomicU32::new(0),
            nmi_status: NmiStatus::default(),
            free_running: AtomicBool::new(options.free_run),
        })
    }

    /// A vCPU is about to execute the instruction of a site.
    pub(crate) fn execute(&self, number: usize, site: &Site, guest: &mut impl Guest) -> Next {
        let vcpu = &self.vcpus[number];
        if site.finishes {
            vcpu.finish(guest);
        }
        let Some(action) = site.action else {
            return Next::Run;
        };
        if let Action::Flag(flag) = action {
            self.flag(number, flag.event(guest), guest);
            return Next::Run;
        }
        match self.answer(vcpu, action, guest) {
            Answer::AsIs => {}
            Answer::Fault => vcpu.provoke_fault(guest),
            Answer::Result(result) | Answer::Loaded(result, _) if site.jumps => {
                result.apply(guest);
                return Next::Skip(site.after(guest.register(Register::Rip)));
            }
            Answer::Result(result) => vcpu.keep(result),
            Answer::Loaded(result, memory) => {
                divert(vcpu, memory, guest);
                vcpu.keep(result);
            }
        }
        Next::Run
    }

    /// An interrupt or exception is about to be delivered to a vCPU.
    pub(crate) fn interrupted(&self, vcpu: usize, guest: &mut impl Guest) {
        let vcpu = &self.vcpus[vcpu];
        vcpu.interrupted(guest);
        if let Some(identity) = vcpu.identity().filter(|_| vcpu.waits_for_wake.take()) {
            let processors = self.machine(guest, |machine, _| machine.processors());
            delivery::arrive(vcpu, identity, processors, guest);
        }
        if self.free_running.load(Ordering::Relaxed) {
            self.machine(guest, |_, _| ());
        }
    }

    /// Tells if instructions that change the interrupt flag have sites.
    pub(crate) fn has_sections(&self) -> bool {
        self.sections
    }

    /// Something happens to the interrupt flag of a vCPU.
    pub(crate) fn flag(&self, vcpu: usize, event: Event, guest: &impl Guest) {
        if !self.sections {
            return;
        }
        if let Some(section) = self.vcpus[vcpu].flag(event, guest.instructions(vcpu)) {
            self.meter.ended(section);
        }
    }

    /// The guest sets a marker. Returns the instructions of all vCPUs.
    fn mark(&self, guest: &impl Guest) -> u64 {
        let started = self.vcpus.iter().enumerate();
        let started = started.filter(|(_, vcpu)| vcpu.identity().is_some());
        let costs = started.map(|(number, vcpu)| vcpu.cost(guest.instructions(number)));
        let now = costs.fold(Cost::default(), Cost::plus);
        self.meter.mark(now);
        now.all_instructions()
    }

    /// Code of the guest is about to be translated and to run.
    pub(crate) fn starts(&self) {
        self.tsc.start();
    }

    /// A vCPU starts or ends to wait for an interrupt.
    pub(crate) fn halted(&self, vcpu: usize, halted: bool) {
        self.vcpus[vcpu].set_halted(halted);
    }

    fn answer(&self, vcpu: &Vcpu, action: Action, guest: &mut impl Guest) -> Answer {
        match action {
            Action::ReadMsr => self.read_msr(vcpu, guest),
            Action::WriteMsr => self.write_msr(vcpu, guest),
            Action::Cpuid => self.cpuid(vcpu, guest),
            Action::ReadCounter => self.read_counter(vcpu, guest),
            Action::ReadTsc { tells_cpu } => self.read_tsc(vcpu, tells_cpu),
            Action::Flag(_) => Answer::AsIs,
            Action::PortIn { port, size } => self.port_in(vcpu, port.number(guest), size, guest),
            Action::PortOut { port, size } => self.port_out(vcpu, port.number(guest), size, guest),
            Action::Load { memory, size, into } => self.load(vcpu, memory, size, into, guest),
            Action::Store {
                memory,
                size,
                value,
            } => self.store(vcpu, memory, size, value, guest),
        }
    }

    fn read_msr(&self, vcpu: &Vcpu, guest: &mut impl Guest) -> Answer {
        let Some((identity, msr)) = self.msr_access(vcpu, guest) else {
            return Answer::AsIs;
        };
        if msr == apic::X2APIC_LVTPC && vcpu.in_x2apic_mode() {
            return Answer::Result(Changes::edx_eax(vcpu.lvtpc.read().into()));
        }
        if msr == TIME_STAMP_COUNTER {
            return Answer::edx_eax(self.tsc.read_msr());
        }
        let core = self
            .is_core_msr(msr)
            .then(|| vcpu.with_core_pmu(|pmu| pmu.read(msr)));
        if let Some(value) = core.flatten() {
            return Answer::Result(Changes::edx_eax(value));
        }
        let cpu = identity.cpu;
        let value = self.machine(guest, |machine, report| {
            let value = machine.rdmsr(cpu, msr)?;
            vcpu.accesses.add(Access::ReadMsr);
            report.log(|| format!("rdmsr {} {msr:#x} {}", cpu.package, show(value)));
            Some(value)
        });
        match value {
            None => Answer::AsIs,
            Some(Err(GeneralProtection)) => Answer::Fault,
            Some(Ok(value)) => Answer::Result(Changes::edx_eax(value)),
        }
    }

    fn write_msr(&self, vcpu: &Vcpu, guest: &mut impl Guest) -> Answer {
        let Some((identity, msr)) = self.msr_access(vcpu, guest) else {
            return Answer::AsIs;
        };
        let value = edx_eax(guest);
        match msr {
            apic::APIC_BASE => vcpu.set_apic_base(value),
            apic::X2APIC_LVTPC if vcpu.in_x2apic_mode() => {
                self.write_lvtpc(vcpu, low(value), guest);
            }
            apic::X2APIC_LVT_TIMER if vcpu.in_x2apic_mode() => vcpu.set_lvt_timer(low(value)),
            TSC_AUX => vcpu.tsc_aux.store(value & 0xffff_ffff, Ordering::SeqCst),
            EFER if starts_anew(guest) => vcpu.start_anew(),
            _ => {}
        }
        if msr == core_pmu::DEBUGCTL && value & core_pmu::UNCORE_PMI_ENABLE != 0 {
            let processors = self.machine(guest, |machine, _| machine.processors());
            if processors.gate == Gate::Missing {
                return Answer::Fault;
            }
        }
        if self.is_core_msr(msr) && vcpu.with_core_pmu(|pmu| pmu.write(msr, value)) {
            return Answer::AsIs;
        }
        let cpu = identity.cpu;
        let done = self.machine(guest, |machine, report| {
            let done = machine.wrmsr(cpu, msr, value)?.map(|()| value);
            vcpu.accesses.add(Access::WriteMsr);
            report.log(|| format!("wrmsr {} {msr:#x} {}", cpu.package, show(done)));
            Some(done)
        });
        match done {
            Some(Err(GeneralProtection)) => Answer::Fault,
            _ => Answer::AsIs,
        }
    }

    /// Writes LVTPC. A processor that unmasks it may at once get a PMI that waited
    /// for it.
    fn write_lvtpc(&self, vcpu: &Vcpu, value: u32, guest: &mut impl Guest) {
        let unmasked = vcpu.lvtpc.write(value);
        if let Some(identity) = vcpu.identity().filter(|_| unmasked) {
            if vcpu.waits_for_unmask.take() {
                delivery::unmasked(vcpu, identity, guest);
            }
            self.machine(guest, |machine, _| machine.unmasked(identity.cpu));
        }
    }

    /// Returns the accessing processor and the MSR; nothing if the access is not
    /// allowed.
    fn msr_access(&self, vcpu: &Vcpu, guest: &impl Guest) -> Option<(Identity, u32)> {
        let identity = vcpu.identify(guest, self.layout);
        let msr = low(guest.register(Register::Rcx));
        in_kernel_mode(guest).then_some((identity, msr))
    }

    fn is_core_msr(&self, msr: u32) -> bool {
        self.core_pmu || msr == core_pmu::DEBUGCTL
    }

    fn cpuid(&self, vcpu: &Vcpu, guest: &mut impl Guest) -> Answer {
        vcpu.identify(guest, self.layout);
        let rax = guest.register(Register::Rax);
        if low(rax) == 0xa && self.core_pmu {
            return Answer::Result(Changes::cpuid(core_pmu::LEAF.map(u64::from)));
        }
        let (rcx, rdx) = (guest.register(Register::Rcx), guest.register(Register::Rdx));
        if self.divided && (low(rax), low(rcx)) == (apic::CACHES, apic::LAST_LEVEL) {
            let eax = self.layout.cache_of_half();
            return Answer::Result(Changes::one(Register::Rax, eax.into()));
        }
        let registers = match Call::decode(rax, rcx, rdx) {
            None => return Answer::AsIs,
            Some(Call::Identify) => hypercall::IDENTITY,
            Some(Call::Marker) => [self.mark(guest), 0, 0, 0],
            Some(Call::Command { address, size }) => self.command(address, size, guest),
        };
        Answer::Result(Changes::cpuid(registers))
    }

    fn read_counter(&self, vcpu: &Vcpu, guest: &mut impl Guest) -> Answer {
        /// CR4: user mode may use RDPMC.
        const PCE: u64 = 1 << 8;
        let allowed = in_kernel_mode(guest) || guest.register(Register::Cr4) & PCE != 0;
        if !self.core_pmu || !allowed {
            return Answer::AsIs;
        }
        let index = low(guest.register(Register::Rcx));
        Answer::edx_eax(vcpu.with_core_pmu(|pmu| pmu.counter(index)))
    }

    /// The counter of a guest whose time was never moved is the emulator's.
    fn read_tsc(&self, vcpu: &Vcpu, tells_cpu: bool) -> Answer {
        let value = self.tsc.read();
        value.map_or(Answer::AsIs, |value| {
            let aux = vcpu.tsc_aux.load(Ordering::SeqCst);
            Answer::Result(if tells_cpu {
                Changes::edx_eax_ecx(value, aux)
            } else {
                Changes::edx_eax(value)
            })
        })
    }

    fn port_in(&self, vcpu: &Vcpu, port: u16, size: u8, guest: &mut impl Guest) -> Answer {
        let value = if port == chipset::NMI_SC {
            self.nmi_status.read().map(u32::from)
        } else {
            let address = self.config_address.load(Ordering::SeqCst);
            let target = Target::by_port(address, port, size);
            target.and_then(|target| self.config_read(vcpu, target, size, Access::ReadPort, guest))
        };
        value.map_or(Answer::AsIs, |value| {
            let into = Destination::accumulator(size);
            let (register, value) = loaded(into, value.into(), size, guest);
            Answer::Result(Changes::one(register, value))
        })
    }

    fn port_out(&self, vcpu: &Vcpu, port: u16, size: u8, guest: &mut impl Guest) -> Answer {
        let value = low(guest.register(Register::Rax));
        let address = self.config_address.load(Ordering::SeqCst);
        if port == config_space::ADDRESS_PORT && size == 4 {
            self.config_address.store(value, Ordering::SeqCst);
        } else if port == chipset::NMI_SC {
            self.nmi_status.write(value.to_le_bytes()[0]);
        } else if chipset::begins_s3(port, value) {
            self.lose_power();
        } else if let Some(target) = Target::by_port(address, port, size) {
            self.config_write(vcpu, target, size, value, Access::WritePort, guest);
        }
        Answer::AsIs
    }

    /// The machine falls asleep: only memory keeps its power.
    fn lose_power(&self) {
        self.vcpus.iter().for_each(Vcpu::lose_power);
        self.nmi_status.reset();
        self.config_address.store(0, Ordering::SeqCst);
        self.uncore.lose_power();
    }

    fn load(
        &self,
        vcpu: &Vcpu,
        memory: Memory,
        size: u8,
        into: Destination,
        guest: &mut impl Guest,
    ) -> Answer {
        let value = match self.device(memory.address(guest), guest) {
            Some(Device::Config(target)) => {
                let value = self.config_read(vcpu, target, size, Access::ReadMemory, guest);
                value.map(u64::from)
            }
            Some(Device::Memory(address)) => self.machine(guest, |machine, report| {
                let value = machine.memory_read(address, size)?;
                vcpu.accesses.add(Access::ReadMemory);
                report.log(|| format!("memr {address:#x} {size} {value:#x}"));
                Some(value)
            }),
            Some(Device::Lvtpc) if !vcpu.in_x2apic_mode() => Some(vcpu.lvtpc.read().into()),
            _ => None,
        };
        let Some(value) = value else {
            return Answer::AsIs;
        };
        let (register, value) = loaded(into, value, size, guest);
        let mut changes = Changes::one(register, value);
        if let Some(base) = memory.free_base().filter(|base| *base != register) {
            changes = changes.and(base, guest.register(base));
        }
        Answer::Loaded(changes, memory)
    }

    fn store(
        &self,
        vcpu: &Vcpu,
        memory: Memory,
        size: u8,
        source: Source,
        guest: &mut impl Guest,
    ) -> Answer {
        match self.device(memory.address(guest), guest) {
            Some(Device::Config(target)) => {
                let value = low(source.value(guest));
                self.config_write(vcpu, target, size, value, Access::WriteMemory, guest);
            }
            Some(Device::Memory(address)) => {
                let value = source.value(guest) & crate::decode::mask(size);
                self.machine(guest, |machine, report| {
                    if machine.memory_write(address, size, value).is_some() {
                        vcpu.accesses.add(Access::WriteMemory);
                        report.log(|| format!("memw {address:#x} {size} {value:#x}"));
                    }
                });
            }
            Some(Device::Lvtpc) if !vcpu.in_x2apic_mode() => {
                self.write_lvtpc(vcpu, low(source.value(guest)), guest);
            }
            Some(Device::LvtTimer) if !vcpu.in_x2apic_mode() => {
                vcpu.set_lvt_timer(low(source.value(guest)));
            }
            _ => {}
        }
        Answer::AsIs
    }

    fn config_read(
        &self,
        vcpu: &Vcpu,
        target: Target,
        size: u8,
        access: Access,
        guest: &mut impl Guest,
    ) -> Option<u32> {
        let Target { function, offset } = target;
        self.machine(guest, |machine, report| {
            let value = match access {
                Access::ReadMemory => machine.config_read_in_memory(function, offset, size),
                _ => machine.config_read(function, offset, size),
            }?;
            vcpu.accesses.add(access);
            report.log(|| format!("cfgr {target} {size} {value:#x}"));
            Some(value)
        })
    }

    fn config_write(
        &self,
        vcpu: &Vcpu,
        target: Target,
        size: u8,
        value: u32,
        access: Access,
        guest: &mut impl Guest,
    ) {
        let value = value & low(crate::decode::mask(size));
        let Target { function, offset } = target;
        self.machine(guest, |machine, report| {
            if machine
                .config_write(function, offset, size, value)
                .is_some()
            {
                vcpu.accesses.add(access);
                report.log(|| format!("cfgw {target} {size} {value:#x}"));
            }
        });
    }

    /// The device register at a virtual address, if it is one of ours.
    fn device(&self, address: u64, guest: &impl Guest) -> Option<Device> {
        let offsets = [apic::LVTPC, apic::LVT_TIMER].map(|register| register & 0xfff);
        let fixed = address >= FIXMAP && offsets.contains(&(address & 0xfff));
        if !fixed && !VMALLOC.contains(&address) {
            return None;
        }
        let physical = guest.translate(address)?;
        let window = self.memory_window.as_ref();
        match physical {
            apic::LVTPC => Some(Device::Lvtpc),
            apic::LVT_TIMER => Some(Device::LvtTimer),
            _ if window.is_some_and(|window| window.contains(&physical)) => {
                Some(Device::Memory(physical))
            }
            _ if !self.ecam => None,
            _ => Target::by_memory(physical).map(Device::Config),
        }
    }

    /// Calls the model, then sends the interrupts it asks for.
    fn machine<T>(
        &self,
        guest: &mut impl Guest,
        call: impl FnOnce(&mut Machine, &mut Report) -> T,
    ) -> T {
        let Effects {
            value,
            interrupts,
            processors,
            free_running,
        } = self.uncore.access(call);
        self.free_running.store(free_running, Ordering::Relaxed);
        for pmi in interrupts {
            delivery::uncore(pmi, &self.vcpus, processors, guest);
        }
        value
    }
}

/// Returns the target register of a load and its new value.
fn loaded(into: Destination, value: u64, size: u8, guest: &impl Guest) -> (Register, u64) {
    let register = into.part.register;
    let value = into.load(guest.register(register), value, size);
    (register, value)
}

/// Lets a load read the stack. A load from a device would end the block of
/// translated code: the emulator repeats such accesses in a block of their own,
/// without calling us, and the result would stay wrong.
fn divert(vcpu: &Vcpu, memory: Memory, guest: &mut impl Guest) {
    let stack = guest.register(Register::Rsp);
    if let Some((base, value)) = memory.base_for(stack, guest) {
        vcpu.displace(base, value, guest);
    }
}

fn in_kernel_mode(guest: &impl Guest) -> bool {
    /// The current privilege level within CS.
    const PRIVILEGE: u64 = 0b11;
    guest.register(Register::Cs) & PRIVILEGE == 0
}

/// Tells if a write of EFER comes from a processor that has just been started: INIT
/// has put its LVTPC at the reset value, and it is on its way to long mode.
fn starts_anew(guest: &impl Guest) -> bool {
    /// EFER: long mode is active.
    const LMA: u64 = 1 << 10;
    guest.register(Register::Efer) & LMA == 0
}

fn edx_eax(guest: &impl Guest) -> u64 {
    let half = |register| u64::from(low(guest.register(register)));
    half(Register::Rdx) << 32 | half(Register::Rax)
}

/// The low half.
#[expect(clippy::cast_possible_truncation, reason = "that is its purpose")]
fn low(value: u64) -> u32 {
    value as u32
}

fn show(result: Result<u64, GeneralProtection>) -> String {
    result.map_or("#GP".to_owned(), |value| format!("{value:#x}"))
}

mod obey;
#[cfg(test)]
mod tests;
