// SPDX-License-Identifier: GPL-2.0

//! Attribute macros of the stand-in for the kernel crate.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Accepts a struct with `#[pin]` fields. Nothing is pinned on the host, so the marks go.
#[proc_macro_attribute]
pub fn pin_data(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    without_pin(item)
}

/// Accepts a module of KUnit tests: its `#[test]` functions are those of an ordinary test program.
#[proc_macro_attribute]
pub fn kunit_tests(_name: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Removes each `#[pin]`.
fn without_pin(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match &token {
            TokenTree::Group(group)
                if group.delimiter() == Delimiter::Bracket
                    && group.stream().to_string() == "pin"
                    && matches!(kept.last(), Some(TokenTree::Punct(mark)) if mark.as_char() == '#') =>
            {
                kept.pop();
            }
            TokenTree::Group(group) => {
                let inner = without_pin(group.stream());
                kept.push(Group::new(group.delimiter(), inner).into());
            }
            _ => kept.push(token),
        }
    }
    kept.into_iter().collect()
}
