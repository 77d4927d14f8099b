//! `Pattern`: the parsed notation, and its parser.

use super::error::{PatternError, PatternProblem};
use crate::{LayoutError, MAX_RANK};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;
use core::str::FromStr;

/// A rearrange pattern in the notation of einops, parsed from text such as `"b (h w) c -> b c h w"`.
///
/// - A name stands for an axis, the same one on both sides.
/// - Names in parentheses are one axis: it is split on the left, and they are merged on the right.
/// - `1` is an axis of length 1; so is `()`.
/// - `...` matches all axes without a name; on the right it may be inside a group.
///
/// Both sides must have the same names: nothing is reduced or repeated.
///
/// ```
/// use belvedere_layout::{Layout, Pattern, Rearranged};
///
/// let pattern: Pattern = "b (h w) c -> b c h w".parse()?;
/// let images = Layout::row_major(&[2, 12, 3])?;
/// let Rearranged::View(planes) = pattern.apply(&images, &[("h", 3)])? else { unreachable!() };
/// assert_eq!(planes.shape(), [2, 3, 3, 4]);
/// assert_eq!(planes.strides(), [36, 1, 12, 3]);
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    pub(super) text: Box<str>,
    pub(super) left: Vec<Group>,
    pub(super) right: Vec<Group>,
}

/// One axis on one side of a pattern: a single entry, or several in parentheses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Group {
    pub(super) entries: Vec<Entry>,
    pub(super) at: Range<usize>,
}

/// A name, a `1` or a `...`, and its position in the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub(super) kind: EntryKind,
    pub(super) at: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum EntryKind {
    Name,
    One,
    Ellipsis,
}

impl Pattern {
    /// Returns the text of the pattern.
    ///
    /// ```
    /// # use belvedere_layout::Pattern;
    /// assert_eq!("a b -> b a".parse::<Pattern>()?.text(), "a b -> b a");
    /// # Ok::<(), belvedere_layout::LayoutError>(())
    /// ```
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn name(&self, entry: &Entry) -> &str {
        &self.text[entry.at.clone()]
    }

    pub(super) fn problem(&self, at: &Range<usize>, problem: PatternProblem) -> LayoutError {
        PatternError::at(&self.text, at.clone(), problem)
    }

