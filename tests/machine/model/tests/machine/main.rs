// SPDX-License-Identifier: GPL-2.0

//! The model against the spec: expectations are typed from the tables of the
//! register spec and from traffic.rst, never from the model's own constants.

#![expect(
    clippy::doc_markdown,
    reason = "names of the manual are words of the text"
)]
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are known to fit"
)]

mod attributes;
mod bench;
mod commands;
mod definition;
mod discovery;
mod events;
mod freerun;
mod home;
mod matching;
mod overflow;
mod pci;
mod power;
mod random;
mod registers;
mod rows;
mod sets;
mod side_effects;
mod speed;
mod violations;
