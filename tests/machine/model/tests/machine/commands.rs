// SPDX-License-Identifier: GPL-2.0

//! The text commands: their effects and the wording of their refusals.

use uncore_machine::Topology;

use crate::bench::{uncore, Bench, IRP};

fn refusal(line: &str) -> String {
    let mut bench = Bench::usual();
    let answer = bench.machine.command(line);
    answer.expect_err("it must be refused").to_string()
}

/// Lines that are refused, and the words: one for each reason.
#[rustfmt::skip]
const REFUSALS: [(&str, &str); 36] = [
    ("  ", "empty command"),
    ("bust 1", "unknown command 'bust'"),
    ("burst", "burst: a number of cycles is missing"),
    ("burst -1", "'-1' is not a number of cycles"),
    ("burst 0x", "'0x' is not a number of cycles"),
    ("burst 18446744073709551616", "'18446744073709551616' is not a number of cycles"),
    ("burst 1 2", "'2' is one word too many"),
    ("free-run maybe", "'maybe' is not on or off"),
    ("hide 10.4", "'10.4' is not a PCI function (BUS:DEV.FN)"),
    ("hide 7f:20.0", "'7f:20.0' is not a PCI function (BUS:DEV.FN)"),
    ("hide 7f:10.8", "'7f:10.8' is not a PCI function (BUS:DEV.FN)"),
    ("show 7f:11.4", "the machine has no function '7f:11.4'"),
    ("fail-msr 2 0xd10", "the machine has no package '2'"),
    ("heal-msr x 0xd10", "'x' is not a package number"),
    ("poke-msr 0 0xc02 1", "the machine has no MSR '0xc02'"),
    ("peek-msr 0 0x10", "the machine has no MSR '0x10'"),
    ("peek-config 7f:10.4 0xf5", "'0xf5' is not an offset (a multiple of 4 below 0x1000)"),
    ("peek-config 7f:10.4 0x1000", "'0x1000' is not an offset (a multiple of 4 below 0x1000)"),
    ("poke-config 7f:10.4 0xf4 0x100000000", "'0x100000000' is not a 32-bit value"),
    ("poke-config 7f:10.4 0x50 1", "the machine has no register '7f:10.4 0x50'"),
    ("preload 0 cbox_9 0 1", "the machine has no box 'cbox_9'"),
    ("preload 0 cbox_0 fixed 1", "the machine has no counter 'fixed'"),
    ("preload 0 ubox 2 1", "the machine has no counter '2'"),
    ("preload 0 cbox_0 0 0x100000000000", "'0x100000000000' does not fit 44 bits"),
    ("pmi sometimes", "'sometimes' is not normal, drop, delay, repeat or to"),
    ("pmi delay never", "'never' is not a number of cycles, read, clear, unfreeze or unmask"),
    ("pmi to 3", "'3' is not selected, next or all"),
    ("pmi drop 3/2", "'3/2' is not a share, say 1/4"),
    ("freeze-delay 16 17", "'17' is not a number of cycles, at most as for the other boxes"),
    ("lock 0 imc_0 fault", "the machine has no box with MSRs 'imc_0'"),
    ("lock 0 cbox_0 always", "'always' is not fault, or nothing"),
    ("late-message 0 ha_0 5", "'5' is not read, clear, unfreeze or unmask"),
    ("preload-all 0", "'0' is not a distance from 1 to 0x100000000000"),
    ("preload-all 1 cha", "the machine has no box type 'cha'"),
    ("log maybe", "'maybe' is not on, off or take"),
    ("lose-enable 0", "the machine has no level in package '0'"),
];

#[test]
fn refusals_name_the_word() {
    for (line, text) in REFUSALS {
        assert_eq!(refusal(line), text, "{line}");
    }
}

#[test]
fn a_refused_command_changes_nothing() {
    let mut bench = Bench::usual();
    let before = bench.command("state");
    for line in [
        "burst x",
        "preload 0 cbox_0 0 1 1",
        "poke-msr 0 0xd10 1 1",
        "free-run on off",
    ] {
        assert!(bench.machine.command(line).is_err());
    }
    assert_eq!(bench.command("state"), before);
    assert!(!bench.machine.is_free_running());
}

