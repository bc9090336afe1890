// SPDX-License-Identifier: GPL-2.0

//! Output of `explain`.

use std::collections::BTreeSet;

use uncore::explain::Explanation;
use uncore::system::{Event, Pmu, System, Value};
use uncore_catalogue::{Facts, Platform, Row};

use crate::recording::{assert_has, Recording};

fn explain(event: &str) -> String {
    Recording::two_packages()
        .run(&["explain", "-e", event])
        .text
}

fn assert_says(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(
            text.lines().any(|said| said.trim() == *line),
            "no {line:?} in\n{text}"
        );
    }
}

#[test]
fn a_named_event_with_its_filter() {
    for event in [
        "ivbep_uncore_cbox_0/llc_lookup.nid,filter_nid=1/",
        "ivbep_uncore_cbox_0/LLC_LOOKUP.NID,filter_nid=0x1,name=mine/",
        "uncore_cbox_0/event=0x34,umask=0x41,filter_nid=1/",
        "cbox_0/config=0x4134,config1=4294967296/",
        "ivbep_uncore_cbox_0/llc_lookup.nid,filter_nid=01",
    ] {
        let text = explain(event);
        assert_says(
            &text,
            &[
                "ivbep_uncore_cbox_0: 4 counters of 44 bits",
                "event    llc_lookup.nid: event=0x34,umask=0x41,filter_nid=?",
                "words    config=0x4134,config1=0x100000000",
                "counts   on CPU 0,2, one for each package that has the box",
                "filter_nid  0x1   config1:32-47  counts only what has this value",
            ],
        );
        assert!(!text.contains("not accepted"), "{text}");
    }
}

#[test]
fn without_index_it_is_all_boxes() {
    for pmu in ["ivbep_uncore_cbox", "uncore_cbox", "cbox"] {
        let text = explain(&format!("{pmu}/clockticks/"));
        assert!(text.starts_with("ivbep_uncore_cbox_N, N = 0-2: "), "{text}");
    }
    let text = Recording::compat()
        .run(&["explain", "-e", "uncore_qpi/clockticks/"])
        .text;
    assert!(text.starts_with("uncore_qpi_N, N = 0-1: "), "{text}");
}

#[test]
fn an_event_of_broadwell() {
    let recording = Recording::broadwell();
    let text = recording
        .run(&[
            "explain",
            "-e",
            "uncore_sbox/ring_ad_used.up,inv=1,thresh=2/",
        ])
        .text;
    assert_says(
        &text,
        &[
            "bdx_uncore_sbox_N, N = 0-3: 4 counters of 48 bits",
            "event    ring_ad_used.up: event=0x1b,umask=0x03",
            "words    config=0x280031b",
            "inv     0x1   config:23     counts clocks with less than thresh",
        ],
    );
    let error = recording.error(&["explain", "-e", "cbox_22/clockticks/"]);
    assert_has(&error, &["cbox_22: it is fused off"]);
    let name = "N = 0-21: 4 counters of 48 bits";
    let compat = Recording::broadwell_compat().run(&["explain", "-e", "uncore_cbox/clockticks/"]);
    assert!(compat.text.contains(name), "{}", compat.text);
}

#[test]
fn an_event_alone_where_it_is_clear() {
    let text = explain("message.drs.anydatac");
    assert_says(
        &text,
        &["words    config=0x200038,config1=0x1c00,config2=0x1f80"],
    );
    let recording = Recording::two_packages();
    let error = recording.error(&["explain", "-e", "clockticks"]);
    assert_has(
        &error,
        &["name the PMU, as in ivbep_uncore_cbox/clockticks/"],
    );
    let error = recording.error(&["explain", "-e", "cas_cuont.rd"]);
    let question = "no PMU has an event cas_cuont.rd; did you mean imc/cas_count.rd/";
    assert!(error.starts_with(question), "{error}");
}

#[test]
fn a_scale_is_shown() {
    let text = explain("imc/cas_count.rd/");
    assert_says(&text, &["one count is 6.103515625e-5 MiB"]);
}

