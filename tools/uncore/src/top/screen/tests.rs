// SPDX-License-Identifier: GPL-2.0

//! Screens of all situations, in two sizes. The files beside show them;
//! `INSTA_UPDATE=always cargo test -p uncore top::` writes them anew.

use std::collections::BTreeSet;
use std::time::Duration;

use ratatui::backend::TestBackend;
use ratatui::Terminal;
use uncore_metrics::recording::Machine;
use uncore_metrics::{Catalogue, NoValue, Platform};

use super::*;
use crate::scene::{exact, full, interval, machine, missing, quiet, xeon, Amounts, GB};
use crate::top::view::Look;

/// A view of a machine after some seconds. What moves goes up and down by a half.
fn view(machine: Machine, amounts: &Amounts) -> View {
    let look = Look {
        has_colour: true,
        has_unicode: true,
    };
    let mut view = View::new(machine, look);
    view.state.delay = Duration::from_secs(1);
    let waves = [0.5, 0.7, 0.9, 1.0, 0.9, 0.7, 0.5];
    for (end, wave) in (1_u8..=42).zip(waves.into_iter().cycle()) {
        let wave = if end == 42 { 1.0 } else { wave };
        let moving = |socket, name: &str, metric: &str| {
            let (value, counted) = amounts(socket, name, metric);
            let is_peak = metric.contains("capacity") || metric.contains("clock");
            let wave = if is_peak { 1.0 } else { wave };
            (value.map(|amount| amount * wave), counted)
        };
        let interval = interval(&view.machine, f64::from(end), &moving);
        view.history.push(interval);
    }
    view
}

