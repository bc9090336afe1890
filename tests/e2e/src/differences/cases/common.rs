// SPDX-License-Identifier: GPL-2.0

//! Questions for several platforms.

use super::super::ask::{right, Asked, BURST};
use super::super::{Case, Machine};
use crate::catalogue::BoxKind;
use crate::fixture::{probe::Probe, Function};

pub(crate) const FILTER_NOT_TAKEN: Case = Case::refuse(
    "C-Box, MISC.STARTED with an opcode filter, which it does not take",
    |asked| asked.count(&Probe::cbox(0, "misc.started").opc(0x182)),
);

pub(crate) const UNOWNED_BIT: Case = Case::refuse(
    "iMC, CAS_COUNT.RD with a config bit that no field owns",
    |asked| asked.raw("imc_0", [0x1_0000_0304, 0, 0]),
);

pub(crate) const OCC_EDGE: Case = Case::other(
    "PCU, how often more than four cores came to C3: POWER_STATE_OCCUPANCY with \
     ``occ_sel=2,thresh=5,occ_edge=1``",
    || {
        let cores = Probe::pcu("power_state_occupancy.cores_c3");
        right(&cores.thresh(5).occ_edge())
    },
    |asked| asked.perf("pcu", "event=0x80,occ_sel=2,thresh=5,occ_edge=1"),
);

pub(crate) const HOME_OPCODE: Case = Case::count(
    "HA, ADDR_OPC_MATCH.OPC of PrefetchHint (opcode 0x3f)",
    || Probe::ha(0, "addr_opc_match.opc").home_opcode(0x3f),
);

pub(crate) const CBOXES_FOUND: Case = Case::other(
    "C-Boxes found in a package that has three and two cores",
    || "3".to_owned(),
    |asked| asked.pmus("cbox_").to_string(),
);

pub(crate) const BAND_3: Case =
    Case::count("PCU, FREQ_BAND3_CYCLES with ``filter_band3=30``", || {
        Probe::pcu("freq_band3_cycles").band(3, 30)
    });

pub(crate) const THREE_OF_A_SET: Case = Case::refuse(
    "IRP, a group of three times TRANSACTIONS.READS, if the counters are where \
     ``intel_uncore`` looks for them; a set of counters has two",
    |asked| asked.group_of(3, &Probe::irp(0, "transactions.reads")),
)
.on(Machine::KernelIrp);

pub(crate) const CBOX_BEHIND_A_GAP: Case = Case::count(
    "C-Box 3, LLC_VICTIMS.M_STATE in a package that has C-Boxes 0, 1 and 3",
    || Probe::cbox(3, "llc_victims.m_state"),
)
.on(Machine::Sparse);

pub(crate) const HIDDEN_MATCH: Case = Case::refuse(
    "QPI port 0, CTO_COUNT of snoops while firmware hides the function with the \
     packet match",
    |asked| {
        let function = Function::of_filters(0, 0).expect("a function");
        asked.session.machine(&format!("hide {function}"));
        let answer = asked.first(&snoops(0));
        asked.session.machine(&format!("show {function}"));
        answer
    },
)
.on(Machine::Unloaded);

pub(crate) const NO_MMCONFIG: Case = Case::refuse(
    "QPI port 0, CTO_COUNT of snoops on a kernel that cannot reach registers above \
     0xff (``pci=nommconf``), where the packet match is",
    |asked| asked.count(&snoops(0)),
)
.on(Machine::WithoutMmconfig);

pub(crate) const RESCAN: Case = Case::other(
    "iMC, CAS_COUNT.RD of a channel that was removed and found again",
    || right(&Probe::imc(0, "cas_count.rd")),
    |asked| {
        let device = Function::of(0, BoxKind::Imc, 0)
            .expect("a function")
            .folder();
        asked.while_loaded(|asked| {
            asked.session.ok(&format!(
                "echo 1 > {device}/remove && echo 1 > /sys/bus/pci/rescan && ls -d {device}"
            ));
            asked.count(&Probe::imc(0, "cas_count.rd"))
        })
    },
)
.on(Machine::Unloaded);

pub(crate) const WORDS: Case = Case::other(
    "What is said of a refusal, that of CAS_COUNT.RD with a period, as for sampling",
    || IN_WORDS.to_owned(),
    |asked| words_of_a_refusal(asked, "imc_0", 0x304),
);

// Event names that perf itself has for more than one platform. They belong to perf and not to
// the driver; but a driver can refuse an event whose name leaves out a part that it needs.

pub(crate) const HOM_REQ: Case = Case::refuse(
    "perf's own event unc_q_txl_flits_g1.hom_req, from which perf leaves out the \
     extended select",
    |asked| asked.perfs_own("unc_q_txl_flits_g1.hom_req"),
);

pub(crate) const TOR_OPCODE: Case = Case::refuse(
    "perf's own event unc_c_tor_inserts.opcode, which names no opcode",
    |asked| asked.perfs_own("unc_c_tor_inserts.opcode"),
);

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
pub(crate) fn around_a_loss(asked: &mut Asked, probe: &Probe) -> String {
    let pmu = asked.pmu(&probe.kind.box_name(probe.instance));
    let answers = asked.session.perf_open(&[
        format!("open event pmu={pmu} {} cpu=0", probe.words()),
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

/// Returns the count of an event in all three boxes of a package.
pub(crate) fn of_all_cboxes(name: &str) -> String {
    let boxes = (0..3).map(|instance| Probe::cbox(instance, name));
    let sum: u64 = boxes.map(|probe| probe.count(0, BURST)).sum();
    sum.to_string()
}

/// Snoops that a QPI port receives, by the match of packets.
pub(crate) fn snoops(port: u8) -> Probe {
    Probe::qpi(port, "cto_count").packet("mc", 3, 0xf)
}
