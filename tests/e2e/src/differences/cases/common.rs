// SPDX-License-Identifier: GPL-2.0

//! Questions for all platforms.

use super::super::ask::{right, Asked, BURST, REFUSED};
use super::super::{Case, Machine};
use crate::catalogue::BoxKind;
use crate::fixture::probe::{PacketField, Probe, Words};
use crate::perf::Event;

pub(crate) const FILTER_NOT_TAKEN: Case = Case {
    question: "C-Box, MISC.STARTED with an opcode filter, which it does not take",
    machine: Machine::Usual,
    right: refused,
    ask: |asked| asked.count("cbox_0", Probe::cbox(0, "misc.started").opc(0x182).words()),
};

pub(crate) const UNOWNED_BIT: Case = Case {
    question: "iMC, CAS_COUNT.RD with a config bit that no field owns",
    machine: Machine::Usual,
    right: refused,
    ask: |asked| asked.count("imc_0", Words([0x1_0000_0304, 0, 0])),
};

pub(crate) const OCC_EDGE: Case = Case {
    question: "PCU, how often more than four cores came to C3: POWER_STATE_OCCUPANCY with \
               ``occ_sel=2,thresh=5,occ_edge=1``",
    machine: Machine::Usual,
    right: || {
        right(
            &Probe::pcu("power_state_occupancy.cores_c3")
                .thresh(5)
                .occ_edge(),
        )
    },
    ask: |asked| asked.perf(&asked.event("pcu", "event=0x80,occ_sel=2,thresh=5,occ_edge=1")),
};

pub(crate) const HOME_OPCODE: Case = Case {
    question: "HA, ADDR_OPC_MATCH.OPC of PrefetchHint (opcode 0x3f)",
    machine: Machine::Usual,
    right: || right(&prefetch_hints()),
    ask: |asked| asked.count("ha_0", prefetch_hints().words()),
};

pub(crate) const CBOXES_FOUND: Case = Case {
    question: "C-Boxes found in a package that has three and two cores",
    machine: Machine::Usual,
    right: || "3".to_owned(),
    ask: |asked| asked.pmus("cbox_").to_string(),
};

pub(crate) const BAND_3: Case = Case {
    question: "PCU, FREQ_BAND3_CYCLES with ``filter_band3=30``",
    machine: Machine::Usual,
    right: || right(&band_3()),
    ask: |asked| asked.count("pcu", band_3().words()),
};

pub(crate) const THREE_OF_A_SET: Case = Case {
    question: "IRP, a group of three times TRANSACTIONS.READS, if the counters are where \
               ``intel_uncore`` looks for them; a set of counters has two",
    machine: Machine::KernelIrp,
    right: refused,
    ask: |asked| {
        let reads = Probe::irp(0, "transactions.reads").words();
        asked.counts("irp", &[reads; 3], true)
    },
};

pub(crate) const CBOX_BEHIND_A_GAP: Case = Case {
    question: "C-Box 3, LLC_VICTIMS.M_STATE in a package that has C-Boxes 0, 1 and 3",
    machine: Machine::Sparse,
    right: || right(&victims()),
    ask: |asked| asked.count("cbox_3", victims().words()),
};

pub(crate) const HIDDEN_MATCH: Case = Case {
    question: "QPI port 0, CTO_COUNT of snoops while firmware hides the function with the \
               packet match",
    machine: Machine::Unloaded,
    right: refused,
    ask: behind_a_hidden_match,
};

pub(crate) const NO_MMCONFIG: Case = Case {
    question: "QPI port 0, CTO_COUNT of snoops on a kernel that cannot reach registers above \
               0xff (``pci=nommconf``), where the packet match is",
    machine: Machine::WithoutMmconfig,
    right: refused,
    ask: |asked| asked.count("qpi_0", snoops(0).words()),
};

pub(crate) const RESCAN: Case = Case {
    question: "iMC, CAS_COUNT.RD of a channel that was removed and found again",
    machine: Machine::Unloaded,
    right: || right(&Probe::imc(0, "cas_count.rd")),
    ask: after_a_rescan,
};