#[test]
fn says_what_an_event_is_for() {
    let text = explain("imc/cas_count.rd/");
    assert_has(
        &text,
        &[
            "\nmeaning  Read and write commands (CAS) that the channel sends to DRAM; ",
            "\nmetrics  imc.mem_bw_reads",
            "\ntry      perf stat -a --per-socket -e ivbep_uncore_imc/cas_count.rd/ sleep 1\n",
            "\nterms    Memory channel: ",
            "\n         CAS: Column access strobe: ",
        ],
    );
    let text = explain("cbox/tor_inserts.nid_miss_opcode,filter_opc=0x182,thresh=1/");
    let terms = "tor_inserts.nid_miss_opcode,filter_opc=0x182,thresh=1,filter_nid=VALUE";
    assert_has(&text, &[&format!(" ivbep_uncore_cbox/{terms}/ ")]);
}

#[test]
fn words_of_the_field() {
    assert!(explain("cas").starts_with("CAS: Column access strobe"));
    assert!(explain("ha").starts_with("Home agent: "));
}

#[test]
fn a_metric() {
    let text = explain("imc.mem_bw_reads");
    assert_eq!(
        text,
        "metric   imc.mem_bw_reads, in B\n\
         meaning  Data read from memory\n\
         formula  cas_count.rd * cache_line\n\
         try      uncore stat -M imc.mem_bw_reads\n"
    );
    let both = explain("cyc_used_upeven");
    assert_has(
        &both,
        &["metric   cbox.cyc_used_upeven", "metric   r2pcie."],
    );
    assert!(explain("pct_cycles_dram_rank3_in_cke").starts_with("metric   imc."));
    assert!(explain("memory_read_bytes").starts_with("metric   imc."));
    assert_has(explain("llc_mpi"), &["left out Divides by instructions"]);
}

#[test]
fn more_than_the_name_says_is_shown() {
    let text = explain("qpi_0/message.drs.anydatac,match_dnid=1,mask_dnid=0x1f/");
    assert_has(&text, &["message.drs.anydatac: ", "match_dnid  0x1"]);
    assert!(!text.contains("match0"), "{text}");
    let raw = explain("qpi_0/config=0x200038,config1=0x3c00,config2=0x3ff80/");
    assert_has(&raw, &["event    message.drs.anydatac: "]);
}

/// Explains an event that perf and the module must accept.
fn accepted(system: &System, event: &str) -> String {
    let said = Explanation::new(system, event).expect("an event");
    let said = said.to_string();
    assert!(!said.contains("\nnot accepted"), "{event}\n{said}");
    said
}

/// The config words that an explanation shows, and all after them.
fn words_and_rest(said: &str) -> (&str, &str) {
    let (_, words) = said.split_once("\nwords    ").expect("words");
    words.split_once('\n').expect("more lines")
}

#[test]
fn every_named_event_is_found_again_by_its_words() {
    for recording in Recording::of_all_processors() {
        let system = System::with_pmus(&recording.path("")).expect("PMUs");
        for pmu in system.pmus.iter().filter(|pmu| pmu.index.unwrap_or(0) == 0) {
            for event in pmu.events() {
                let mut named = vec![event.name.clone()];
                named.extend(event.needs().map(|field| format!("{field}=1")));
                let named = format!("{}/{}/", pmu.name, named.join(","));
                let by_name = accepted(&system, &named);
                let (words, rest) = words_and_rest(&by_name);
                let by_words = accepted(&system, &format!("{}/{words}/", pmu.name));
                assert_eq!(words_and_rest(&by_words), (words, rest), "{}", event.name);
                let line = format!("{}: {}", event.name, event.encoding);
                assert!(by_name.contains(&line), "{line}\n{by_name}");
                assert!(by_words.contains(&line), "{line}\n{by_words}");
            }
        }
    }
}

/// The event select and the sub-event of an event, with the extended select as bit 8, as the
/// reference data have them.
fn selects(event: &Event) -> (u64, u64) {
    let value = |field: &str| {
        let term = event.terms.iter().find(|term| term.field == field);
        term.map_or(0, |term| match term.value {
            Value::Number(number) => number,
            Value::Asked => 0,
        })
    };
    (value("event"), value("umask") | value("occ_sel") << 6)
}

