// SPDX-License-Identifier: GPL-2.0

//! Questions, each about a known defect of the kernel's own driver; the machine gives the
//! answers.

mod names;

use super::ask::{right, Asked, BURST, REFUSED};
use super::{Case, Machine};
use crate::catalogue::BoxKind;
use crate::fixture::probe::{Probe, Words};
use crate::perf::Event;

/// All questions.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    DRIVER.iter().chain(names::CASES)
}

/// Questions about the driver itself.
const DRIVER: &[Case] = &[
    Case {
        question: "C-Box, MISC.STARTED with an opcode filter, which it does not take",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("cbox_0", Words([0x439, 0x182 << 52, 0])),
    },
    Case {
        question: "iMC, CAS_COUNT.RD with a config bit that no field owns",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.count("imc_0", Words([0x1_0000_0304, 0, 0])),
    },
    Case {
        question: "iMC, CAS_COUNT.RD with ``thresh=1,inv=1``; the hardware cannot invert",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| asked.perf(&asked.event("imc_0", "event=0x04,umask=0x03,thresh=1,inv=1")),
    },
    Case {
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
    },
    Case {
        question: "PCU, DELAYED_C_STATE_ABORT_CORE7, which needs the extended select",
        machine: Machine::Usual,
        right: || right(&Probe::pcu("delayed_c_state_abort_core7")),
        ask: |asked| asked.count("pcu", Probe::pcu("delayed_c_state_abort_core7").words()),
    },
    Case {
        question: "PCU, DEMOTIONS_CORE0 of reason 0x10",
        machine: Machine::Usual,
        right: || right(&demotions()),
        ask: |asked| asked.count("pcu", demotions().words()),
    },
    Case {
        question: "HA, ADDR_OPC_MATCH.OPC of PrefetchHint (opcode 0x3f)",
        machine: Machine::Usual,
        right: || right(&prefetch_hints()),
        ask: |asked| asked.count("ha_0", prefetch_hints().words()),
    },
    Case {
        question: "C-Box, a group of QLRU.AGE0 to AGE3; two counters can count them",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| {
            let ages = [0, 1, 2, 3].map(|age| Probe::cbox(0, &format!("qlru.age{age}")).words());
            asked.counts("cbox_0", &ages, true)
        },
    },
    Case {
        question: "R2PCIe, RxR_OCCUPANCY.DRS beside CLOCKTICKS; counter 0 alone can count it",
        machine: Machine::Usual,
        right: || format!("{BURST}, {}", right(&Probe::r2pcie("rxr_occupancy.drs"))),
        ask: |asked| {
            let both = ["clockticks", "rxr_occupancy.drs"].map(|name| Probe::r2pcie(name).words());
            asked.counts("r2pcie", &both, false)
        },
    },
    Case {
        question: "IRP, a group of three times TRANSACTIONS.READS; a set of counters has two",
        machine: Machine::Usual,
        right: refused,
        ask: |asked| {
            let reads = Probe::irp(0, "transactions.reads").words();
            asked.counts("irp", &[reads; 3], true)
        },
    },
    Case {
        question: "C-Boxes found in a package that has three and two cores",
        machine: Machine::Usual,
        right: || "3".to_owned(),
        ask: |asked| asked.pmus("cbox_").to_string(),
    },
    Case {
        question: "QPI port 0, CTO_COUNT of snoops while firmware hides the function with the \
                   packet match",
        machine: Machine::Unloaded,
        right: refused,
        ask: behind_a_hidden_match,
    },
    Case {
        question: "QPI port 0, CTO_COUNT of snoops on a kernel that cannot reach registers above \
                   0xff (``pci=nommconf``), where the packet match is",
        machine: Machine::WithoutMmconfig,
        right: refused,
        ask: |asked| asked.count("qpi_0", Probe::qpi(0, "message.snp.anysnp").words()),
    },
    Case {
        question: "QPI port 2 of an E7, CTO_COUNT of snoops",
        machine: Machine::Large,
        right: || right(&Probe::qpi(2, "message.snp.anysnp")),
        ask: |asked| asked.count("qpi_2", Probe::qpi(2, "message.snp.anysnp").words()),
    },
    Case {
        question: "iMC, CAS_COUNT.RD of a channel that was removed and found again",
        machine: Machine::Unloaded,
        right: || right(&Probe::imc(0, "cas_count.rd")),
        ask: after_a_rescan,
    },
    Case {
        question: "What is said of a refusal, that of CAS_COUNT.RD with a period, as for sampling",
        machine: Machine::Usual,
        right: || IN_WORDS.to_owned(),
        ask: words_of_a_refusal,
    },
];

fn refused() -> String {
    REFUSED.to_owned()
}

/// Answer of a driver that gives a reason.
const IN_WORDS: &str = "refused, in a sentence";

fn words_of_a_refusal(asked: &mut Asked) -> String {
    let pmu = asked.pmu("imc_0");
    let open = format!("open asked pmu={pmu} config=0x304 period=1000 cpu=0");
    let answer = asked.session.perf_open(&[open]).concat();
    let listed = asked
        .session
        .run("tail -n 1 /sys/kernel/debug/*uncore*/rejections");
    match answer.strip_prefix("asked E") {
        None => answer,
        Some(_) if listed.stdout.contains("imc_0: ") => IN_WORDS.to_owned(),
        Some(errno) => format!("E{errno}"),
    }
}

fn demotions() -> Probe {
    Probe::pcu("demotions_core0").band(0, 0x10)
}

fn prefetch_hints() -> Probe {
    Probe::ha(0, "addr_opc_match.opc").home_opcode(0x3f)
}

fn behind_a_hidden_match(asked: &mut Asked) -> String {
    let function = format!("7f:{}", crate::catalogue::packet_functions()[0]);
    asked.session.machine(&format!("hide {function}"));
    asked.load();
    let answer = asked.count("qpi_0", Probe::qpi(0, "message.snp.anysnp").words());
    asked.unload();
    asked.session.machine(&format!("show {function}"));
    answer
}

fn after_a_rescan(asked: &mut Asked) -> String {
    let function = BoxKind::Imc.function(0).unwrap_or_default();
    let device = format!("/sys/bus/pci/devices/0000:7f:{function}");
    asked.load();
    asked.session.ok(&format!(
        "echo 1 > {device}/remove && echo 1 > /sys/bus/pci/rescan && ls -d {device}"
    ));
    let answer = asked.count("imc_0", Probe::imc(0, "cas_count.rd").words());
    asked.unload();
    answer
}

impl Asked<'_> {
    fn event(&self, unit: &str, terms: &str) -> Event {
        Event::new(self.pmu(unit), terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_differ_and_have_answers() {
        let mut questions: Vec<&str> = cases().map(|case| case.question).collect();
        questions.sort_unstable();
        questions.dedup();
        assert_eq!(questions.len(), cases().count());
        assert!(cases().all(|case| !(case.right)().is_empty()));
    }

    #[test]
    fn the_wrong_answers_that_are_expected_are_not_the_right_ones() {
        let unfiltered = Probe::cbox(0, "misc.started").count(0, BURST);
        assert_ne!((DRIVER[0].right)(), unfiltered.to_string());
        let read_current = prefetch_hints().home_opcode(0);
        assert_ne!(right(&prefetch_hints()), right(&read_current));
        assert_ne!(right(&demotions()), "0");
    }
}
