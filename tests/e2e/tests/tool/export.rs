// SPDX-License-Identifier: GPL-2.0

//! `uncore export` shows the counts of the traffic definition, whatever becomes of its counters:
//! they are let go and taken again, and CPUs go offline and come back. So does its unit, as systemd
//! starts it where `perf_event_paranoid` is that of Debian's kernels.

use super::free_running;
use std::collections::BTreeMap;
use uncore_e2e::fixture::{counting_beside, switch};
use uncore_e2e::prelude::*;

const BURST: u64 = 1_000_000;
const PACKAGES: [u8; 2] = [0, 1];
const SOCKET: &str = "unix:/run/uncore/export";
const FILE: &str = "/run/uncore/uncore.prom";
/// Bytes of a cache line, and of data in a flit.
const LINE: u64 = 64;
const FLIT: u64 = 8;

/// Samples by name and labels, as they are written.
type Samples = BTreeMap<String, f64>;

/// Starts an exporter that listens at [`SOCKET`], by a command that begins so.
fn start(session: &mut Session, command: &str) {
    session.ok(&format!(
        "mkdir -p -m 777 /run/uncore
         ({command} >/tmp/export.log 2>&1 </dev/null &)
         for i in $(seq 100); do [ -S /run/uncore/export ] && exit 0; sleep 0.1; done
         cat /tmp/export.log >&2; exit 1"
    ));
}

/// Starts one as root.
fn start_as_root(session: &mut Session) {
    start(session, &format!("uncore export --listen {SOCKET}"));
}

/// Ends it.
fn stop(session: &mut Session) {
    session.ok(
        "kill -TERM $(pidof uncore); while pidof uncore >/dev/null; do sleep 0.1; done
                ! [ -e /run/uncore/export ]",
    );
}

/// Scrapes it, not too soon after the last time.
fn scrape(session: &mut Session) -> Samples {
    let text = session.ok(&format!("sleep 0.2; scrape {SOCKET}"));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let samples = lines.map(|line| {
        let (name, value) = line.rsplit_once(' ').expect("a value");
        (name.to_owned(), value.parse().expect("a number"))
    });
    samples.collect()
}

/// Scrapes until something is so.
fn until(session: &mut Session, is_so: impl Fn(&Samples) -> bool) -> Samples {
    for _ in 0..200 {
        let samples = scrape(session);
        if is_so(&samples) {
            return samples;
        }
    }
    panic!("never so: {}", session.ok("cat /tmp/export.log"));
}

fn is_counting(samples: &Samples) -> bool {
    samples["uncore_counting"] > 0.5
}

/// Returns the amounts that a burst adds to the samples of both sockets, by name.
fn of_burst() -> Vec<(String, u64)> {
    let mut all = Vec::new();
    let shape = Shape::of(&Config::default());
    for package in PACKAGES {
        let mut add = |name: &str, label: &str, index: u8, amount: u64| {
            all.push((
                format!("{name}{{socket=\"{package}\",{label}=\"{index}\"}}"),
                amount,
            ));
        };
        for channel in 0..shape.boxes(BoxKind::Imc, package) {
            let of = |event| LINE * Probe::imc(channel, event).count(package, BURST);
            add(
                "uncore_memory_read_bytes_total",
                "channel",
                channel,
                of("cas_count.rd"),
            );
            add(
                "uncore_memory_write_bytes_total",
                "channel",
                channel,
                of("cas_count.wr"),
            );
        }
        for link in 0..shape.boxes(BoxKind::Qpi, package) {
            let data = Probe::qpi(link, "txl_flits_g0.data").count(package, BURST);
            add("uncore_link_data_bytes_total", "link", link, FLIT * data);
        }
    }
    all
}

/// A burst adds what the definition says, to the sums of before.
fn expect_burst(session: &mut Session) {
    let before = scrape(session);
    session.ok(&format!("burst {BURST}"));
    let after = scrape(session);
    let mut mismatches = Vec::new();
    for (name, amount) in of_burst() {
        let both = before.get(&name).zip(after.get(&name));
        let grown = both.map(|(before, after)| after - before);
        // The sums are small enough for a number to hold them.
        if grown.map(|grown| format!("{grown:.0}")) != Some(amount.to_string()) {
            mismatches.push(format!("{name}: {grown:?}, not {amount}"));
        }
    }
    assert_none(&mismatches);
    for (name, share) in &after {
        let is_whole = !name.starts_with("uncore_counted_ratio{") || *share >= 1.0;
        assert!(is_whole, "{name} {share}");
    }
}

