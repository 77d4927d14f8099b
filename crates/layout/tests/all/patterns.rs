//! The rearrange notation against a slow model that looks up every element by the names of its axes.

use crate::zoo::layout_that_visits;
use belvedere_layout::{
    Layout, LayoutError, MAX_RANK, Pattern, PatternError, PatternProblem, Rearranged,
};

type Tested = Result<(), LayoutError>;

type Lengths<'a> = &'a [(&'a str, usize)];

fn row(shape: &[usize]) -> Layout {
    Layout::row_major(shape).unwrap()
}

/// Pattern, lengths, shape, rearranged shape, and whether contiguous memory serves.
type Row<'a> = (&'a str, Lengths<'a>, &'a [usize], &'a [usize], bool);

const TABLE: &[Row<'_>] = &[
    // Axes in another order.
    ("h w -> h w", &[], &[3, 4], &[3, 4], true),
    ("h w -> w h", &[], &[3, 4], &[4, 3], true),
    ("b h w c -> b c h w", &[], &[2, 3, 4, 5], &[2, 5, 3, 4], true),
    ("x_1 y2 Z -> Z y2 x_1", &[], &[2, 3, 4], &[4, 3, 2], true),
    ("höhe breite -> breite höhe", &[], &[3, 4], &[4, 3], true),
    ("->", &[], &[], &[], true),
    // Cut on the left.
    ("(h w) -> h w", &[("h", 3)], &[12], &[3, 4], true),
    ("(h w) -> w h", &[("w", 3)], &[12], &[3, 4], true),
    ("b (h w) c -> b c h w", &[("h", 3)], &[2, 12, 3], &[2, 3, 3, 4], true),
    ("(a b c) -> b c a", &[("a", 2), ("b", 3)], &[24], &[3, 4, 2], true),
    ("(a b c) -> b c a", &[("a", 2), ("b", 3), ("c", 4)], &[24], &[3, 4, 2], true),
    ("b t (h d) -> b h t d", &[("h", 2)], &[2, 3, 8], &[2, 2, 3, 4], true),
    // Joined on the right.
    ("h w -> (h w)", &[], &[3, 4], &[12], true),
    ("h w -> (w h)", &[], &[3, 4], &[12], false),
    ("b c h w -> b (c h w)", &[], &[2, 3, 4, 5], &[2, 60], true),
    ("b c h w -> b (h w) c", &[], &[2, 3, 4, 5], &[2, 20, 3], true),
    ("b c h w -> b (h w c)", &[], &[2, 3, 4, 5], &[2, 60], false),
    ("b h t d -> b t (h d)", &[], &[2, 2, 3, 4], &[2, 3, 8], false),
    ("a b c -> (a b) c", &[], &[2, 3, 4], &[6, 4], true),
    ("a b c -> (a c) b", &[], &[2, 3, 4], &[8, 3], false),
    // Both.
    ("(a b) c -> a (b c)", &[("a", 2)], &[6, 4], &[2, 12], true),
    ("(a b) -> (b a)", &[("a", 3)], &[12], &[12], false),
    ("(a b) (c d) -> (a c) (b d)", &[("a", 2), ("c", 2)], &[6, 4], &[4, 6], false),
    ("(a b) (c d) -> (a b c d)", &[("a", 2), ("c", 2)], &[6, 4], &[24], true),
    (
        "b (h p) (w q) c -> b h w p q c",
        &[("p", 2), ("q", 3)],
        &[2, 4, 6, 3],
        &[2, 2, 2, 2, 3, 3],
        true,
    ),
    (
        "b (h p) (w q) c -> b (h w) (p q c)",
        &[("p", 2), ("q", 3)],
        &[2, 4, 6, 3],
        &[2, 4, 18],
        false,
    ),
    (
        "b (c r s) h w -> b c (h r) (w s)",
        &[("r", 2), ("s", 2)],
        &[1, 8, 2, 3],
        &[1, 2, 4, 6],
        false,
    ),
    // Axes without a name.
    ("... -> ...", &[], &[2, 3, 4], &[2, 3, 4], true),
    ("... -> ...", &[], &[], &[], true),
    ("a ... -> ... a", &[], &[2, 3, 4], &[3, 4, 2], true),
    ("a ... -> ... a", &[], &[2], &[2], true),
    ("... a b -> ... b a", &[], &[2, 3, 4, 5], &[2, 3, 5, 4], true),
    ("a ... b -> b ... a", &[], &[2, 3, 4, 5], &[5, 3, 4, 2], true),
    ("... (h d) -> ... h d", &[("h", 2)], &[2, 3, 8], &[2, 3, 2, 4], true),
    ("... -> (...)", &[], &[2, 3, 4], &[24], true),
    ("... -> (...)", &[], &[], &[1], true),
    ("a ... -> (a ...)", &[], &[2, 3, 4], &[24], true),
    ("a ... -> (... a)", &[], &[2, 3, 4], &[24], false),
    ("a ... b -> a (b ...)", &[], &[2, 3, 4, 5], &[2, 60], false),
    // Axes of length 1.
    ("a 1 b -> a b", &[], &[2, 1, 3], &[2, 3], true),
    ("a b -> a 1 b 1", &[], &[2, 3], &[2, 1, 3, 1], true),
    ("a 1 b -> 1 b a", &[], &[2, 1, 3], &[1, 3, 2], true),
    ("() a -> a ()", &[], &[1, 3], &[3, 1], true),
    ("(a 1) -> a", &[], &[3], &[3], true),
    ("(1 a b) -> (b 1) a", &[("b", 2)], &[6], &[2, 3], true),
    ("1 1 ->", &[], &[1, 1], &[], true),
    ("-> 1 ()", &[], &[], &[1, 1], true),
    ("1 ... -> ... 1", &[], &[1, 2, 3], &[2, 3, 1], true),
    // Without elements every reshape is a view.
    ("a b -> (b a)", &[], &[0, 3], &[0], true),
    ("(a b) c -> c a b", &[("b", 2)], &[0, 3], &[3, 0, 2], true),
    ("(a b) -> b a", &[("a", 0), ("b", 5)], &[0], &[5, 0], true),
];

/// The names of each axis of a side; `1` has none, and `...` one for each axis it
/// matches.
fn axes_of(side: &str, n_ellipsis: usize) -> Vec<Vec<String>> {
    let spaced = side.replace('(', " ( ").replace(')', " ) ");
    let (mut axes, mut open): (Vec<Vec<String>>, Option<Vec<String>>) = (Vec::new(), None);
    for word in spaced.split_whitespace() {
        let names: Vec<String> = match word {
            "(" => {
                open = Some(Vec::new());
                continue;
            }
            ")" => {
                axes.extend(open.take());
                continue;
            }
            "1" => vec![],
            "..." => (0..n_ellipsis).map(|i| format!("...{i}")).collect(),
            name => vec![name.to_string()],
        };
        match &mut open {
            Some(group) => group.extend(names),
            None if word == "..." => axes.extend(names.into_iter().map(|it| vec![it])),
            None => axes.push(names),
        }
    }
    axes
}

/// The rearranged shape and the offsets in its order, element by element.
fn twin(pattern: &str, given: Lengths<'_>, layout: &Layout) -> (Vec<usize>, Vec<usize>) {
    let (left, right) = pattern.split_once("->").unwrap();
    let n_ellipsis = layout.rank() - axes_of(left, 0).len().min(layout.rank());
    let (left, right) = (axes_of(left, n_ellipsis), axes_of(right, n_ellipsis));
    assert_eq!(left.len(), layout.rank());

    let mut lengths: Vec<(String, usize)> =
        given.iter().map(|&(name, len)| (name.to_string(), len)).collect();
    for (names, &len) in left.iter().zip(&layout.shape()) {
        let of = |name: &String| lengths.iter().find(|it| it.0 == *name).map(|it| it.1);
        let known: usize = names.iter().filter_map(of).product();
        if let Some(open) = names.iter().find(|it| of(it).is_none()) {
            lengths.push((open.clone(), len / known));
        }
    }
    let length = |name: &String| lengths.iter().find(|it| it.0 == *name).unwrap().1;

    // Counting through the names of the right in their order is the order of the result.
    let names: Vec<&String> = right.iter().flatten().collect();
    let n: usize = names.iter().map(|it| length(it)).product();
    let offset = |mut flat: usize| {
        let mut position = vec![0; names.len()];
        for (i, name) in position.iter_mut().zip(&names).rev() {
            *i = flat % length(name);
            flat /= length(name);
        }
        let at = |name: &String| position[names.iter().position(|it| *it == name).unwrap()];
        let index = left.iter().map(|it| it.iter().fold(0, |i, name| i * length(name) + at(name)));
        layout.offset(&index.collect::<Vec<_>>()).unwrap()
    };
    let shape = right.iter().map(|it| it.iter().map(length).product()).collect();
    (shape, (0..n).map(offset).collect())
}

/// Checks a result against the model, and returns whether it is a view.
fn check(pattern: &str, lengths: Lengths<'_>, layout: &Layout, found: &Rearranged) -> bool {
    let (wanted, expected) = twin(pattern, lengths, layout);
    match found {
        Rearranged::View(view) => {
            assert_eq!(view.shape(), wanted, "{pattern}");
            assert!(view.offsets().eq(expected), "{pattern} of {layout:?}");
            true
        }
        Rearranged::Copy { ordered, shape, why } => {
            assert_eq!(*shape, wanted, "{pattern}");
            assert!(ordered.offsets().eq(expected.iter().copied()), "{pattern} of {layout:?}");
            assert_eq!(layout_that_visits(&expected, &wanted), None, "{pattern} of {layout:?}");
            assert_ne!(why.stride as i128, why.needed);
            assert!(wanted[why.new_axis] > 1);
            false
        }
    }
}

#[test]
fn patterns_match_named_axes() -> Tested {
    for &(pattern, lengths, shape, expected, is_view) in TABLE {
        let layout = row(shape);
        let found = layout.rearrange(pattern, lengths)?;
        assert_eq!(check(pattern, lengths, &layout, &found), is_view, "{pattern}");
        assert_eq!(twin(pattern, lengths, &layout).0, expected, "{pattern}");
    }
    Ok(())
}

/// For other layouts the model has the expected elements, and an oracle decides whether strides exist.
#[test]
fn patterns_work_for_transposed_stepped_flipped_and_broadcast_layouts() -> Tested {
    let (mut n_views, mut n_copies) = (0, 0);
    for &(pattern, lengths, shape, ..) in TABLE {
        let all: Vec<isize> = (0..shape.len() as isize).collect();
        let doubled: Vec<usize> = shape.iter().map(|len| 2 * len).collect();
        let mut stepped = row(&doubled);
        for &k in &all {
            stepped = stepped.step(k, 2)?;
        }
        let layouts = [
            Layout::col_major(shape)?,
            row(shape).flip(&all)?,
            stepped.flip(&all[..all.len().min(1)])?,
            Layout::scalar(3)?.broadcast_to(shape)?,
        ];
        for layout in layouts {
            let found = layout.rearrange(pattern, lengths)?;
            match check(pattern, lengths, &layout, &found) {
                true => n_views += 1,
                false => n_copies += 1,
            }
        }
    }
    assert!(n_views > 100 && n_copies > 30, "{n_views} views, {n_copies} copies");
    Ok(())
}

#[test]
fn white_space_is_ignored() -> Tested {
    let tight = row(&[12, 2]).rearrange("(h w)c->c h w", &[("h", 3)])?;
    for pattern in ["(h w) c -> c h w", "  ( h   w )c ->\tc\nh w  ", "(h w) c->c h w"] {
        assert_eq!(row(&[12, 2]).rearrange(pattern, &[("h", 3)])?, tight, "{pattern:?}");
    }
    Ok(())
}

#[test]
fn display_of_a_pattern_is_its_source() -> Tested {
    let pattern: Pattern = " a  b->b a ".parse()?;
    assert_eq!((pattern.text(), pattern.to_string()), (" a  b->b a ", " a  b->b a ".to_string()));
    Ok(())
}

#[test]
fn a_recipe_applies_to_every_layout_of_its_rank() -> Tested {
    let text = "b (h d) ... -> b ... h d";
    let pattern: Pattern = text.parse()?;
    let lengths = [("h", 2)];
    let recipe = pattern.recipe(3, &lengths)?;
    let layouts = [
        row(&[2, 8, 3]),
        row(&[5, 4, 1]),
        row(&[0, 6, 2]),
        Layout::col_major(&[3, 2, 4])?,
        row(&[4, 6, 5]).permute(&[2, 0, 1])?,
        row(&[3, 8, 6]).step(1, 2)?.flip(&[0])?,
    ];
    for layout in layouts {
        let found = recipe.apply(&layout)?;
        assert_eq!(found, pattern.apply(&layout, &lengths)?);
        check(text, &lengths, &layout, &found);
    }
    assert_eq!(recipe, pattern.recipe(3, &lengths)?);
    assert_ne!(recipe, pattern.recipe(3, &[("h", 4)])?);
    Ok(())
}

#[test]
fn a_recipe_refuses_layouts_of_another_rank_or_length() -> Tested {
    let recipe = "(h w) c -> h w c".parse::<Pattern>()?.recipe(2, &[("h", 3)])?;
    assert!(recipe.apply(&row(&[6, 2])).is_ok());
    assert!(recipe.apply(&row(&[6])).is_err());
    assert!(recipe.apply(&row(&[6, 2, 1])).is_err());
    assert!(recipe.apply(&row(&[7, 2])).is_err());
    Ok(())
}

#[test]
fn a_given_length_is_checked_against_the_axis() -> Tested {
    assert!(row(&[3, 4]).rearrange("h w -> w h", &[("h", 3), ("w", 4)]).is_ok());
    assert!(row(&[3, 4]).rearrange("h w -> w h", &[("h", 4)]).is_err());
    Ok(())
}

#[test]
fn a_copy_has_the_permuted_layout_and_the_seam() -> Tested {
    let Rearranged::Copy { ordered, shape, why } = row(&[3, 4]).rearrange("h w -> (w h)", &[])?
    else {
        panic!("no such strides exist");
    };
    assert_eq!(ordered, row(&[3, 4]).t()?);
    assert_eq!(shape, [12]);
    assert_eq!((why.axes, why.stride, why.needed, why.new_axis), ((0, 1), 1, 12, 0));
    Ok(())
}

fn mistake(pattern: &str, shape: &[usize], lengths: Lengths<'_>) -> PatternError {
    match row(shape).rearrange(pattern, lengths) {
        Err(LayoutError::Pattern(error)) => *error,
        other => panic!("{pattern}: {other:?}"),
    }
}

/// The second line of each pair is the line of carets.
#[test]
fn carets_mark_the_position_of_each_error() {
    let rows: &[(&str, &str, &[usize], Lengths<'_>)] = &[
        ("a b", "   ^", &[2, 3], &[]),
        ("", "^", &[], &[]),
        ("a -> b -> c", "       ^^", &[2], &[]),
        ("a, b -> b a", " ^", &[2, 3], &[]),
        ("a b -> b; a", "        ^", &[2, 3], &[]),
        ("a .. b -> a b", "  ^", &[2, 3], &[]),
        ("a 12 -> a 12", "  ^^", &[2, 3], &[]),
        ("a 2b -> a 2b", "  ^^", &[2, 3], &[]),
        ("((a) b) -> a b", " ^", &[6], &[]),
        ("a (b c -> a b c", "  ^", &[2, 6], &[]),
        ("a b -> (a b", "       ^", &[2, 3], &[]),
        ("a b) -> a b", "   ^", &[2, 3], &[]),
        ("a b -> a b)", "          ^", &[2, 3], &[]),
        ("a b a -> a b", "    ^", &[2, 3, 2], &[]),
        ("a b -> a b a", "           ^", &[2, 3], &[]),
        ("... a ... -> ... a", "      ^^^", &[2, 3], &[]),
        ("(a ...) -> a ...", "   ^^^", &[6], &[]),
        ("a height -> a", "  ^^^^^^", &[2, 3], &[]),
        ("a ... -> a", "  ^^^", &[2, 3], &[]),
        ("a -> a height", "       ^^^^^^", &[2], &[]),
        ("a -> a (...)", "        ^^^", &[2], &[]),
        ("a (b c) -> a b c", "^^^^^^^", &[2], &[]),
        ("  a b -> b a", "  ^^^", &[2, 3, 4], &[]),
        ("a 1 b -> a b", "  ^", &[2, 3, 4], &[]),
        ("a () b -> a b", "  ^^", &[2, 3, 4], &[]),
        ("a (b c d) -> a b c d", "       ^", &[2, 24], &[("b", 2)]),
        ("a (b c) -> a b c", "  ^^^^^", &[2, 6], &[("b", 4)]),
        ("a b -> b a", "  ^", &[2, 3], &[("b", 4)]),
        ("a b -> b a", "^^^^^^^^^^", &[2, 3], &[("c", 4)]),
        ("a b -> b a", "  ^", &[2, 3], &[("b", 3), ("b", 3)]),
        // Counted in characters, not bytes; tabs and line ends are shown as blanks.
        ("höhe öl -> öl", "^^^^", &[2, 3], &[]),
        ("ö € -> ö", "  ^", &[2, 3], &[]),
        ("a\tb\n-> a ?", "         ^", &[2, 3], &[]),
    ];
    for &(pattern, carets, shape, lengths) in rows {
        let error = mistake(pattern, shape, lengths);
        let said = error.to_string();
        let lines: Vec<&str> = said.lines().collect();
        let shown: String = pattern.replace(['\t', '\n'], " ");
        assert_eq!(lines.len(), 3, "{said}");
        assert_eq!(lines[1], format!("  {shown}"), "{said}");
        assert_eq!(lines[2], format!("  {carets}"), "{said}");
        assert_eq!(*error.pattern, *pattern);
    }
}

#[test]
fn errors_hold_the_byte_range_of_their_position() {
    assert_eq!(mistake("a height -> a", &[2, 3], &[]).at, 2..8);
    assert_eq!(mistake("höhe b -> b", &[2, 3], &[]).at, 0.."höhe".len());
    assert_eq!(mistake("a b", &[2, 3], &[]).at, 3..3, "empty where something is missing");
}

#[test]
fn a_side_has_at_most_as_many_names_as_a_layout_has_axes() {
    let names = |n: usize| (0..n).map(|i| format!("a{i} ")).collect::<String>();
    let widest = format!("{0}-> {0}", names(MAX_RANK));
    let layout = Layout::row_major(&[1; MAX_RANK]).unwrap();
    assert!(matches!(layout.rearrange(&widest, &[]), Ok(Rearranged::View(_))));
    // A comparison of each name with all others would take minutes.
    for n in [MAX_RANK + 1, 1_000_000] {
        let error = format!("{0}-> {0}", names(n)).parse::<Pattern>().unwrap_err();
        let LayoutError::Pattern(error) = error else { panic!("{error}") };
        assert_eq!(error.problem, PatternProblem::TooManyNames);
        assert_eq!(&error.pattern[error.at.clone()], "a64");
    }
    let ones = format!("{0}-> {0}", "1 ".repeat(1_000_000));
    assert!(ones.parse::<Pattern>().is_ok());
}
