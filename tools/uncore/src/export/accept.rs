// SPDX-License-Identifier: GPL-2.0

//! Negotiation of the format by the header Accept.

use super::text::Format;

/// Versions of OpenMetrics that take what we write.
const VERSIONS: [&str; 2] = ["1.0.0", "0.0.1"];

/// Returns the format that the client likes best; that of Prometheus if it likes both the same,
/// or none.
pub(super) fn format(accept: &str) -> Format {
    let (mut plain, mut open) = (0.0, 0.0);
    for range in accept.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default().to_ascii_lowercase();
        let (mut quality, mut version) = (1.0, None);
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            let value = value.trim().trim_matches('"');
            match name.trim().to_ascii_lowercase().as_str() {
                "q" => quality = value.parse().unwrap_or(0.0),
                "version" => version = Some(value),
                _ => {}
            }
        }
        let best: &mut f64 = match media.as_str() {
            "application/openmetrics-text" => {
                if version.is_some_and(|version| !VERSIONS.contains(&version)) {
                    continue;
                }
                &mut open
            }
            "text/plain" | "text/*" | "*/*" => &mut plain,
            _ => continue,
        };
        *best = best.max(quality);
    }
    if open > plain {
        Format::OpenMetrics
    } else {
        Format::Prometheus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_chooses() {
        use Format::{OpenMetrics, Prometheus};
        for (accept, expected) in [
            ("", Prometheus),
            ("*/*", Prometheus),
            ("text/html,*/*;q=0.1", Prometheus),
            ("application/openmetrics-text", OpenMetrics),
            ("Application/OpenMetrics-Text; Version=1.0.0", OpenMetrics),
            (
                "application/openmetrics-text;version=\"1.0.0\"",
                OpenMetrics,
            ),
            ("application/openmetrics-text;version=2.0.0", Prometheus),
            ("application/openmetrics-text;q=0", Prometheus),
            ("application/openmetrics-text;q=x", Prometheus),
            (
                "application/openmetrics-text;q=0.3,text/plain;q=0.7",
                Prometheus,
            ),
            (
                "text/plain;q=0.3,application/openmetrics-text;q=0.7",
                OpenMetrics,
            ),
            ("application/openmetrics-text,text/plain", Prometheus),
            (";;=,,q=1;", Prometheus),
            // Prometheus 2.
            (
                "application/openmetrics-text;version=1.0.0;q=0.5,\
                 application/openmetrics-text;version=0.0.1;q=0.4,\
                 text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                OpenMetrics,
            ),
            // Prometheus 3.
            (
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
                 application/openmetrics-text;version=0.0.1;q=0.5,\
                 text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,\
                 text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                OpenMetrics,
            ),
        ] {
            assert_eq!(format(accept), expected, "{accept}");
        }
    }
}
