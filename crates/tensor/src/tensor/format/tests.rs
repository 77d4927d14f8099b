//! Tests of the formatting against texts that NumPy printed.

use super::FloatKind::{BF16, F16, F32, F64};
use super::digits::read;
use super::*;
use half::{bf16, f16};

/// Renders the cells of a list in row-major order.
fn list(shape: &[usize], cell: impl Fn(usize) -> FormatCell) -> String {
    let at = |index: &[usize]| index.iter().zip(shape).fold(0, |at, (i, len)| at * len + i);
    render(shape, Style::PLAIN, &mut |index| cell(at(index)))
}

fn bools(shape: &[usize], values: &[bool]) -> String {
    list(shape, |i| FormatCell::Bool(values[i]))
}

fn ints(shape: &[usize], values: &[i64]) -> String {
    list(shape, |i| FormatCell::Int(values[i]))
}

fn uints(shape: &[usize], values: &[u64]) -> String {
    list(shape, |i| FormatCell::UInt(values[i]))
}

fn floats(kind: FloatKind, shape: &[usize], values: &[f64]) -> String {
    list(shape, |i| FormatCell::Float(kind.round(values[i]), kind))
}

fn complex(kind: FloatKind, shape: &[usize], values: &[(f64, f64)]) -> String {
    let cell = |(re, im)| FormatCell::Complex(kind.round(re), kind.round(im), kind);
    list(shape, |i| cell(values[i]))
}

/// 0, 1, 2 and so on.
fn count(shape: &[usize]) -> String {
    list(shape, |i| FormatCell::Int(i as i64))
}

/// 0, 1/8, 2/8 and so on.
fn eighths(kind: FloatKind, shape: &[usize]) -> String {
    list(shape, |i| FormatCell::Float(i as f64 / 8.0, kind))
}

fn check_lines(table: &[(String, &[&str])]) {
    for (text, lines) in table {
        check(&[(text.clone(), &lines.join("\n"))]);
    }
}

fn check(table: &[(String, &str)]) {
    for (text, expected) in table {
        assert_eq!(text, expected, "\n{text}\ninstead of\n{expected}");
    }
}

// The expected texts were printed by NumPy 2.4.6.

#[test]
#[rustfmt::skip]
fn bools_and_integers_look_as_in_numpy() {
    check(&[
        (bools(&[3], &[true, false, true]), "[ True False  True]"),
        (bools(&[2, 2], &[true, true, true, true]), "[[ True  True]\n [ True  True]]"),
        (ints(&[3], &[1, -20, 300]), "[  1 -20 300]"),
        (ints(&[2, 2], &[-9223372036854775808, 0, 1, 9223372036854775807]), "[[-9223372036854775808                    0]\n [                   1  9223372036854775807]]"),
        (uints(&[2], &[0, 18446744073709551615]), "[                   0 18446744073709551615]"),
        (ints(&[1, 1, 1], &[7]), "[[[7]]]"),
        (ints(&[2, 1, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 7]), "[[[[0 1]\n   [2 3]]]\n\n\n [[[4 5]\n   [6 7]]]]"),
        (ints(&[0], &[]), "[]"),
        (ints(&[3, 0, 2], &[]), "[]"),
    ]);
}

