// SPDX-License-Identifier: GPL-2.0

//! Sets the configuration under which the driver's sources hold their KUnit suites.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(KUNIT_SUITES)");
    println!("cargo::rustc-cfg=KUNIT_SUITES");
    println!("cargo::rerun-if-changed=build.rs");
}