fn shown(view: &View, width: u16, height: u16) -> String {
    let backend = TestBackend::new(width, height);
    let mut terminal = Terminal::new(backend).expect("a terminal");
    terminal.draw(|frame| draw(frame, view)).expect("drawn");
    let buffer = terminal.backend().buffer();
    let cells = buffer.content();
    let rows = cells.chunks(usize::from(width)).map(|row| {
        let row: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
        row.trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n")
}

/// Compares a screen in two sizes with files.
fn compare(name: &str, view: &View) {
    for (width, height) in [(80, 24), (120, 40)] {
        compare_text(
            &format!("{name}-{width}x{height}"),
            &shown(view, width, height),
        );
    }
}

fn compare_text(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description("SPDX-License-Identifier: GPL-2.0");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn a_quiet_machine() {
    compare("quiet", &view(xeon(2), &|s, n, m| exact(quiet(s, n, m))));
}

#[test]
fn a_channel_that_is_full() {
    compare("full", &view(xeon(2), &|s, n, m| exact(full(s, n, m))));
}

#[test]
fn reads_from_another_socket() {
    let amounts = |socket, name: &str, metric: &str| match (socket, name, metric) {
        (1, "ha_0", "home_remote_read_bytes") => 64.0 * 98e6,
        (1, "qpi_0", "link_data_bytes") => 6.3 * GB,
        (1, "qpi_1", "link_data_bytes") => 0.01 * GB,
        _ => full(socket, name, metric),
    };
    compare("remote", &view(xeon(2), &|s, n, m| exact(amounts(s, n, m))));
}

#[test]
fn a_channel_that_is_missing() {
    let mut machine = xeon(2);
    let package = &mut machine.packages[1];
    package.boxes.retain(|name| name != "imc_1");
    let reason = "its clock stands still, so the part does not use it";
    package.missing.push(missing("imc_1", reason));
    compare("missing", &view(machine, &|s, n, m| exact(quiet(s, n, m))));
}

#[test]
fn a_socket_without_memory_controllers() {
    let mut machine = xeon(2);
    let reason = "no PCI function of it, so firmware hides it or the part lacks it";
    let package = &mut machine.packages[0];
    package.boxes.retain(|name| !name.starts_with("imc"));
    package.missing.push(missing("imc_0-3", reason));
    let mut view = view(machine, &|s, n, m| exact(quiet(s, n, m)));
    let begin = "\nsocket 0\n  imc_0-3 missing: no PCI function of it, so firmware hides it or";
    for order in [Order::Machine, Order::Used] {
        view.state.order = order;
        let text = shown(&view, 80, 24);
        let is_told = match order {
            Order::Machine => text.contains(begin),
            _ => text.contains("\ns0 imc_0-3 missing: no PCI function"),
        };
        assert!(is_told, "{text}");
    }
}

#[test]
fn a_platform_of_a_later_version() {
    let mut view = view(xeon(1), &|s, n, m| exact(quiet(s, n, m)));
    view.machine.platform = "later".to_owned();
    let mut later = View::new(view.machine, view.look);
    later.history = view.history;
    let text = shown(&later, 80, 24);
    assert!(text.contains("\n  imc_3   █"), "{text}");
}

#[test]
fn another_program_has_the_counters() {
    let amounts = |socket, name: &str, metric: &str| match (socket, name) {
        (0, "imc_1") => (Err(NoValue::NotOpened), 0.0),
        (1, "cbox_2") => (Err(NoValue::NotCounted), 0.0),
        _ => exact(full(socket, name, metric)),
    };
    let mut view = view(xeon(2), &amounts);
    view.notes = vec![
        "not counted on ivbep_uncore_imc_1 of package 0: the counters are in use: perf (process 812)"
            .to_owned(),
    ];
    compare("foreign", &view);
}

#[test]
fn events_that_take_turns() {
    let amounts = |socket, name: &str, metric: &str| {
        let counted = match (socket, name) {
            (0, "imc_0") => 0.43,
            (0, "imc_1") => 0.021,
            (1, "qpi_0") => 0.5,
            _ => 1.0,
        };
        (Ok(1.0123 * quiet(socket, name, metric)), counted)
    };
    compare("multiplexed", &view(xeon(2), &amounts));
}

#[test]
fn a_filter() {
    let mut view = view(xeon(2), &|s, n, m| exact(quiet(s, n, m)));
    view.state.filter = "S1 imc".to_owned();
    compare("filter", &view);
    view.state.prompt = Some(Prompt::Filter("s1 im".to_owned()));
    let text = shown(&view, 80, 24);
    let last = text.lines().last();
    assert_eq!(last, Some("show only rows with these words: s1 im"));
    view.state.filter = "nothing has this".to_owned();
    let hidden = "28 rows hidden by the filter \"nothing has this\"";
    assert!(
        shown(&view, 80, 24).contains(hidden),
        "{}",
        shown(&view, 80, 24)
    );
}

#[test]
fn the_fullest_first() {
    let mut view = view(xeon(2), &|s, n, m| exact(full(s, n, m)));
    view.state.order = Order::Used;
    compare("sorted", &view);
    view.state.order = Order::Amount;
    let text = shown(&view, 80, 24);
    let rows = text.lines().filter(|line| line.starts_with('s'));
    let first: Vec<&str> = rows.filter_map(|line| line.get(..8)).take(2).collect();
    assert_eq!(first, ["s1 imc_2", "s1 imc_3"]);
}

#[test]
fn a_replay_that_stands_still() {
    let mut view = view(xeon(2), &|s, n, m| exact(quiet(s, n, m)));
    view.state.paused = true;
    view.state.replay = Some("night.json".to_owned());
    compare("paused", &view);
}

#[test]
fn the_help() {
    let mut view = view(xeon(2), &|s, n, m| exact(quiet(s, n, m)));
    view.machine.notes =
        vec!["boxes that are missing are not known: debugfs has no topology".into()];
    view.state.help = true;
    compare("help", &view);
    let has_steps = |view: &View| shown(view, 80, 24).contains("\n  t  T ");
    assert!(!has_steps(&view));
    view.state.replay = Some("night.json".to_owned());
    assert!(has_steps(&view));
}

#[test]
fn four_sockets() {
    let mut view = view(xeon(4), &|s, n, m| exact(full(s, n, m)));
    view.state.scroll = 20;
    compare("four-sockets", &view);
}

/// Two boxes of each type that the overview of the platform has.
#[test]
fn each_platform() {
    // One that is like another has its overview.
    let own = Platform::ALL.into_iter().filter(|all| all.like.is_none());
    for platform in own {
        let overview = Catalogue::overview(platform.name).expect("the data file");
        let metrics = overview.metrics(&[0]).expect("metrics");
        let types: BTreeSet<&str> = metrics.iter().map(|metric| &*metric.box_type).collect();
        let boxes: Vec<(&str, u32)> = types.into_iter().map(|kind| (kind, 2)).collect();
        let view = view(machine(platform.name, 2, &boxes), &|s, n, m| {
            exact(quiet(s, n, m))
        });
        compare_text(platform.name, &shown(&view, 120, 40));
    }
}

#[test]
fn a_terminal_that_is_too_small() {
    let view = view(xeon(2), &|s, n, m| exact(quiet(s, n, m)));
    for (width, height) in [(59, 24), (80, 9), (12, 3)] {
        compare_text(
            &format!("small-{width}x{height}"),
            &shown(&view, width, height),
        );
    }
    // The smallest that has rows.
    compare_text("small-60x10", &shown(&view, 60, 10));
    for size in 0..100 {
        text(&view, size, 24);
        text(&view, 80, size);
    }
}

#[test]
fn a_terminal_without_unicode() {
    let amounts = |socket, name: &str, metric: &str| match (socket, name) {
        (0, "imc_1") => (Err(NoValue::NotOpened), 0.0),
        _ => exact(full(socket, name, metric)),
    };
    let mut view = view(xeon(2), &amounts);
    view.look.has_unicode = false;
    compare("ascii", &view);
    view.state.help = true;
    let texts = [shown(&view, 80, 24), text(&view, 120, 40)];
    assert!(texts.iter().all(|text| text.is_ascii()), "{texts:?}");
}

#[test]
fn before_the_first_interval() {
    let look = Look {
        has_colour: false,
        has_unicode: true,
    };
    let mut view = View::new(xeon(2), look);
    view.state.delay = Duration::from_millis(1500);
    compare_text("empty", &shown(&view, 80, 24));
}

#[test]
fn text_is_the_screen_without_keys() {
    let view = view(xeon(2), &|s, n, m| exact(quiet(s, n, m)));
    let screen = shown(&view, 120, 40);
    let (rows, _) = screen.rsplit_once('\n').expect("many rows");
    assert_eq!(text(&view, 120, 40), format!("{}\n", rows.trim_end()));
}

#[test]
fn the_last_rows_can_be_reached() {
    let mut view = view(xeon(4), &|s, n, m| exact(quiet(s, n, m)));
    view.state.scroll = last_scroll(&view, 80, 24);
    let text = shown(&view, 80, 24);
    assert!(text.contains("no socket has qpi_2"), "{text}");
    assert_eq!(last_scroll(&view, 80, 200), 0);
    view.state.scroll = usize::MAX;
    assert_eq!(shown(&view, 80, 24), text);
}

#[test]
fn colours_say_nothing_that_words_do_not() {
    let mut view = view(xeon(2), &|s, n, m| exact(full(s, n, m)));
    let drawn = |view: &View| {
        let area = Rect::new(0, 0, 80, 24);
        let mut buffer = Buffer::empty(area);
        Screen::new(view, area, true).render(area, &mut buffer);
        buffer
    };
    let has_colour = |buffer: &Buffer| {
        let mut cells = buffer.content().iter();
        cells.any(|cell| cell.fg != ratatui::style::Color::Reset)
    };
    let coloured = shown(&view, 80, 24);
    assert!(has_colour(&drawn(&view)));
    view.look.has_colour = false;
    assert!(!has_colour(&drawn(&view)));
    assert_eq!(shown(&view, 80, 24), coloured);
}

#[test]
fn a_picture_has_all_rows_and_says_what_it_shows() {
    let view = view(xeon(2), &|s, n, m| exact(quiet(s, n, m)));
    assert!(text(&view, 80, 12).contains("rows 1-"));
    let picture = picture(&view, 80, 12);
    assert!(!picture.contains("rows 1-"), "{picture}");
    let (_, described) = picture.split_once("<desc").expect("a description");
    let (described, _) = described.split_once("</desc>").expect("its end");
    let rows: Vec<&str> = described.split(". ").collect();
    for row in [
        "all: read ",
        "socket 1: read ",
        "imc_0: read ",
        "home remote ",
    ] {
        assert!(rows.iter().any(|said| said.starts_with(row)), "{described}");
    }
    assert!(!described.contains(['█', '·']), "{described}");
}