#[test]
#[rustfmt::skip]
fn floats_look_as_in_numpy() {
    check(&[
        (floats(F64, &[3], &[1.0, 2.0, 3.0]), "[1. 2. 3.]"),
        (floats(F64, &[3], &[0.1, 0.25, -3.0]), "[ 0.1   0.25 -3.  ]"),
        (floats(F32, &[2], &[0.1, 0.2]), "[0.1 0.2]"),
        (floats(F16, &[3], &[0.1, 0.2, -0.3]), "[ 0.1  0.2 -0.3]"),
        (floats(F64, &[2], &[0.3333333333333333, 0.6666666666666666]), "[0.33333333 0.66666667]"),
        (floats(F32, &[2], &[0.3333333333333333, 0.6666666666666666]), "[0.33333334 0.6666667 ]"),
        (floats(F16, &[2], &[0.3333333333333333, 0.6666666666666666]), "[0.3333 0.6665]"),
        (floats(F64, &[2, 2], &[1.5, -2.0, f64::NAN, f64::INFINITY]), "[[ 1.5 -2. ]\n [ nan  inf]]"),
        (floats(F64, &[3], &[f64::NAN, f64::INFINITY, -f64::INFINITY]), "[ nan  inf -inf]"),
        (floats(F64, &[3], &[0.0, -0.0, 1.0]), "[ 0. -0.  1.]"),
        (floats(F64, &[3], &[1.0, 1000.0, 999.5]), "[   1.  1000.   999.5]"),
        (floats(F64, &[2], &[1.0, 1001.0]), "[1.000e+00 1.001e+03]"),
        (floats(F64, &[2], &[100000000.0, 100000000.0]), "[1.e+08 1.e+08]"),
        (floats(F64, &[2], &[99999999.0, 100000.0]), "[99999999.   100000.]"),
        (floats(F32, &[2], &[1000000.0, 1000000.0]), "[1.e+06 1.e+06]"),
        (floats(F16, &[2], &[1000.0, 1000.0]), "[1.e+03 1.e+03]"),
        (floats(F64, &[2], &[0.0001, 0.0002]), "[0.0001 0.0002]"),
        (floats(F32, &[2], &[0.0001, 0.0002]), "[0.0001 0.0002]"),
        (floats(F64, &[2], &[9e-05, 0.0001]), "[9.e-05 1.e-04]"),
        (floats(F64, &[3], &[1e-300, f64::NAN, 1e+300]), "[1.e-300     nan 1.e+300]"),
        (floats(F64, &[2], &[5e-324, 1.0]), "[5.e-324 1.e+000]"),
        (floats(F32, &[2], &[0.1, 1234.5678]), "[1.0000000e-01 1.2345677e+03]"),
        (floats(F32, &[2], &[0.1, 3.3333333333333335e-11]), "[1.0000000e-01 3.3333333e-11]"),
        (floats(F16, &[2], &[0.1, 1001.0]), "[9.998e-02 1.001e+03]"),
        (floats(F64, &[1], &[0.123456785]), "[0.12345678]"),
        (floats(F64, &[1], &[0.001953125]), "[0.00195312]"),
        (floats(F32, &[2], &[0.126953125, 0.5]), "[0.12695312 0.5       ]"),
        (floats(F16, &[1], &[0.015625]), "[0.01563]"),
        (floats(F64, &[1], &[0.999999999]), "[1.]"),
    ]);
}

#[test]
#[rustfmt::skip]
fn complex_numbers_look_as_in_numpy() {
    check(&[
        (complex(F64, &[2], &[(1.0, 2.0), (-0.5, -3.0)]), "[ 1. +2.j -0.5-3.j]"),
        (complex(F32, &[2], &[(0.1, -0.2), (10.0, 20.25)]), "[ 0.1 -0.2j  10. +20.25j]"),
        (complex(F64, &[2], &[(1e-09, 1.0), (f64::NAN, -f64::INFINITY)]), "[1.e-09 +1.j    nan-infj]"),
        (complex(F64, &[2, 2], &[(0.0, 1.0), (1.0, 0.0), (-0.0, -0.0), (1000.0, 100000.0)]), "[[   0.+1.e+00j    1.+0.e+00j]\n [  -0.-0.e+00j 1000.+1.e+05j]]"),
    ]);
}

