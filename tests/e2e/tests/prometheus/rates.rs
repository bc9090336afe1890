// SPDX-License-Identifier: GPL-2.0

//! Twenty minutes of `uncore export`, as Prometheus sees it, with traffic all the time.

use super::machine;
use super::server::{uptime, Server};
use uncore_e2e::perf::estimate;
use uncore_e2e::prelude::*;

/// Default address of the exporter.
const ADDRESS: &str = "127.0.0.1:19738";

const PACKAGES: [u8; 2] = [0, 1];

/// CPU that counts for the second package.
const COUNTING_CPU: u16 = 2;

const LINE_BYTES: f64 = 64.0;
const FLIT_BYTES: f64 = 8.0;

/// Largest error of a rate.
const TOLERANCE: f64 = 1e-3;

/// Expectation for a metric: the event behind it and the amount that it stands
/// for, on as many boxes of each package.
struct Expected {
    name: &'static str,
    /// Label of the box, if there are several, and its value on the first without the number.
    label: Option<(&'static str, &'static str)>,
    probe: Probe,
    boxes: u8,
    amount: f64,
}

fn expected() -> Vec<Expected> {
    let metric = |name, label, probe, boxes, amount| Expected {
        name,
        label,
        probe,
        boxes,
        amount,
    };
    let channel = Some(("channel", ""));
    let reads = Probe::imc(0, "cas_count.rd");
    let writes = Probe::imc(0, "cas_count.wr");
    let link = Some(("link", ""));
    let data = Probe::qpi(0, "txl_flits_g0.data");
    let cbox = Some(("box", "cbox_"));
    let lookups = Probe::cbox(0, "tor_inserts.all");
    let clock = Probe::ubox("clockticks");
    vec![
        metric(
            "uncore_memory_read_bytes_total",
            channel,
            reads,
            8,
            LINE_BYTES,
        ),
        metric(
            "uncore_memory_write_bytes_total",
            channel,
            writes,
            8,
            LINE_BYTES,
        ),
        metric("uncore_link_data_bytes_total", link, data, 2, FLIT_BYTES),
        metric("uncore_llc_lookup_requests_total", cbox, lookups, 3, 1.0),
        metric("uncore_clock_cycles_total", None, clock, 1, 1.0),
    ]
}

/// A moment of the machine: the seconds since its boot, and the cycles of its traffic.
struct Moment {
    seconds: f64,
    cycles: u64,
}

impl Moment {
    fn now(session: &mut Session) -> Self {
        let clock = session.machine("clock");
        let cycles = clock.split_whitespace().next();
        Self {
            seconds: uptime(session),
            cycles: cycles.and_then(|word| word.parse().ok()).expect("cycles"),
        }
    }
}

/// Compares all rates since that moment with the traffic definition.
fn rates_are_right(server: &mut Server, since: &Moment) {
    let now = Moment::now(server.session);
    let seconds = now.seconds - since.seconds;
    let mut mismatches = Vec::new();
    for expected in expected() {
        let name = expected.name;
        let rates = server.query(&format!("rate({name}[{seconds:.0}s])"));
        assert_eq!(
            rates.len(),
            PACKAGES.len() * usize::from(expected.boxes),
            "{rates:?}"
        );
        for (package, instance) in all(expected.boxes) {
            let probe = match expected.label {
                Some(_) => expected.probe.on(instance),
                None => expected.probe.clone(),
            };
            let before = probe.count(package, since.cycles);
            let counted = probe.count(package, now.cycles) - before;
            let right = estimate(counted) * expected.amount / seconds;
            let of_box = rates.iter().find(|(labels, _)| {
                labels["socket"] == package.to_string()
                    && expected.label.is_none_or(|(label, kind)| {
                        labels.get(label) == Some(&format!("{kind}{instance}"))
                    })
            });
            let rate = of_box.map(|(_, rate)| *rate);
            if rate.is_none_or(|rate| (rate / right - 1.0).abs() > TOLERANCE) {
                mismatches.push(format!(
                    "{name} {package} {instance}: {rate:?}, not {right}"
                ));
            }
        }
    }
    assert_none(&mismatches);
}

/// Returns all boxes of all packages.
fn all(boxes: u8) -> impl Iterator<Item = (u8, u8)> {
    let of_package = move |package| (0..boxes).map(move |instance| (package, instance));
    PACKAGES.into_iter().flat_map(of_package)
}

/// Checks that Prometheus saw no counter go back, and returns their number.
fn no_resets(server: &mut Server) -> usize {
    let names = server.names();
    let counters = names
        .iter()
        .filter(|name| name.starts_with("uncore_") && name.ends_with("_total"));
    let counters: Vec<&String> = counters.collect();
    for name in &counters {
        let resets = server.one(&format!("max(resets({name}[2h]))"));
        assert!(resets.abs() < f64::EPSILON, "{name}: {resets} resets");
    }
    counters.len()
}

/// Starts the exporter.
fn export(session: &mut Session) {
    session.ok("ip link set lo up; uncore export >/tmp/export 2>&1 &");
    session.ok(&format!(
        "for i in $(seq 100); do wget -qO /tmp/metrics http://{ADDRESS}/metrics && exit; \
         sleep 0.2; done; cat /tmp/export; exit 1"
    ));
    assert_eq!(session.ok("promtool check metrics </tmp/metrics 2>&1"), "");
}

/// Lets twenty minutes pass in which a CPU that counts goes and comes back. Halfway through it takes
/// a step of the caller's.
fn pass_time(session: &mut Session, halfway: impl FnOnce(&mut Server<'_>)) {
    export(session);
    let mut server = Server::start(session, ADDRESS);
    server.pass(60);
    let with_hotplug = Moment::now(server.session);
    server.pass(210);
    server.session.ok(&switch(COUNTING_CPU, false));
    server.pass(120);
    server.session.ok(&switch(COUNTING_CPU, true));
    server.pass(210);
    rates_are_right(&mut server, &with_hotplug);

    halfway(&mut server);
    let afterwards = Moment::now(server.session);
    server.pass(600);
    rates_are_right(&mut server, &afterwards);

    let expected = expected().len();
    assert!(
        no_resets(&mut server) > expected,
        "fewer counters than {expected}"
    );
    let up = server.one("min_over_time(up[1h])");
    assert!((up - 1.0).abs() < f64::EPSILON, "a scrape has failed");
}

/// The machine with traffic all the time.
fn busy() -> Config {
    Config {
        timeout: Some(std::time::Duration::from_secs(120)),
        ..machine().with("free-run", "on").with("traffic", "burst")
    }
}

#[test]
fn rates_are_those_of_the_traffic() {
    platforms!(; first);
    on_new(&busy(), |session| pass_time(session, |_| {}));
}

/// Halfway through the hardware is given back, and handed over again.
#[test]
#[ignore = "needs a distribution's kernel"]
fn rates_are_right_after_a_handover_on_stock() {
    let config = Config {
        driver: Driver::None,
        ..busy()
    };
    on_new(&config, |session| {
        session.tolerate_missing_ones();
        session.ok("modprobe intel_uncore && uncore enable");
        pass_time(session, |server| {
            server.session.ok("uncore disable");
            server.pass(120);
            server.session.ok("uncore enable");
            server.pass(120);
        });
        session.ok("uncore disable");
    });
}
