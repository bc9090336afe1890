// SPDX-License-Identifier: GPL-2.0

//! Other tools write to registers of events that count: PCM, LIKWID, firmware, root with
//! `wrmsr` and `setpci`. An event that needs such a register ends with the counts that
//! are certain, and the log names it. All other events count on, and later events are
//! right.

use crate::lifetime::{
    loaded, new_log, samples, until_logged, without_driver, BURST, LOAD, UNLOAD,
};
use uncore_e2e::fixture::probe::Probe;
use uncore_e2e::fixture::{counts_in_part, on, reads, Session, Wanted};
use uncore_e2e::platform::Platform;

/// Milliseconds in which the driver polls at least once.
const INTERVAL: u32 = 61_000;

/// Number of polls of which one verifies registers.
const POLLS_PER_VERIFICATION: u32 = 4;

/// Steps in which the driver verifies all registers, and checks for missing interrupts.
const WATCH: &str = "times 6 machine skip 60000; pause 50000";

/// Step in which an event counts so long that its registers are verified when it stops.
const LONG: &str = "pause 200000";

/// Returns the step in which the driver polls until it has verified all registers.
fn verifying_polls() -> String {
    format!("times {POLLS_PER_VERIFICATION} poll {INTERVAL}")
}

/// Step that prints the number of polls of each package.
const POLLS: &str = "run grep polls /sys/kernel/debug/uncore_rs/overflow";

/// Words of the log for an ended event.
const ENDED: &str = "ended: another tool";

/// Changed value of a control register: a clock, on any counter.
const OTHER_EVENT: u64 = 0x0040_0000;

/// A write to a register of package 0, and its effects.
struct Tampering {
    /// Event that needs the register.
    victim: Probe,
    /// Event that does not need it, on the same box if there is any.
    beside: Probe,
    /// Shell command that writes.
    command: String,
    /// Name of the register in the log.
    register: &'static str,
    /// Written value.
    value: u64,
}

impl Tampering {
    /// Returns a write to an MSR.
    fn msr(victim: Probe, beside: Probe, register: &'static str, value: u64) -> Self {
        let number = register.rsplit(' ').next().unwrap_or_default();
        Self {
            victim,
            beside,
            command: format!("wrmsr -p 0 {number} {value:#x}"),
            register,
            value,
        }
    }

    /// Returns a write to configuration space of a function: `BUS:DEV.FN` and the offset.
    fn config(
        victim: Probe,
        beside: Probe,
        (function, offset): (&str, &str),
        register: &'static str,
        value: u64,
    ) -> Self {
        Self {
            victim,
            beside,
            command: format!("setpci -s {function} {offset}.l={value:x}"),
            register,
            value,
        }
    }

    /// Returns a write to the one of four control registers that holds the event.
    fn control(
        victim: Probe,
        beside: Probe,
        register: &'static str,
        [read, write]: [&str; 2],
        places: &str,
    ) -> Self {
        let word = victim.words().0[0] & 0xffff;
        let write = format!("{write}{OTHER_EVENT:x}");
        Self {
            victim,
            beside,
            command: format!(
                "for at in {places}; do case $({read}) in *{word:04x}) {write};; esac; done"
            ),
            register,
            value: OTHER_EVENT,
        }
    }

    /// The victim's event, without the name that its filter may have.
    fn called(&self) -> &str {
        match self.victim.name() {
            name if name.starts_with("message.") => "cto_count",
            name => name,
        }
    }

    /// Checks that the log has exactly one such line, with the event's name.
    fn is_named(&self, log: &str) {
        let unit = self.victim.kind.box_name(self.victim.instance);
        let begins = format!(
            "package 0: {} of {unit} (config {:#x}) ended: another tool or firmware changed its {}",
            self.called(),
            self.victim.words().0[0],
            self.register,
        );
        let ends = format!(" to {:#x}", self.value);
        let ended: Vec<&str> = log.lines().filter(|l| l.contains(ENDED)).collect();
        let named = ended
            .iter()
            .any(|line| line.contains(&begins) && line.ends_with(&ends));
        assert!(named && ended.len() == 1, "{begins} ...{ends}: {ended:?}");
    }
}

