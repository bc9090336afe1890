// SPDX-License-Identifier: GPL-2.0

//! The count of one counter without a machine, for tests: its setting as the registers of a box,
//! and their waveform. Every point has its first reading.

use uncore_catalogue::Setting;

use crate::bits::low_half;
use crate::catalogue::BoxType;
use crate::layout::{BoxLayout, FILTERS, FIXED, INVERT};
use crate::package::instances;
use crate::program::{Program, EDGE_DET, OCC_EDGE_DET, OCC_INVERT, TID_EN};
use crate::readings::Readings;
use crate::traffic::{EventSelect, Source};
use crate::{Platform, Topology};

/// Returns the count that a burst of `uclk` cycles adds to a counter of a processor, if that has such
/// boxes.
pub fn count(processor: &str, setting: &Setting, uclk: u64) -> Option<u64> {
    let layout = layout(Platform::named(processor)?, setting)?;
    let source = Source {
        package: u8::try_from(setting.package).ok()?,
        peer: u8::try_from(setting.peer).ok()?,
        instance: u8::try_from(setting.instance).ok()?,
        share: (1, 1),
        lines: 0,
    };
    of_source(setting, layout, source, false, uclk)
}

/// Returns the count that the first `uclk` cycles of the traffic *server* add to a counter, if the
/// machine has the box.
pub fn count_of_flows(setting: &Setting, machine: &Topology, uclk: u64) -> Option<u64> {
    let layout = layout(machine.platform, setting)?;
    let package = u8::try_from(setting.package).ok()?;
    let instance = u8::try_from(setting.instance).ok()?;
    let shape = machine.packages.get(usize::from(package))?;
    let present = instances(layout, *shape, machine.part) >> instance & 1 == 1;
    let source = machine.source(package, layout, instance);
    present.then(|| of_source(setting, layout, source, true, uclk))?
}

fn layout(platform: Platform, setting: &Setting) -> Option<&'static BoxLayout> {
    let kind = BoxType::of(setting.kind)?;
    let mut layouts = platform.description().layouts.iter().copied();
    layouts.find(|layout| layout.kind == kind)
}

fn of_source(
    setting: &Setting,
    layout: &'static BoxLayout,
    source: Source,
    flows: bool,
    uclk: u64,
) -> Option<u64> {
    let program = Program {
        layout,
        source,
        controls: controls(layout, setting),
        filters: filters(layout, setting),
        passed: Vec::new(),
        flows,
        max_inc: setting.max_inc,
        readings: Readings::default(),
    };
    let wave = program.waveform(setting.counter);
    u64::try_from(wave.between(0, layout.clock.cycles(uclk))).ok()
}

/// Returns the control registers: that of the counter, and that of counter 0.
fn controls(layout: &BoxLayout, s: &Setting) -> [u32; FIXED + 1] {
    let bit = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
    let control = |ext, code, umask: u8, tid_en| {
        let rest = u32::from(umask) << 8 | bit(tid_en, TID_EN);
        layout.fields.coding.with(rest, EventSelect { ext, code })
    };
    let (code, umask, tid_en) = s.counter0;
    let mut controls = [0; FIXED + 1];
    controls[0] = control(false, code, umask, tid_en);
    controls[s.counter] = layout.enable_of(s.counter)
        | control(s.ext, s.code, s.umask, s.tid_en)
        | low_half(s.thresh) << 24
        | bit(s.edge, EDGE_DET)
        | bit(s.invert, INVERT)
        | bit(s.occ_invert, OCC_INVERT)
        | bit(s.occ_edge, OCC_EDGE_DET);
    controls
}

/// Returns the filter registers, in the order of the layout.
fn filters(layout: &BoxLayout, s: &Setting) -> [u32; FILTERS] {
    const ENABLE: u64 = 1 << 63;
    let [own, second, third, fourth] = s.filters;
    let words = |registers: &[u64]| -> Vec<u32> {
        let halves = registers
            .iter()
            .map(|value| [low_half(*value), low_half(*value >> 32)]);
        halves.flatten().collect()
    };
    let words = match layout.kind {
        BoxType::Bbox => words(&[own, second]),
        // MM_CFG is before the match.
        BoxType::Sbox => words(&[ENABLE, own, second]),
        // An event looks at one of the sub-registers but for PLD.
        BoxType::Mbox => {
            let own = low_half(own);
            let others = [
                low_half(fourth),
                own,
                own,
                own,
                own,
                own,
                low_half(second),
                own,
            ];
            [words(&[third & ENABLE, third]), others.to_vec()].concat()
        }
        BoxType::Rbox => {
            // Each port has two IPERF, QLX, and two sets of MM_CFG, MATCH and MASK.
            let of_others = 15 * usize::from(s.code / 6);
            let (before, value) = match s.code % 6 {
                register @ 0..=1 => (register.into(), vec![low_half(own)]),
                2 | 3 => (2, vec![low_half(own)]),
                set => (3 + 6 * usize::from(set - 4), words(&[third, own, second])),
            };
            [vec![0; of_others + before], value].concat()
        }
        _ => s.filters.map(low_half).to_vec(),
    };
    // Where the fields have other places, the setting has them in those of the definition.
    let kept = |index: usize| match layout.filters_as {
        Some(_) => u32::MAX,
        None => layout.filters.get(index).map_or(0, |word| word.rw),
    };
    let mut filters = [0; FILTERS];
    for (index, (word, value)) in filters.iter_mut().zip(words).enumerate() {
        *word = value & kept(index);
    }
    filters
}
