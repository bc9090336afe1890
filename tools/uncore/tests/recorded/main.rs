// SPDX-License-Identifier: GPL-2.0

//! The commands on recorded systems.

mod binary;
mod commands;
mod descriptions;
mod doctor;
mod documents;
mod doubts;
mod explain;
mod garbled;
mod handover;
mod list;
mod machine;
mod recording;
mod replay;
mod stat;
mod survey;
mod top;
mod topology;
