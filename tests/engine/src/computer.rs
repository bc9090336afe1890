// SPDX-License-Identifier: GPL-2.0

//! A computer with the driver loaded, as a user sees it.

use crate::{
    host::{host, plain, with_host, Host},
    linux::{
        perf::{self, Attr, ConfigWords, Known, Open},
        topology::Cpu,
    },
    platforms,
    uncore::{options::Options, pmu::UncorePmu, table::box_type, Uncore},
};
use kernel::{
    error::{Error, Result},
    str::BStr,
    ThisModule,
};
use std::{
    env,
    sync::{atomic::Ordering::Relaxed, Arc},
};
use uncore_catalogue::readings_with;
use uncore_e2e::{
    prelude::{Config, Platform, Probe, Processor, Shape, Words},
    sweep::events,
};
use uncore_machine::Function;

/// The longest time, in ns, in which a lost interrupt is noticed.
pub(crate) const LONGEST_LOOK_NS: u64 = 40_000_000;

/// The longest time, in ns, in which a lost level is noticed.
pub(crate) const LONGEST_LEVEL_NS: u64 = 100_000_000;

/// The module that the driver belongs to.
static MODULE: ThisModule = ThisModule::of_test();

/// An open event of the driver.
pub(crate) type Event = Open<UncorePmu>;

/// Returns the number in a variable of the environment, if there is one.
pub(crate) fn number_of(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().expect(variable))
}

/// Runs `test` on a computer of this shape; nothing is loaded yet.
pub(crate) fn on_computer(shape: &str, test: impl FnOnce(&Arc<Host>)) {
    let host = Host::new(shape);
    kernel::print::take();
    with_host(&host, || test(&host));
}

/// Returns the processors of all platforms but Broadwell-DE, which has fewer boxes of the same.
pub(crate) fn processors() -> impl Iterator<Item = Processor> {
    let all = Processor::ALL.into_iter();
    all.filter(|processor| *processor != Processor::BdxDe)
}

/// Returns the usual machine of the current processor.
pub(crate) fn usual_config() -> Config {
    let packages = Platform::packages().len().to_string();
    let usual = Config::default().with("platform", Processor::current().name());
    usual.with("packages", &packages).with("cores", "2")
}

/// Returns the options of the usual machine of the current processor.
pub(crate) fn usual_machine() -> String {
    usual_config().machine_word()
}

/// Runs `test` on each processor that has readings with a difference, with a usual machine under
/// each of these.
pub(crate) fn on_each_with(difference: &str, test: impl Fn(&str, &str)) {
    let all =
        Processor::ALL.map(|processor| (processor, readings_with(difference, processor.name())));
    assert!(all.iter().any(|(_, readings)| !readings.is_empty()));
    for (processor, readings) in all {
        for reading in readings {
            processor.on(|| test(&format!("{},reading={reading}", usual_machine()), &reading));
        }
    }
}

/// `clockticks` of the UBox with the longest interval.
const LONGEST_INTERVAL: u64 = 0xff | 0xffff_ffff << 32;

/// Time, in ns, after which a CPU takes no PMIs any more that no event needs.
const DISARMED_AFTER_NS: u64 = 100_000_000;

/// Calls `f` while the machine counts by itself, as the self-test of the interrupt needs it.
pub(crate) fn free_running<R>(f: impl FnOnce() -> R) -> R {
    host().command("free-run on");
    let result = f();
    host().command("free-run off");
    result
}

/// Loads the driver with a way to notice overflows.
pub(crate) fn load(overflow: &str) -> Result<Uncore> {
    free_running(|| load_without_traffic(overflow))
}

/// Makes the driver test the interrupts of all packages. None is enabled afterwards.
pub(crate) fn test_interrupts(host: &Host) {
    for cpu in 0..host.cpus() {
        drop(free_running(|| open("ubox", cpu, LONGEST_INTERVAL)));
    }
    let_disarm(host);
}

/// Lets time pass until CPUs take no PMIs that no event needs.
pub(crate) fn let_disarm(host: &Host) {
    pass_slowly(host, DISARMED_AFTER_NS);
}

/// Lets time pass in steps of a millisecond, so that timers fire when they are due.
pub(crate) fn pass_slowly(host: &Host, ns: u64) {
    (0..ns / 1_000_000).for_each(|_| host.pass(1_000_000));
}

/// Loads the driver on a machine that counts nothing meanwhile.
pub(crate) fn load_without_traffic(overflow: &str) -> Result<Uncore> {
    load_with(&Parameters {
        overflow,
        ..Parameters::default()
    })
}

/// Parameters of the module, as texts.
pub(crate) struct Parameters<'a> {
    pub(crate) platforms: &'a [&'static box_type::Platform],
    pub(crate) names: &'a str,
    pub(crate) overflow: &'a str,
    pub(crate) tamper: &'a str,
    pub(crate) filters: &'a str,
}

impl Default for Parameters<'_> {
    fn default() -> Self {
        Self {
            platforms: platforms::ALL,
            names: "native",
            overflow: "auto",
            tamper: "end",
            filters: "one",
        }
    }
}

/// Loads the driver with these parameters on a machine that counts nothing meanwhile.
pub(crate) fn load_with(parameters: &Parameters<'_>) -> Result<Uncore> {
    let Parameters {
        platforms,
        names,
        overflow,
        tamper,
        filters,
    } = parameters;
    let [alias, names, overflow, tamper, filters] =
        ["safe", names, overflow, tamper, filters].map(|text| BStr::from_bytes(text.as_bytes()));
    let options = Options::new(false, 5, alias, names, overflow, tamper, filters)?;
    Uncore::new(&MODULE, platforms, options)
}