#[test]
fn poke_and_peek_break_no_rule() {
    let mut bench = Bench::usual();
    bench.command("poke-msr 1 0xd10 0x500102");
    assert_eq!(bench.command("peek-msr 1 0xd10"), "0x400102");
    assert_eq!(bench.rd(1, 0xd10), 0x40_0102);
    bench.command("poke-config 7f:10.4 0xf4 0x100");
    bench.command("poke-config 7f:10.4 0xf8 0x12");
    assert_eq!(bench.command("peek-config 7f:10.4 0xf8"), "0x12");
    assert_eq!(bench.command("peek-config 7f:10.4 0xe8"), "0x0");
    bench.command("poke-config 7f:0b.0 0x40 5");
    assert_eq!(bench.cfg(uncore(11, 0), 0x40), 5);
    bench.set(uncore(16, 4), 0xd8, 1 << 22);
    bench.machine.burst(1000);
    assert_eq!(
        bench.cfg_counter(uncore(16, 4), 0xa0),
        0,
        "the poke froze the box"
    );
    bench.assert_clean();
}

#[test]
fn preload_reaches_every_kind_of_counter() {
    let mut bench = Bench::usual();
    bench.command("preload 0 cbox_3 2 0xfffffffffff");
    bench.command("preload 0 ubox fixed 281474976710655");
    bench.command("preload 0 imc_5 fixed 0x123456789abc");
    bench.command("preload 0 imc_2 3 7");
    bench.command("preload 0 irp 3 8");
    bench.command("preload 0 pcu 1 9");
    assert_eq!(bench.rd(0, 0xd78), 0xfff_ffff_ffff);
    assert_eq!(bench.rd(0, 0xc09), 0xffff_ffff_ffff);
    assert_eq!(bench.cfg_counter(uncore(30, 5), 0xd0), 0x1234_5678_9abc);
    assert_eq!(bench.cfg_counter(uncore(16, 0), 0xb8), 7);
    assert_eq!(bench.cfg_counter(IRP, 0xc0), 8);
    assert_eq!(bench.rd(0, 0xc37), 9);
}

#[test]
fn the_log_has_one_line_per_access() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd14, 1);
    bench.command("log on");
    bench.wr(0, 0xd10, 0x102);
    bench.rd(1, 0xc01);
    bench.set(uncore(16, 4), 0xf4, 0x30000);
    bench.machine.config_read(uncore(16, 4), 0x02, 2);
    bench.read_faults(0, 0xd00);
    bench.write_faults(0, 0xd00);
    bench.command("peek-msr 0 0xd10");
    bench.command("log off");
    bench.wr(0, 0xd10, 0x202);
    let expected = "wrmsr 0 0xd10 0x102\nrdmsr 1 0xc01 0x0\ncfgw 7f:10.4 0xf4 4 0x30000\n\
                    cfgr 7f:10.4 0x2 2 0xeb4\nrdmsr 0 0xd00 #GP\nwrmsr 0 0xd00 0x0 #GP";
    assert_eq!(bench.command("log take"), expected);
    assert_eq!(bench.command("log take"), "");
}

#[test]
fn state_shows_what_differs_from_reset() {
    let mut bench = Bench::usual();
    assert_eq!(bench.command("state"), "package 0:\npackage 1:\n");
    bench.wr(1, 0xc00, 1 << 31 | 2);
    bench.wr(0, 0xd14, 0x1f);
    bench.wr(0, 0xd16, 0xabc);
    bench.set(uncore(16, 4), 0xf4, 0x30100);
    let expected = "package 0:\n  cbox_0: CTR0 0xabc BOX_FILTER 0x1f\n  \
                    imc_0: BOX_CTL 0x30000 frozen\npackage 1: GLOBAL_CTL 0x2 frozen\n";
    assert_eq!(bench.command("state"), expected);
}