    /// Returns an error if a name is on one side only.
    fn check_sides(&self) -> Result<(), LayoutError> {
        let known = |side: &[Group], entry: &Entry| {
            let mut entries = side.iter().flat_map(|it| &it.entries);
            entries.any(|it| match (it.kind, entry.kind) {
                (EntryKind::Name, EntryKind::Name) => self.name(it) == self.name(entry),
                (one, two) => one == two,
            })
        };
        let pairs = [
            (&self.left, &self.right, PatternProblem::MissingRight),
            (&self.right, &self.left, PatternProblem::UnknownRight),
        ];
        for (side, other, problem) in pairs {
            let entries = side.iter().flat_map(|it| &it.entries);
            for entry in entries.filter(|it| it.kind != EntryKind::One) {
                if !known(other, entry) {
                    return Err(self.problem(&entry.at, problem.clone()));
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Pattern {
    type Err = LayoutError;

    fn from_str(text: &str) -> Result<Pattern, LayoutError> {
        let problem = |at: Range<usize>, problem| Err(PatternError::at(text, at, problem));
        let Some(arrow) = text.find("->") else {
            return problem(text.len()..text.len(), PatternProblem::NoArrow);
        };
        let after = arrow + "->".len();
        if let Some(second) = text[after..].find("->") {
            let at = after + second;
            return problem(at..at + "->".len(), PatternProblem::SecondArrow);
        }
        let left = Side { text, offset: 0, end: arrow, is_left: true }.parse()?;
        let right = Side { text, offset: after, end: text.len(), is_left: false }.parse()?;
        let pattern = Pattern { text: text.into(), left, right };
        pattern.check_sides()?;
        Ok(pattern)
    }
}

/// The parser of one side of the arrow; the bytes `offset..end` of the text are left to parse.
struct Side<'a> {
    text: &'a str,
    offset: usize,
    end: usize,
    is_left: bool,
}

impl Side<'_> {
    fn parse(mut self) -> Result<Vec<Group>, LayoutError> {
        let mut groups: Vec<Group> = Vec::new();
        let mut open: Option<Group> = None;
        let mut seen: Vec<Entry> = Vec::new();
        while let Some((at, token)) = self.next_token()? {
            match token {
                Token::Open if open.is_some() => {
                    return self.problem(at, PatternProblem::NestedGroup);
                }
                Token::Open => open = Some(Group { entries: Vec::new(), at }),
                Token::Close => match open.take() {
                    Some(group) => {
                        groups.push(Group { at: group.at.start..at.end, ..group });
                    }
                    None => return self.problem(at, PatternProblem::Unopened),
                },
                Token::Entry(kind) => {
                    let entry = Entry { kind, at: at.clone() };
                    self.check_entry(&entry, &seen, open.is_some())?;
                    seen.push(entry.clone());
                    match &mut open {
                        Some(group) => group.entries.push(entry),
                        None => groups.push(Group { entries: alloc::vec![entry], at }),
                    }
                }
            }
        }
        match open {
            Some(group) => self.problem(group.at, PatternProblem::Unclosed),
            None => Ok(groups),
        }
    }

    /// Returns an error if an entry is not allowed after those before it. Each name is an axis of a layout, so that there
    /// are few: the work is linear in the length of the text.
    fn check_entry(&self, entry: &Entry, seen: &[Entry], grouped: bool) -> Result<(), LayoutError> {
        let n_names = || seen.iter().filter(|it| it.kind == EntryKind::Name).count();
        if entry.kind == EntryKind::Name && n_names() == MAX_RANK {
            return self.problem(entry.at.clone(), PatternProblem::TooManyNames);
        }
        let same = |it: &&Entry| self.text[it.at.clone()] == self.text[entry.at.clone()];
        let is_repeated = entry.kind != EntryKind::One && seen.iter().find(same).is_some();
        let problem = match entry.kind {
            EntryKind::Ellipsis if is_repeated => PatternProblem::SecondEllipsis,
            EntryKind::Ellipsis if grouped && self.is_left => PatternProblem::GroupedEllipsis,
            EntryKind::Name if is_repeated => PatternProblem::Repeated,
            _ => return Ok(()),
        };
        self.problem(entry.at.clone(), problem)
    }

    fn next_token(&mut self) -> Result<Option<(Range<usize>, Token)>, LayoutError> {
        let rest = &self.text[self.offset..self.end];
        let trimmed = rest.trim_start();
        let start = self.offset + rest.len() - trimmed.len();
        let Some(first) = trimmed.chars().next() else { return Ok(None) };
        let (len, token) = match first {
            '(' => (1, Token::Open),
            ')' => (1, Token::Close),
            '.' if trimmed.starts_with("...") => (3, Token::Entry(EntryKind::Ellipsis)),
            c if is_word(c) => {
                let len = trimmed.find(|c| !is_word(c)).unwrap_or(trimmed.len());
                let kind = match &trimmed[..len] {
                    "1" => EntryKind::One,
                    word if word.starts_with(|c: char| c.is_ascii_digit()) => {
                        return self.problem(start..start + len, PatternProblem::Number);
                    }
                    _ => EntryKind::Name,
                };
                (len, Token::Entry(kind))
            }
            c => {
                let at = start..start + c.len_utf8();
                return self.problem(at, PatternProblem::Character(c));
            }
        };
        self.offset = start + len;
        Ok(Some((start..start + len, token)))
    }

    fn problem<T>(&self, at: Range<usize>, problem: PatternProblem) -> Result<T, LayoutError> {
        Err(PatternError::at(self.text, at, problem))
    }
}

enum Token {
    Open,
    Close,
    Entry(EntryKind),
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
