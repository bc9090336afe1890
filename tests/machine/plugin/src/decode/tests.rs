// SPDX-License-Identifier: GPL-2.0

//! Instructions as assemblers write them, and the actions decoded from them.

use super::*;
use crate::fake::Fake;

const IMAGE: u64 = 0xffff_ffff_8100_0000;
const MODULE: u64 = 0xffff_ffff_a000_1000;
const USER: u64 = 0x40_1000;

fn whole(register: Register) -> Part {
    Part {
        register,
        size: 8,
        shift: 0,
    }
}

fn unsigned(register: Register, size: u8) -> Destination {
    Destination {
        part: Part {
            size,
            ..whole(register)
        },
        signed: false,
    }
}

fn plain(base: Register) -> Memory {
    Memory {
        base: Some(base),
        index: None,
        scale: 1,
        displacement: 0,
    }
}

#[test]
fn prefixes_do_not_hide_msr_instructions() {
    let cases: [(&[u8], Action); 5] = [
        (&[0x0f, 0x32], Action::ReadMsr),
        (&[0x0f, 0x30], Action::WriteMsr),
        (&[0x3e, 0x0f, 0x30], Action::WriteMsr),
        (&[0x48, 0x0f, 0x32], Action::ReadMsr),
        (&[0x2e, 0x48, 0x0f, 0x30], Action::WriteMsr),
    ];
    for (bytes, action) in cases {
        for place in [IMAGE, MODULE, USER] {
            assert_eq!(decode(bytes, place), Some(action), "{bytes:02x?}");
        }
    }
}

#[test]
fn cpuid_and_reads_of_counters_count_everywhere() {
    let tsc = |tells_cpu| Some(Action::ReadTsc { tells_cpu });
    for place in [IMAGE, MODULE, USER] {
        assert_eq!(decode(&[0x0f, 0x31], place), tsc(false));
        assert_eq!(decode(&[0x0f, 0x01, 0xf9], place), tsc(true));
        assert_eq!(decode(&[0x0f, 0xa2], place), Some(Action::Cpuid));
        assert_eq!(decode(&[0x0f, 0x33], place), Some(Action::ReadCounter));
    }
}

#[test]
fn ports_count_in_the_kernel() {
    let port = Port::Dx;
    let nmi = Port::Number(0x61);
    let cases: [(&[u8], Action); 8] = [
        (&[0xec], Action::PortIn { port, size: 1 }),
        (&[0x66, 0xed], Action::PortIn { port, size: 2 }),
        (&[0xed], Action::PortIn { port, size: 4 }),
        (&[0xee], Action::PortOut { port, size: 1 }),
        (&[0x66, 0xef], Action::PortOut { port, size: 2 }),
        (&[0xef], Action::PortOut { port, size: 4 }),
        (&[0xe4, 0x61], Action::PortIn { port: nmi, size: 1 }),
        (&[0xe6, 0x61], Action::PortOut { port: nmi, size: 1 }),
    ];
    for (bytes, action) in cases {
        assert_eq!(decode(bytes, IMAGE), Some(action), "{bytes:02x?}");
        assert_eq!(decode(bytes, USER), None, "{bytes:02x?}");
    }
    assert_eq!(decode(&[0xe4, 0x80], IMAGE), None, "in $0x80,%al");
}

#[test]
fn the_kernel_changes_the_interrupt_flag() {
    const STACK: u64 = 0xffff_c900_0000_0000;
    let mut guest = Fake::default();
    guest.set(Register::Rsp, STACK);
    // 64-bit stack frames: what POPF takes has IF, what IRET takes has not.
    guest.put(STACK, &0x0246_u64.to_le_bytes());
    guest.put(STACK + 16, &0x0046_u64.to_le_bytes());
    guest.set(Register::R11, 0x0202);
    let cases: [(&[u8], Event); 7] = [
        (&[0xfa], Event::Flag(false)),            // cli
        (&[0xfb], Event::Flag(true)),             // sti
        (&[0xf4], Event::Flag(true)),             // hlt
        (&[0x9d], Event::Flag(true)),             // popf
        (&[0x48, 0xcf], Event::Return(false)),    // iretq
        (&[0x48, 0x0f, 0x07], Event::Flag(true)), // sysretq
        (&[0x0f, 0x07], Event::Flag(true)),       // sysretl
    ];
    for (bytes, event) in cases {
        let Some(Action::Flag(flag)) = decode(bytes, IMAGE) else {
            panic!("{bytes:02x?}");
        };
        assert_eq!(flag.event(&guest), event, "{bytes:02x?}");
        assert_eq!(decode(bytes, USER), None, "{bytes:02x?}");
    }
    guest.set(Register::R11, 0x0002);
    assert_eq!(Flag::InR11.event(&guest), Event::Flag(false));
    let syscall = decode(&[0x0f, 0x05], USER);
    assert_eq!(syscall, Some(Action::Flag(Flag::Off)));
}