#[test]
#[rustfmt::skip]
fn long_lines_are_wrapped_and_large_arrays_summarised_as_in_numpy() {
    check_lines(&[
        (count(&[20]), &["[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19]"]),
        (count(&[30]), &[
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23",
            " 24 25 26 27 28 29]",
        ]),
        (count(&[1001]), &["[   0    1    2 ...  998  999 1000]"]),
        (count(&[11, 100]), &[
            "[[   0    1    2 ...   97   98   99]",
            " [ 100  101  102 ...  197  198  199]",
            " [ 200  201  202 ...  297  298  299]",
            " ...",
            " [ 800  801  802 ...  897  898  899]",
            " [ 900  901  902 ...  997  998  999]",
            " [1000 1001 1002 ... 1097 1098 1099]]",
        ]),
        (count(&[7, 1, 143]), &[
            "[[[   0    1    2 ...  140  141  142]]",
            "",
            " [[ 143  144  145 ...  283  284  285]]",
            "",
            " [[ 286  287  288 ...  426  427  428]]",
            "",
            " ...",
            "",
            " [[ 572  573  574 ...  712  713  714]]",
            "",
            " [[ 715  716  717 ...  855  856  857]]",
            "",
            " [[ 858  859  860 ...  998  999 1000]]]",
        ]),
        (count(&[2, 1, 7, 80]), &[
            "[[[[   0    1    2 ...   77   78   79]",
            "   [  80   81   82 ...  157  158  159]",
            "   [ 160  161  162 ...  237  238  239]",
            "   ...",
            "   [ 320  321  322 ...  397  398  399]",
            "   [ 400  401  402 ...  477  478  479]",
            "   [ 480  481  482 ...  557  558  559]]]",
            "",
            "",
            " [[[ 560  561  562 ...  637  638  639]",
            "   [ 640  641  642 ...  717  718  719]",
            "   [ 720  721  722 ...  797  798  799]",
            "   ...",
            "   [ 880  881  882 ...  957  958  959]",
            "   [ 960  961  962 ... 1037 1038 1039]",
            "   [1040 1041 1042 ... 1117 1118 1119]]]]",
        ]),
        (eighths(F64, &[30]), &[
            "[0.    0.125 0.25  0.375 0.5   0.625 0.75  0.875 1.    1.125 1.25  1.375",
            " 1.5   1.625 1.75  1.875 2.    2.125 2.25  2.375 2.5   2.625 2.75  2.875",
            " 3.    3.125 3.25  3.375 3.5   3.625]",
        ]),
        (eighths(F32, &[2, 14]), &[
            "[[0.    0.125 0.25  0.375 0.5   0.625 0.75  0.875 1.    1.125 1.25  1.375",
            "  1.5   1.625]",
            " [1.75  1.875 2.    2.125 2.25  2.375 2.5   2.625 2.75  2.875 3.    3.125",
            "  3.25  3.375]]",
        ]),
        (eighths(F16, &[2, 2, 260]), &[
            "[[[0.000e+00 1.250e-01 2.500e-01 ... 3.212e+01 3.225e+01 3.238e+01]",
            "  [3.250e+01 3.262e+01 3.275e+01 ... 6.462e+01 6.475e+01 6.488e+01]]",
            "",
            " [[6.500e+01 6.512e+01 6.525e+01 ... 9.712e+01 9.725e+01 9.738e+01]",
            "  [9.750e+01 9.762e+01 9.775e+01 ... 1.296e+02 1.298e+02 1.299e+02]]]",
        ]),
    ]);
}

#[test]
#[rustfmt::skip]
fn scalars_look_as_in_numpy() {
    check(&[
        (bools(&[], &[true]), "True"),
        (ints(&[], &[-7]), "-7"),
        (uints(&[], &[18446744073709551615]), "18446744073709551615"),
        (floats(F64, &[], &[1.0]), "1.0"),
        (floats(F64, &[], &[0.3333333333333333]), "0.3333333333333333"),
        (floats(F64, &[], &[1e+16]), "1e+16"),
        (floats(F64, &[], &[1000000000000000.0]), "1000000000000000.0"),
        (floats(F64, &[], &[1e-05]), "1e-05"),
        (floats(F64, &[], &[-0.0]), "-0.0"),
        (floats(F64, &[], &[f64::NAN]), "nan"),
        (floats(F64, &[], &[-f64::INFINITY]), "-inf"),
        (floats(F64, &[], &[1e+300]), "1e+300"),
        (floats(F32, &[], &[0.1]), "0.1"),
        (floats(F32, &[], &[1000000.0]), "1e+06"),
        (floats(F32, &[], &[123456.78]), "123456.78"),
        (floats(F32, &[], &[0.0001]), "1e-04"),
        (floats(F16, &[], &[0.1]), "0.1"),
        (floats(F16, &[], &[999.5]), "999.5"),
        (floats(F16, &[], &[65504.0]), "6.55e+04"),
        (complex(F64, &[], &[(1.0, 2.0)]), "(1+2j)"),
        (complex(F64, &[], &[(0.0, 2.5)]), "2.5j"),
        (complex(F64, &[], &[(-0.0, -1.0)]), "(-0-1j)"),
        (complex(F64, &[], &[(f64::NAN, f64::INFINITY)]), "(nan+infj)"),
        (complex(F32, &[], &[(0.1, 1000000.0)]), "(0.1+1e+06j)"),
        (complex(F64, &[], &[(1e+16, 0.3333333333333333)]), "(1e+16+0.3333333333333333j)"),
    ]);
}

