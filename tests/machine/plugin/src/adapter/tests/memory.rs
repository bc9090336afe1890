// SPDX-License-Identifier: GPL-2.0

//! Registers in memory, by each form of load that a compiler may choose.

use super::{Bench, Register};
use uncore_machine::Platform;

/// A mapping of the page with the counters.
const PAGE: u64 = 0xffff_c900_2000_0000;

/// Offset of data_reads in that page.
const READS: u64 = 0x50;

fn bench(options: &[&str]) -> Bench {
    let mut all = Platform::ALL.into_iter();
    let client = all.find(|(_, platform)| platform.has_memory_counters());
    let (name, _) = client.expect("a platform with such counters");
    let mut bench = Bench::new(&[&[&*format!("platform={name}")], options].concat());
    bench.cpus[0].map(PAGE, 0xfed1_5000);
    bench
}

fn violations(bench: &mut Bench) -> String {
    let (_, text) = bench.command(0, "violations");
    bench.command(0, "clear-violations");
    text
}

#[test]
fn every_form_of_a_load_reads_a_counter() {
    use Register::{Rax, Rbp, Rbx, Rcx, Rdi, Rdx, Rsi, R12, R8};
    // What the operands hold, and the destination.
    type Case<'a> = (&'a [u8], &'a [(Register, u64)], Register);
    let at = PAGE + READS;
    let far = at - 0x5050;
    let cases: [Case<'_>; 9] = [
        (&[0x8b, 0x00], &[(Rax, at)], Rax),              // mov (%rax),%eax
        (&[0x8b, 0x17], &[(Rdi, at)], Rdx),              // mov (%rdi),%edx
        (&[0x8b, 0x48, 0x10], &[(Rax, at - 0x10)], Rcx), // mov 0x10(%rax),%ecx
        (&[0x8b, 0x83, 0x50, 0x50, 0, 0], &[(Rbx, far)], Rax), // mov 0x5050(%rbx),%eax
        (&[0x44, 0x8b, 0x45, 0], &[(Rbp, at)], R8),      // mov 0(%rbp),%r8d
        (&[0x45, 0x8b, 0x24, 0x24], &[(R12, at)], R12),  // mov (%r12),%r12d
        (&[0x8b, 0x04, 0x02], &[(Rdx, PAGE), (Rax, READS)], Rax), // mov (%rdx,%rax),%eax
        (&[0x8b, 0x74, 0x8f, 8], &[(Rdi, at - 0x18), (Rcx, 4)], Rsi), // mov 8(%rdi,%rcx,4),%esi
        (
            &[0x41, 0x8b, 0x84, 0x24, 0x50, 0x50, 0, 0],
            &[(R12, far)],
            Rax,
        ), // mov 0x5050(%r12),%eax
    ];
    let mut bench = bench(&[]);
    bench.command(0, "burst 1024");
    for (bytes, operands, into) in cases {
        bench.set(0, &[(into, u64::MAX)]);
        bench.set(0, operands);
        bench.run(0, bytes);
        assert_eq!(bench.get(0, into), 95, "{bytes:02x?}");
        for (register, value) in operands.iter().filter(|(register, _)| *register != into) {
            assert_eq!(bench.get(0, *register), *value, "{bytes:02x?}");
        }
    }
    assert_eq!(violations(&mut bench), "");
}

#[test]
fn other_sizes_and_places_are_violations() {
    let mut bench = bench(&[]);
    let cases: [(&[u8], u64, &str); 5] = [
        (&[0x48, 0x8b, 0x07], READS, "access of 8 bytes"), // mov (%rdi),%rax
        (&[0x66, 0x8b, 0x07], READS, "access of 2 bytes"), // mov (%rdi),%ax
        (&[0x0f, 0xb6, 0x07], READS, "access of 1 bytes"), // movzbl (%rdi),%eax
        (&[0x8b, 0x07], READS + 8, "no documented register"), // mov (%rdi),%eax
        (&[0x89, 0x07], READS, "written, but read-only"),  // mov %eax,(%rdi)
    ];
    for (bytes, offset, text) in cases {
        bench.set(0, &[(Register::Rdi, PAGE + offset)]);
        bench.run(0, bytes);
        let told = violations(&mut bench);
        assert!(told.contains(text), "{bytes:02x?}: {told}");
    }
    bench.set(0, &[(Register::Rdi, PAGE + READS), (Register::Rax, 0)]);
    bench.run(0, &[0x48, 0x8b, 0x07]);
    assert_eq!(bench.get(0, Register::Rax), u64::MAX, "all ones");
}

#[test]
fn another_bridge_leaves_memory_to_the_emulator() {
    let mut bench = bench(&["imc=off"]);
    bench.set(0, &[(Register::Rdi, PAGE + READS), (Register::Rax, 7)]);
    bench.run(0, &[0x8b, 0x07]);
    assert_eq!(bench.get(0, Register::Rax), 7);
    assert_eq!(violations(&mut bench), "");
}

/// Ports and memory-mapped configuration space show the bridge; the rest of it is the
/// board's.
#[test]
fn the_bridge_is_in_both_configuration_spaces() {
    const ECAM: u64 = 0xffff_c900_1000_0000;
    let mut bench = bench(&[]);
    bench.cpus[0].map(ECAM, 0xb000_0000);
    for (offset, value) in [(0, 0x0100_8086), (0x48, 0xfed1_0001), (0x08, 0x5a)] {
        bench.out(0xcf8, 0x8000_0000 + offset);
        assert_eq!(bench.input(&[0xed], 0xcfc, 0x5a), value);
        bench.set(0, &[(Register::Rdi, ECAM + offset), (Register::Rax, 0x5a)]);
        bench.run(0, &[0x8b, 0x07]);
        assert_eq!(bench.get(0, Register::Rax), value);
    }
}
