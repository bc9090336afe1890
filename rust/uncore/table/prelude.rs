// SPDX-License-Identifier: GPL-2.0

//! All that the tables of a platform are made of, for one import.

pub(crate) use super::{
    also,
    bare,
    bits,
    box_type::*,
    constant_filter,
    copied,
    counter,
    event,
    every,
    field,
    field::Words,
    filter_msrs,
    filter_register,
    filter_unit,
    pci,
    preset,
    presets,
    sub,
    window::check_window,
    INTERVAL,
    INVERT,
    NO_CONTROL,
    ORDINARY_BOX, //
};
