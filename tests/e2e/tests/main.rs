// SPDX-License-Identifier: GPL-2.0

//! Tests of the driver with perf and other tools, on emulated machines. They are one
//! program, so that tests share machines and no processor is idle while others run.

#[macro_use]
extern crate uncore_e2e;

mod differences;
mod driver;
mod front_ends;
mod in_tree;
mod judges;
mod lifetime;
mod machines;
mod names;
mod overflow;
mod power;
mod prometheus;
mod races;
mod secure_boot;
mod stock;
mod tool;
mod users;
