// SPDX-License-Identifier: GPL-2.0

use super::*;
use crate::reading::NoValue;
use crate::testing;
use crate::unit::Unit;

fn outcome(box_name: Option<&str>, metric: &str, value: Result<f64, NoValue>) -> Outcome {
    Outcome {
        package: Some(0),
        box_name: box_name.map(str::to_owned),
        seconds: 2.0,
        ..testing::outcome(metric, Unit::Percent, value)
    }
}

fn interval() -> Interval {
    let reads = Outcome {
        unit: Unit::Bytes,
        ..outcome(None, "mem_bw_reads", Ok(64_000_064.0))
    };
    let hits = Outcome {
        counted: 0.999,
        apart: true,
        ..outcome(Some("imc_0"), "pct_requests_page_hit", Ok(12.345_678))
    };
    let none = Err(NoValue::ZeroDenominator);
    Interval {
        end: 3.0,
        seconds: 2.0,
        outcomes: vec![reads, hits, outcome(Some("imc_1"), "pct_rd_requests", none)],
    }
}

fn written(format: Format, intervals: usize) -> String {
    let mut output = Output::new(format, Vec::new());
    for _ in 0..intervals {
        output.write(&interval()).expect("memory can be written");
    }
    String::from_utf8(output.into_inner()).expect("text")
}

#[test]
fn a_table_is_aligned_and_shows_what_limits_a_value() {
    let expected = "\
interval of 2.000 s, ended at 3.000 s
package  box      metric                 value  unit  per second  counted  note
      0  all imc  mem_bw_reads           64.00  MB    32.00 MB/s    100 %
      0  imc_0    pct_requests_page_hit   12.3  %                    99 %  terms counted at different times
      0  imc_1    pct_rd_requests            -  %                   100 %  divides by zero

";
    assert_eq!(written(Format::Table, 1), expected);
}

#[test]
fn csv_has_one_head_and_exact_values() {
    let head = "end,seconds,package,type,box,metric,value,unit,per_second,counted,apart,reason\n";
    let lines = "\
3.0,2.0,0,imc,,mem_bw_reads,64000064.0,B,32000032.0,1.0,false,
3.0,2.0,0,imc,imc_0,pct_requests_page_hit,12.345678,%,,0.999,true,
3.0,2.0,0,imc,imc_1,pct_rd_requests,,%,,1.0,false,divides by zero
";
    assert_eq!(
        written(Format::Csv(b','), 2),
        format!("{head}{lines}{lines}")
    );
}

#[test]
fn json_has_an_object_for_each_interval() {
    let text = written(Format::Json, 2);
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    assert_eq!(lines.len(), 2);
    let expected = serde_json::json!({
        "end": 3.0,
        "seconds": 2.0,
        "metrics": [
            {
                "seconds": 2.0, "package": 0, "type": "imc", "box": null, "metric": "mem_bw_reads",
                "value": 64_000_064.0, "unit": "B", "per_second": 32_000_032.0,
                "counted": 1.0, "apart": false, "reason": null,
            },
            {
                "seconds": 2.0, "package": 0, "type": "imc", "box": "imc_0", "metric": "pct_requests_page_hit",
                "value": 12.345_678, "unit": "%", "per_second": null,
                "counted": 0.999, "apart": true, "reason": null,
            },
            {
                "seconds": 2.0, "package": 0, "type": "imc", "box": "imc_1", "metric": "pct_rd_requests",
                "value": null, "unit": "%", "per_second": null,
                "counted": 1.0, "apart": false, "reason": "divides by zero",
            },
        ],
    });
    assert_eq!(lines[1], expected);
}

#[test]
fn an_interval_is_one_write() {
    /// Counts writes and how many of them were flushed.
    struct Counter(u32, u32);

    impl io::Write for Counter {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0 += 1;
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.1 = self.0;
            Ok(())
        }
    }

    for format in [Format::Table, Format::Csv(b','), Format::Json] {
        let mut output = Output::new(format, Counter(0, 0));
        for _ in 0..3 {
            output.write(&interval()).expect("it takes everything");
        }
        let Counter(writes, flushed) = output.into_inner();
        assert_eq!((writes, flushed), (3, 3), "{format:?}");
    }
}

#[test]
fn an_error_of_the_writer_is_passed_on() {
    let mut full: [u8; 10] = [0; 10];
    let mut output = Output::new(Format::Json, full.as_mut_slice());
    let error = output.write(&interval()).expect_err("too small");
    assert_eq!(error.kind(), io::ErrorKind::WriteZero);
}

#[test]
fn an_empty_interval_is_written_too() {
    let empty = Interval {
        outcomes: Vec::new(),
        ..interval()
    };
    let mut output = Output::new(Format::Csv(b','), Vec::new());
    output.write(&empty).expect("memory can be written");
    let text = String::from_utf8(output.into_inner()).expect("text");
    assert_eq!(text.lines().count(), 1);
}