#[test]
fn the_image_reads_configuration_space_through_the_accumulator() {
    let load = |size, into| Action::Load {
        memory: plain(Register::Rcx),
        size,
        into,
    };
    let cases: [(&[u8], Action); 3] = [
        (&[0x8a, 0x01], load(1, unsigned(Register::Rax, 1))),
        (&[0x66, 0x8b, 0x01], load(2, unsigned(Register::Rax, 2))),
        (&[0x8b, 0x01], load(4, unsigned(Register::Rax, 4))),
    ];
    for (bytes, action) in cases {
        assert_eq!(decode(bytes, IMAGE), Some(action), "{bytes:02x?}");
    }
}

#[test]
fn other_forms_count_in_modules_only() {
    let cases: [&[u8]; 5] = [
        &[0x8b, 0x51, 0x10],                               // mov 0x10(%rcx),%edx
        &[0x89, 0x14, 0xb7],                               // mov %edx,(%rdi,%rsi,4)
        &[0x0f, 0xb6, 0x07],                               // movzbl (%rdi),%eax
        &[0x48, 0x8b, 0x07],                               // mov (%rdi),%rax
        &[0xc7, 0x87, 0xf4, 0, 0, 0, 0x00, 0x01, 0x03, 0], // movl $0x30100,0xf4(%rdi)
    ];
    for bytes in cases {
        assert!(decode(bytes, MODULE).is_some(), "{bytes:02x?}");
        if bytes[0] != 0x0f {
            assert_eq!(decode(bytes, IMAGE), None, "{bytes:02x?}");
        }
        assert_eq!(decode(bytes, USER), None, "{bytes:02x?}");
    }
}

#[test]
fn what_reaches_no_device_is_left_alone() {
    let cases: [&[u8]; 5] = [
        &[0x89, 0xc8],                         // mov %ecx,%eax
        &[0x65, 0x8b, 0x04, 0x25, 0, 0, 0, 0], // mov %gs:0,%eax
        &[0x03, 0x01],                         // add (%rcx),%eax
        &[0xf3, 0xa5],                         // rep movsl
        &[0x0f, 0x10, 0x01],                   // movups (%rcx),%xmm0
    ];
    for bytes in cases {
        assert_eq!(decode(bytes, MODULE), None, "{bytes:02x?}");
    }
}

#[test]
fn the_apic_page_is_reached_by_displacement() {
    // mov %esi,-0xa03000(%rdi)
    let store = decode(&[0x89, 0xb7, 0x00, 0xd0, 0x5f, 0xff], IMAGE);
    let Some(Action::Store {
        memory,
        size: 4,
        value,
    }) = store
    else {
        panic!("not a store: {store:?}");
    };
    let mut cpu = Fake::default();
    cpu.set(Register::Rdi, 0x340);
    cpu.set(Register::Rsi, 0xffff_ffff_0000_0400);
    assert_eq!(memory.address(&cpu), 0xffff_ffff_ff5f_d340);
    assert_eq!(value.value(&cpu), 0x400);
    // mov %esi,0xffffffffff5fd340, and mov -0xa03000(%rdi),%eax
    assert!(decode(&[0x89, 0x34, 0x25, 0x40, 0xd3, 0x5f, 0xff], IMAGE).is_some());
    assert!(decode(&[0x8b, 0x87, 0x00, 0xd0, 0x5f, 0xff], IMAGE).is_some());
}

#[test]
fn relative_addresses_are_resolved() {
    // mov 0x10(%rip),%eax
    let load = decode(&[0x8b, 0x05, 0x10, 0, 0, 0], MODULE);
    let Some(Action::Load { memory, .. }) = load else {
        panic!("not a load: {load:?}");
    };
    assert_eq!(memory.address(&Fake::default()), MODULE + 6 + 0x10);
}

#[test]
fn parts_of_registers_keep_or_clear_the_rest() {
    let part = |size, shift| Part {
        size,
        shift,
        ..whole(Register::Rax)
    };
    let before = 0x1122_3344_5566_7788;
    assert_eq!(part(1, 0).insert(before, 0xaa), 0x1122_3344_5566_77aa);
    assert_eq!(part(1, 8).insert(before, 0xaa), 0x1122_3344_5566_aa88);
    assert_eq!(part(2, 0).insert(before, 0xaabb), 0x1122_3344_5566_aabb);
    assert_eq!(part(4, 0).insert(before, 0xaabb_ccdd), 0xaabb_ccdd);
    assert_eq!(part(8, 0).insert(before, 1), 1);
    assert_eq!(part(1, 8).extract(before), 0x77);
    assert_eq!(part(2, 0).extract(before), 0x7788);
}

#[test]
fn narrow_loads_extend_as_the_instruction_says() {
    let into = |signed| Destination {
        signed,
        ..unsigned(Register::Rax, 4)
    };
    assert_eq!(into(false).load(u64::MAX, 0x180, 1), 0x80);
    assert_eq!(into(true).load(0, 0x80, 1), 0xffff_ff80);
    assert_eq!(into(true).load(0, 0x7f, 1), 0x7f);
    assert_eq!(into(true).load(0, 0x8000, 2), 0xffff_8000);
}

#[test]
fn high_bytes_are_bits_15_to_8() {
    // mov (%rcx),%ah
    let load = decode(&[0x8a, 0x21], MODULE);
    let Some(Action::Load { into, size: 1, .. }) = load else {
        panic!("not a byte load: {load:?}");
    };
    assert_eq!(into.load(0x1234, 0xff, 1), 0xff34);
}
