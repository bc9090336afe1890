// SPDX-License-Identifier: GPL-2.0

use super::*;
use crate::outcome::Outcome;
use crate::reading::NoValue;
use crate::testing::outcome;
use crate::unit::Unit;
use proptest::prelude::*;

fn machine() -> Machine {
    Machine {
        platform: "ivbep".to_owned(),
        version: "0.2.0".to_owned(),
        start: 1_764_000_000,
        packages: vec![Package {
            number: 1,
            boxes: vec!["imc_0".to_owned(), "cbox_0".to_owned()],
            missing: vec![Missing {
                boxes: "cbox_1-14".to_owned(),
                reason: "the package has 1".to_owned(),
            }],
        }],
        notes: vec!["not counted on \"pcu\"".to_owned()],
    }
}

fn interval(end: f64, value: Result<f64, NoValue>) -> Interval {
    Interval {
        end,
        seconds: 1.0,
        outcomes: vec![outcome("memory_read_bytes", Unit::Bytes, value)],
    }
}

fn written(intervals: &[Interval]) -> String {
    let mut writer = Writer::new(Vec::new(), &machine()).expect("memory can be written");
    for interval in intervals {
        writer.write(interval).expect("memory can be written");
    }
    String::from_utf8(writer.into_inner()).expect("text")
}

/// Reads intervals up to the first error, and the note.
fn read(text: &str) -> (Vec<Interval>, Result<Option<String>, String>) {
    let mut reader = match Reader::new("r", text.as_bytes()) {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Err(error.to_string())),
    };
    let mut intervals = Vec::new();
    while let Some(next) = reader.next() {
        match next {
            Ok(interval) => intervals.push(interval),
            Err(error) => {
                assert!(reader.next().is_none(), "it ends after an error");
                return (intervals, Err(error.to_string()));
            }
        }
    }
    (intervals, Ok(reader.note().map(str::to_owned)))
}

/// The error of a recording whose second interval is this line.
fn fault(line: &str) -> String {
    let text = written(&[interval(1.0, Ok(64.0))]) + line + "\n";
    let (intervals, end) = read(&text);
    assert_eq!(intervals.len(), 1, "the interval above is read");
    end.expect_err(line)
}

#[test]
fn the_lines_are_those_of_stat() {
    let interval = interval(1.0, Ok(64.0));
    let mut output = Output::new(Format::Json, Vec::new());
    output.write(&interval).expect("memory can be written");
    let lines = String::from_utf8(output.into_inner()).expect("text");
    let text = written(&[interval]);
    let (head, rest) = text.split_once('\n').expect("a first line");
    assert_eq!(rest, lines);
    assert!(
        head.starts_with("{\"uncore_recording\":1,\"platform\":\"ivbep\","),
        "{head}"
    );
}

#[test]
fn each_line_is_flushed() {
    let mut file = io::BufWriter::with_capacity(1 << 16, Vec::new());
    let mut writer = Writer::new(&mut file, &machine()).expect("memory can be written");
    writer
        .write(&interval(1.0, Ok(64.0)))
        .expect("memory can be written");
    assert!(file.buffer().is_empty());
}

#[test]
fn fields_of_a_later_version_are_accepted() {
    let text = written(&[interval(1.0, Ok(64.0))]);
    let later = text
        .replace(
            "{\"uncore_recording\"",
            "{\"colour\":[1],\"uncore_recording\"",
        )
        .replace("{\"number\"", "{\"colour\":{},\"number\"")
        .replace("{\"end\"", "{\"colour\":null,\"end\"")
        .replace("{\"seconds\"", "{\"colour\":2,\"seconds\"");
    assert_eq!(later.matches("colour").count(), 4);
    assert_eq!(read(&later), (vec![interval(1.0, Ok(64.0))], Ok(None)));
    let reader = Reader::new("r", later.as_bytes()).expect("a recording");
    assert_eq!(reader.machine(), &machine());
}

#[test]
fn a_recording_may_end_at_any_byte() {
    let all = [interval(1.0, Ok(64.0)), interval(2.0, Ok(128.0))];
    let text = written(&all);
    let second = text.rfind("{\"end\"").expect("an interval");
    for end in second..=text.len() {
        let (intervals, note) = read(&text[..end]);
        let is_cut = second < end && end < text.len() - 1;
        let read = if end < text.len() - 1 { 1 } else { 2 };
        assert_eq!(intervals, all[..read], "{end}");
        let cut = "r:3: the last interval is not complete and is left out";
        assert_eq!(note, Ok(is_cut.then(|| cut.to_owned())), "{end}");
    }
    let head = text.find('\n').expect("a first line");
    for end in 0..head {
        let (_, error) = read(&text[..end]);
        let error = error.expect_err("no machine");
        assert!(error.starts_with("r:1: not a recording"), "{error}");
    }
}

#[test]
fn a_line_that_is_cut_off_within_is_an_error() {
    let text = written(&[interval(1.0, Ok(64.0)), interval(2.0, Ok(128.0))]);
    let cut = text.replacen("\"apart\":false", "", 1);
    let (intervals, error) = read(&cut);
    assert_eq!(intervals, []);
    let error = error.expect_err("a wrong line");
    assert!(error.starts_with("r:2: not an interval: "), "{error}");
    assert!(!error.contains("at line"), "{error}");
}

