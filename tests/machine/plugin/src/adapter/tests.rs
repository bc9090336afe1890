// SPDX-License-Identifier: GPL-2.0

//! Instructions run against the real model on fake processors.
//!
//! The usual machine: two packages of two cores; APIC identifiers are vCPU numbers.

mod interrupts;
mod memory;

use super::*;
use crate::decode::decode;
use crate::fake::Fake;

/// Address of the code: in a module.
const CODE: u64 = 0xffff_ffff_a000_1000;
/// A mapping of configuration space.
const ECAM: u64 = 0xffff_c900_1000_0000;
const RDMSR: &[u8] = &[0x0f, 0x32];
const WRMSR: &[u8] = &[0x0f, 0x30];
const CPUID: &[u8] = &[0x0f, 0xa2];
const RDPMC: &[u8] = &[0x0f, 0x33];
const RDTSC: &[u8] = &[0x0f, 0x31];
const RDTSCP: &[u8] = &[0x0f, 0x01, 0xf9];
const NOP: &[u8] = &[0x90];
const FILTER0: u64 = 0xd14;
const GLOBAL_CTL: u64 = 0xc00;
const FIXED_CTL: u64 = 0xc08;

struct Bench {
    adapter: Adapter,
    cpus: Vec<Fake>,
}

impl Bench {
    fn new(options: &[&str]) -> Self {
        let options = Options::parse(options.iter().copied()).expect("right options");
        let count = usize::from(options.threads) * 4;
        let adapter = Adapter::new(&options, Report::default(), count).expect("a machine");
        Self {
            adapter,
            cpus: (0..8).take(count).map(Fake::new).collect(),
        }
    }

    /// Executes one instruction, another following it in the block or not.
    fn step(&mut self, cpu: usize, bytes: &[u8], last: bool) -> Next {
        let site = site(bytes, last);
        self.adapter.execute(cpu, &site, &mut self.cpus[cpu])
    }

    /// Executes one instruction and the steps after it.
    fn run(&mut self, cpu: usize, bytes: &[u8]) {
        assert_eq!(self.step(cpu, bytes, false), Next::Run);
        let after = Site {
            action: None,
            finishes: true,
            ..site(NOP, false)
        };
        self.adapter.execute(cpu, &after, &mut self.cpus[cpu]);
    }

    fn set(&mut self, cpu: usize, values: &[(Register, u64)]) {
        for (register, value) in values {
            self.cpus[cpu].set(*register, *value);
        }
    }

    fn get(&self, cpu: usize, register: Register) -> u64 {
        self.cpus[cpu].register(register)
    }

    fn rdmsr(&mut self, cpu: usize, msr: u64) -> u64 {
        let garbage = 0xdead_beef_dead_beef;
        self.set(
            cpu,
            &[
                (Register::Rcx, msr),
                (Register::Rax, garbage),
                (Register::Rdx, garbage),
            ],
        );
        self.run(cpu, RDMSR);
        self.get(cpu, Register::Rdx) << 32 | self.get(cpu, Register::Rax)
    }

    fn wrmsr(&mut self, cpu: usize, msr: u64, value: u64) {
        let values = [
            (Register::Rcx, msr),
            (Register::Rax, value & 0xffff_ffff),
            (Register::Rdx, value >> 32),
        ];
        self.set(cpu, &values);
        self.run(cpu, WRMSR);
    }

    /// A command by hypercall: status and answer.
    fn command(&mut self, cpu: usize, line: &str) -> (u64, String) {
        const BUFFER: u64 = 0x7f00_0000;
        self.cpus[cpu].put(BUFFER, &[0; 256]);
        self.cpus[cpu].put(BUFFER, line.as_bytes());
        let values = [
            (Register::Rax, 0x5a5a_0001),
            (Register::Rcx, BUFFER),
            (Register::Rdx, 256),
        ];
        self.set(cpu, &values);
        self.run(cpu, CPUID);
        (self.get(cpu, Register::Rax), self.cpus[cpu].string(BUFFER))
    }

    /// Makes the UBox fixed counter of the package overflow, also anew, for these cores.
    fn overflow(&mut self, cpu: usize, cores: u64) {
        self.wrmsr(cpu, 0xc01, 1);
        self.wrmsr(cpu, 0xc09, 0xffff_ffff_ff00);
        self.wrmsr(cpu, FIXED_CTL, 0x50_0000);
        self.wrmsr(cpu, GLOBAL_CTL, 1 << 29 | cores);
        assert_eq!(self.command(cpu, "burst 1000").0, 0);
    }