/// Returns a write for each kind of register that one event needs and its neighbour does
/// not.
fn tamperings() -> Vec<Tampering> {
    vec![
        Tampering::control(
            Probe::cbox(0, "llc_lookup.any"),
            Probe::cbox(0, "misc.started"),
            "control register, MSR 0xd1",
            ["rdmsr -p 0 $at", "wrmsr -p 0 $at 0x"],
            "0xd10 0xd11 0xd12 0xd13",
        ),
        Tampering::msr(
            Probe::cbox(0, "llc_lookup.any"),
            Probe::cbox(0, "misc.started"),
            "filter register, MSR 0xd14",
            0x0002_0000,
        ),
        Tampering::msr(
            Probe::ubox("clockticks"),
            Probe::ubox("lock_cycles"),
            "control register, MSR 0xc08",
            0,
        ),
        Tampering::msr(
            Probe::pcu("freq_band1_cycles").band(1, 30),
            Probe::pcu("vr_hot_cycles"),
            "filter register, MSR 0xc34",
            0xff00,
        ),
        Tampering::control(
            Probe::ha(0, "requests.reads"),
            Probe::ha(0, "imc_writes.full"),
            "control register, offset 0x",
            ["setpci -s 7f:0e.1 $at.l", "setpci -s 7f:0e.1 $at.l="],
            "d8 dc e0 e4",
        ),
        Tampering::config(
            Probe::ha(0, "addr_opc_match.opc").home_opcode(0x3f),
            Probe::ha(0, "requests.reads"),
            ("7f:0e.1", "48"),
            "filter register, offset 0x48 of 0000:7f:0e.1",
            0x1e,
        ),
        Tampering::config(
            Probe::imc(0, "clockticks"),
            Probe::imc(0, "cas_count.rd"),
            ("7f:10.4", "f0"),
            "control register, offset 0xf0 of 0000:7f:10.4",
            0,
        ),
        // In extended configuration space, which setpci cannot write here.
        Tampering {
            victim: Probe::qpi(0, "message.drs.anydatac"),
            beside: Probe::qpi(0, "txl_inserts"),
            command: "machine poke-config 7f:08.6 0x238 0".to_owned(),
            register: "filter register, offset 0x238 of 0000:7f:08.6",
            value: 0,
        },
    ]
}

/// Returns the freezes by other tools: they write 0 to bit 17, against the manual.
fn freezes() -> [Tampering; 2] {
    let frozen = |victim, beside, command: &str, register| Tampering {
        victim,
        beside,
        command: format!("machine {command} 0x10100"),
        register,
        value: 0x10000,
    };
    [
        frozen(
            Probe::cbox(0, "clockticks"),
            Probe::cbox(1, "clockticks"),
            "poke-msr 0 0xd04",
            "box control register, MSR 0xd04",
        ),
        frozen(
            Probe::imc(0, "cas_count.rd"),
            Probe::imc(1, "cas_count.rd"),
            "poke-config 7f:10.4 0xf4",
            "box control register, offset 0xf4 of 0000:7f:10.4",
        ),
    ]
}

/// Returns the driver's number of events that such writes have ended, in each package.
fn tampered(session: &mut Session) -> Vec<u64> {
    let packages = session.overflow().into_iter();
    packages
        .map(|package| package.numbers["tampered"])
        .collect()
}

/// Returns steps that open the victim, its neighbour, and the victim's event in the other
/// package; each of them counts a burst.
fn opened(tampering: &Tampering) -> Vec<String> {
    vec![
        tampering.victim.open("victim", 0),
        tampering.beside.open("beside", 0),
        tampering.victim.open("elsewhere", 2),
        format!("burst {BURST}"),
    ]
}

/// Checks the successive counts of an event in a package, given in bursts.
fn counts(answers: &[String], name: &str, probe: &Probe, package: u8, bursts: &[u64]) {
    let expected: Vec<Option<u64>> = bursts
        .iter()
        .map(|bursts| Some(bursts * probe.count(package, BURST)))
        .collect();
    assert_eq!(reads(answers, name), expected, "{name}: {probe:?}");
}

/// Checks that the driver told the end of the victim once, and that its box counts again.
fn is_told(session: &mut Session, tampering: &Tampering, before: &[u64]) {
    tampering.is_named(&new_log(session));
    assert_eq!(tampered(session), [before[0] + 1, before[1]]);
    let both = [&tampering.victim, &tampering.beside].map(Clone::clone);
    session.counts(BURST, Platform::packages(), &Wanted::all(both));
}

