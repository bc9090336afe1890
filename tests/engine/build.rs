// SPDX-License-Identifier: GPL-2.0

//! Sets the configuration under which the driver's sources hold their KUnit suites. Names the one
//! that Kani sets.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(kani, KUNIT_SUITES)");
    println!("cargo::rustc-cfg=KUNIT_SUITES");
    println!("cargo::rerun-if-changed=build.rs");
}
