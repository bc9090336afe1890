// SPDX-License-Identifier: GPL-2.0

//! Pictures as files of SVG.
//!
//! A picture has a title and a description for those who do not see it, and a background of its
//! own, so that it can be read on a dark page. No shape differs from another by its colour alone.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use svg::node::element::{Description, Element, Group, Rectangle, Title};
use svg::node::{Text, Value};
use svg::{Document, Node};

use crate::error::Error;

/// Frames and axes.
pub(crate) const FRAME: &str = "#555";
/// Words that matter less.
pub(crate) const FAINT: &str = "#555";

/// Picture that grows downwards.
pub(crate) struct Drawing {
    body: Group,
    /// First line that is free.
    pub(crate) y: f64,
}

impl Drawing {
    /// Begins at this line.
    pub(crate) fn at(y: f64) -> Self {
        Self {
            body: Group::new(),
            y,
        }
    }

    /// Adds a shape.
    pub(crate) fn add(&mut self, node: impl Into<Box<dyn Node>>) {
        self.body.append(node);
    }

    /// The shapes, to be put into another picture.
    pub(crate) fn into_body(self) -> Group {
        self.body
    }

    /// Ends the picture.
    pub(crate) fn document(self, width: f64, title: &str, description: &str) -> String {
        let (width, height) = (tenth(width), tenth(self.y));
        let background = Rectangle::new()
            .set("width", width)
            .set("height", height)
            .set("fill", "white");
        let document = Document::new()
            .set("width", width)
            .set("height", height)
            .set("viewBox", (0, 0, width, height))
            .set("font-family", "sans-serif")
            .set("font-size", 12)
            .set("role", "img")
            .set("aria-labelledby", "title description")
            .add(Title::new(legible(title)).set("id", "title"))
            .add(
                Description::new()
                    .set("id", "description")
                    .add(Text::new(legible(description))),
            )
            .add(background)
            .add(self.body);
        format!("{document}\n")
    }
}

/// Words, on a line of the file of their own.
pub(crate) struct Words(Element);

impl Words {
    /// Sets an attribute.
    pub(crate) fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.assign(name, value);
        self
    }
}

impl From<Words> for Box<dyn Node> {
    fn from(words: Words) -> Self {
        words.0.into()
    }
}

/// Words that begin here.
pub(crate) fn words(x: f64, y: f64, text: impl Display) -> Words {
    let mut element = Element::new("text");
    element.append(Text::new(legible(&text.to_string())));
    let words = Words(element);
    words.set("x", tenth(x)).set("y", tenth(y))
}

/// The same in bold.
pub(crate) fn bold(x: f64, y: f64, text: impl Display) -> Words {
    words(x, y, text).set("font-weight", "bold")
}

/// The same in small letters.
pub(crate) fn small(x: f64, y: f64, text: impl Display) -> Words {
    words(x, y, text).set("font-size", 10)
}

/// A rectangle.
pub(crate) fn rectangle(x: f64, y: f64, width: f64, height: f64) -> Rectangle {
    Rectangle::new()
        .set("x", tenth(x))
        .set("y", tenth(y))
        .set("width", tenth(width))
        .set("height", tenth(height))
}

/// Words that a reader gets with a shape, as when the mouse is on it.
pub(crate) fn title(text: &str) -> Title {
    Title::new(legible(text))
}

/// A place to a tenth of a point: no screen shows more.
pub(crate) fn tenth(place: f64) -> f64 {
    // Adding 0 takes the sign off a negative zero.
    (place * 10.0).round() / 10.0 + 0.0
}

/// Writes a picture into a file.
pub(crate) fn write(file: &Path, picture: &str) -> Result<(), Error> {
    fs::write(file, picture).map_err(Error::writing(file))
}

/// Text without letters that XML does not take.
fn legible(text: &str) -> String {
    let letters = text.chars().map(|letter| match letter {
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_xml_does_not_take() {
        let text = words(0.04, -0.04, "a<b>&\u{1}\"").0.to_string();
        assert_eq!(
            text,
            "<text x=\"0\" y=\"0\">a&lt;b&gt;&amp;\u{fffd}\"</text>"
        );
    }

    #[test]
    fn a_picture_has_a_title_and_a_description() {
        let document = Drawing::at(10.0).document(20.0, "A & B", "both\u{7}");
        assert!(document.contains("<title id=\"title\">"), "{document}");
        assert!(document.contains("A &amp; B") && document.contains("both\u{fffd}"));
        assert!(document.contains("aria-labelledby=\"title description\""));
        assert!(document.contains("viewBox=\"0 0 20 10\""), "{document}");
    }
}
