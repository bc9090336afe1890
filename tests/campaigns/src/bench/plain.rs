// SPDX-License-Identifier: GPL-2.0

//! The source of a plain module that has the files of our PMUs and nothing else.
//!
//! It holds what a load costs because of the files alone. Names and contents are what
//! `/sys` shows while our driver is loaded; `tests/guest/plain` has the rest of the module.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use uncore_e2e::prelude::*;

/// Files and directories that perf and the driver core make for each PMU.
const OTHERS: [&str; 4] = ["uevent", "power", "type", "perf_event_mux_interval_ms"];

/// A directory of a PMU, or the PMU's own for an empty name, with its files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    name: String,
    /// Content of each file, by its name.
    files: BTreeMap<String, String>,
}

/// The files of all PMUs of a driver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    pmus: BTreeMap<String, Vec<Group>>,
}

impl Files {
    /// Reads the files of all PMUs whose names begin with `prefix`.
    pub(super) fn read(session: &mut Session, prefix: &str) -> Self {
        let listed = session.ok(&format!(
            "cd {DEVICES}; for pmu in {prefix}*; do \
             find $pmu/ -type f -exec grep -H '' {{}} + 2>/dev/null; done; true"
        ));
        Self::parse(&listed)
    }

    /// Parses the lines of `grep -H`; a file may have several.
    fn parse(listed: &str) -> Self {
        let mut pmus: BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>> =
            BTreeMap::new();
        for (path, line) in listed.lines().filter_map(|line| line.split_once(':')) {
            let mut parts = path.splitn(2, '/');
            let (Some(pmu), Some(path)) = (parts.next(), parts.next()) else {
                continue;
            };
            let path = path.trim_start_matches('/');
            if OTHERS.contains(&path.split('/').next().unwrap_or_default()) {
                continue;
            }
            let (group, name) = path.split_once('/').unwrap_or(("", path));
            let groups = pmus.entry(pmu.to_owned()).or_default();
            let files = groups.entry(group.to_owned()).or_default();
            let content = files.entry(name.to_owned());
            content
                .and_modify(|text| *text = format!("{text}\n{line}"))
                .or_insert_with(|| line.to_owned());
        }
        let group = |(name, files)| Group { name, files };
        let pmus = pmus
            .into_iter()
            .map(|(pmu, groups)| (pmu, groups.into_iter().map(group).collect()));
        Self {
            pmus: pmus.collect(),
        }
    }

    /// Returns the number of PMUs.
    pub(super) fn pmus(&self) -> usize {
        self.pmus.len()
    }

    /// Returns the number of files.
    pub(super) fn count(&self) -> usize {
        let groups = self.pmus.values().flatten();
        groups.map(|group| group.files.len()).sum()
    }

    /// Returns the source of the module. PMUs with equal files in a directory share them.
    pub(super) fn source(&self) -> String {
        let mut source = String::from(
            "// SPDX-License-Identifier: GPL-2.0\n\n/* Generated. */\n\n#include \"plain.h\"\n",
        );
        let mut known: BTreeMap<&Group, usize> = BTreeMap::new();
        let mut pmus = String::new();
        for (index, (name, groups)) in self.pmus.iter().enumerate() {
            let mut list = String::new();
            for group in groups {
                let next = known.len();
                let number = *known.entry(group).or_insert(next);
                if number == next {
                    source += &group.source(number);
                }
                let _ = write!(list, "&group_{number}, ");
            }
            let _ = writeln!(
                source,
                "\nstatic const struct attribute_group *groups_{index}[] = {{ {list}NULL }};"
            );
            let _ = writeln!(pmus, "\tPMU({}, groups_{index}),", quoted(name));
        }
        source
            + &format!("\nstatic struct pmu pmus[] = {{\n{pmus}}};\n\n#include \"plain_init.h\"\n")
    }
}

impl Group {
    /// Returns the source of the group with this number.
    fn source(&self, number: usize) -> String {
        let mut files = String::new();
        let mut pointers = String::new();
        for (index, (name, text)) in self.files.iter().enumerate() {
            let _ = writeln!(files, "\tFILE({}, {}),", quoted(name), quoted(text));
            let _ = writeln!(pointers, "\t&files_{number}[{index}].attr.attr,");
        }
        let name = if self.name.is_empty() {
            String::new()
        } else {
            format!(".name = {}, ", quoted(&self.name))
        };
        format!(
            "\nstatic struct dev_ext_attribute files_{number}[] = {{\n{files}}};\n\
             \nstatic struct attribute *pointers_{number}[] = {{\n{pointers}\tNULL\n}};\n\
             \nstatic const struct attribute_group group_{number} = \
             {{ {name}.attrs = pointers_{number} }};\n"
        )
    }
}

/// Returns a text as a string of C.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "\
x_0/type:7
x_0/power/control:auto
x_0/cpumask:0,2
x_0/events/a:event=0x01
x_0/caps/overflow:package 0: pmi
x_0/caps/overflow:package 1: poll
x_1/events/a:event=0x01
x_1/cpumask:0
";

    #[test]
    fn files_of_perf_itself_are_left() {
        let files = Files::parse(LISTED);
        assert_eq!((files.pmus(), files.count()), (2, 5));
    }

    #[test]
    fn equal_directories_are_shared() {
        let source = Files::parse(LISTED).source();
        assert_eq!(source.matches("FILE(\"a\", \"event=0x01\")").count(), 1);
        assert_eq!(source.matches("FILE(\"cpumask\", ").count(), 2);
        let lists = [
            "groups_0[] = { &group_0, &group_1, &group_2, NULL };",
            "groups_1[] = { &group_3, &group_2, NULL };",
            "group_2 = { .name = \"events\", .attrs = pointers_2 };",
        ];
        for list in lists {
            assert!(source.contains(list), "{list}\n{source}");
        }
    }

    #[test]
    fn all_lines_of_a_file_are_its_content() {
        let source = Files::parse(LISTED).source();
        let file = "FILE(\"overflow\", \"package 0: pmi\\npackage 1: poll\")";
        assert!(source.contains(file), "{source}");
        assert_eq!(quoted("a\"\\"), "\"a\\\"\\\\\"");
    }
}
