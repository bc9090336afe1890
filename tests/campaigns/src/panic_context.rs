// SPDX-License-Identifier: GPL-2.0

//! Context of a panic: the step of a long run in which the guest was lost.

/// Text that is printed if the thread panics, for example because the guest stops
/// answering.
pub(crate) struct PanicContext(pub(crate) String);

impl Drop for PanicContext {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", self.0);
        }
    }
}