    /// Writes a dword to a port on vCPU 0.
    fn out(&mut self, port: u64, value: u64) {
        self.set(0, &[(Register::Rdx, port), (Register::Rax, value)]);
        self.run(0, &[0xef]);
    }

    /// Reads from a port on vCPU 0 by an instruction of these bytes, and returns what RAX
    /// becomes.
    fn input(&mut self, bytes: &[u8], port: u64, before: u64) -> u64 {
        self.set(0, &[(Register::Rdx, port), (Register::Rax, before)]);
        self.run(0, bytes);
        self.get(0, Register::Rax)
    }

    /// Puts configuration space of 7f:08.6 into memory.
    fn map_match_function(&mut self) {
        self.cpus[0].map(ECAM, 0xb7f4_6000);
    }
}

fn site(bytes: &[u8], last: bool) -> Site {
    let action = decode(bytes, CODE);
    Site {
        action,
        finishes: false,
        jumps: last || action.is_some_and(|action| action.must_jump()),
        next: CODE + bytes.len() as u64,
    }
}

#[test]
fn an_msr_of_the_model_keeps_what_its_package_writes() {
    let mut bench = Bench::new(&[]);
    bench.wrmsr(0, FILTER0, 0x4_0001);
    assert_eq!(bench.rdmsr(1, FILTER0), 0x4_0001, "the other core");
    assert_eq!(bench.rdmsr(2, FILTER0), 0, "the other package");
    bench.wrmsr(0, 0xd16, 0x123_8765_4321);
    assert_eq!(bench.rdmsr(0, 0xd16), 0x123_8765_4321, "a counter");
}

#[test]
fn other_msrs_are_left_to_the_emulator() {
    let mut bench = Bench::new(&["core-pmu=off"]);
    assert_eq!(
        bench.rdmsr(0, 0x10),
        0xdead_beef_dead_beef << 32 | 0xdead_beef_dead_beef
    );
    assert_eq!(bench.rdmsr(0, 0x186) & 0xffff_ffff, 0xdead_beef);
}

#[test]
fn a_skipped_instruction_is_left_where_it_is_mapped() {
    const ELSEWHERE: u64 = 0x7ffc_0000_0000 + CODE % 0x1000;
    let mut bench = Bench::new(&[]);
    bench.set(0, &[(Register::Rcx, 0xc06), (Register::Rip, ELSEWHERE)]);
    let next = ELSEWHERE + RDMSR.len() as u64;
    assert_eq!(bench.step(0, RDMSR, true), Next::Skip(next));
}

#[test]
fn user_mode_reaches_no_msr() {
    let mut bench = Bench::new(&[]);
    bench.set(0, &[(Register::Cs, 0x33)]);
    bench.wrmsr(0, FILTER0, 1);
    assert_eq!(bench.rdmsr(0, FILTER0) & 0xffff_ffff, 0xdead_beef);
    bench.set(0, &[(Register::Cs, 0x10)]);
    assert_eq!(bench.rdmsr(0, FILTER0), 0);
}

#[test]
fn a_result_waits_for_the_next_instruction_or_jumps() {
    let mut bench = Bench::new(&[]);
    bench.set(0, &[(Register::Rcx, 0xc06), (Register::Rax, 1)]);
    assert_eq!(bench.step(0, RDMSR, false), Next::Run);
    assert_eq!(bench.get(0, Register::Rax), 1, "not yet");
    assert!(matches!(bench.step(0, RDMSR, true), Next::Skip(_)));
    assert_eq!(bench.get(0, Register::Rax), 8);
}

#[test]
fn a_fault_is_provoked_and_rcx_restored() {
    let mut bench = Bench::new(&["cboxes=2"]);
    for instruction in [RDMSR, WRMSR] {
        let missing = 0xd56;
        bench.set(0, &[(Register::Rcx, missing)]);
        assert_eq!(bench.step(0, instruction, false), Next::Run);
        assert_eq!(
            bench.get(0, Register::Rcx),
            0x8ff,
            "raises #GP in the emulator"
        );
        bench.adapter.interrupted(0, &mut bench.cpus[0]);
        assert_eq!(bench.get(0, Register::Rcx), missing);
    }
}

