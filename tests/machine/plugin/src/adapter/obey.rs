// SPDX-License-Identifier: GPL-2.0

//! Commands of the guest: those for processors are executed here, the model
//! executes the others.

use std::time::Duration;

use crate::adapter::Adapter;
use crate::command::Command;
use crate::core_pmu::CorePmu;
use crate::guest::Guest;
use crate::vcpu::{Identity, Vcpu};
use crate::{clock, delivery, hypercall};

/// The processor whose LINT1 external NMIs come to.
const BOOT_CPU: usize = 0;

impl Adapter {
    /// Executes the command line in the guest's buffer and puts the answer there.
    pub(super) fn command(&self, address: u64, size: u64, guest: &mut impl Guest) -> [u64; 4] {
        let Some(line) = hypercall::read_command(guest, address, size) else {
            return hypercall::NO_BUFFER;
        };
        let answer = match Command::parse(&line) {
            Some(command) => {
                self.machine(guest, |_, report| report.log(|| format!("command {line}")));
                command.and_then(|command| self.obey(command, guest))
            }
            None => self.ask_model(&line, guest),
        };
        hypercall::write_answer(guest, address, size, &answer)
    }

    fn ask_model(&self, line: &str, guest: &mut impl Guest) -> Result<String, String> {
        let answer = self.machine(guest, |machine, report| {
            report.log(|| format!("command {line}"));
            machine.command(line)
        });
        answer.map_err(|error| error.to_string())
    }

    fn obey(&self, command: Command, guest: &mut impl Guest) -> Result<String, String> {
        match command {
            Command::Nmi(cpu) => {
                let (vcpu, identity) = self.started(cpu)?;
                delivery::foreign(vcpu, identity, guest);
            }
            Command::ExternalNmi(source) => {
                let (vcpu, identity) = self.started(BOOT_CPU)?;
                if !self.nmi_status.report(source) {
                    return Err("the guest has turned this source off".to_owned());
                }
                delivery::foreign(vcpu, identity, guest);
            }
            Command::CorePmi(cpu) => {
                let (vcpu, identity) = self.started(cpu)?;
                if !self.core_pmu || !vcpu.with_core_pmu(CorePmu::overflow) {
                    return Err(format!("no counter of CPU {cpu} may interrupt"));
                }
                delivery::core(vcpu, identity, guest);
            }
            Command::Skip(time) => self.skip(time, guest),
            Command::Interrupts => return self.interrupts(guest),
            Command::ClearInterrupts => {
                self.vcpus.iter().for_each(|vcpu| vcpu.tally.clear());
                return self.ask_model("clear-interrupts", guest);
            }
            Command::Cost => return Ok(self.meter.report()),
        }
        Ok(String::new())
    }

    /// Lets the guest's clock jump forward, and every processor check its timers.
    fn skip(&self, time: Duration, guest: &mut impl Guest) {
        self.tsc.skip(time);
        self.machine(guest, |machine, _| machine.advance(clock::cycles(time)));
        for vcpu in &self.vcpus {
            delivery::timer(vcpu, guest);
        }
    }

    /// A virtual processor that has executed something.
    fn started(&self, cpu: usize) -> Result<(&Vcpu, Identity), String> {
        let found = self.vcpus.get(cpu).and_then(|v| Some((v, v.identity()?)));
        found.ok_or_else(|| format!("the machine has no CPU '{cpu}'"))
    }

    /// Returns the model's answer, and a line for each processor.
    fn interrupts(&self, guest: &mut impl Guest) -> Result<String, String> {
        let packages = self.ask_model("interrupts", guest)?;
        let cpus = self.vcpus.iter().enumerate();
        let cpus = cpus.map(|(cpu, vcpu)| format!("cpu {cpu}: {}", vcpu.tally));
        Ok(std::iter::once(packages)
            .chain(cpus)
            .collect::<Vec<_>>()
            .join("\n"))
    }
}
