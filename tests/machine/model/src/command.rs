// SPDX-License-Identifier: GPL-2.0

//! The text commands: grammar only; `control.rs` carries them out.
//!
//! Their effects: Documentation/development/machine.rst, "Commands".

use crate::defect::Defect;
use crate::interrupts::{Fate, PmiRule, Recipients};
use crate::pmon::Lock;
use crate::readings::Readings;
use crate::share::Share;
use crate::step::{Step, When};
use crate::words::Words;
use crate::{CommandError, Function, Platform};

/// One parsed command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    Burst(u64),
    BurstThrough(u64),
    BurstLeft,
    Clock,
    FreeRun(bool),
    Violations,
    ClearViolations,
    Hide(Function),
    Show(Function),
    /// The package, the box, and what writes to it do from now on.
    Lock(u8, String, Option<Lock>),
    FailMsr(u8, u32),
    HealMsr(u8, u32),
    PokeMsr(u8, u32, u64),
    PeekMsr(u8, u32),
    PokeConfig(Function, u16, u32),
    PeekConfig(Function, u16),
    Preload(Preload),
    /// Put all counters at this distance from their overflow, of one type if one is named.
    PreloadAll(u64, Option<String>),
    Defect(Defect),
    ClearDefects,
    /// Cycles until the other boxes stop, and until the box of the overflow does.
    FreezeDelay(u64, Option<u64>),
    /// The package, the box, and what its next message waits for.
    LateMessage(u8, String, Step),
    Pmi(PmiRule),
    Interrupts,
    ClearInterrupts,
    /// The package sleeps and loses what lets its counters count.
    LoseEnable(u8),
    /// The package sleeps and loses all registers.
    Sleep(u8),
    /// Another tool or firmware puts the counters of a package, or of a box of it, at 0.
    ClearCounters(u8, Option<String>),
    Log(bool),
    TakeLog,
    State,
    /// Tell the readings in force.
    Reading,
    Take(Change),
    Readings,
}

/// `reading [+|-] NAME…`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// These, and the first of every other point.
    To(Readings),
    /// These, and of every other point the one in force.
    With(Readings),
    /// Those in force, but the first of these points.
    Without(Readings),
}

/// `preload PKG BOX COUNTER VALUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Preload {
    pub(crate) package: u8,
    pub(crate) pmon: String,
    pub(crate) counter: String,
    pub(crate) value: u64,
}

impl Command {
    pub(crate) fn parse(line: &str, platform: Platform) -> Result<Self, CommandError> {
        let (mut words, name) = Words::split(line, platform)?;
        let command = words.command(name)?;
        words.end()?;
        Ok(command)
    }
}