#[test]
fn an_interrupted_instruction_has_no_result() {
    let mut bench = Bench::new(&[]);
    bench.set(0, &[(Register::Rcx, 0xc06), (Register::Rax, 1)]);
    bench.step(0, RDMSR, false);
    bench.adapter.interrupted(0, &mut bench.cpus[0]);
    bench.run(0, NOP);
    assert_eq!(bench.get(0, Register::Rax), 1);
}

#[test]
fn ports_reach_configuration_space() {
    let mut bench = Bench::new(&[]);
    bench.out(0xcf8, 0x807f_5800);
    assert_eq!(bench.input(&[0xed], 0xcfc, u64::MAX), 0x0e1e_8086);
    assert_eq!(
        bench.input(&[0x66, 0xed], 0xcfe, 0x1122_3344_5566_7788),
        0x1122_3344_5566_0e1e
    );
    assert_eq!(
        bench.input(&[0xec], 0xcfd, 0x1122_3344_5566_7788),
        0x1122_3344_5566_7780
    );
    bench.out(0xcf8, 0x807f_84d8);
    bench.out(0xcfc, 0xffff_ffff_0040_0304);
    let answer = (0, "0x400304".to_owned());
    assert_eq!(bench.command(0, "peek-config 7f:10.4 0xd8"), answer);
    bench.out(0xcf8, 0x807f_0000);
    assert_eq!(bench.input(&[0xed], 0xcfc, 0x5a), 0x5a, "the emulator's");
}

#[test]
fn memory_reaches_extended_configuration_space() {
    let mut bench = Bench::new(&[]);
    bench.map_match_function();
    bench.set(0, &[(Register::Rdi, ECAM), (Register::Rsi, 0x3_e558)]);
    bench.run(0, &[0x89, 0xb7, 0x28, 0x02, 0, 0]); // mov %esi,0x228(%rdi)
    bench.set(0, &[(Register::Rax, u64::MAX)]);
    bench.run(0, &[0x8b, 0x87, 0x28, 0x02, 0, 0]); // mov 0x228(%rdi),%eax
    assert_eq!(bench.get(0, Register::Rax), 0x3_e558);
    assert_eq!(bench.get(0, Register::Rdi), ECAM);
}

#[test]
fn ports_and_memory_reach_the_same_and_are_told_apart() {
    let mut bench = Bench::new(&[]);
    bench.cpus[0].map(ECAM, 0xb7f8_4000);
    let read = |bench: &mut Bench| {
        bench.out(0xcf8, 0x807f_84d8);
        bench.set(0, &[(Register::Rdx, 0xcfc)]);
        bench.run(0, &[0xed]);
        let by_port = bench.get(0, Register::Rax);
        bench.set(0, &[(Register::Rdi, ECAM + 0xd8)]);
        bench.run(0, &[0x8b, 0x07]); // mov (%rdi),%eax
        (by_port, bench.get(0, Register::Rax))
    };
    bench.command(0, "poke-config 7f:10.4 0xd8 0x400304");
    mark(&mut bench);
    assert_eq!(read(&mut bench), (0x40_0304, 0x40_0304));
    mark(&mut bench);
    let cost = "user 0, kernel 0, module 0, rdmsr 0, wrmsr 0, port-read 1, port-write 0, \
                memory-read 1, memory-write 0, section-accesses 0, section-instructions 0";
    assert_eq!(bench.command(0, "cost"), (0, cost.to_owned()));
    bench.command(0, "hide 7f:10.4");
    assert_eq!(read(&mut bench), (0xffff_ffff, 0xffff_ffff));
}

#[test]
fn memory_may_be_without_configuration_space() {
    let mut bench = Bench::new(&["ecam=off"]);
    bench.map_match_function();
    bench.set(0, &[(Register::Rdi, ECAM), (Register::Rax, 7)]);
    bench.run(0, &[0x8b, 0x07]); // mov (%rdi),%eax
    assert_eq!(bench.get(0, Register::Rax), 7, "as the emulator has it");
    assert_eq!(bench.get(0, Register::Rdi), ECAM);
}

#[test]
fn a_load_reads_the_stack_instead_of_the_device() {
    let mut bench = Bench::new(&[]);
    bench.map_match_function();
    let stack = 0xffff_c900_0000_3f00;
    bench.set(0, &[(Register::Rdi, ECAM), (Register::Rsp, stack)]);
    let load = &[0x8b, 0x87, 0x28, 0x02, 0, 0]; // mov 0x228(%rdi),%eax
    bench.step(0, load, false);
    assert_eq!(bench.get(0, Register::Rdi).wrapping_add(0x228), stack);
    bench.adapter.interrupted(0, &mut bench.cpus[0]);
    assert_eq!(bench.get(0, Register::Rdi), ECAM, "should it fault");
}