#[test]
fn topology_options() {
    let parse = |text: &str| Topology::parse(text).map_err(|error| error.to_string());
    let two = parse("packages=2,cores=2,cboxes=2,part=ep,numc=8");
    assert_eq!(two, Ok(Topology::default()));
    let cores = |text: &str| {
        let packages = parse(text).expect("right").packages.into_iter();
        packages
            .map(|package| (package.cores, package.cbox_mask.count_ones()))
            .collect::<Vec<_>>()
    };
    assert_eq!(cores("cores=4:2"), [(4, 4), (2, 2)]);
    assert_eq!(
        cores("packages=4,cores=3,cboxes=1:2:3:4"),
        [(3, 1), (3, 2), (3, 3), (3, 4)]
    );
    assert_eq!(cores("cores=15,cboxes=1"), [(15, 1), (15, 1)]);
    let listed = parse("shape=e5-2680v2,cboxes=3:4");
    let spelled = "packages=2,cboxes=3:4,uncore-buses=3f:7f,iio-buses=00:40,\
                   hidden=05.6+08.2+09.2+08.6+09.6+13.6+1c.1+1e.0+1e.1+1e.4+1e.5";
    assert_eq!(listed, parse(spelled));
    assert!(listed.is_ok());
    for (text, expected) in REFUSED_OPTIONS {
        let refused = parse(text).expect_err(text);
        assert!(refused.starts_with(expected), "{text}: {refused}");
    }
}

/// Options that are refused, and how the words begin: one for each reason.
#[rustfmt::skip]
const REFUSED_OPTIONS: [(&str, &str); 34] = [
    ("shape=i486", "shape: 'i486' is not e5-2640v2, e5-2680v2, "),
    ("packages=3", "packages: '3' is not 1, 2, 4 or 8"),
    ("packages=16", "packages: '16' is not 1, 2, 4 or 8"),
    ("platform=bdx-de,packages=2", "packages: '2' is not 1 (this platform has no more)"),
    ("cores=0", "cores: '0' is not a number from 1 to 15"),
    ("cores=16", "cores: '16' is not a number from 1 to 15"),
    ("platform=bdx,cores=25", "cores: '25' is not a number from 1 to 24"),
    ("cores=1:2:3", "cores: 3 values for 2 packages"),
    ("cores", "option 'cores' has no value"),
    ("cores=1,cores=2", "option 'cores' is given twice"),
    ("sockets=2", "unknown option 'sockets'"),
    ("sboxes=0", "unknown option 'sboxes'"),
    ("platform=bdx-de,part=ex", "unknown option 'part'"),
    ("part=de", "part: 'de' is not ep or ex"),
    ("nodes=0:8", "nodes: '8' is not a number from 0 to 7"),
    ("nodes=300", "nodes: '300' is not a number from 0 to 7"),
    ("gidnidmap=1000000", "gidnidmap: '1000000' is not a hexadecimal number"),
    ("hidden=05.6+18.6", "hidden: '18.6' is not a function of this machine"),
    ("hidden=7f:05.6", "hidden: '7f:05.6' is not a function of this machine"),
    ("platform=bdx,home-agents=1,hidden=12.5", "hidden: '12.5' is not a function of this machine"),
    ("core-map=dense", "core-map: 'dense' is not slot, reversed"),
    ("core-map=0+0", "core-map: '0+0' is not slot, reversed"),
    ("core-map=0+1+2", "core-map: '0+1+2' is not slot, reversed"),
    ("core-map=slot:slot:slot", "core-map: 3 values for 2 packages"),
    ("uncore-buses=7f:7f", "uncore-buses: 7f is used twice"),
    ("uncore-buses=00:ff", "iio-buses: 00 is used twice"),
    ("iio-buses=0g:80", "iio-buses: '0g' is not a hexadecimal number from 00 to ff"),
    ("platform=bdx,cbox-mask=0", "cbox-mask: '0' is not a hexadecimal number from 000001 to ffffff"),
    ("platform=bdx,sboxes=2", "sboxes: '2' is not 0 or 4"),
    ("platform=bdx,part=ex,sboxes=0", "sboxes: '0' is not 4"),
    ("platform=bdx,home-agents=3", "home-agents: '3' is not a number from 1 to 2"),
    ("platform=bdx,cluster-on-die=yes", "cluster-on-die: 'yes' is not on or off"),
    ("platform=bdx,cluster-on-die=on,cores=5:4", "cluster-on-die: 'on' is not possible here"),
    ("platform=bdx,cluster-on-die=on,home-agents=2:1", "cluster-on-die: 'on' is not possible here"),
];