impl Words<'_> {
    fn command(&mut self, name: &str) -> Result<Command, CommandError> {
        Ok(match name {
            "burst" => Command::Burst(self.cycles()?),
            "burst-through" => Command::BurstThrough(self.cycles()?),
            "burst-left" => Command::BurstLeft,
            "clock" => Command::Clock,
            "free-run" => Command::FreeRun(self.switch()?),
            "violations" => Command::Violations,
            "clear-violations" => Command::ClearViolations,
            "hide" => Command::Hide(self.function()?),
            "show" => Command::Show(self.function()?),
            "lock" => self.lock()?,
            "unlock" => Command::Lock(self.package()?, self.word("a box")?.to_owned(), None),
            "fail-msr" => Command::FailMsr(self.package()?, self.msr()?),
            "heal-msr" => Command::HealMsr(self.package()?, self.msr()?),
            "poke-msr" => Command::PokeMsr(self.package()?, self.msr()?, self.value()?),
            "peek-msr" => Command::PeekMsr(self.package()?, self.msr()?),
            "poke-config" => {
                let (function, offset) = (self.function()?, self.offset()?);
                Command::PokeConfig(function, offset, self.number("a 32-bit value")?)
            }
            "peek-config" => Command::PeekConfig(self.function()?, self.offset()?),
            "preload" => Command::Preload(self.preload()?),
            "preload-all" => self.preload_all()?,
            "defect" => Command::Defect(self.defect()?),
            "clear-defects" => Command::ClearDefects,
            "freeze-delay" => self.freeze_delay()?,
            "late-message" => {
                let (package, pmon) = (self.package()?, self.word("a box")?.to_owned());
                let step = self.choice("read, clear, unfreeze or unmask", &Step::NAMES)?;
                Command::LateMessage(package, pmon, step)
            }
            "pmi" => Command::Pmi(self.pmi_rule()?),
            "interrupts" => Command::Interrupts,
            "clear-interrupts" => Command::ClearInterrupts,
            "lose-enable" => Command::LoseEnable(self.package()?),
            "sleep" => Command::Sleep(self.package()?),
            "clear-counters" => {
                let package = self.package()?;
                Command::ClearCounters(package, self.optional_word().map(str::to_owned))
            }
            "log" => self.log()?,
            "state" => Command::State,
            "reading" => self.reading()?,
            "readings" => Command::Readings,
            other => return Err(CommandError(format!("unknown command '{other}'"))),
        })
    }

    fn switch(&mut self) -> Result<bool, CommandError> {
        self.choice("on or off", &[("on", true), ("off", false)])
    }

    /// Readings, or `a` for the first of every point.
    fn reading(&mut self) -> Result<Command, CommandError> {
        let platform = self.platform;
        let words: Vec<&str> = std::iter::from_fn(|| self.optional_word()).collect();
        let parse = |names: &[&str]| {
            let readings = Readings::parse(names.iter().copied(), platform);
            readings.map_err(CommandError)
        };
        Ok(match &words[..] {
            [] => Command::Reading,
            ["a"] => Command::Take(Change::To(Readings::default())),
            ["+", names @ ..] if !names.is_empty() => Command::Take(Change::With(parse(names)?)),
            ["-", names @ ..] if !names.is_empty() => Command::Take(Change::Without(parse(names)?)),
            names => Command::Take(Change::To(parse(names)?)),
        })
    }

    fn lock(&mut self) -> Result<Command, CommandError> {
        let (package, pmon) = (self.package()?, self.word("a box")?.to_owned());
        let lock = match self.optional_word() {
            None => Lock::Ignores,
            Some("fault") => Lock::Faults,
            Some(word) => return Err(CommandError::bad(word, "fault, or nothing")),
        };
        Ok(Command::Lock(package, pmon, Some(lock)))
    }

    fn log(&mut self) -> Result<Command, CommandError> {
        const WANTED: &str = "on, off or take";
        match self.word(WANTED)? {
            "on" => Ok(Command::Log(true)),
            "off" => Ok(Command::Log(false)),
            "take" => Ok(Command::TakeLog),
            other => Err(CommandError::bad(other, WANTED)),
        }
    }

    fn pmi_rule(&mut self) -> Result<PmiRule, CommandError> {
        const WANTED: &str = "normal, drop, delay, repeat or to";
        Ok(match self.word(WANTED)? {
            "normal" => PmiRule::Normal,
            "drop" => PmiRule::Fate(Fate::Drop(self.share()?)),
            "delay" => PmiRule::Fate(Fate::Delay(when(self.word(WHEN)?)?)),
            "repeat" => {
                let later = self.optional_word().map_or(Ok(When::After(0)), when);
                PmiRule::Fate(Fate::Repeat(later?))
            }
            "to" => PmiRule::To(self.recipients()?),
            other => return Err(CommandError::bad(other, WANTED)),
        })
    }

    fn share(&mut self) -> Result<Share, CommandError> {
        let share = |word| Share::parse(word).ok_or_else(|| CommandError::bad(word, SHARE));
        self.optional_word().map_or(Ok(Share::ALL), share)
    }

    fn recipients(&mut self) -> Result<Recipients, CommandError> {
        let kinds = [
            ("selected", Recipients::Selected),
            ("next", Recipients::Next),
            ("all", Recipients::All),
        ];
        self.choice("selected, next or all", &kinds)
    }

    fn freeze_delay(&mut self) -> Result<Command, CommandError> {
        const WANTED: &str = "a number of cycles, at most as for the other boxes";
        let others = self.cycles()?;
        let own = self.optional_word().map(|word| {
            let own = Words::parse_number(word).filter(|own| *own <= others);
            own.ok_or_else(|| CommandError::bad(word, WANTED))
        });
        Ok(Command::FreezeDelay(others, own.transpose()?))
    }

    fn preload(&mut self) -> Result<Preload, CommandError> {
        Ok(Preload {
            package: self.package()?,
            pmon: self.word("a box")?.to_owned(),
            counter: self.word("a counter")?.to_owned(),
            value: self.value()?,
        })
    }

    fn preload_all(&mut self) -> Result<Command, CommandError> {
        const WANTED: &str = "a distance from 1 to 0x100000000000";
        let distance: u64 = self.number(WANTED)?;
        if !(1..=1 << 44).contains(&distance) {
            return Err(CommandError::bad(&distance.to_string(), WANTED));
        }
        let kind = self.optional_word().map(str::to_owned);
        Ok(Command::PreloadAll(distance, kind))
    }
}

const SHARE: &str = "a share, say 1/4";

const WHEN: &str = "a number of cycles, read, clear, unfreeze or unmask";

fn when(word: &str) -> Result<When, CommandError> {
    let step = Step::named(word).map(When::At);
    let when = step.or_else(|| Words::parse_number(word).map(When::After));
    when.ok_or_else(|| CommandError::bad(word, WHEN))
}