/// The victim stops after the write: none of its counts is certain, unless a poll came
/// between the burst and the write.
fn found_at_a_stop(session: &mut Session, tampering: &Tampering) {
    let Tampering { victim, beside, .. } = tampering;
    let before = tampered(session);
    new_log(session);
    let mut steps = opened(tampering);
    steps.extend([
        format!("run {}", tampering.command),
        format!("burst {BURST}"),
        LONG.to_owned(),
        "disable victim".to_owned(),
        "read victim".to_owned(),
        format!("burst {BURST}"),
        "read beside".to_owned(),
        "read elsewhere".to_owned(),
        until_logged(ENDED),
        "enable victim".to_owned(),
        format!("burst {BURST}"),
        "read victim".to_owned(),
        "close victim".to_owned(),
        victim.open("again", 1),
        format!("burst {BURST}"),
        "read again".to_owned(),
        "read elsewhere".to_owned(),
    ]);
    let answers = session.perf_open(&steps);
    let certain = reads(&answers, "victim");
    let right = [0, victim.count(0, BURST)].map(|count| vec![Some(count); 2]);
    assert!(right.contains(&certain), "{victim:?}: {certain:?}");
    counts(&answers, "beside", beside, 0, &[3]);
    counts(&answers, "elsewhere", victim, 1, &[3, 5]);
    counts(&answers, "again", victim, 0, &[1]);
    is_told(session, tampering, &before);
}

/// The driver verifies registers by a timer, in the step `look`, before and after the
/// write: counts from before are certain. The victim takes turns with its box's other
/// events, without counting, until it is closed.
fn found_by_a_timer(session: &mut Session, tampering: &Tampering, look: &str) {
    let Tampering { victim, beside, .. } = tampering;
    let before = tampered(session);
    new_log(session);
    let mut steps = opened(tampering);
    steps.extend([
        look.to_owned(),
        POLLS.to_owned(),
        format!("run {}", tampering.command),
        format!("burst {BURST}"),
        POLLS.to_owned(),
        // Not each of them need be a poll: the victim takes turns without counting.
        WATCH.to_owned(),
        until_logged(ENDED),
        format!("burst {BURST}"),
        "read victim".to_owned(),
        "close victim".to_owned(),
        "steady beside".to_owned(),
        "read beside".to_owned(),
        format!("burst {BURST}"),
        "read beside".to_owned(),
        "read elsewhere".to_owned(),
    ]);
    let answers = session.perf_open(&steps);
    let of_victim = answers.iter().rfind(|answer| answer.starts_with("victim "));
    let of_victim = of_victim.unwrap_or_else(|| panic!("{answers:?}"));
    counts_in_part(of_victim, "victim", victim.count(0, BURST));
    let each = beside.count(0, BURST);
    let [Some(first), Some(second)] = reads(&answers, "beside")[..] else {
        panic!("{answers:?}");
    };
    // The last burst may be in a turn of the victim. The one before is missed only if
    // the driver looked before it of its own accord: while perf moves the events or in
    // such a turn.
    let polls: Vec<&String> = answers
        .iter()
        .filter(|line| line.contains("polls"))
        .collect();
    let [early, _, late, _] = polls[..] else {
        panic!("{answers:?}");
    };
    let least = if early == late { 2 } else { 1 };
    let mut possible = (least..=3).map(|bursts| bursts * each);
    assert!(possible.any(|count| count == first), "{answers:?}");
    assert_eq!(second - first, each, "{answers:?}");
    counts(&answers, "elsewhere", victim, 1, &[4]);
    is_told(session, tampering, &before);
}

#[test]
fn a_changed_register_is_found_when_the_event_stops() {
    loaded(|session| {
        for tampering in tamperings().iter().chain(&freezes()) {
            found_at_a_stop(session, tampering);
        }
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
    });
}

#[test]
fn a_changed_register_is_found_by_a_poll() {
    on(&without_driver().with_jumps(), |session| {
        session.ok(&format!("{LOAD} overflow=poll"));
        let poll = verifying_polls();
        for tampering in tamperings().iter().chain(&freezes()) {
            found_by_a_timer(session, tampering, &poll);
        }
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.ok(UNLOAD);
    });
}

#[test]
fn a_changed_register_of_an_event_that_interrupts_is_found() {
    on(&without_driver().with_jumps(), |session| {
        session.ok(&format!("{LOAD} overflow=pmi"));
        let of_ha = |tampering: &Tampering| tampering.victim.pmu().ends_with("ha_0");
        for tampering in tamperings().into_iter().filter(of_ha) {
            found_by_a_timer(session, &tampering, WATCH);
        }
        session.ok(UNLOAD);
    });
}

