// SPDX-License-Identifier: GPL-2.0

//! Keys: from the bytes of a terminal to what the user chooses.

use std::time::Duration;

use super::view::{Prompt, State};
use crate::cli::parse_time;

/// Key of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Letter(char),
    /// A letter with the control key.
    Control(char),
    Enter,
    Escape,
    Backspace,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
}

/// Request of a key to the program, beside another state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    /// Draw the state.
    Draw,
    /// Draw all of the screen again.
    Redraw,
    /// Forget the lowest and highest values.
    Reset,
    /// Show the next interval of the recording.
    Forward,
    /// Show the interval before.
    Back,
    /// Let the shell go on.
    Suspend,
    Quit,
}

/// Sequences of a terminal after the escape.
const SEQUENCES: [(&str, Key); 14] = [
    ("[A", Key::Up),
    ("OA", Key::Up),
    ("[B", Key::Down),
    ("OB", Key::Down),
    ("[5~", Key::PageUp),
    ("[6~", Key::PageDown),
    ("[H", Key::Home),
    ("OH", Key::Home),
    ("[1~", Key::Home),
    ("[7~", Key::Home),
    ("[F", Key::End),
    ("OF", Key::End),
    ("[4~", Key::End),
    ("[8~", Key::End),
];

/// Rows of a page.
const PAGE: usize = 10;

/// Shortest and longest time between two intervals that a key sets.
const DELAYS: [Duration; 2] = [Duration::from_millis(10), Duration::from_secs(24 * 3600)];

/// Returns the keys of what a terminal sent at once. Sequences that are not known are left out.
pub(super) fn keys(sent: &[u8]) -> Vec<Key> {
    let text = String::from_utf8_lossy(sent);
    let (mut rest, mut keys) = (text.as_ref(), Vec::new());
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        keys.push(match letter {
            '\u{1b}' if rest.starts_with(['[', 'O']) => {
                let sequence = sequence(rest);
                rest = rest.get(sequence.len()..).unwrap_or_default();
                match SEQUENCES.iter().find(|(known, _)| *known == sequence) {
                    Some((_, key)) => *key,
                    None => continue,
                }
            }
            '\u{1b}' => Key::Escape,
            '\r' | '\n' => Key::Enter,
            '\u{8}' | '\u{7f}' => Key::Backspace,
            control @ '\u{1}'..='\u{1a}' => Key::Control(char::from(control as u8 | 0x60)),
            letter if letter.is_control() => continue,
            letter => Key::Letter(letter),
        });
    }
    keys
}

/// Returns the sequence at the begin of a text: its first letter, and all up to the next letter
/// or tilde.
fn sequence(text: &str) -> &str {
    let last = text
        .char_indices()
        .skip(1)
        .find(|(_, letter)| matches!(letter, '@'..='~'));
    let end = last.map_or(text.len(), |(at, letter)| at + letter.len_utf8());
    text.get(..end).unwrap_or(text)
}

/// Changes the state as a key says.
pub(super) fn press(state: &mut State, key: Key) -> Request {
    match (key, state.prompt.take()) {
        (Key::Control('c'), _) => Request::Quit,
        (Key::Control('z'), prompt) => {
            state.prompt = prompt;
            Request::Suspend
        }
        (Key::Control('l'), prompt) => {
            state.prompt = prompt;
            Request::Redraw
        }
        (key, Some(prompt)) => {
            typed(state, key, prompt);
            Request::Draw
        }
        (key, None) => command(state, key),
    }
}

/// Takes a key of an answer that the user types.
fn typed(state: &mut State, key: Key, mut prompt: Prompt) {
    let (Prompt::Filter(text) | Prompt::Delay(text)) = &mut prompt;
    match key {
        Key::Escape => text.clear(),
        Key::Backspace => drop(text.pop()),
        Key::Letter(letter) => text.push(letter),
        _ => {}
    }
    let is_over = matches!(key, Key::Escape | Key::Enter);
    match &prompt {
        // It applies while it is typed.
        Prompt::Filter(words) => words.trim().clone_into(&mut state.filter),
        Prompt::Delay(time) if is_over => set_delay(state, time),
        Prompt::Delay(_) => {}
    }
    state.prompt = (!is_over).then_some(prompt);
}

/// Sets the delay, unless the text is no time with a unit.
fn set_delay(state: &mut State, text: &str) {
    if let Ok(delay) = parse_time(text.trim()) {
        state.delay = delay.clamp(DELAYS[0], DELAYS[1]);
    }
}

fn command(state: &mut State, key: Key) -> Request {
    let is_replay = state.replay.is_some();
    match key {
        Key::Letter('q') => return Request::Quit,
        Key::Letter('r') => return Request::Reset,
        Key::Letter('t') if is_replay => return Request::Forward,
        Key::Letter('T') if is_replay => return Request::Back,
        Key::Letter('+') if is_replay => state.delay = (state.delay / 2).max(DELAYS[0]),
        Key::Letter('-') if is_replay => state.delay = (state.delay * 2).min(DELAYS[1]),
        Key::Letter('?' | 'h') => state.help ^= true,
        Key::Letter('s') => state.order = state.order.next(),
        Key::Letter('p' | ' ') => state.paused ^= true,
        Key::Letter('/') => state.prompt = Some(Prompt::Filter(state.filter.clone())),
        Key::Letter('d') => state.prompt = Some(Prompt::Delay(String::new())),
        Key::Up => state.scroll = state.scroll.saturating_sub(1),
        Key::Down => state.scroll = state.scroll.saturating_add(1),
        Key::PageUp => state.scroll = state.scroll.saturating_sub(PAGE),
        Key::PageDown => state.scroll = state.scroll.saturating_add(PAGE),
        Key::Home => state.scroll = 0,
        Key::End => state.scroll = usize::MAX,
        Key::Escape if state.help => state.help = false,
        Key::Escape => state.filter.clear(),
        _ => {}
    }
    Request::Draw
}

#[cfg(test)]
mod tests;
