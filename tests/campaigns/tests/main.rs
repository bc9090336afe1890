// SPDX-License-Identifier: GPL-2.0

//! Slices of all campaigns, in one program, so that tests share machines.

mod failures;
mod storm;
