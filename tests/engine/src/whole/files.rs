// SPDX-License-Identifier: GPL-2.0

//! Files and messages.

use super::*;
use crate::linux::topology::{Processor, IVY_BRIDGE_EP};

#[test]
fn events_are_listed_with_what_they_need() {
    with_driver("packages=1,cores=2", "auto", |_| {
        let listed = debugfs("events");
        for line in [
            "cbox clockticks counters=0,1,2,3",
            "cbox tor_inserts.nid_opcode counters=0,1 filters=nid,opc",
            "r2pcie rxr_occupancy.drs counters=0",
            "imc clockticks counters=fixed",
        ] {
            assert!(
                listed.lines().any(|listed| listed == line),
                "{line}: {listed}"
            );
        }
    });
}

#[test]
fn files_and_the_log_say_what_is_there_and_what_is_missing() {
    const TOPOLOGY: &str = "\
package 0: physical 0 cpu 0 numa 0 bus 0000:7f node 0
  ubox msr:0xc00
  cbox_0 msr:0xd00
  cbox_1 msr:0xd20
  ha_0 0000:7f:0e.1
  ha_1 0000:7f:1c.1
  imc_0 0000:7f:10.4
  imc_1 0000:7f:10.5
  imc_2 0000:7f:10.0
  imc_4 0000:7f:1e.4
  imc_5 0000:7f:1e.5
  imc_6 0000:7f:1e.0
  imc_7 0000:7f:1e.1
  irp 0000:00:05.6
  pcu msr:0xc30
  qpi_0 0000:7f:08.2 filters: missing: no PCI function of it, so firmware hides it or the part \
lacks it
  qpi_1 0000:7f:09.2 filters: 0000:7f:09.6
  r2pcie 0000:7f:13.1
  r3qpi_0 0000:7f:13.5
  r3qpi_1 0000:7f:13.6
  cbox_2-14 missing: the package has 2
  imc_3 missing: no PCI function of it, so firmware hides it or the part lacks it
  qpi_2 missing: no PCI function of it, so firmware hides it or the part lacks it
  r3qpi_2 missing: no PCI function of it, so firmware hides it or the part lacks it
";
    const LOG: [&str; 7] = [
        "info: package 0: overflow mode: poll: no running event needs interrupts",
        "info: package 0 on bus 0000:7f: ubox, cbox_0-1, ha_0-1, imc_0-2, imc_4-7, irp, pcu, \
         qpi_0-1, r2pcie, r3qpi_0-1",
        "info: package 0: missing cbox_2-14: the package has 2",
        "info: package 0: missing imc_3: no PCI function of it, so firmware hides it or the part \
         lacks it",
        "info: package 0: missing qpi_2: no PCI function of it, so firmware hides it or the part \
         lacks it",
        "info: package 0: missing r3qpi_2: no PCI function of it, so firmware hides it or the \
         part lacks it",
        "info: package 0: missing the filter function of qpi_0: no PCI function of it, so \
         firmware hides it or the part lacks it",
    ];
    const CAPS: [(&str, &str, Option<&str>); 12] = [
        (
            "qpi_0",
            "overflow",
            Some("poll: no running event needs interrupts"),
        ),
        (
            "cbox_0",
            "overflow",
            Some("poll: the box has no overflow interrupt"),
        ),
        ("cbox_0", "location", Some("msr:0xd00")),
        ("irp", "location", Some("0000:00:05.6")),
        ("imc_0", "location", Some("0000:7f:10.4")),
        ("qpi_0", "filters", Some("match,mask")),
        ("cbox_0", "filters", Some("tid,state,nid,opc")),
        ("imc_0", "filters", None),
        ("qpi_0", "filter_location", Some("missing")),
        ("qpi_1", "filter_location", Some("0000:7f:09.6")),
        ("cbox_0", "filter_location", Some("msr:0xd00")),
        ("imc_0", "fixed_counters", Some("1")),
    ];
    with_driver("packages=1,cores=2,hidden=08.6+10.1", "auto", |_| {
        assert_eq!(kernel::print::take(), LOG);
        assert_eq!(debugfs("topology"), TOPOLOGY);
        for (boxes, name, right) in CAPS {
            let shown = pmu(boxes).show(Some(c"caps"), name);
            let shown = shown.as_deref().map(str::trim_end);
            assert_eq!(shown, right, "{boxes} {name}");
        }
        let identifier = pmu("pcu").show(None, "identifier");
        assert_eq!(identifier.as_deref(), Some("ivbep-6-3e-4\n"));
    });
}

#[test]
fn a_processor_that_may_not_have_the_counters_is_refused() {
    let message = |processor| {
        let mut message = String::new();
        on_computer("packages=1,cores=2", |host| {
            *plain(&host.processor) = processor;
            assert_eq!(load("auto").err(), Some(ENODEV));
            message = kernel::print::take().concat();
        });
        message
    };
    let guest = Processor {
        hypervisor: true,
        ..IVY_BRIDGE_EP
    };
    assert!(message(guest).contains("a hypervisor runs this machine"));
    let other = Processor {
        model: 85,
        ..IVY_BRIDGE_EP
    };
    assert!(message(other).contains("not supported (family 6 model 85)"));
}
