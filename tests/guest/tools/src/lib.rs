// SPDX-License-Identifier: GPL-2.0

//! Code that the guest's small programs share.
//!
//! - `event`: perf events by the system call.
//! - `fault`: allocations of the kernel that fail.
//! - `frame`: the channel between the host and the guest's agent; the host's
//!   runner uses it too.
//! - `hypercall`: the way to the emulated machine.
//! - `power`: sleep and hibernation.
//! - `report`: the way the programs end.
//! - `storm`: many actors that do different things at once.

pub mod event;
pub mod fault;
pub mod frame;
pub mod hypercall;
pub mod power;
pub mod report;
pub mod storm;
