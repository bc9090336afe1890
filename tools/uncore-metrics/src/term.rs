// SPDX-License-Identifier: GPL-2.0

//! An event as a formula names it: its name in `events/` and values of fields in `format/`.

use std::collections::BTreeMap;
use std::fmt;

/// An event with the fields that are set besides those its name sets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    /// Name in `events/`.
    pub event: String,
    /// Fields of `format/`, each with its value.
    pub settings: BTreeMap<String, Value>,
}

/// Value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// A number.
    Number(u64),
    /// The node of the package that is counted, as a mask with one bit per node.
    MyNode,
    /// All nodes but that one, as a mask.
    OtherNodes,
    /// All nodes of the machine, as a mask.
    AllNodes,
}

/// The nodes of a machine, as one package sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// Node ID of the package.
    pub own: u8,
    /// All node IDs of the machine, as a mask with one bit per node.
    pub all: u64,
}

/// The machine has no node that a term asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no such node in this machine")]
pub struct NoSuchNode;

impl Value {
    const WORDS: [(&'static str, Value); 3] = [
        ("my_node", Value::MyNode),
        ("other_nodes", Value::OtherNodes),
        ("all_nodes", Value::AllNodes),
    ];

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        let known = Self::WORDS.iter().find(|(name, _)| *name == word);
        known.map(|(_, value)| *value)
    }

    /// The number that stands for it in a package. Fails if no node is meant: the
    /// package has none, or the machine has no other.
    pub fn number(self, nodes: Nodes) -> Result<u64, NoSuchNode> {
        let own = 1u64.checked_shl(nodes.own.into()).ok_or(NoSuchNode)?;
        let mask = match self {
            Value::Number(number) => return Ok(number),
            Value::MyNode => own,
            Value::OtherNodes => nodes.all & !own,
            Value::AllNodes => nodes.all | own,
        };
        if mask == 0 {
            return Err(NoSuchNode);
        }
        Ok(mask)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Value::Number(number) = self {
            return write!(f, "{number:#x}");
        }
        let word = Self::WORDS.iter().find(|(_, value)| value == self);
        f.write_str(word.map_or("", |(name, _)| name))
    }
}

impl fmt::Display for Term {
    /// Writes the term in the form of a formula: `tor_inserts.opcode{filter_opc=0x182}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.event)?;
        if self.settings.is_empty() {
            return Ok(());
        }
        let settings = self.settings.iter();
        let settings: Vec<_> = settings.map(|(k, v)| format!("{k}={v}")).collect();
        write!(f, "{{{}}}", settings.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_masks_and_must_be_there() {
        let number = |value: Value, own, all| value.number(Nodes { own, all }).ok();
        for (word, mask) in [
            ("my_node", 0b0010),
            ("other_nodes", 0b1101),
            ("all_nodes", 0b1111),
        ] {
            let value = Value::from_word(word).expect("a word");
            assert_eq!(number(value, 1, 0b1111), Some(mask), "{word}");
        }
        assert_eq!(number(Value::OtherNodes, 0, 1), None);
        assert_eq!(number(Value::MyNode, 64, 1), None);
    }
}