#[test]
fn a_load_may_overwrite_its_base() {
    let mut bench = Bench::new(&[]);
    bench.map_match_function();
    bench.set(0, &[(Register::Rcx, ECAM)]);
    bench.run(0, &[0x8b, 0x09]); // mov (%rcx),%ecx
    assert_eq!(bench.get(0, Register::Rcx), 0x0e86_8086);
    bench.set(0, &[(Register::Rcx, ECAM)]);
    bench.run(0, &[0x8a, 0x09]); // mov (%rcx),%cl
    assert_eq!(bench.get(0, Register::Rcx), ECAM | 0x86);
}

#[test]
fn a_load_without_a_base_to_bend_is_skipped() {
    let mut bench = Bench::new(&[]);
    bench.map_match_function();
    bench.set(0, &[(Register::Rdi, ECAM / 2)]);
    let load = &[0x8b, 0x04, 0x3f]; // mov (%rdi,%rdi,1),%eax
    assert!(matches!(bench.step(0, load, false), Next::Skip(_)));
    assert_eq!(bench.get(0, Register::Rax), 0x0e86_8086);
}

#[test]
fn lvtpc_is_shadowed_in_x2apic_mode_only() {
    let mut bench = Bench::new(&[]);
    assert_eq!(
        bench.rdmsr(0, 0x834) & 0xffff_ffff,
        0xdead_beef,
        "the emulator's #GP"
    );
    bench.wrmsr(0, 0x1b, 0xfee0_0d00);
    assert_eq!(bench.rdmsr(0, 0x834), 0x1_0000);
    bench.wrmsr(0, 0x834, 0x400);
    assert_eq!(bench.rdmsr(0, 0x834), 0x400);
    assert_eq!(
        bench.rdmsr(1, 0x834) & 0xffff_ffff,
        0xdead_beef,
        "each vCPU for itself"
    );
}

#[test]
fn lvtpc_is_shadowed_in_memory_in_xapic_mode() {
    let mut bench = Bench::new(&[]);
    let page = 0xffff_ffff_ff5f_d000;
    bench.cpus[0].map(page, 0xfee0_0000);
    bench.set(0, &[(Register::Rdi, 0x340), (Register::Rsi, 0x400)]);
    bench.run(0, &[0x89, 0xb7, 0x00, 0xd0, 0x5f, 0xff]); // mov %esi,-0xa03000(%rdi)
    bench.run(0, &[0x8b, 0x87, 0x00, 0xd0, 0x5f, 0xff]); // mov -0xa03000(%rdi),%eax
    assert_eq!(bench.get(0, Register::Rax), 0x400);
    bench.set(0, &[(Register::Rdi, 0x350), (Register::Rax, 7)]);
    bench.run(0, &[0x8b, 0x87, 0x00, 0xd0, 0x5f, 0xff]);
    assert_eq!(
        bench.get(0, Register::Rax),
        7,
        "its neighbour is the emulator's"
    );
}

#[test]
fn counters_may_be_missing_in_memory() {
    let mut bench = Bench::new(&["reading=U-50:b"]);
    bench.cpus[0].map(ECAM, 0xb7f8_4000);
    bench.command(0, "poke-config 7f:10.4 0xa0 0x1234");
    bench.set(0, &[(Register::Rdi, ECAM + 0xa0)]);
    bench.run(0, &[0x8b, 0x07]); // mov (%rdi),%eax
    assert_eq!(bench.get(0, Register::Rax), 0);
    bench.out(0xcf8, 0x807f_84a0);
    assert_eq!(bench.input(&[0xed], 0xcfc, 0), 0x1234);
}