/// While an event is taken off its box, an event that its owner has off stays off, and a
/// pinned one, which may not miss its turn, counts on.
#[test]
fn an_event_that_ends_switches_no_other_on_or_off() {
    on(&without_driver().with_jumps(), |session| {
        session.ok(&format!("{LOAD} overflow=poll"));
        new_log(session);
        let poll = verifying_polls();
        for (victim, beside, cause, ended) in [
            (
                Probe::cbox(0, "llc_lookup.any"),
                Probe::cbox(0, "misc.started"),
                "run wrmsr -p 0 0xd14 0x20000".to_owned(),
                ENDED,
            ),
            (
                Probe::qpi(0, "message.drs.anydatac"),
                Probe::qpi(0, "txl_inserts"),
                "run echo 1 > /sys/bus/pci/devices/0000:7f:08.6/remove".to_owned(),
                "filter function of qpi_0 removed",
            ),
        ] {
            let answers = session.perf_open(&[
                victim.open("victim", 0),
                format!("{} disabled", beside.open("off", 0)),
                format!("{} pinned", beside.open("pinned", 0)),
                // Each package polls.
                beside.open("elsewhere", 2),
                format!("burst {BURST}"),
                poll.clone(),
                cause,
                poll.clone(),
                until_logged(ended),
                format!("burst {BURST}"),
                "read victim".to_owned(),
                "read off".to_owned(),
                "read pinned".to_owned(),
            ]);
            let of_victim = answers.iter().rfind(|answer| answer.starts_with("victim "));
            let of_victim = of_victim.unwrap_or_else(|| panic!("{answers:?}"));
            counts_in_part(of_victim, "victim", victim.count(0, BURST));
            assert_eq!(reads(&answers, "off"), [Some(0)], "{answers:?}");
            counts(&answers, "pinned", &beside, 0, &[2]);
        }
        session.ok("echo 1 > /sys/bus/pci/rescan");
        session.ok(UNLOAD);
    });
}

/// Counts that were read before the driver found the write stay, and nothing is added.
#[test]
fn what_was_read_is_not_taken_back() {
    loaded(|session| {
        let victim = Probe::cbox(0, "llc_lookup.any");
        let answers = session.perf_open(&[
            victim.open("victim", 0),
            format!("burst {BURST}"),
            "read victim".to_owned(),
            "run wrmsr -p 0 0xd14 0x20000".to_owned(),
            format!("burst {BURST}"),
            LONG.to_owned(),
            "disable victim".to_owned(),
            "read victim".to_owned(),
        ]);
        counts(&answers, "victim", &victim, 0, &[1, 1]);
    });
}

/// The leader of a group ends; the group counts as a whole or not at all.
#[test]
fn a_group_ends_with_one_of_its_events() {
    loaded(|session| {
        let (leader, member) = (
            Probe::cbox(0, "misc.started"),
            Probe::cbox(0, "llc_lookup.any"),
        );
        let answers = session.perf_open(&[
            leader.open("leader", 0),
            member.open_in("member", 0, "leader"),
            "run wrmsr -p 0 0xd14 0x20000".to_owned(),
            format!("burst {BURST}"),
            LONG.to_owned(),
            "disable leader".to_owned(),
            "read leader".to_owned(),
            "read member".to_owned(),
            "enable leader".to_owned(),
            format!("burst {BURST}"),
            "read leader".to_owned(),
            "read member".to_owned(),
        ]);
        counts(&answers, "leader", &leader, 0, &[1, 1]);
        counts(&answers, "member", &member, 0, &[0, 0]);
        let pair = vec![vec![leader.into(), member.into()]];
        session.counts_groups(BURST, Platform::packages(), &pair);
    });
}

/// The freeze bit cannot be read back: the first event of an idle box releases a freeze
/// by another tool.
#[test]
fn a_box_that_somebody_left_frozen_counts() {
    loaded(|session| {
        for bus in ["7f", "ff"] {
            session.ok(&format!("setpci -s {bus}:10.4 f4.l=30100"));
            session.ok(&format!("setpci -s {bus}:0e.1 f4.l=30100"));
        }
        for cpu in [0, 2] {
            session.ok(&format!("wrmsr -p {cpu} 0xd04 0x30100"));
            session.ok(&format!("wrmsr -p {cpu} 0xd14 0x20000"));
        }
        let probes = [
            Probe::cbox(0, "llc_lookup.any"),
            Probe::imc(0, "cas_count.rd"),
            Probe::ha(0, "requests.reads"),
        ];
        session.counts(BURST, Platform::packages(), &Wanted::all(probes));
    });
}

/// Words of the log for an event that counts on.
const WARNED: &str = "may be wrong: another tool";

