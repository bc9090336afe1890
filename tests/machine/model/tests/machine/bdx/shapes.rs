// SPDX-License-Identifier: GPL-2.0

//! Functions, fuses and shapes of BDX.

use uncore_machine::{Function, Rule, Topology};

use super::{usual, CHANNELS, EN, LARGEST};
use crate::bench::{uncore, uncore1, Bench, IRP};

/// Function and device ID of every function of the reference; the last ones EX only.
pub(super) const FUNCTIONS: [(u8, u8, u32); 25] = [
    (18, 1, 0x6f30),
    (18, 5, 0x6f38),
    (20, 0, 0x6fb0),
    (20, 1, 0x6fb1),
    (21, 0, 0x6fb4),
    (21, 1, 0x6fb5),
    (23, 0, 0x6fd0),
    (23, 1, 0x6fd1),
    (24, 0, 0x6fd4),
    (24, 1, 0x6fd5),
    (8, 2, 0x6f32),
    (9, 2, 0x6f33),
    (8, 6, 0x6f86),
    (9, 6, 0x6f96),
    (8, 0, 0x6f80),
    (16, 1, 0x6f34),
    (16, 5, 0x6f1e),
    (11, 1, 0x6f36),
    (11, 2, 0x6f37),
    (30, 3, 0x6fc0),
    (10, 2, 0x6f3a),
    (10, 6, 0x6f46),
    (10, 0, 0x6f40),
    (11, 5, 0x6f3e),
    (5, 6, 0x6f39),
];

/// The ID of a function, if it is there.
pub(super) fn id(bench: &mut Bench, at: Function) -> Option<u32> {
    bench.machine.config_read(at, 0, 4)
}

#[test]
fn functions_of_both_parts() {
    for (options, parts) in [("platform=bdx", 20), (LARGEST, 24)] {
        let mut bench = Bench::new(options);
        for (index, (device, function, wanted)) in FUNCTIONS[..24].iter().enumerate() {
            let there = (index < parts).then_some(wanted << 16 | 0x8086);
            for at in [uncore(*device, *function), uncore1(*device, *function)] {
                assert_eq!(id(&mut bench, at), there, "{at}");
            }
        }
        assert_eq!(id(&mut bench, IRP), Some(0x6f39_8086));
        bench.assert_clean();
    }
}

#[test]
fn caching_agents_follow_the_cboxes() {
    let mut bench = Bench::new("platform=bdx,cboxes=8:22");
    for n in 0..24 {
        for (at, cboxes) in [(uncore as fn(_, _) -> _, 8), (uncore1, 22)] {
            let at = at(12 + n / 8, n % 8);
            // What is not there, but for functions 0 that no C-Box has.
            let there = (n < cboxes).then_some((0x6fe0 + u32::from(n)) << 16 | 0x8086);
            assert_eq!(id(&mut bench, at), there, "{at}");
            let class = bench.machine.config_read(at, 8, 4).map(|word| word >> 8);
            let expected = if n < 18 { 0x08_8000 } else { 0xff_ffff };
            assert_eq!(class, there.map(|_| expected), "{at}");
        }
    }
    bench.assert_clean();
}

/// The functions of the second home agent and of its memory controller.
const OF_SECOND_AGENT: [(u8, u8); 5] = [(18, 5), (23, 0), (23, 1), (24, 0), (24, 1)];

#[test]
fn one_home_agent_has_one_memory_controller() {
    let mut bench = Bench::new("platform=bdx,home-agents=1:2");
    for (device, function, wanted) in &FUNCTIONS[..20] {
        let there = Some(wanted << 16 | 0x8086);
        let second = OF_SECOND_AGENT.contains(&(*device, *function));
        let at = uncore(*device, *function);
        assert_eq!(id(&mut bench, at), there.filter(|_| !second), "{at}");
        let at = uncore1(*device, *function);
        assert_eq!(id(&mut bench, at), there, "{at}");
    }
    bench.command("preload 1 ha_1 0 1");
    for line in ["preload 0 ha_1 0 1", "preload 0 imc_4 0 1"] {
        assert!(bench.machine.command(line).is_err(), "{line}");
    }
    bench.command("preload 0 imc_3 0 1");
    bench.assert_clean();
}

#[test]
fn every_number_of_cores_has_its_c_boxes() {
    for cores in 1..=24_u32 {
        let mut bench = Bench::new(&format!("platform=bdx,packages=4,cores={cores}"));
        for (package, bus) in [(0, 0x3f), (1, 0x7f), (2, 0xbf), (3, 0xff)] {
            let at = |device, function| Function {
                bus,
                ..uncore(device, function)
            };
            assert_eq!(bench.cfg(at(16, 5), 0x40), package);
            assert_eq!(bench.cfg(at(30, 3), 0x98), (1 << cores) - 1);
            let package = u8::try_from(package).expect("one of four");
            let there = |n: &u32| bench.read_faults(package, 0xe08 + 0x10 * n) == Some(false);
            assert_eq!((0..24).filter(there).count(), cores as usize);
        }
    }
}