/// Returns the rows of a platform without an event, as its page in Documentation/admin-guide/perf
/// tells.
fn nameless(platform: &str) -> &'static [&'static str] {
    let mut all = uncore_metrics::Platform::ALL.into_iter();
    let like = all.find(|known| known.name == platform);
    let like = like.and_then(|known| known.like);
    match platform {
        "ivbep" => &NAMELESS_OF_IVY_BRIDGE,
        _ if like == Some("ivbep") => &NAMELESS_OF_IVY_BRIDGE[..2],
        "bdx" => &NAMELESS,
        _ if like == Some("bdx") => &NAMELESS[1..],
        _ => &[],
    }
}

/// Those of Ivy Bridge-EP. Platforms like it have the first two.
const NAMELESS_OF_IVY_BRIDGE: [&str; 7] = [
    "UBOX.FILTER_MATCH.ENABLE",
    "UBOX.FILTER_MATCH.U2C_ENABLE",
    // Limits other sub-events, with which it has names.
    "IRP.TRANSACTIONS.ORDERINGQ",
    "PCU.PKG_C_STATE_RESIDENCY_C0_CYCLES.",
    "PCU.PKG_C_STATE_RESIDENCY_C2_CYCLES.",
    "PCU.PKG_C_STATE_RESIDENCY_C3_CYCLES.",
    "PCU.PKG_C_STATE_RESIDENCY_C6_CYCLES.",
];

/// Those of Broadwell. Platforms like it have the first.
const NAMELESS: [&str; 9] = [
    "HA.CONFLICT_CYCLES.",
    // The hardware needs pairs, which have names.
    "IRP.SNOOP_RESP.MISS",
    "IRP.SNOOP_RESP.HIT_I",
    "IRP.SNOOP_RESP.HIT_ES",
    "IRP.SNOOP_RESP.HIT_M",
    "IRP.SNOOP_RESP.SNPCODE",
    "IRP.SNOOP_RESP.SNPDATA",
    "IRP.SNOOP_RESP.SNPINV",
    "IRP.TRANSACTIONS.ORDERINGQ",
];

/// Events that more than an event select and an umask selects are compared by name.
#[test]
fn every_event_of_the_reference_data_has_a_name() {
    for recording in Recording::of_all_processors() {
        let mut all = Facts::all().iter().flat_map(|facts| &facts.processors);
        let processor = all.find(|processor| processor.model == recording.model());
        let processor = processor.expect("a processor of that model");
        let mut platforms = Platform::ALL.into_iter();
        let platform = platforms.find(|platform| platform.name() == processor.name);
        let by_name = platform.is_some_and(Platform::has_sub_registers);
        let system = System::with_pmus(&recording.path("")).expect("PMUs");
        let mut left_out = Vec::new();
        for row in &processor.rows {
            let select = u64::from(row.code) | u64::from(row.ext.unwrap_or_default()) << 8;
            let wanted = (select, u64::from(row.umask));
            let is_it = |event: &Event| {
                if by_name {
                    names(row).contains(&event.name)
                } else {
                    selects(event) == wanted
                }
            };
            let pmus = system.pmus.iter().filter(|pmu| pmu.unit == unit(row));
            let events = pmus.flat_map(Pmu::events).filter(|event| is_it(event));
            let found: BTreeSet<&str> = events.map(|event| &*event.name).collect();
            if found.is_empty() || by_name && found.len() < names(row).len() {
                left_out.push(format!("{}.{}.{}", row.kind, row.event, row.subevent));
            }
        }
        left_out.sort();
        let mut expected = nameless(&processor.name).to_vec();
        expected.sort_unstable();
        assert_eq!(left_out, expected, "{}", processor.name);
    }
}

/// Returns the box type of a row, as PMUs name it.
fn unit(row: &Row) -> String {
    match row.kind.as_str() {
        "CBO" => "cbox".to_owned(),
        "SBO" => "sbox".to_owned(),
        kind => kind.to_lowercase(),
    }
}

/// Returns the names of the events of a row. The R-Box has each for every port.
fn names(row: &Row) -> Vec<String> {
    let name = [&row.event, ".", &row.subevent].concat().to_lowercase();
    let name = name.trim_end_matches('.');
    match row.kind.as_str() {
        "RBOX" => (0..4).map(|port| format!("port{port}_{name}")).collect(),
        _ => vec![name.to_owned()],
    }
}