#[test]
fn a_skip_moves_the_clock_and_lets_the_timers_run_out() {
    let mut bench = Bench::new(&[]);
    bench.adapter.starts();
    assert_eq!(bench.step(0, RDTSC, true), Next::Run, "the emulator's");
    bench.cpus[0].map(0xffff_ffff_ff5f_d000, 0xfee0_0000);
    bench.set(0, &[(Register::Rdi, 0x320), (Register::Rsi, 0xec)]);
    bench.run(0, &[0x89, 0xb7, 0x00, 0xd0, 0x5f, 0xff]); // mov %esi,-0xa03000(%rdi)
    bench.wrmsr(1, 0x1b, 0xfee0_0d00);
    bench.wrmsr(1, 0x832, 0xec);
    bench.wrmsr(2, 0x1b, 0xfee0_0d00);
    bench.wrmsr(2, 0x832, 0x1_00ec);
    bench.wrmsr(2, 0xc000_0103, 0x1002);
    assert_eq!(bench.command(0, "skip 60000").0, 0);
    let expected = [(0xfee0_0000, 0xec), (0xfee0_1000, 0xec)];
    assert_eq!(bench.cpus[0].writes, expected, "not where it is masked");
    assert!(matches!(bench.step(0, RDTSC, true), Next::Skip(_)));
    let first = bench.get(0, Register::Rdx) << 32 | bench.get(0, Register::Rax);
    assert!(first > 30_000_000_000, "at about 1 GHz or more");
    assert!(matches!(bench.step(2, RDTSCP, true), Next::Skip(_)));
    let second = bench.get(2, Register::Rdx) << 32 | bench.get(2, Register::Rax);
    assert!(second >= first);
    assert_eq!(bench.get(2, Register::Rcx), 0x1002);
}

#[test]
fn free_running_traffic_skips_too() {
    let mut bench = Bench::new(&["free-run=on"]);
    bench.wrmsr(0, FIXED_CTL, 0x40_0000);
    bench.command(0, "skip 10000");
    assert!(bench.rdmsr(0, 0xc09) >= 24_000_000_000);
}

#[test]
fn cpuid_shows_the_core_monitors_if_there_are_any() {
    for (option, rax) in [("core-pmu=on", 0x0730_0403), ("core-pmu=off", 0xa)] {
        let mut bench = Bench::new(&[option]);
        bench.set(0, &[(Register::Rax, 0xa)]);
        bench.run(0, CPUID);
        assert_eq!(bench.get(0, Register::Rax), rax);
        bench.wrmsr(0, 0x186, 0x53_003c);
        bench.wrmsr(0, 0x38f, 1);
        let may_interrupt = option == "core-pmu=on";
        assert_eq!(bench.command(0, "core-pmi 0").0, u64::from(!may_interrupt));
    }
}

#[test]
fn a_divided_package_has_two_last_level_caches() {
    let sharing = |option, level| {
        let mut bench = Bench::new(&["platform=bdx", "cores=6", "smt=2", option]);
        bench.set(0, &[(Register::Rax, 4), (Register::Rcx, level)]);
        bench.run(0, CPUID);
        bench.get(0, Register::Rax)
    };
    // Eight of the 16 identifiers of a package.
    assert_eq!(sharing("cluster-on-die=on", 3), 0x1c01_c163);
    assert_eq!(sharing("cluster-on-die=on", 2), 4, "the emulator's");
    assert_eq!(sharing("cluster-on-die=off", 3), 4, "the emulator's");
}

#[test]
fn rdpmc_reads_what_was_written_where_it_is_allowed() {
    let mut bench = Bench::new(&[]);
    bench.wrmsr(0, 0x30a, 0x1_0000_0002);
    bench.set(0, &[(Register::Rcx, 0x4000_0001)]);
    assert!(matches!(bench.step(0, RDPMC, false), Next::Skip(_)));
    assert_eq!(
        (bench.get(0, Register::Rdx), bench.get(0, Register::Rax)),
        (1, 2)
    );
    bench.set(0, &[(Register::Cs, 0x33)]);
    assert_eq!(bench.step(0, RDPMC, false), Next::Run, "CR4.PCE is clear");
    bench.set(0, &[(Register::Cr4, 1 << 8)]);
    assert!(matches!(bench.step(0, RDPMC, false), Next::Skip(_)));
}

#[test]
fn the_machine_says_who_it_is() {
    let mut bench = Bench::new(&[]);
    bench.set(0, &[(Register::Rax, 0x5a5a_0000), (Register::Cs, 0x33)]);
    bench.run(0, CPUID);
    assert_eq!(bench.get(0, Register::Rax).to_be_bytes(), *b"\0\0uncore");
    assert_eq!(bench.get(0, Register::Rbx), 1);
    mark(&mut bench);
    assert_eq!(bench.get(0, Register::Rax), 0);
    // What has executed nothing has no number to ask for.
    for (cpu, instructions) in [(0, [4000, 0, 11]), (1, [0, 700, 0]), (3, [1, 1, 1])] {
        bench.cpus[0].instructions.insert(cpu, instructions);
    }
    bench.rdmsr(1, 0x10);
    mark(&mut bench);
    assert_eq!(bench.get(0, Register::Rax), 4711);
}