#[test]
fn bfloat16_has_the_digits_of_its_own_precision() {
    check(&[
        (floats(BF16, &[3], &[0.5, 1.2345, -255.0]), "[   0.5      1.234 -255.   ]"),
        (floats(BF16, &[2], &[1000.0, 1e30]), "[1.e+03 1.e+30]"),
        (floats(BF16, &[], &[1.0 / 3.0]), "0.334"),
        (floats(BF16, &[], &[1e-38]), "1e-38"),
    ]);
}

#[test]
fn the_shortest_digits_identify_a_half_and_fewer_do_not() {
    for (kind, largest) in [(F16, f16::MAX.to_bits()), (BF16, bf16::MAX.to_bits())] {
        for bits in 1..=largest {
            let x = match kind {
                F16 => f16::from_bits(bits).to_f64(),
                _ => bf16::from_bits(bits).to_f64(),
            };
            let short = kind.shortest(x);
            assert_eq!(kind.round(short), x);
            let text = format!("{short:e}");
            let (digits, power) = text.split_once('e').expect("a power of ten");
            if let Some((whole, fraction)) = digits.split_once('.') {
                // Both neighbours with a digit less are other numbers.
                let digits = read::<u32>(format!("{whole}{fraction}")) / 10;
                let power = read::<i32>(power) + 1 - fraction.len() as i32;
                for digits in [digits, digits + 1] {
                    assert_ne!(kind.round(read(format!("{digits}e{power}"))), x, "{text}");
                }
            }
        }
    }
}

#[test]
fn only_the_cells_that_are_shown_are_requested() {
    let mut asked = Vec::new();
    render(&[1 << 40, 2, 1 << 20], Style::PLAIN, &mut |index| {
        asked.push(index.to_vec());
        FormatCell::Int(0)
    });
    assert_eq!(asked.len(), 6 * 2 * 6);
    assert!(asked.is_sorted_by(|a, b| a < b));
    assert_eq!(asked[0], [0, 0, 0]);
    assert_eq!(asked[71], [(1 << 40) - 1, 1, (1 << 20) - 1]);
}

#[test]
fn a_shape_of_many_axes_shows_the_first_item_of_the_outermost() {
    let mut n_asked = 0;
    let text = render(&[2; 60], Style::PLAIN, &mut |_| {
        n_asked += 1;
        FormatCell::Bool(true)
    });
    assert_eq!(n_asked, 1 << 15);
    assert!(text.len() < 3_000_000);
    let row = format!("{} True\n{} True]\n", "[".repeat(60), " ".repeat(60));
    assert!(text.starts_with(&row));
    assert!(text.ends_with(&format!("]{}  ...]{} ...]", "\n".repeat(58), "\n".repeat(59))));
    // Six axes are summarised as in NumPy; from seven on the outermost show one item.
    for (rank, expected) in [(5, 7776), (6, 46656), (7, 46656), (64, 46656)] {
        let mut n_asked = 0;
        let shape = vec![if rank == 64 { usize::MAX } else { 9 }; rank];
        render(&shape, Style::PLAIN, &mut |_| {
            n_asked += 1;
            FormatCell::Int(0)
        });
        assert_eq!(n_asked, expected, "{rank} axes");
    }
}