/// The exporter's sums never go back. The module's own count begins anew when it is loaded.
fn expect_growth(before: &Samples, after: &Samples) {
    let is_sum = |name: &str| name.contains("_total{") && !name.starts_with("uncore_tampered");
    for (name, value) in before.iter().filter(|(name, _)| is_sum(name)) {
        let now = after.get(name);
        assert!(
            now.is_some_and(|now| now >= value),
            "{name}: {value}, then {now:?}"
        );
    }
}

/// Returns the capabilities of the processes of the exporter, in the order of their start: those of
/// each set, and whether programs that it starts gain none.
fn privileges(session: &mut Session) -> Vec<String> {
    let lines = session.ok("for pid in $(pidof uncore | xargs -n1 | sort -n); do
             grep -E '^(Uid|Cap...|NoNewPrivs):' /proc/$pid/status | awk '{print $2}' | xargs
         done");
    lines.lines().map(str::to_owned).collect()
}

/// What [`privileges`] returns for a user's exporter with a capability, and for its child, which
/// answers clients.
fn privileges_with(capability: u32) -> [String; 2] {
    let set = format!("{:016x}", 1_u64 << capability);
    let none = format!("{:016x}", 0);
    [
        format!("1000 {set} {set} {set} {set} {set} 1"),
        // Only root can bound what is gained, which nothing is.
        format!("1000 {none} {none} {none} {set} {none} 1"),
    ]
}

#[test]
fn a_burst_is_exact_for_a_user_with_cap_perfmon_only() {
    const CAP_PERFMON: u32 = 38;
    on(&Config::default(), |session| {
        let command = format!("uncore export --listen {SOCKET}");
        start(
            session,
            &format!("perf-open 'user perfmon' 'run exec {command}'"),
        );
        expect_burst(session);
        assert_eq!(privileges(session), privileges_with(CAP_PERFMON));
        let text = session.ok(&format!(
            "scrape {SOCKET} /metrics application/openmetrics-text"
        ));
        assert!(text.ends_with("# EOF\n"), "{text}");
        let front = session.ok(&format!("scrape {SOCKET} /"));
        assert!(
            front.contains("/metrics") && front.contains("left out"),
            "{front}"
        );
        session.fails(&format!("scrape {SOCKET} /other"));
        stop(session);
    });
}

/// Returns the command that does what systemd does for the unit of this product: a shell's command
/// for each setting that limits what the exporter can do. Filters of system calls are not tried.
fn unit() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tools/export/uncore-export.service"
    );
    let text = std::fs::read_to_string(path).expect("the unit");
    let (unit, service) = text.split_once("[Service]\n").expect("a service");
    // A condition that does not hold at boot is final. The module may be loaded later.
    assert!(!unit.contains("\nCondition"), "{unit}");
    let settings = service.lines().filter_map(|line| line.split_once('='));
    let settings: BTreeMap<&str, &str> = settings.collect();
    let capability = settings["AmbientCapabilities"];
    assert_eq!(settings["CapabilityBoundingSet"], capability);
    let capability = capability.strip_prefix("CAP_").expect("one capability");
    let arguments = format!("--listen {SOCKET} --textfile {FILE} --interval 200ms");
    let command = settings["ExecStart"].replace("$ARGS", &arguments);
    let directory = format!("/run/{}", settings["RuntimeDirectory"]);
    let mut steps = vec![
        format!("mkdir -p {directory} && chown 1000:1000 {directory}"),
        format!("umask {}", settings["UMask"]),
        format!("ulimit -n {}", settings["LimitNOFILE"]),
    ];
    for (setting, step) in [
        ("ProtectSystem=strict", "mount -o remount,bind,ro /"),
        (
            "ProtectProc=invisible",
            "mount -t proc -o hidepid=invisible proc /proc",
        ),
        (
            "ProtectKernelTunables=yes",
            "mount -o bind,ro /proc/sys /proc/sys && mount -o remount,bind,ro /sys",
        ),
        ("PrivateTmp=yes", "mount -t tmpfs tmpfs /tmp"),
        (
            "PrivateDevices=yes",
            "mount -t tmpfs tmpfs /dev && mknod -m 666 /dev/null c 1 3",
        ),
        // These two are what `user` does.
        ("DynamicUser=yes", "true"),
        ("NoNewPrivileges=yes", "true"),
    ] {
        let (name, value) = setting.split_once('=').expect("a setting");
        assert_eq!(settings.get(name), Some(&value), "{name}");
        steps.push(step.to_owned());
    }
    steps.push(format!(
        "exec perf-open \"user {}\" \"run exec {command}\"",
        capability.to_lowercase()
    ));
    format!("unshare -m sh -ec '{}'", steps.join("; "))
}

