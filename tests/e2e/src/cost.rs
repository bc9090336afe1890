// SPDX-License-Identifier: GPL-2.0

//! Costs of an operation, as the machine's command `cost` reports them.

use std::fmt;

/// Names of the figures in the machine's report, in its order.
const NAMES: [&str; 9] = [
    "user",
    "kernel",
    "module",
    "rdmsr",
    "wrmsr",
    "port-read",
    "port-write",
    "memory-read",
    "memory-write",
];

/// Names of the figures of the longest section, which follow.
const LONGEST: [&str; 2] = ["section-accesses", "section-instructions"];

/// Instructions and accesses, of which differences may be negative, and the longest section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    sums: [i64; NAMES.len()],
    longest: Longest,
}

/// The longest section with interrupts off that accesses the uncore. It has no sums or differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Longest {
    /// The most accesses of a section.
    pub accesses: i64,
    /// The most instructions of a section.
    pub instructions: i64,
}

impl Cost {
    /// Returns the costs that `perf-open` has printed among other things.
    pub fn all(output: &str) -> Vec<Self> {
        let mut lines = output.lines();
        let mut all = Vec::new();
        while lines.any(|line| line.starts_with("cost ")) {
            let line = lines.next().unwrap_or_default();
            all.push(Self::parse(line).unwrap_or_else(|| panic!("`{line}` is no cost")));
        }
        all
    }

    fn parse(line: &str) -> Option<Self> {
        let mut items = line.split(", ");
        let mut cost = Self::default();
        let longest = &mut cost.longest;
        let longest = [&mut longest.accesses, &mut longest.instructions];
        let names = NAMES.iter().chain(&LONGEST);
        for (name, figure) in names.zip(cost.sums.iter_mut().chain(longest)) {
            let (said, number) = items.next()?.split_once(' ')?;
            *figure = number.parse().ok().filter(|_| said == *name)?;
        }
        items.next().is_none().then_some(cost)
    }

    /// Returns the number of all instructions.
    pub fn instructions(&self) -> i64 {
        self.sums[..3].iter().sum()
    }

    /// Returns the number of instructions in modules.
    pub fn in_module(&self) -> i64 {
        self.sums[2]
    }

    /// Returns the number of all accesses.
    pub fn accesses(&self) -> i64 {
        self.sums[3..].iter().sum()
    }

    /// Returns the longest section.
    pub fn longest(&self) -> Longest {
        self.longest
    }

    /// Returns the figure with this name.
    pub fn figure(&self, name: &str) -> i64 {
        let mut figures = self.figures();
        let figure = figures.find(|(figure, _)| *figure == name);
        figure.unwrap_or_else(|| panic!("no `{name}`")).1
    }

    /// Each figure but those of the longest section, with its name.
    pub fn figures(&self) -> impl Iterator<Item = (&'static str, i64)> + '_ {
        NAMES.into_iter().zip(self.sums)
    }

    /// Returns the difference to another cost. The longest section stays.
    pub fn less(self, other: &Self) -> Self {
        Self {
            sums: std::array::from_fn(|index| self.sums[index] - other.sums[index]),
            ..self
        }
    }

    /// Returns one of `shares` equal shares, rounded to the nearest. The longest section stays.
    pub fn shared(self, shares: i64) -> Self {
        let sums = self.sums;
        Self {
            sums: sums.map(|sum| (2 * sum + shares).div_euclid(2 * shares)),
            ..self
        }
    }
}

/// Distribution of one figure over the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Smallest value.
    pub least: i64,
    /// Lower quartile.
    pub lower: i64,
    /// Median.
    pub median: i64,
    /// Upper quartile.
    pub upper: i64,
    /// Largest value.
    pub most: i64,
}

impl Spread {
    /// Returns the distribution of one figure; `costs` must not be empty.
    pub fn of(costs: &[Cost], figure: impl Fn(&Cost) -> i64) -> Self {
        let mut all: Vec<i64> = costs.iter().map(figure).collect();
        all.sort_unstable();
        let last = all.len() - 1;
        Self {
            least: all[0],
            lower: all[last / 4],
            median: all[last / 2],
            upper: all[last - last / 4],
            most: all[last],
        }
    }
}

/// Shows the median, and the quartiles if they differ.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lower == self.upper {
            return write!(f, "{}", self.median);
        }
        write!(f, "{} ({} to {})", self.median, self.lower, self.upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "user 36, kernel 1119, module 68, rdmsr 0, wrmsr 1, port-read 0, \
                        port-write 4, memory-read 2, memory-write 0, section-accesses 3, \
                        section-instructions 400";

    fn cost(sums: [i64; NAMES.len()]) -> Cost {
        let longest = Longest {
            accesses: 3,
            instructions: 400,
        };
        Cost { sums, longest }
    }

    #[test]
    fn costs_are_found_among_other_answers() {
        let output = format!("a ok\ncost open a pmu=x\n{LINE}\na 5 6 7\ncost read a\n{LINE}\n");
        let costs = Cost::all(&output);
        assert_eq!(costs, [cost([36, 1119, 68, 0, 1, 0, 4, 2, 0]); 2]);
        let sums = (costs[0].instructions(), costs[0].in_module());
        assert_eq!((sums, costs[0].accesses()), ((1223, 68), 7));
    }

    #[test]
    fn other_figures_are_no_cost() {
        for wrong in [
            "",
            "user 1",
            &LINE.replace("module", "modules"),
            &format!("{LINE}, x 1"),
        ] {
            assert_eq!(Cost::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn shares_are_rounded_and_the_longest_section_has_none() {
        let with = cost([5, -5, 14, 15, 0, 20, -20, 4, 6]);
        let shared = with.less(&with.less(&with)).shared(10);
        assert_eq!(shared, cost([1, 0, 1, 2, 0, 2, -2, 0, 1]));
    }

    #[test]
    fn the_spread_is_that_of_the_sorted_figures() {
        let costs = [9, 1, 5, 3, 7].map(|user| cost([user, 0, 0, 0, 0, 0, 0, 0, 0]));
        let spread = Spread::of(&costs, Cost::instructions);
        let Spread {
            least,
            lower,
            median,
            upper,
            most,
        } = spread;
        assert_eq!([least, lower, median, upper, most], [1, 3, 5, 7, 9]);
        assert_eq!(spread.to_string(), "5 (3 to 7)");
        assert_eq!(Spread::of(&costs[..1], Cost::instructions).to_string(), "9");
    }
}
