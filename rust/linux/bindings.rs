// SPDX-License-Identifier: GPL-2.0

//! C declarations that the kernel crate's own bindings lack, made by bindgen during the build from
//! `include/bindings.h`.

#![allow(
    clippy::all,
    clippy::arithmetic_side_effects,
    dead_code,
    improper_ctypes,
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    rustdoc::all,
    unreachable_pub,
    unknown_lints,
    unnecessary_transmutes,
    unsafe_op_in_unsafe_fn,
    clippy::cast_lossless,
    clippy::indexing_slicing,
    clippy::ptr_as_ptr,
    clippy::ref_as_ptr,
    clippy::multiple_unsafe_ops_per_block,
    clippy::undocumented_unsafe_blocks,
    reason = "generated code"
)]

use kernel::ffi;

// The parameters of bindgen leave these out, as C's `long` is not Rust's `isize`.
type __kernel_size_t = usize;
type __kernel_ssize_t = isize;
type __kernel_ptrdiff_t = isize;

include!(env!("UNCORE_BINDINGS"));