fn mark(bench: &mut Bench) {
    bench.set(0, &[(Register::Rax, 0x5a5a_0002)]);
    bench.run(0, CPUID);
}

#[test]
fn a_section_of_one_processor_has_its_accesses_and_instructions() {
    const STI: &[u8] = &[0xfb];
    const IRET: &[u8] = &[0x48, 0xcf];
    const FLAGS: u64 = 0xffff_c900_0000_0010;
    let report = |options: &[&str]| {
        let mut bench = Bench::new(options);
        assert_eq!(bench.adapter.has_sections(), options == ["count=on"]);
        bench.run(0, CPUID);
        bench.set(0, &[(Register::Rsp, FLAGS - 16)]);
        bench.cpus[0].put(FLAGS, &0x202_u64.to_le_bytes());
        mark(&mut bench);
        bench.wrmsr(0, FILTER0, 1);
        bench.adapter.flag(0, Event::Interrupt, &bench.cpus[0]);
        bench.wrmsr(0, FILTER0, 1);
        bench.rdmsr(0, FILTER0);
        bench.wrmsr(1, FILTER0, 1); // another processor, with interrupts on
        bench.cpus[0].instructions.insert(0, [0, 40, 2]);
        bench.run(0, IRET);
        bench.wrmsr(0, FILTER0, 1);
        bench.run(0, STI);
        mark(&mut bench);
        bench.command(0, "cost").1
    };
    let on = report(&["count=on"]);
    assert!(
        on.ends_with(", section-accesses 2, section-instructions 42"),
        "{on}"
    );
    let off = report(&["count=off"]);
    assert!(
        off.ends_with(", section-accesses 0, section-instructions 0"),
        "{off}"
    );
}

#[test]
fn commands_are_executed_or_refused_with_a_reason() {
    let mut bench = Bench::new(&[]);
    assert_eq!(bench.command(0, "burst 32"), (0, String::new()));
    let (status, reason) = bench.command(0, "fly");
    assert_eq!(status, 1);
    assert!(reason.contains("fly"), "{reason}");
    assert_eq!(bench.get(0, Register::Rbx), reason.len() as u64);
    // A buffer that is not mapped, and one that is too short.
    for (buffer, status) in [(0x1000, 2), (0x2000, 1)] {
        bench.cpus[0].put(0x2000, b"fly\0");
        let values = [
            (Register::Rax, 0x5a5a_0001),
            (Register::Rcx, buffer),
            (Register::Rdx, 4),
        ];
        bench.set(0, &values);
        bench.run(0, CPUID);
        assert_eq!(bench.get(0, Register::Rax), status);
    }
    assert_eq!(bench.cpus[0].string(0x2000).len(), 3);
    assert_eq!(
        bench.get(0, Register::Rbx),
        reason.len() as u64,
        "its length is told"
    );
}

#[test]
fn s3_takes_what_every_register_holds() {
    let mut bench = Bench::new(&["reading=U-46:b"]);
    bench.wrmsr(0, FILTER0, 0x4_0001);
    bench.wrmsr(2, 0x1d9, 1 << 13);
    bench.wrmsr(3, 0x1b, 0xfee0_0c00);
    bench.wrmsr(3, 0x834, 0x400);
    bench.out(0xcf8, 0x807f_5800);
    bench.set(0, &[(Register::Rdx, 0x604), (Register::Rax, 0x2401)]);
    bench.run(0, &[0x66, 0xef]);
    assert_eq!(bench.rdmsr(0, FILTER0), 0);
    assert_eq!(bench.rdmsr(2, 0x1d9), 0);
    assert_eq!(bench.rdmsr(3, 0x834) & 0xffff_ffff, 0xdead_beef, "xAPIC");
    bench.wrmsr(3, 0x1b, 0xfee0_0c00);
    assert_eq!(bench.rdmsr(3, 0x834), 0x1_0000);
    assert_eq!(bench.input(&[0xed], 0xcfc, 0x5a), 0x5a, "no address");
}