/// At level 3 of Debian's kernels CAP_PERFMON is not enough to count. The events are opened several
/// times, long after clients have been answered. The module comes later than the unit, and its PMUs
/// may have any names.
#[test]
fn the_unit_counts_where_debian_lets_only_administrators() {
    const CAP_SYS_ADMIN: u32 = 21;
    const LEVEL: &str = "/proc/sys/kernel/perf_event_paranoid";
    let config = Config {
        parameters: vec!["names=compat".to_owned()],
        ..Config::default()
    };
    on(&config, |session| {
        let before = session.ok(&format!("cat {LEVEL} && echo 3 >{LEVEL}"));
        session.unload(config.driver);
        start(session, &unit());
        until(session, |samples| !is_counting(samples));
        session.load(config.driver, &config.parameters);
        until(session, is_counting);
        expect_burst(session);
        session.ok(&format!("grep -q ^uncore_memory_read_bytes_total {FILE}"));
        assert_eq!(privileges(session), privileges_with(CAP_SYS_ADMIN));
        session.ok("kill -USR1 $(pidof uncore)");
        until(session, |samples| !is_counting(samples));
        session.reload();
        until(session, is_counting);
        expect_burst(session);
        stop(session);
        session.ok(&format!("rm {FILE} && echo {} >{LEVEL}", before.trim()));
    });
}

/// It holds the clock of each channel, and three of the four counters of a link.
#[test]
fn stat_and_top_show_what_moves_beside_it() {
    const HOLDER: &str = "uncore export (process ";
    on(&free_running(), |session| {
        start_as_root(session);
        until(session, is_counting);
        for command in ["stat -A --interval-count 1", "top --once"] {
            let output = session.run(&format!("uncore {command}"));
            assert_eq!(output.status, 0, "{}", output.stderr);
            let rows = output.stdout.lines();
            let rows: Vec<&str> = rows
                .filter(|row| row.starts_with("  imc_") || row.starts_with("  qpi_"))
                .collect();
            assert!(rows.len() > 8, "{}", output.stdout);
            for row in rows {
                assert!(row.matches("B/s").count() >= 2, "{command}: {row}");
            }
            let said = output.stderr;
            assert!(
                said.contains("not counted: memory_capacity_bytes"),
                "{said}"
            );
            assert!(said.contains(HOLDER), "{said}");
        }
        session.ok("uncore stat --svg /tmp/picture --interval-count 1");
        let found = session.ok("uncore doctor");
        assert!(found.contains(HOLDER), "{found}");
        stop(session);
    });
}

#[test]
fn nothing_counted_is_trouble() {
    on(&Config::default(), |session| {
        let shape = Shape::of(&Config::default());
        // Enough of each box that nobody else can count what the overview has of it.
        let held = [
            (BoxKind::Imc, "cas_count.rd", 4),
            (BoxKind::Imc, "clockticks", 1),
            (BoxKind::Qpi, "clockticks", 4),
            (BoxKind::Cbox, "clockticks", 4),
            (BoxKind::Ha, "clockticks", 4),
            (BoxKind::Pcu, "clockticks", 4),
            (BoxKind::Irp, "transactions.reads", 2),
            (BoxKind::Ubox, "clockticks", 1),
        ];
        let all = held.map(|(kind, event, counters)| {
            let boxes = 0..shape.boxes(kind, 0);
            let groups = boxes.map(|index| {
                let event = format!("{}/{event}/", Probe::new(kind, index, event).pmu());
                format!("-e '{{{}}}:D'", vec![event; counters].join(","))
            });
            groups.collect::<Vec<_>>().join(" ")
        });
        session.ok(&counting_beside(&format!("-a {}", all.join(" "))));
        let blind = session.run("uncore stat -e imc_1/cas_count.rd/ --interval-count 1");
        assert_eq!(blind.status, 1, "{}", blind.stderr);
        assert!(blind.stderr.contains("perf (process "), "{}", blind.stderr);
        let blank = session.run("uncore stat --svg /tmp/picture --interval-count 1");
        assert_eq!(blank.status, 1, "{}", blank.stderr);
        session.ok("! [ -e /tmp/picture ]");
        assert!(blank.stderr.contains("nothing to draw"), "{}", blank.stderr);
        let blind = session.run("uncore top --once");
        assert_eq!(blind.status, 1, "{}", blind.stdout);
        session.ok("kill $(pidof perf)");
    });
}