/// Runs `test` on a computer of this shape on which events with an interval interrupt.
pub(crate) fn with_intervals(shape: &str, test: impl FnOnce(&Arc<Host>)) {
    with_driver(shape, "auto", |host| {
        test_interrupts(host);
        test(host);
    });
}

/// Runs `test` on a computer of this shape with the driver loaded, and unloads it.
pub(crate) fn with_driver(shape: &str, overflow: &str, test: impl FnOnce(&Arc<Host>)) {
    let parameters = Parameters {
        overflow,
        ..Parameters::default()
    };
    with_parameters(shape, &parameters, test);
}

/// Runs `test` on a computer of this shape with the driver loaded with parameters, and unloads it.
pub(crate) fn with_parameters(
    shape: &str,
    parameters: &Parameters<'_>,
    test: impl FnOnce(&Arc<Host>),
) {
    on_computer(shape, |host| {
        let _driver = free_running(|| load_with(parameters)).expect("the driver loads");
        test(host);
    });
}

/// Returns the PMU of boxes: `cbox_0`.
pub(crate) fn pmu(boxes: &str) -> Arc<Known<UncorePmu>> {
    known(&name_of(boxes))
}

/// Returns whether there is a PMU of boxes.
pub(crate) fn has_pmu(boxes: &str) -> bool {
    perf::find::<UncorePmu>(&name_of(boxes)).is_some()
}

fn name_of(boxes: &str) -> String {
    Platform::current().pmu(boxes)
}

/// Returns the PMU with this name.
pub(crate) fn known(pmu: &str) -> Arc<Known<UncorePmu>> {
    perf::find(pmu).unwrap_or_else(|| panic!("no {pmu}"))
}

/// The attributes of an event on a CPU.
pub(crate) fn attr(cpu: u32, config: u64) -> Attr {
    Attr {
        words: ConfigWords {
            config,
            ..ConfigWords::default()
        },
        cpu: Cpu::new(cpu),
        ..Attr::default()
    }
}

/// The attributes of an event with these config words on a CPU.
pub(crate) fn attributes(Words([config, config1, config2]): Words, cpu: u32) -> Attr {
    Attr {
        words: ConfigWords {
            config,
            config1,
            config2,
            ..ConfigWords::default()
        },
        ..attr(cpu, 0)
    }
}

/// Opens an event, which the driver must accept.
pub(crate) fn open(boxes: &str, cpu: u32, config: u64) -> Event {
    let opened = pmu(boxes).open(&attr(cpu, config), None);
    opened.unwrap_or_else(|error| panic!("{boxes}/{config:#x}/ on CPU {cpu}: {error:?}"))
}

/// Opens an event in the group of another one, which the driver must accept.
pub(crate) fn open_beside(leader: &Event, boxes: &str, cpu: u32, config: u64) -> Event {
    let opened = pmu(boxes).open(&attr(cpu, config), Some(leader));
    opened.unwrap_or_else(|error| panic!("{boxes}/{config:#x}/ in a group: {error:?}"))
}

/// Opens the event of a probe on a CPU: alone, or in the group of `leader`.
pub(crate) fn try_probe(probe: &Probe, cpu: u32, leader: Option<&Event>) -> Result<Event> {
    known(&probe.pmu()).open(&attributes(probe.words(), cpu), leader)
}

/// Opens the event of a probe on a CPU, which the driver must accept.
pub(crate) fn open_probe(probe: &Probe, cpu: u32) -> Event {
    let opened = try_probe(probe, cpu, None);
    opened.unwrap_or_else(|_| panic!("{probe:?}: {}", debugfs("rejections")))
}

/// Opens the event of the first fixed counter, which counts each cycle of uclk.
pub(crate) fn open_fixed() -> Event {
    open_probe(&events::fixed(&Shape::of(&Config::default()))[0], 0)
}

/// Returns the first function with a device ID.
pub(crate) fn function(host: &Host, id: u32) -> Function {
    let mut functions = host.functions().into_iter();
    let found = functions.find(|&at| host.machine().config_read(at, 2, 2) == Some(id));
    found.unwrap_or_else(|| panic!("no function {id:#x}"))
}

/// Returns the content of a file in debugfs.
pub(crate) fn debugfs(name: &str) -> String {
    let file = plain(&host().debugfs).get(name).cloned();
    file.unwrap_or_else(|| panic!("no file {name}")).to_string()
}

/// Returns the line of the last refusal.
pub(crate) fn last_refusal() -> String {
    let rejections = debugfs("rejections");
    rejections.lines().last().unwrap_or_default().to_owned()
}

/// Checks that the driver has refused an event, with this error and these words.
pub(crate) fn is_refused(opened: Result<Event>, error: Error, words: &str) {
    assert_eq!(opened.err(), Some(error));
    let last = last_refusal();
    assert!(last.contains(words), "{words}: {last}");
}

/// Returns the last refusals of a user, as that user reads them.
pub(crate) fn refusals_of(user: u32) -> String {
    let host = host();
    let before = host.user.swap(user, Relaxed);
    let file = plain(&host.module_files).get("rejections").cloned();
    let mut text = String::new();
    let shown = file.expect("a file").show(&mut text);
    shown.expect("nothing fails to print");
    host.user.store(before, Relaxed);
    text
}

/// Returns a statistic of the first package's overflows.
pub(crate) fn statistic(name: &str) -> u64 {
    let overflow = debugfs("overflow");
    let value = overflow
        .lines()
        .filter_map(|line| line.trim().split_once(' '))
        .find_map(|(found, value)| (found == name).then_some(value));
    let number = value.and_then(|value| value.parse().ok());
    number.unwrap_or_else(|| panic!("no {name}: {overflow}"))
}