#[test]
fn errors_name_file_line_and_fault() {
    let (_, error) = read("{\"uncore_recording\":2,\"machine\":[]}\n");
    assert_eq!(
        error,
        Err("r:1: format 2 of a recording; this version reads format 1".to_owned())
    );
    let (_, error) = read("{\"end\":1.0,\"seconds\":1.0,\"metrics\":[]}\n");
    let error = error.expect_err("an interval");
    assert!(
        error.contains("missing field `uncore_recording`"),
        "{error}"
    );
    let record = |from: &str, to: &str| {
        let line = written(&[interval(2.0, Ok(64.0))]);
        let line = line.lines().nth(1).expect("an interval");
        assert!(line.contains(from), "{from}");
        fault(&line.replace(from, to))
    };
    let m = "memory_read_bytes";
    for (from, to, expected) in [
        ("\"B\"", "\"ell\"", format!("{m}: \"ell\" is not a unit")),
        ("\"value\":64.0", "\"value\":null", format!("{m}: neither a value nor a reason")),
        (
            "\"reason\":null",
            "\"reason\":\"x\"",
            format!("{m}: a value and a reason why there is none"),
        ),
        (
            "64.0,\"unit\":\"B\",\"per_second\":64.0,\"counted\":1.0,\"apart\":false,\"reason\":null",
            "null,\"unit\":\"B\",\"counted\":1.0,\"apart\":false,\"reason\":\"x\"",
            format!("{m}: no value for the reason \"x\", which this version does not know"),
        ),
        ("\"imc_0\"", "null", format!("{m}: not of one box of one package")),
        ("\"package\":1", "\"package\":null", format!("{m}: not of one box of one package")),
        ("\"counted\":1.0", "\"counted\":1.5", format!("{m}: counted for 1.5 of the time")),
        ("\"counted\":1.0", "\"counted\":-0.5", format!("{m}: counted for -0.5 of the time")),
        ("\"seconds\":1.0", "\"seconds\":-1.0", "an interval of -1 s".to_owned()),
        (
            "\"end\":2.0",
            "\"end\":0.5",
            "an interval that ended at 0.5 s, after one that ended at 1 s".to_owned(),
        ),
    ] {
        assert_eq!(record(from, to), format!("r:3: {expected}"));
    }
    assert!(record("\"end\":2.0", "\"end\":1e999").contains("out of range"));
    assert!(fault("").starts_with("r:3: not an interval"));
    let head = written(&[]);
    assert!(fault(head.trim_end()).starts_with("r:3: not an interval: missing field"));
}

#[test]
fn a_line_without_end_is_not_kept_in_memory() {
    let endless = io::BufReader::new(io::repeat(b' '));
    let error = Reader::new("r", endless).expect_err("no machine");
    assert_eq!(
        error.to_string(),
        "r:1: longer than 16 MiB, so it is no interval"
    );
}

#[test]
fn an_error_of_the_file_is_passed_on() {
    #[derive(Debug)]
    struct Broken;

    impl io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("broken disk"))
        }
    }

    let error = Reader::new("r", io::BufReader::new(Broken)).expect_err("broken");
    assert_eq!(error.to_string(), "r:1: cannot be read: broken disk");
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    let value = prop_oneof![
        proptest::num::f64::NORMAL.prop_map(Ok),
        proptest::sample::select(NoValue::ALL.to_vec()).prop_map(Err),
    ];
    let unit = proptest::sample::select(Unit::ALL.to_vec());
    let names = (any::<String>(), any::<String>(), any::<String>());
    let times = (0.0..1e6, 0.0..=1.0);
    (any::<u32>(), names, value, unit, times, any::<bool>()).prop_map(
        |(package, (box_type, box_name, metric), value, unit, (seconds, counted), apart)| Outcome {
            package: Some(package),
            box_type,
            box_name: Some(box_name),
            metric,
            value,
            unit,
            seconds,
            counted,
            apart,
        },
    )
}

fn machines() -> impl Strategy<Value = Machine> {
    let missing = (any::<String>(), any::<String>());
    let missing = missing.prop_map(|(boxes, reason)| Missing { boxes, reason });
    let package = (
        any::<u32>(),
        any::<Vec<String>>(),
        proptest::collection::vec(missing, 0..3),
    );
    let package = package.prop_map(|(number, boxes, missing)| Package {
        number,
        boxes,
        missing,
    });
    let packages = proptest::collection::vec(package, 0..3);
    let words = (any::<String>(), any::<String>(), any::<Vec<String>>());
    (words, any::<u64>(), packages).prop_map(|((platform, version, notes), start, packages)| {
        Machine {
            platform,
            version,
            start,
            packages,
            notes,
        }
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        machine in machines(),
        steps in proptest::collection::vec((0.0..1e6f64, proptest::collection::vec(outcomes(), 0..4)), 0..4),
    ) {
        let mut end = 0.0;
        let intervals = steps.into_iter().map(|(seconds, outcomes)| {
            end += seconds;
            Interval { end, seconds, outcomes }
        });
        let intervals: Vec<_> = intervals.collect();
        let mut writer = Writer::new(Vec::new(), &machine).expect("memory can be written");
        for interval in &intervals {
            writer.write(interval).expect("memory can be written");
        }
        let text = writer.into_inner();
        let mut reader = Reader::new("r", text.as_slice()).expect("a recording");
        prop_assert_eq!(reader.machine(), &machine);
        let read: Result<Vec<_>, _> = reader.by_ref().collect();
        prop_assert_eq!(read.expect("intervals"), intervals);
        prop_assert_eq!(reader.note(), None);
    }

    #[test]
    fn no_text_is_trusted(text in any::<Vec<u8>>(), tail in any::<Vec<u8>>()) {
        let _ = Reader::new("r", text.as_slice()).map(Iterator::count);
        let with_head = [written(&[]).as_bytes(), &tail].concat();
        let reader = Reader::new("r", with_head.as_slice()).expect("a recording");
        prop_assert!(reader.count() <= 1 + tail.len());
    }
}
