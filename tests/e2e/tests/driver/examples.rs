// SPDX-License-Identifier: GPL-2.0

//! Commands of the user's page, exactly as they are there.

use crate::driver::usual_machine;
use uncore_e2e::prelude::*;
use uncore_e2e::user_page;

/// Output of perf for an event that it could not count.
const NOT_COUNTED: [&str; 2] = ["<not counted>", "<not supported>"];

#[test]
fn the_commands_of_the_page_run() {
    let commands = user_page::commands();
    let stats = commands.iter().filter(|c| c.contains("perf stat ")).count();
    assert!(stats >= 8, "only {stats}: {commands:#?}");
    // The driver must use interrupts even if its trial fails: otherwise intervals are
    // refused.
    let machine = Config {
        parameters: vec!["overflow=pmi".to_owned()],
        ..usual_machine()
    };
    on(&machine, |session| {
        for command in &commands {
            // Output goes to a file, as on a terminal: into a pipe perf would write its
            // recorded data.
            let output = session.run(&format!(
                "cd /tmp && ( {command} ) >said 2>&1; status=$?; cat said; exit $status"
            ));
            let text = output.stdout;
            assert_eq!(output.status, 0, "`{command}`:\n{text}");
            let not_counted = NOT_COUNTED.iter().any(|words| text.contains(words));
            assert!(!not_counted, "`{command}`:\n{text}");
        }
        session.ok("rm -f /tmp/perf.data /tmp/said");
    });
}