#[test]
fn the_modules_reason_is_shown() {
    let outcome = Recording::two_packages().run(&["explain", "-e", "cbox/event=0x35,umask=2/"]);
    assert!(outcome.trouble);
    let text = outcome.text;
    assert_has(
        &text,
        &[
            "sysfs has no name for this event",
            "tor_inserts.all: event=0x35,umask=0x08",
        ],
    );
    // This one lacks only its filter.
    let opcode = explain("cbox/event=0x35,umask=1/");
    assert_has(&opcode, &["tor_inserts.opcode: "]);
    assert_has(
        &text,
        &["umask 0x02 is no sub-event of tor_inserts [EINVAL"],
    );
    let other = explain("cbox_1/event=0x35,umask=2/");
    assert!(!other.contains("refused recently"), "{other}");
    // A user who is not root has a file of the own refusals.
    let recording = Recording::two_packages();
    let refusals = recording.read("sys/kernel/debug/uncore_rs/rejections");
    recording.remove("sys/kernel/debug/uncore_rs/rejections");
    recording.write("sys/module/uncore_rs/rejections", refusals);
    let own = recording.run(&["explain", "-e", "cbox/event=0x35,umask=2/"]);
    assert_eq!(own.text, text);
    let hidden = Recording::hidden()
        .run(&["explain", "-e", "qpi/cto_count/"])
        .text;
    assert_has(&hidden, &["which package 0 lacks: no PCI function of it"]);
}

/// A misspelt name is not the event with the code 0, of which it has the config words.
#[test]
fn a_misspelt_event_is_not_explained() {
    let recording = Recording::two_packages();
    for (event, said) in [
        ("imc/cas_countrd/", "cas_countrd is neither an event nor a field of ivbep_uncore_imc; did you mean cas_count.rd"),
        ("imc/qqq/", "qqq is neither an event nor a field of ivbep_uncore_imc"),
        ("imc/event=4,umsk/", "umsk is neither an event nor a field of ivbep_uncore_imc"),
        ("imc/evnt=4/", "evnt is neither an event nor a field of ivbep_uncore_imc; did you mean event?"),
        ("cbox/event=1,inv=1/", "inv is neither an event nor a field of ivbep_uncore_cbox; its fields are "),
    ] {
        assert_has(recording.error(&["explain", event]), &[said]);
    }
}

/// Names of perf's lists, of LIKWID, and of intel_uncore.
#[test]
fn names_of_other_programs_are_known() {
    let recording = Recording::two_packages();
    for (event, remark) in [
        (
            "unc_m_cas_count.rd",
            "unc_m_cas_count.rd is ivbep_uncore_imc/cas_count.rd/ here",
        ),
        (
            "UNC_Q_TxL_FLITS_G0.DATA",
            "UNC_Q_TxL_FLITS_G0.DATA is ivbep_uncore_qpi/txl_flits_g0.data/ here",
        ),
        (
            "UNC_R2_RING_AD_USED.CW",
            "UNC_R2_RING_AD_USED.CW is ivbep_uncore_r2pcie/ring_ad_used.cw/ here",
        ),
        (
            "CAS_COUNT_RD:MBOX0C0",
            "CAS_COUNT_RD:MBOX0C0 is ivbep_uncore_imc/cas_count.rd/ here",
        ),
        (
            "data_reads",
            "data_reads is ivbep_uncore_imc/cas_count.rd/ here",
        ),
        ("uncore_imc/data_reads/", "data_reads is cas_count.rd here"),
        (
            "imc/cas_count.read/",
            "cas_count.read is cas_count_read here",
        ),
        (
            "qpi_data_bandwidth_tx",
            "qpi_data_bandwidth_tx is ivbep_uncore_qpi/txl_flits_g0.data/ here",
        ),
        (
            "LLC_MISSES.MEM_WRITE",
            "LLC_MISSES.MEM_WRITE is ivbep_uncore_imc/cas_count.wr/ here",
        ),
        (
            "uncore_qpi_0/event=0/",
            "perf does not know uncore_qpi_0, which is ivbep_uncore_qpi_0 here",
        ),
    ] {
        assert_has(&recording.run(&["explain", event]).text, &[remark]);
    }
}

