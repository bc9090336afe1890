// SPDX-License-Identifier: GPL-2.0

//! Attribute macro of the stand-in for the kernel crate, on the host.

use proc_macro::TokenStream;

/// Accepts a module of KUnit tests: its `#[test]` functions are those of an ordinary test program.
#[proc_macro_attribute]
pub fn kunit_tests(_name: TokenStream, item: TokenStream) -> TokenStream {
    item
}
