// SPDX-License-Identifier: GPL-2.0

//! Secure Boot, with the kernel of a distribution. The firmware has a key of the test's, and not that
//! of DKMS. `make test-distro` runs this, too.

use uncore_e2e::prelude::*;

#[test]
#[ignore = "needs a kernel that the firmware starts"]
fn what_is_signed_loads() {
    let config = Config::of(Driver::None).with("secure-boot", "on");
    on_new(&config, |session| {
        session.tolerate_missing_ones();
        println!("{}", session.ok("dmesg | grep -i 'secure boot'"));
        let unsigned = session.fails("insmod /lib/modules/unknown_nmi.ko");
        assert!(unsigned.contains("rejected"), "{unsigned}");

        let said = session.fails("uncore enable");
        assert!(said.contains("mokutil"), "{said}");
        println!("{said}{}", session.run("uncore doctor").stdout);

        session.ok("load-module /lib/modules/signed/uncore_rs.ko");
        let probe = Probe::cbox(0, "llc_lookup.any");
        session.counts(100_000, &[0, 1], &[probe.into()]);
    });
}