/// The module sets each register back. An event counts what was asked from then on, and is
/// named once, however often the register is written.
#[test]
fn with_a_warning_an_event_counts_on() {
    on(&without_driver().with_jumps(), |session| {
        session.ok(&format!("{LOAD} overflow=poll tamper=warn"));
        for tampering in tamperings().iter().chain(&freezes()) {
            let Tampering { victim, beside, .. } = tampering;
            let before = tampered(session);
            new_log(session);
            let mut steps = opened(tampering);
            for _ in 0..2 {
                steps.extend([
                    format!("run {}", tampering.command),
                    verifying_polls(),
                    "read victim".to_owned(),
                    format!("burst {BURST}"),
                    "read victim".to_owned(),
                ]);
            }
            steps.extend([
                until_logged(WARNED),
                "read beside".to_owned(),
                "read elsewhere".to_owned(),
            ]);
            let answers = session.perf_open(&steps);
            let each = victim.count(0, BURST);
            let [Some(first), Some(second), Some(third), Some(fourth)] =
                reads(&answers, "victim")[..]
            else {
                panic!("{answers:?}");
            };
            assert_eq!([second - first, fourth - third], [each; 2], "{answers:?}");
            counts(&answers, "beside", beside, 0, &[3]);
            counts(&answers, "elsewhere", victim, 1, &[3]);
            let log = new_log(session);
            let warned = |name: &str| log.matches(name).count();
            assert_eq!(warned(ENDED), 0, "{log}");
            assert!(warned(&tampering.register[..10]) > 0, "{log}");
            let events = tampered(session)[0] - before[0];
            assert_eq!(u64::try_from(warned(WARNED)).expect("few"), events, "{log}");
            let name = format!("{} of ", tampering.called());
            let lines = log.lines().filter(|line| line.contains(WARNED));
            let named = lines.filter(|line| line.contains(&name)).count();
            assert_eq!(named, 1, "{log}");
        }
        session.ok(UNLOAD);
    });
}

/// A poll and an event that stops read the counter, and no other register.
#[test]
fn without_verification_nothing_is_read_and_nobody_told() {
    on(&without_driver().with_jumps(), |session| {
        session.ok(&format!("{LOAD} overflow=poll tamper=off"));
        let victim = Probe::cbox(0, "llc_lookup.any");
        let before = tampered(session);
        new_log(session);
        let answers = session.perf_open(&[
            victim.open("victim", 0),
            victim.open("elsewhere", 2),
            format!("burst {BURST}"),
            "machine log on".to_owned(),
            "run wrmsr -p 0 0xd14 0x20000".to_owned(),
            verifying_polls(),
            "disable victim".to_owned(),
            "machine log take".to_owned(),
            "machine log off".to_owned(),
            "read victim".to_owned(),
        ]);
        counts(&answers, "victim", &victim, 0, &[1]);
        let accesses = |words: &str| answers.iter().filter(|line| line.contains(words)).count();
        let registers = ["0xd04", "0xd10", "0xd11", "0xd12", "0xd13", "0xd14"];
        for register in registers {
            assert_eq!(accesses(&format!("rdmsr 0 {register}")), 0, "{answers:?}");
        }
        assert!(accesses("rdmsr 0 0xd1") > 0, "{answers:?}");
        assert_eq!(tampered(session), before);
        let log = new_log(session);
        assert!(!log.contains("uncore_rs"), "{log}");
        session.ok(UNLOAD);
    });
}

/// The enable bit of all counters, fixed ones too, reads 0.
#[test]
fn an_enable_bit_that_cannot_be_read_back_ends_no_event() {
    on(&without_driver().with_jumps(), |session| {
        let kinds = [
            "ubox", "pcu", "cbox", "ha", "imc", "irp", "qpi", "r2pcie", "r3qpi",
        ];
        for kind in kinds {
            session.ok(&format!("machine defect reads {kind} 22 0"));
        }
        session.ok(&format!("{LOAD} overflow=poll"));
        let probes = [
            Probe::cbox(0, "llc_lookup.any"),
            Probe::ubox("clockticks"),
            Probe::ubox("lock_cycles"),
            Probe::imc(0, "clockticks"),
            Probe::ha(0, "requests.reads"),
            Probe::pcu("vr_hot_cycles"),
        ];
        for probe in &probes {
            let answers = session.perf_open(&[
                probe.open("event", 0),
                probe.open("elsewhere", 2),
                format!("burst {BURST}"),
                verifying_polls(),
                format!("burst {BURST}"),
                "disable event".to_owned(),
                "read event".to_owned(),
            ]);
            counts(&answers, "event", probe, 0, &[2]);
        }
        assert_eq!(tampered(session), [0, 0]);
        session.ok(UNLOAD);
    });
}