/// The reason of the module is found under the name of the kind, and of perf's events of it.
#[test]
fn boxes_that_are_all_hidden_have_their_reason() {
    let recording = Recording::two_packages();
    let devices = "sys/bus/event_source/devices";
    for name in recording.names(devices) {
        if name.contains("_qpi_") && !name.contains("r3qpi") {
            recording.remove(&format!("{devices}/{name}"));
        }
    }
    let map = "sys/kernel/debug/uncore_rs/topology";
    recording.replace(map, "qpi_2 missing", "qpi_0-2 missing");
    for event in [
        "qpi/txl_flits_g1.drs_data/",
        "ivbep_uncore_qpi/clockticks/",
        "unc_q_clockticks",
    ] {
        let error = recording.error(&["explain", event]);
        assert_has(
            &error,
            &["qpi: no PCI function of it, so firmware hides it"],
        );
    }
}

#[test]
fn nothing_is_judged_on_a_recorded_system() {
    let outcome = Recording::two_packages().run(&["explain", "imc/cas_count.rd/"]);
    assert_says(
        &outcome.text,
        &["module   was not asked: this is a recorded system"],
    );
    assert!(!outcome.trouble);
}

#[test]
fn what_perf_or_the_module_do_not_take() {
    let cases = [
        (
            "cbox/tor_inserts.opcode/",
            "tor_inserts.opcode needs filter_opc=NUMBER",
        ),
        (
            "cbox/event=0x100/",
            "event=0x100 is too large: the largest value is 0xff",
        ),
        ("cbox/event=x/", "event=x: \"x\" is not a number"),
        ("cbox/config=1x/", "config needs a number"),
        ("cbox/filter_opc=?/", "filter_opc=? stands for a value"),
        ("cbox/config=0x80000034/", ""),
        (
            "cbox/config=0x100000034/",
            "config has bits that are in no field (0x100000000)",
        ),
        (
            "cbox/config3=1/",
            "config3 has bits that are in no field (0x1)",
        ),
    ];
    let recording = Recording::two_packages();
    for (event, said) in cases {
        let outcome = recording.run(&["explain", "-e", event]);
        assert!(outcome.text.contains(said), "{event}\n{}", outcome.text);
        assert_eq!(outcome.trouble, !said.is_empty(), "{event}");
    }
}

#[test]
fn two_values_of_a_field_are_put_over_each_other() {
    let text = explain("cbox/llc_lookup.any,umask=0x2/");
    assert_has(
        &text,
        &["umask is already 0x11, and perf adds the bits of 0x2: 0x13"],
    );
    assert_says(&text, &["words    config=0x1334"]);
}

#[test]
fn a_pmu_that_is_not_there() {
    let recording = Recording::two_packages();
    let error = recording.error(&["explain", "-e", "ivbep_uncore_cbox_5/clockticks/"]);
    let start = "there is no PMU ivbep_uncore_cbox_5: the package has 3; the PMUs are ";
    assert!(error.starts_with(start), "{error}");
    let error = recording.error(&["explain", "-e", "cpu/cycles/"]);
    assert!(
        error.starts_with("there is no PMU cpu; the PMUs are ivbep_uncore_cbox_N"),
        "{error}"
    );
}

#[test]
fn explains_several_events() {
    let recording = Recording::two_packages();
    let one = |event| recording.run(&["explain", "-e", event]).text;
    let both = [one("imc_0/cas_count.rd/"), one("cbox/clockticks/")].join("\n");
    let words = ["explain", "imc_0/cas_count.rd/", "cbox/clockticks/"];
    assert_eq!(recording.run(&words).text, both);
    let commas = ["explain", "-e", "{imc_0/cas_count.rd/,cbox/clockticks/}"];
    assert_eq!(recording.run(&commas).text, both);
    let options = [
        "explain",
        "-e",
        "imc_0/cas_count.rd/",
        "--event",
        "cbox/clockticks/",
    ];
    assert_eq!(recording.run(&options).text, both);
    let wrong = recording.error(&["explain", "-e", "cbox/clockticks/,cpu/cycles/"]);
    assert_has(&wrong, &["no PMU cpu"]);
}