#[test]
fn no_register_tells_of_cluster_on_die() {
    let registers = |options| {
        let mut bench = Bench::new(options);
        [(16, 5, 0x40), (16, 5, 0x54), (30, 3, 0x94), (30, 3, 0x98)].map(
            |(device, function, offset)| {
                [uncore(device, function), uncore1(device, function)]
                    .map(|at| bench.cfg(at, offset))
            },
        )
    };
    assert_eq!(
        registers("platform=bdx,cluster-on-die=on"),
        registers("platform=bdx"),
    );
    let divided = |options: &str| {
        let topology = Topology::parse(&format!("platform=bdx,{options}"));
        topology.map(|topology| topology.divided_at)
    };
    assert_eq!(divided("cluster-on-die=on"), Ok(Some(1)));
    assert_eq!(divided("cluster-on-die=on,cores=5:8"), Ok(Some(4)));
    assert_eq!(divided("cluster-on-die=on,cores=24"), Ok(Some(16)));
    assert_eq!(divided("cluster-on-die=off"), Ok(None));
    assert_eq!(divided("cores=1"), Ok(None));
}

#[test]
fn a_package_is_found_by_its_node() {
    let mut bench = Bench::new("platform=bdx,nodes=3:1");
    assert_eq!(bench.cfg(uncore(16, 5), 0x40), 3);
    assert_eq!(bench.cfg(uncore1(16, 5), 0x40), 1);
    let map = bench.cfg(uncore(16, 5), 0x54);
    assert_eq!([map & 7, map >> 3 & 7], [3, 1]);
    bench.command("defect swap-nodes 0 1");
    assert_eq!(bench.cfg(uncore(16, 5), 0x40), 1);
}

#[test]
fn the_fuses_tell_the_c_boxes() {
    let fuses = |options: &str| {
        let mut bench = Bench::new(options);
        [uncore(30, 3), uncore1(30, 3)].map(|at| bench.cfg(at, 0x98))
    };
    assert_eq!(fuses("platform=bdx,cores=4:6"), [0xf, 0x3f]);
    assert_eq!(fuses("platform=bdx,cores=4,cboxes=6"), [0x3f, 0x3f]);
    assert_eq!(fuses("platform=bdx,cores=24"), [0xff_ffff; 2]);
    let sparse = "platform=bdx,cores=8,cbox-mask=000f0f:f000f0";
    assert_eq!(fuses(sparse), [0x0f0f, 0xf0_00f0]);
}

#[test]
fn c_boxes_that_are_fused_off_fault() {
    let mut bench = Bench::new("platform=bdx,cores=8,cbox-mask=000f0f:800001");
    for (package, mask) in [(0, 0x0f0f), (1, 0x80_0001)] {
        for n in 0..24_u32 {
            let there = mask >> n & 1 == 1;
            let faults = bench.read_faults(package, 0xe08 + 0x10 * n);
            assert_eq!(faults, Some(!there), "package {package} C-Box {n}");
        }
    }
    let broken = bench.broken();
    assert_eq!(broken.len(), 16 + 22);
    assert!(broken.iter().all(|(rule, _)| *rule == Rule::NoSuchBox));
    // The number of a box is that of its MSRs.
    bench.command("preload 0 cbox_11 2 0x1234");
    assert_eq!(bench.rd(0, 0xeba), 0x1234);
    let error = bench.machine.command("preload 0 cbox_4 2 1");
    assert!(error.is_err(), "fused off");
}

#[test]
fn the_fuses_tell_s_boxes_and_links() {
    for (options, field, sboxes) in [
        ("platform=bdx", 0b01, 4),
        ("platform=bdx,sboxes=0", 0b00, 0),
        ("platform=bdx,part=ex", 0b10, 4),
    ] {
        let mut bench = Bench::new(options);
        assert_eq!(bench.cfg(uncore(30, 3), 0x94) >> 6 & 3, field, "{options}");
        for n in 0..4 {
            let faults = bench.read_faults(0, 0x720 + 0xa * n);
            assert_eq!(faults, Some(n >= sboxes), "{options}");
        }
        bench.set(uncore(30, 3), 0x94, 0);
        assert_eq!(bench.cfg(uncore(30, 3), 0x94) >> 6 & 3, field);
    }
    let mut bench = Bench::new("platform=bdx,sboxes=4:0");
    assert_eq!(bench.read_faults(0, 0x73e), Some(false));
    assert_eq!(bench.read_faults(1, 0x720), Some(true));
}