#[test]
fn counters_are_let_go_and_taken_again() {
    on(&Config::default(), |session| {
        start_as_root(session);
        expect_burst(session);
        let before = scrape(session);
        session.ok("kill -USR1 $(pidof uncore)");
        let released = until(session, |samples| !is_counting(samples));
        let sums = released
            .keys()
            .filter(|name| name.contains("_bytes_total{"));
        assert_eq!(sums.count(), 0, "nothing stands still");
        // Nobody counts this.
        session.ok(&format!("burst {BURST}"));
        session.reload();
        let after = until(session, is_counting);
        expect_growth(
            &before,
            &until(session, |samples| samples.len() >= before.len()),
        );
        drop(after);
        expect_burst(session);
        session.ok("kill -USR1 $(pidof uncore)");
        until(session, |samples| !is_counting(samples));
        session.ok("kill -USR2 $(pidof uncore)");
        until(session, is_counting);
        expect_burst(session);
        stop(session);
    });
}

#[test]
fn cpus_go_offline_and_come_back() {
    on(&Config::default(), |session| {
        let cpus = session.package_of_cpus().into_iter();
        let cpus: Vec<u16> = cpus
            .filter_map(|(cpu, package)| (package == 1).then_some(cpu))
            .collect();
        start_as_root(session);
        expect_burst(session);
        let before = scrape(session);
        let (first, rest) = cpus.split_first().expect("a package");
        // Another CPU of the package counts on.
        session.ok(&switch(*first, false));
        expect_growth(&before, &scrape(session));
        expect_burst(session);
        for cpu in rest {
            session.ok(&switch(*cpu, false));
        }
        let present = "uncore_box_present{socket=\"1\",box=\"imc_0\"}";
        let gone = until(session, |samples| samples[present] < 0.5);
        let of_package = |name: &&String| name.contains("_bytes_total{socket=\"1\"");
        assert_eq!(gone.keys().filter(of_package).count(), 0);
        for cpu in &cpus {
            session.ok(&switch(*cpu, true));
        }
        let back = until(session, |samples| samples.len() >= before.len());
        expect_growth(&before, &back);
        expect_burst(session);
        stop(session);
    });
}

/// Other programs have all counters of a box: nothing is exported that is not counted.
#[test]
fn a_box_that_others_hold_is_named() {
    on(&Config::default(), |session| {
        let pmu = Probe::imc(1, "cas_count.rd").pmu();
        let events = vec![format!("{pmu}/event=4,umask=3/"); 4].join(",");
        let hold = counting_beside(&format!("-a -e '{{{events}}}:D'"));
        let text = session.ok(&format!(
            "{hold}; uncore export --once --interval 100ms 2>&1; status=$?
             kill $held; wait $held; [ $status = 2 ]"
        ));
        for package in PACKAGES {
            let named = format!("imc_1 of socket {package} is not counted");
            let mut lines = text.lines();
            let line = lines.find(|line| line.contains(&named));
            assert!(line.is_some_and(|line| line.contains("perf (")), "{text}");
        }
        start_as_root(session);
        let share = "uncore_counted_ratio{socket=\"1\",box=\"imc_1\"}";
        let is_held = |samples: &Samples| samples.get(share).is_none_or(|share| *share < 1.0);
        // It listens before it has the counters, and answers when it has.
        assert!(!is_held(&scrape(session)));
        // A pinned group of before keeps its counters.
        session.ok(&format!("{hold}; kill $held; wait $held; true"));
        assert!(!is_held(&scrape(session)));
        expect_burst(session);
        stop(session);
    });
}
