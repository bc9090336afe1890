// SPDX-License-Identifier: GPL-2.0

//! What a long run was at when the guest was lost.

/// Is said if the guest does not answer any more, which is a panic.
pub(crate) struct Notice(pub(crate) String);

impl Drop for Notice {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", self.0);
        }
    }
}
