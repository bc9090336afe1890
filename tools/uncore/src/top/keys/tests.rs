// SPDX-License-Identifier: GPL-2.0

use super::super::view::Order;
use super::*;

fn state() -> State {
    State {
        delay: Duration::from_secs(1),
        ..State::default()
    }
}

/// The state after a terminal sent this, and what the last key asks for.
fn after(mut state: State, sent: &str) -> (State, Request) {
    let mut last = Request::Draw;
    for key in keys(sent.as_bytes()) {
        last = press(&mut state, key);
    }
    (state, last)
}

#[test]
fn bytes_become_keys() {
    let cases: [(&[u8], &[Key]); 10] = [
        (b"qs", &[Key::Letter('q'), Key::Letter('s')]),
        (b"\x03\x1a", &[Key::Control('c'), Key::Control('z')]),
        (
            b"\r\n\x7f\x08",
            &[Key::Enter, Key::Enter, Key::Backspace, Key::Backspace],
        ),
        (b"\x1b", &[Key::Escape]),
        (b"\x1b\x1b", &[Key::Escape, Key::Escape]),
        (b"\x1b[A\x1bOBx", &[Key::Up, Key::Down, Key::Letter('x')]),
        (b"\x1b[5~\x1b[6~", &[Key::PageUp, Key::PageDown]),
        // A function key, and a sequence that is cut off.
        (b"\x1b[15;2~q\x1b[1", &[Key::Letter('q')]),
        ("ü".as_bytes(), &[Key::Letter('ü')]),
        (b"\x00\xc3", &[Key::Letter('\u{fffd}')]),
    ];
    for (sent, expected) in cases {
        assert_eq!(keys(sent), expected, "{sent:?}");
    }
}

#[test]
fn keys_choose() {
    let chosen = |sent: &str| after(state(), sent).0;
    assert!(chosen("?").help && !chosen("?h").help && !chosen("?\u{1b}").help);
    assert_eq!(chosen("s").order, Order::Used);
    assert!(chosen("p").paused && chosen(" ").paused && !chosen("p ").paused);
    assert_eq!(chosen("\u{1b}[B\u{1b}[B\u{1b}[A").scroll, 1);
    assert_eq!(chosen("\u{1b}[A").scroll, 0);
    assert_eq!(chosen("\u{1b}[F").scroll, usize::MAX);
    assert_eq!(chosen("\u{1b}[F\u{1b}[6~\u{1b}[H").scroll, 0);
    assert_eq!(chosen("x\t\u{1b}[Z"), state());
}

#[test]
fn keys_ask() {
    for (sent, expected) in [
        ("q", Request::Quit),
        ("\u{3}", Request::Quit),
        ("/ab\u{3}", Request::Quit),
        ("\u{1a}", Request::Suspend),
        ("\u{c}", Request::Redraw),
        ("r", Request::Reset),
        ("t", Request::Draw),
        ("/q", Request::Draw),
    ] {
        assert_eq!(after(state(), sent).1, expected, "{sent:?}");
    }
}

#[test]
fn a_filter_is_typed() {
    let filter = |sent: &str| after(state(), sent).0;
    assert_eq!(
        filter("/s1 lin").prompt,
        Some(Prompt::Filter("s1 lin".to_owned()))
    );
    assert_eq!(filter("/s1 lin").filter, "s1 lin");
    let taken = filter("/s1 linj\u{7f}k\u{c} \r");
    assert_eq!((taken.filter.as_str(), taken.prompt), ("s1 link", None));
    assert_eq!(filter("/imc\r/_1").filter, "imc_1");
    assert_eq!(filter("/imc\r/x\u{1b}").filter, "");
    assert_eq!(filter("/imc\r\u{1b}").filter, "");
}

#[test]
fn a_delay_is_a_time() {
    let delay = |sent: &str| after(state(), sent).0.delay;
    assert_eq!(delay("d2.5s\r"), Duration::from_millis(2500));
    for unchanged in ["d0s\r", "d2\r", "dx\r", "d\r", "d5s\u{1b}", "+", "-"] {
        assert_eq!(delay(unchanged), Duration::from_secs(1), "{unchanged:?}");
    }
    assert_eq!(delay("d1ms\r"), DELAYS[0]);
    assert_eq!(delay("d99h\r"), DELAYS[1]);
}

#[test]
fn a_replay_has_more_keys() {
    let replay = State {
        replay: Some("file".to_owned()),
        ..state()
    };
    let after = |sent: &str| after(replay.clone(), sent);
    assert_eq!(after("t").1, Request::Forward);
    assert_eq!(after("T").1, Request::Back);
    assert_eq!(after("++").0.delay, Duration::from_millis(250));
    assert_eq!(after("-").0.delay, Duration::from_secs(2));
    let (faster, slower) = ("+".repeat(99), "-".repeat(99));
    assert_eq!(after(&faster).0.delay, DELAYS[0]);
    assert_eq!(after(&slower).0.delay, DELAYS[1]);
}