#[test]
fn axes_of_length_one_add_only_brackets() {
    let text = render(&[1; 64], Style::PLAIN, &mut |_| FormatCell::Int(5));
    assert_eq!(text, "[".repeat(64) + "5" + &"]".repeat(64));
}

/// Formats a value with the options of a format string.
struct Shown<F>(Vec<usize>, F);

impl<F: Fn(usize) -> FormatCell> std::fmt::Display for Shown<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Shown(shape, cell) = self;
        let at = |index: &[usize]| index.iter().zip(shape).fold(0, |at, (i, len)| at * len + i);
        f.write_str(&render(shape, Style::with_options(f), &mut |index| cell(at(index))))
    }
}

fn shown_floats(values: &[f64]) -> Shown<impl Fn(usize) -> FormatCell> {
    Shown(vec![values.len()], |i| FormatCell::Float(values[i], F64))
}

#[test]
fn a_precision_is_the_number_of_digits_after_the_point() {
    let x = shown_floats(&[1.0, -2.345, 1e6, 1e-9, f64::NAN, -f64::INFINITY]);
    let (two, none) = (format!("{x:.2}"), format!("{x:.0}"));
    assert_eq!(two, "[      1.00      -2.35 1000000.00       0.00        nan       -inf]");
    assert_eq!(none, "[      1      -2 1000000       0     nan    -inf]");
    // Each number has the digits that `std` prints.
    for (word, x) in two.trim_matches(['[', ']']).split_whitespace().zip([1.0, -2.345, 1e6, 1e-9]) {
        assert_eq!(word, format!("{x:.2}"));
    }
    let z = Shown(vec![2], |i| FormatCell::Complex(i as f64, -1.5, F32));
    assert_eq!(format!("{z:.2}"), "[0.00-1.50j 1.00-1.50j]");
    assert_eq!(format!("{:.1}", Shown(vec![3], |i| FormatCell::Int(i as i64))), "[0 1 2]");
    let scalar = |x| Shown(vec![], move |_| FormatCell::Float(x, F64));
    assert_eq!(format!("{:.3}", scalar(2.0 / 3.0)), "0.667");
    assert_eq!(
        format!("{:.1}", Shown(vec![], |_| FormatCell::Complex(1.25, 2.0, F64))),
        "(1.2+2.0j)"
    );
}

#[test]
fn a_width_pads_each_element() {
    let ints = Shown(vec![2, 2], |i| FormatCell::Int([1, -20, 300, 4][i]));
    assert_eq!(format!("{ints:5}"), "[[    1   -20]\n [  300     4]]");
    assert_eq!(format!("{ints:>5}"), format!("{ints:5}"));
    assert_eq!(format!("{ints:<5}"), "[[1     -20  ]\n [300   4    ]]");
    assert_eq!(format!("{ints:^5}"), "[[  1    -20 ]\n [ 300    4  ]]");
    assert_eq!(format!("{ints:·>4}"), "[[···1 ·-20]\n [·300 ···4]]");
    assert_eq!(format!("{ints:+}"), "[[  +1  -20]\n [+300   +4]]");
    assert_eq!(format!("{ints:1}"), format!("{ints}"), "a width is a minimum");
    let floats = shown_floats(&[1.0, 2.5]);
    assert_eq!(format!("{floats:6}"), "[   1.     2.5]");
    assert_eq!(format!("{floats:8.2}"), "[    1.00     2.50]");
    assert_eq!(format!("{floats:<+6.1}"), "[+1.0   +2.5  ]");
    assert_eq!(format!("{:7}", Shown(vec![2], |i| FormatCell::Bool(i == 0))), "[   True   False]");
    assert_eq!(format!("{:6}|", Shown(vec![], |_| FormatCell::Int(7))), "     7|");
    assert_eq!(format!("{:6}", Shown(vec![0], |_| FormatCell::Int(7))), "[]");
    // Lines break where the padded words would be too long, whatever the fill.
    let row = format!("{:é>30}", Shown(vec![3], |i| FormatCell::Int(i as i64)));
    let lines: Vec<usize> = row.lines().map(|line| line.chars().count()).collect();
    assert_eq!(lines, [62, 32]);
}
