//! A parser for the subset of TOML that `operations/` uses.
//!
//! Tables, strings without escapes (`"…"`, `'…'`, `'''…'''` on lines of its own), lists of strings, integers and
//! booleans. The Python tests read the same files with `tomllib`.

/// A value of a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    List(Vec<String>),
    Integer(u32),
    Bool(bool),
}

/// A table: its name, and its keys with their values in the order of the file.
#[derive(Debug, PartialEq)]
pub(super) struct Table {
    pub name: String,
    pub entries: Vec<(String, Value)>,
}

/// Parses a file; an error is the number of the line, from 1, and what is wrong with it.
pub(super) fn parse(source: &str) -> Result<Vec<Table>, (usize, String)> {
    let mut tables: Vec<Table> = Vec::new();
    let mut lines = source.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let fail = |message: &str| Err((index + 1, message.to_string()));
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            tables.push(Table { name: name.to_string(), entries: Vec::new() });
            continue;
        }
        let Some((key, first)) = line.split_once(" = ") else {
            return fail("expected `[name]` or `key = value`");
        };
        let Some(table) = tables.last_mut() else { return fail("a key before the first table") };
        let value = match first {
            "'''" => Some(Value::Text(block(&mut lines, "'''").join("\n"))),
            "[" => block(&mut lines, "]")
                .iter()
                .map(|line| item(line))
                .collect::<Option<_>>()
                .map(Value::List),
            _ => value(first),
        };
        let Some(value) = value else { return fail("not a value of the supported subset of TOML") };
        table.entries.push((key.to_string(), value));
    }
    Ok(tables)
}

/// The lines up to one that is `end`.
fn block<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>, end: &str) -> Vec<&'a str> {
    lines.map(|(_, line)| line).take_while(|line| *line != end).collect()
}

/// A value on one line.
fn value(text: &str) -> Option<Value> {
    match text {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "[]" => Some(Value::List(Vec::new())),
        _ => match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(only) => Some(Value::List(vec![string(only)?])),
            None => string(text).map(Value::Text).or_else(|| text.parse().ok().map(Value::Integer)),
        },
    }
}

/// A line of a list.
fn item(line: &str) -> Option<String> {
    string(line.trim_start().strip_suffix(',')?)
}

/// A string in quotes.
fn string(text: &str) -> Option<String> {
    ['"', '\''].into_iter().find_map(|quote| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains([quote, '\\'])).then(|| inner.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_supported_kind_of_value_is_read() {
        let source = "# a comment\n\n[add]\ndoc = \"The sum.\"\nulps = 2\narray_api = true\n\
                      names = [\n    'a \"b\"',\n    \"c\",\n]\none = [\"x\"]\nnone = []\n\
                      example = '''\n>>> 1\n1\n'''\n";
        let text = |text: &str| Value::Text(text.to_string());
        let list = |items: &[&str]| Value::List(items.iter().map(|it| it.to_string()).collect());
        let expected = [
            ("doc", text("The sum.")),
            ("ulps", Value::Integer(2)),
            ("array_api", Value::Bool(true)),
            ("names", list(&["a \"b\"", "c"])),
            ("one", list(&["x"])),
            ("none", list(&[])),
            ("example", text(">>> 1\n1")),
        ];
        let expected = expected.map(|(key, value)| (key.to_string(), value)).to_vec();
        assert_eq!(parse(source), Ok(vec![Table { name: "add".into(), entries: expected }]));
    }

    #[test]
    fn an_error_names_its_line() {
        assert_eq!(parse("[a]\nb").expect_err("no value").0, 2);
        assert_eq!(parse("b = 1").expect_err("no table").0, 1);
        assert_eq!(parse("[a]\n\nb = \"x").expect_err("no end").0, 3);
    }
}
