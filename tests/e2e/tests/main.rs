// SPDX-License-Identifier: GPL-2.0

//! What perf and others see of the driver, on emulated machines. One program,
//! so that tests share machines and no processor is idle while others run.

mod differences;
mod driver;
mod free_running;
mod fuzzing;
mod in_tree;
mod lifetime;
mod machines;
mod names;
mod overflow;
mod programming;
mod races;
mod soak;
mod stock;
mod storm;
mod tool;
mod users;