pub(crate) const WORDS: Case = Case {
    question: "What is said of a refusal, that of CAS_COUNT.RD with a period, as for sampling",
    machine: Machine::Usual,
    right: || IN_WORDS.to_owned(),
    ask: |asked| words_of_a_refusal(asked, "imc_0", 0x304),
};

pub(crate) fn refused() -> String {
    REFUSED.to_owned()
}

/// Answer of a driver that gives a reason.
pub(crate) const IN_WORDS: &str = "refused, in a sentence";

/// Returns what is said of a refusal, that of an event with a period.
pub(crate) fn words_of_a_refusal(asked: &mut Asked, unit: &str, config: u64) -> String {
    let pmu = asked.pmu(unit);
    let open = format!("open asked pmu={pmu} config={config:#x} period=1000 cpu=0");
    let answer = asked.session.perf_open(&[open]).concat();
    let listed = asked
        .session
        .run("tail -n 1 /sys/kernel/debug/*uncore*/rejections");
    match answer.strip_prefix("asked E") {
        None => answer,
        Some(_) if listed.stdout.contains(&format!("{unit}: ")) => IN_WORDS.to_owned(),
        Some(errno) => format!("E{errno}"),
    }
}

/// Returns the count of two bursts; before the second the enable bit is lost, and there is
/// time to notice.
pub(crate) fn around_a_loss(asked: &mut Asked, unit: &str, probe: &Probe) -> String {
    let answers = asked.session.perf_open(&[
        format!("open event pmu={} {} cpu=0", asked.pmu(unit), probe.words()),
        format!("burst {BURST}"),
        "machine lose-enable 0".to_owned(),
        "pause 200000".to_owned(),
        format!("burst {BURST}"),
        "read event".to_owned(),
    ]);
    let read = answers.last().and_then(|answer| answer.split(' ').nth(1));
    read.unwrap_or("?").to_owned()
}

/// Returns the count of two bursts.
pub(crate) fn of_two_bursts(probe: &Probe) -> String {
    (2 * probe.count(0, BURST)).to_string()
}

fn band_3() -> Probe {
    Probe::pcu("freq_band3_cycles").band(3, 30)
}

fn victims() -> Probe {
    Probe::cbox(3, "llc_victims.m_state")
}

pub(crate) fn prefetch_hints() -> Probe {
    Probe::ha(0, "addr_opc_match.opc").home_opcode(0x3f)
}

/// Loads the driver for a question.
pub(crate) fn while_loaded(asked: &mut Asked, ask: impl Fn(&mut Asked) -> String) -> String {
    asked.load();
    let answer = ask(asked);
    asked.unload();
    answer
}

/// Returns the count of the first event that a driver programs on a box.
pub(crate) fn first(asked: &mut Asked, unit: &str, words: Words) -> String {
    while_loaded(asked, |asked| asked.count(unit, words))
}

fn behind_a_hidden_match(asked: &mut Asked) -> String {
    let function = format!("7f:{}", crate::catalogue::packet_functions()[0]);
    asked.session.machine(&format!("hide {function}"));
    let answer = first(asked, "qpi_0", snoops(0).words());
    asked.session.machine(&format!("show {function}"));
    answer
}

fn after_a_rescan(asked: &mut Asked) -> String {
    let function = BoxKind::Imc.function(0).unwrap_or_default();
    let device = format!("/sys/bus/pci/devices/0000:7f:{function}");
    while_loaded(asked, |asked| {
        asked.session.ok(&format!(
            "echo 1 > {device}/remove && echo 1 > /sys/bus/pci/rescan && ls -d {device}"
        ));
        asked.count("imc_0", Probe::imc(0, "cas_count.rd").words())
    })
}

/// Snoops that a QPI port receives, by the match of packets.
pub(crate) fn snoops(port: u8) -> Probe {
    Probe::qpi(port, "cto_count").packet(PacketField::Mc, 3, 0xf)
}

impl Asked<'_> {
    pub(crate) fn event(&self, unit: &str, terms: &str) -> Event {
        Event::new(self.pmu(unit), terms)
    }
}
