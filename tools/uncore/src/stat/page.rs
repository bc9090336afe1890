// SPDX-License-Identifier: GPL-2.0

//! A run as a page for browsers: what was full, a table of means, and pictures. It needs nothing but
//! itself.

use std::fmt::Write as _;

use uncore_metrics::recording::Machine;

use crate::bandwidth::{self, History};
use crate::diff;
use crate::mean::Run;
use crate::overview::unique;
use crate::{top, topology};

const STYLE: &str = "body{font-family:sans-serif;margin:2em auto;max-width:62em;padding:0 1em}\
                     td,th{padding:.2em 1em;text-align:right;border-bottom:1px solid #ddd}\
                     td:first-child{text-align:left}svg{max-width:100%;height:auto}\
                     table{border-collapse:collapse}";

/// Returns the page. `notes` are added to those of the machine.
pub(super) fn page(machine: &Machine, history: &History, run: &Run, notes: &[String]) -> String {
    let heading = format!("uncore of {}", machine.platform);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n\
         <style>{STYLE}</style></head>\n<body><h1>{0}</h1>\n<p>{1}</p>\n",
        escaped(&heading),
        escaped(&top::sentence(machine, &run.interval()))
    );
    let values = diff::values(run);
    let mut sockets: Vec<u32> = values.iter().map(|value| value.socket).collect();
    sockets.dedup();
    page.push_str("<h2>Means</h2>\n<table><tr><td></td>");
    for socket in &sockets {
        let _ = write!(page, "<th>socket {socket}</th>");
    }
    page.push_str("</tr>\n");
    for name in unique(values.iter().map(|value| value.name.as_str())) {
        let _ = write!(page, "<tr><td>{}</td>", escaped(name));
        for socket in &sockets {
            let value = diff::find(&values, *socket, name);
            let text = value.map_or("-", |value| value.text.as_str());
            let _ = write!(page, "<td>{}</td>", escaped(text));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n");
    let boxes = topology::of_loads(machine, run, notes);
    let pictures = [
        ("Bandwidth", bandwidth::picture(machine, history, notes)),
        ("Boxes", boxes),
    ];
    for (place, (title, picture)) in pictures.into_iter().enumerate() {
        // Both have a title and a description, whose names are unique in a page.
        let picture = picture
            .replace("id=\"title\"", &format!("id=\"title{place}\""))
            .replace("id=\"description\"", &format!("id=\"description{place}\""))
            .replace(
                "\"title description\"",
                &format!("\"title{place} description{place}\""),
            );
        let _ = write!(page, "<h2>{title}</h2>\n<figure>{picture}</figure>\n");
    }
    page + "</body></html>\n"
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