#[test]
fn options_of_this_platform() {
    let refused = |options: &str| {
        let error = Topology::parse(options).expect_err("a mistake");
        error.to_string()
    };
    assert_eq!(refused("sboxes=0"), "unknown option 'sboxes'");
    assert!(
        refused("platform=hsx").starts_with("platform: 'hsx' is not one of ivbep, bdx, bdx-de, ")
    );
    assert_eq!(
        refused("platform=bdx,cores=25"),
        "cores: '25' is not a number from 1 to 24"
    );
    assert_eq!(
        refused("platform=bdx,cbox-mask=0"),
        "cbox-mask: '0' is not a hexadecimal number from 000001 to ffffff"
    );
    assert_eq!(
        refused("platform=bdx,sboxes=2"),
        "sboxes: '2' is not 0 or 4"
    );
    assert_eq!(
        refused("platform=bdx,part=ex,sboxes=0"),
        "sboxes: '0' is not 4"
    );
    assert_eq!(refused("home-agents=1"), "unknown option 'home-agents'");
    assert_eq!(
        refused("platform=bdx,home-agents=3"),
        "home-agents: '3' is not a number from 1 to 2"
    );
    assert_eq!(
        refused("platform=bdx,cluster-on-die=yes"),
        "cluster-on-die: 'yes' is not on or off"
    );
    for one in ["cores=1", "cores=5:4", "home-agents=2:1"] {
        assert_eq!(
            refused(&format!("platform=bdx,cluster-on-die=on,{one}")),
            "cluster-on-die: 'on' is not possible here: a node would have no core or no home agent"
        );
    }
    let hidden = refused("platform=bdx,home-agents=1,hidden=12.5");
    assert!(hidden.contains("'12.5' is not a function"), "{hidden}");
}

#[test]
fn channels_without_memory_answer_but_do_not_count() {
    let mut bench = Bench::new("platform=bdx,dimms=31:ff");
    for (channel, (device, function)) in CHANNELS.into_iter().enumerate() {
        let at = uncore(device, function);
        assert!(id(&mut bench, at).is_some());
        bench.set(at, 0xf0, EN);
        bench.set(at, 0xd8, EN);
        bench.set(at, 0xa8, 0x55);
        assert_eq!(bench.cfg(at, 0xa8), 0x55, "registers are there");
        bench.machine.burst(1800);
        let there = 0x31 >> channel & 1 == 1;
        let wanted = if there { 700 } else { 0 };
        assert_eq!(bench.cfg_counter(at, 0xd0), wanted, "channel {channel}");
        assert_eq!(bench.cfg_counter(at, 0xa0), wanted, "channel {channel}");
    }
    let at = uncore1(20, 1);
    bench.set(at, 0xf0, EN);
    bench.machine.burst(1800);
    assert_eq!(bench.cfg_counter(at, 0xd0), 700);
    bench.assert_clean();
    // A loss of power changes nothing about it.
    bench.machine.lose_power();
    bench.set(uncore(20, 1), 0xf0, EN);
    bench.machine.burst(1800);
    assert_eq!(bench.cfg_counter(uncore(20, 1), 0xd0), 0);
}

#[test]
fn free_running_counters_of_links() {
    let mut bench = Bench::new(LARGEST);
    bench.wr(0, 0x700, 1 << 31);
    bench.machine.burst(12_000);
    // 10,000 cycles; shares of 1024 as traffic.rst has them.
    for (package, port, device) in [(0, 0, 8), (0, 1, 9), (0, 2, 10), (1, 0, 8)] {
        let place = 8 * port + package + 1;
        let at = Function {
            bus: if package == 0 { 0x7f } else { 0xff },
            ..uncore(device, 2)
        };
        let [idle, retry] = [0xc8, 0xd0].map(|offset| bench.cfg(at, offset));
        assert_eq!(idle, 10_000 * (512 + place) / 1024, "{at}");
        assert_eq!(retry, 10_000 * place / 1024, "{at}");
    }
    let at = uncore(8, 2);
    bench.set(at, 0xf4, 0x30003);
    assert!(bench.cfg(at, 0xc8) > 0, "a reset does not reach them");
    bench.set(at, 0xc8, u32::MAX - 10);
    bench.machine.burst(12_000);
    assert_eq!(bench.cfg(at, 0xc8), 10_000 * 513 / 1024 - 11, "32 bits");
    bench.command("free-run on");
    bench.set(at, 0xd0, 0);
    bench.machine.advance(12_000_000);
    assert_eq!(bench.cfg(at, 0xd0), 10_000_000 / 1024);
}

#[test]
fn cores_of_pmi_core_sel_are_18() {
    let mut bench = Bench::new("platform=bdx,cores=24");
    bench.wr(0, 0x700, 0x3_ffff);
    assert_eq!(bench.rd(0, 0x700), 0x3_ffff);
    bench.wr(0, 0x703, (EN | 1 << 20).into());
    bench.wr(0, 0x704, (1 << 48) - 5);
    bench.machine.burst(100);
    let cores: Vec<u32> = bench
        .machine
        .take_interrupts()
        .iter()
        .map(|pmi| pmi.cores)
        .collect();
    assert_eq!(cores, [0x3_ffff]);
    bench.assert_clean();
}

#[test]
fn msrs_that_are_not_the_uncores() {
    let mut bench = usual();
    // 0xC8D to 0xC90 allocate the cache; 0xD04 is a C-Box of IVB-EP.
    for msr in [
        0x6ff, 0x70b, 0x71b, 0x748, 0xc00, 0xc8d, 0xc90, 0xd04, 0xdff, 0xe0c, 0xe0f, 0xf80,
    ] {
        assert_eq!(bench.read_faults(0, msr), None, "{msr:#x}");
    }
}
