//! The header of a `.npy` file: a magic number, a version, a length, and a Python dictionary.
//!
//! ```text
//! 93 'NUMPY'  major minor  length of the text  {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n
//! 6 bytes     2 bytes      2 bytes (1.0) or 4                                              padding ^
//! ```
//!
//! Headers are untrusted input. The length is checked before anything is read, the dictionary is
//! parsed without recursion (three known keys, no nesting), and numbers are checked for overflow.
//! Syntax that NumPy never writes (escapes, comments, `0x10`, `((3),)`, a repeated key) is an
//! error, even where Python's parser accepts it.
//!
//! NumPy has no type code for bfloat16. The package `ml_dtypes` writes its `bfloat16` as `<V2`, two
//! raw bytes, and readers call `.view(bfloat16)`. So `V2` is read as bfloat16 here, and bfloat16 is
//! written as `<V2`: files can be exchanged, but other two-byte void types are read as bfloat16 too.

use super::error::NpyError;
use crate::DType;
use belvedere_layout::MAX_RANK;

/// The contents of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The dtype of the elements.
    pub dtype: DType,
    /// Whether the bytes of each number are not in native order. A complex element is two numbers.
    pub swapped: bool,
    /// Whether the elements are in column-major (Fortran) order.
    pub column_major: bool,
    /// The lengths of the axes.
    pub shape: Vec<usize>,
    /// The offset of the data in bytes. In NumPy's files it is a multiple of 64 (16 before
    /// version 1.14); in files of other writers it may be any number.
    pub data_start: usize,
}

/// The length of the prefix that contains the length of the header.
pub(crate) const PREFIX_BYTES: usize = 12;

/// The maximum length of the dictionary: that of version 1.0, and 40 times what 64 axes need.
const MAX_TEXT_BYTES: usize = u16::MAX as usize;

const MAGIC: &[u8] = b"\x93NUMPY";

/// NumPy's type codes without the byte order, in the order of [`DType::ALL`].
const CODES: [&str; DType::ALL.len()] =
    ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "V2", "f4", "f8", "c8", "c16"];

/// The characters for the native byte order and for the swapped one.
const NATIVE: u8 = if cfg!(target_endian = "little") { b'<' } else { b'>' };
const SWAPPED: u8 = if cfg!(target_endian = "little") { b'>' } else { b'<' };

const DESCR: &str = "descr";
const ORDER: &str = "fortran_order";
const SHAPE: &str = "shape";

impl Header {
    /// Returns the size of the data in bytes.
    pub(crate) fn data_len(&self) -> usize {
        // `parse` has checked that the product does not overflow.
        self.shape.iter().product::<usize>() * self.dtype.size()
    }
}

/// Returns the length of the whole header, given the first [`PREFIX_BYTES`] bytes of a file.
///
/// # Errors
/// If the prefix is invalid or the dictionary is longer than [`MAX_TEXT_BYTES`].
pub(crate) fn header_len(first: &[u8]) -> Result<usize, NpyError> {
    let (text_start, text_len) = text_range(first)?;
    Ok(text_start + text_len)
}

/// Parses the header at the start of `bytes`, which may continue after it.
pub(crate) fn parse(bytes: &[u8]) -> Result<Header, NpyError> {
    let (text_start, text_len) = text_range(bytes)?;
    let data_start = text_start + text_len;
    let Some(bytes) = bytes.get(..data_start) else {
        return Err(NpyError::Truncated { needed: data_start, found: bytes.len() });
    };
    let fields = HeaderCursor { bytes, at: text_start }.dictionary()?;
    let missing = |key| NpyError::MissingKey { key };
    let (dtype, swapped) = fields.descr.ok_or(missing(DESCR))?;
    let column_major = fields.column_major.ok_or(missing(ORDER))?;
    let shape = fields.shape.ok_or(missing(SHAPE))?;
    check_size(dtype, &shape)?;
    Ok(Header { dtype, swapped, column_major, shape, data_start })
}

/// Returns the header that NumPy writes for an array in native byte order, padded so that the
/// offset of the data is a multiple of 64.
///
/// As in NumPy, an array that is both row-major and column-major, such as a vector, is declared
/// row-major; the caller passes `column_major` accordingly.
pub(crate) fn write(dtype: DType, shape: &[usize], column_major: bool) -> Vec<u8> {
    let text = dictionary_text(dtype, shape, column_major);
    let is_short = text.len() + padding(10, text.len()) <= usize::from(u16::MAX);
    let (version, text_start) = if is_short { (1, 10) } else { (2, 12) };
    let padding = padding(text_start, text.len());
    // The length takes two or four bytes. It fits: a dictionary of 4 GiB would need 2^27 axes.
    let len = ((text.len() + padding) as u32).to_le_bytes();
    let len = &len[..text_start - MAGIC.len() - 2];
    let mut bytes = [MAGIC, &[version, 0], len, text.as_bytes()].concat();
    bytes.resize(bytes.len() + padding - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// Returns the offset and the length of the dictionary.
fn text_range(first: &[u8]) -> Result<(usize, usize), NpyError> {
    let n = first.len().min(MAGIC.len());
    if first[..n] != MAGIC[..n] {
        return Err(NpyError::NotNpy);
    }
    let Some(prefix) = first.first_chunk::<PREFIX_BYTES>() else {
        return Err(NpyError::Truncated { needed: PREFIX_BYTES, found: first.len() });
    };
    let [.., major, minor, a, b, c, d] = *prefix;
    let (text_start, len) = match (major, minor) {
        (1, 0) => (10, u32::from_le_bytes([a, b, 0, 0])),
        // 3.0 differs from 2.0 in the encoding of field names, which only records have.
        (2 | 3, 0) => (12, u32::from_le_bytes([a, b, c, d])),
        _ => return Err(NpyError::UnknownVersion { major, minor }),
    };
    match usize::try_from(len) {
        Ok(len) if len <= MAX_TEXT_BYTES => Ok((text_start, len)),
        _ => Err(NpyError::HeaderTooLong { len: len.into(), limit: MAX_TEXT_BYTES }),
    }
}

/// Returns an error for a shape whose size in bytes exceeds `isize::MAX`.
pub(super) fn check_size(dtype: DType, shape: &[usize]) -> Result<(), NpyError> {
    let mut lengths = shape.iter().filter(|&&len| len != 0);
    match lengths.try_fold(dtype.size(), |bytes, &len| bytes.checked_mul(len)) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(NpyError::TooLarge { dtype, shape: shape.into() }),
    }
}

/// Returns the dtype of a type code, and whether its bytes are swapped.
fn parse_type_code(descr: &[u8]) -> Option<(DType, bool)> {
    let (order, code) = match descr {
        [order @ (b'<' | b'>' | b'=' | b'|'), code @ ..] => (*order, code),
        code => (b'=', code),
    };
    let at = CODES.iter().position(|it| it.as_bytes() == code)?;
    let dtype = DType::ALL[at];
    Some((dtype, order == SWAPPED && dtype.size() > 1))
}

/// Returns the first 60 bytes, for an error message.
fn excerpt(bytes: &[u8]) -> Box<str> {
    const LIMIT: usize = 60;
    let (shown, dots) = if bytes.len() > LIMIT { (&bytes[..LIMIT], "...") } else { (bytes, "") };
    (String::from_utf8_lossy(shown) + dots).into()
}

fn dictionary_text(dtype: DType, shape: &[usize], column_major: bool) -> String {
    let order = if dtype.size() == 1 { '|' } else { char::from(NATIVE) };
    let code = CODES[dtype as usize];
    let fortran = if column_major { "True" } else { "False" };
    let mut lengths = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if shape.len() == 1 {
        lengths.push(',');
    }
    let mut text =
        format!("{{'{DESCR}': '{order}{code}', '{ORDER}': {fortran}, '{SHAPE}': ({lengths}), }}");
    // Room for the slowest axis to grow to 21 digits, so that appending to a file can rewrite
    // the header in place.
    let slowest = if column_major { shape.last() } else { shape.first() };
    let digits = slowest.map_or(21, |len| len.to_string().len());
    text.extend(std::iter::repeat_n(' ', 21 - digits));
    text
}

/// Returns the number of spaces, plus one for the final line feed, that make `prefix` and `text`
/// end at a multiple of 64. As in NumPy there is at least one space, so it is 65 where the line
/// feed alone would suffice.
fn padding(prefix: usize, text: usize) -> usize {
    65 - (prefix + text + 1) % 64
}

/// The values of the keys parsed so far.
#[derive(Default)]
struct Fields {
    descr: Option<(DType, bool)>,
    column_major: Option<bool>,
    shape: Option<Vec<usize>>,
}

/// A parser of the dictionary. Positions are offsets in the file, which errors report.
struct HeaderCursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> HeaderCursor<'a> {
    fn dictionary(mut self) -> Result<Fields, NpyError> {
        let mut fields = Fields::default();
        self.expect(b'{', "`{`")?;
        while !self.eat(b'}') {
            self.entry(&mut fields)?;
            if !self.eat(b',') {
                self.expect(b'}', "`,` or `}`")?;
                break;
            }
        }
        match self.peek() {
            None => Ok(fields),
            Some(_) => Err(self.syntax("only white space")),
        }
    }

    fn entry(&mut self, fields: &mut Fields) -> Result<(), NpyError> {
        self.skip_space();
        let offset = self.at;
        let key = self.string("a key in quotes")?;
        self.expect(b':', "`:`")?;
        let (key, is_new) = match key {
            b"descr" => (DESCR, fields.descr.replace(self.descr()?).is_none()),
            b"fortran_order" => (ORDER, fields.column_major.replace(self.boolean()?).is_none()),
            b"shape" => (SHAPE, fields.shape.replace(self.shape()?).is_none()),
            _ => {
                return Err(NpyError::UnknownKey { offset, key: excerpt(key) });
            }
        };
        if is_new { Ok(()) } else { Err(NpyError::DuplicateKey { offset, key }) }
    }

    fn descr(&mut self) -> Result<(DType, bool), NpyError> {
        let (descr, found) = match self.peek() {
            Some(b'\'' | b'"') => {
                let descr = self.string("a type in quotes")?;
                (descr, parse_type_code(descr))
            }
            // Structured dtypes are lists.
            _ => match self.raw_value() {
                b"" => return Err(self.syntax("a type in quotes")),
                value => (value, None),
            },
        };
        found.ok_or_else(|| NpyError::UnsupportedDescr { descr: excerpt(descr) })
    }

    fn boolean(&mut self) -> Result<bool, NpyError> {
        self.skip_space();
        for (word, value) in [("True", true), ("False", false)] {
            if self.bytes[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.syntax("`True` or `False`"))
    }

    /// Parses a tuple of lengths: `()`, `(3,)`, `(3, 4)` or `(3, 4,)`, but not `(3)`, which is a
    /// number in Python.
    fn shape(&mut self) -> Result<Vec<usize>, NpyError> {
        let mut shape = Vec::new();
        self.expect(b'(', "`(`")?;
        while !self.eat(b')') {
            if shape.len() == MAX_RANK {
                return Err(NpyError::TooManyAxes { limit: MAX_RANK });
            }
            shape.push(self.length()?);
            if !self.eat(b',') {
                match shape.len() {
                    1 => return Err(self.syntax("`,`")),
                    _ => self.expect(b')', "`,` or `)`")?,
                }
                break;
            }
        }
        Ok(shape)
    }

    fn length(&mut self) -> Result<usize, NpyError> {
        self.skip_space();
        let offset = self.at;
        let rest = &self.bytes[offset..];
        let n = rest.iter().take_while(|it| it.is_ascii_digit()).count();
        match rest.first() {
            Some(b'-') => return Err(NpyError::BadLength { offset }),
            // A leading zero is octal in Python 2 and an error in Python 3.
            Some(b'0') if n > 1 => return Err(self.syntax("a length without leading zeros")),
            _ if n == 0 => return Err(self.syntax("a length")),
            _ => self.at += n,
        }
        let append = |value: usize, digit: &u8| {
            value.checked_mul(10)?.checked_add(usize::from(digit - b'0'))
        };
        let value = rest[..n].iter().try_fold(0, append);
        // The suffix of long integers in Python 2.
        if self.bytes.get(self.at) == Some(&b'L') {
            self.at += 1;
        }
        let fits = |&value: &usize| isize::try_from(value).is_ok();
        value.filter(fits).ok_or(NpyError::BadLength { offset })
    }

    /// Parses a string literal without escapes. A backslash or a line feed is an error, because no
    /// accepted string contains one.
    fn string(&mut self, expected: &'static str) -> Result<&'a [u8], NpyError> {
        let Some(quote @ (b'\'' | b'"')) = self.peek() else {
            return Err(self.syntax(expected));
        };
        self.at += 1;
        let rest = &self.bytes[self.at..];
        let is_end = |&byte: &u8| byte == quote || byte == b'\\' || byte == b'\n';
        let n = rest.iter().position(is_end).unwrap_or(rest.len());
        self.at += n;
        if rest.get(n) != Some(&quote) {
            return Err(self.syntax("a closing quote"));
        }
        self.at += 1;
        Ok(&rest[..n])
    }

    /// Returns the text of a value up to the comma or bracket that ends it, for error messages
    /// only: brackets inside strings count as brackets.
    fn raw_value(&self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let mut depth = 0usize;
        let is_end = |&byte: &u8| {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b',' | b')' | b']' | b'}' if depth == 0 => return true,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
            false
        };
        let n = rest.iter().position(is_end).unwrap_or(rest.len());
        &rest[..n]
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), NpyError> {
        if self.eat(byte) { Ok(()) } else { Err(self.syntax(expected)) }
    }

    /// Skips white space, and consumes `byte` if it is next.
    fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips white space and returns the next byte.
    fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c');
        self.at += self.bytes[self.at..].iter().take_while(is_space).count();
    }

    fn syntax(&self, expected: &'static str) -> NpyError {
        NpyError::Syntax { offset: self.at, expected }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a file of version 1.0 with this dictionary text.
    fn file(text: impl AsRef<[u8]>) -> Vec<u8> {
        let text = text.as_ref();
        let len = u16::try_from(text.len()).expect("test dictionaries are short").to_le_bytes();
        [MAGIC, &[1, 0], &len, text].concat()
    }

    fn with_shape(shape: &str) -> Vec<u8> {
        file(format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"))
    }

    fn with_descr(descr: &str) -> Vec<u8> {
        file(format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (3,), }}"))
    }

    /// The maximum length of a header.
    const MAX_HEADER_BYTES: usize = PREFIX_BYTES + MAX_TEXT_BYTES;

    /// Where the value of `shape` begins in `with_shape`.
    const SHAPE_AT: usize = 10 + 50;

    fn syntax(offset: usize, expected: &'static str) -> NpyError {
        NpyError::Syntax { offset, expected }
    }

    /// Draws a pseudorandom number below `below`, by a linear congruential generator (Knuth's MMIX).
    fn random(state: &mut u64, below: usize) -> usize {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 33) as usize % below
    }

    #[test]
    fn written_headers_match_numpy() {
        #[rustfmt::skip]
        let table: &[(DType, &[usize], bool, &str, usize)] = &[
            (DType::Bool, &[], false, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }", 128),
            (DType::UInt8, &[0, 3], false, "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 3), }", 128),
            (DType::Float32, &[2, 3], true, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 128),
            (DType::Complex128, &[7], false, "{'descr': '<c16', 'fortran_order': False, 'shape': (7,), }", 128),
            (DType::BFloat16, &[3], false, "{'descr': '<V2', 'fortran_order': False, 'shape': (3,), }", 128),
            // Over a boundary by the room to grow, and by the one space that there always is.
            (DType::Int64, &[1; 15], false,
                "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), }", 192),
            (DType::Int64, &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1234567890123], true,
                "{'descr': '<i8', 'fortran_order': True, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1234567890123), }", 192),
        ];
        if cfg!(target_endian = "big") {
            return;
        }
        for &(dtype, shape, column_major, text, len) in table {
            let mut expected = [&b"\x93NUMPY\x01\x00"[..], &[len as u8 - 10, 0]].concat();
            expected.extend_from_slice(text.as_bytes());
            expected.resize(len - 1, b' ');
            expected.push(b'\n');
            assert_eq!(write(dtype, shape, column_major), expected, "{text}");
        }
    }

    #[test]
    fn written_headers_round_trip() {
        let long = vec![1; 64];
        let shapes: [&[usize]; 6] = [&[], &[0], &[5], &[2, 0, 3], &[1 << 40, 1 << 10], &long];
        for dtype in DType::ALL {
            for shape in shapes {
                for column_major in [false, true] {
                    let bytes = write(dtype, shape, column_major);
                    let data_start = bytes.len();
                    assert_eq!(data_start % 64, 0);
                    assert_eq!(header_len(&bytes[..PREFIX_BYTES]), Ok(data_start));
                    let shape = shape.to_vec();
                    let swapped = false;
                    let header = Header { dtype, swapped, column_major, shape, data_start };
                    assert_eq!(parse(&bytes), Ok(header));
                }
            }
        }
    }

    #[test]
    fn long_dictionaries_use_version_2() {
        let short = write(DType::Int8, &[1; 21_000], false);
        let long = write(DType::Int8, &[1; 22_000], false);
        assert_eq!(short[6..8], [1, 0]);
        assert_eq!(long[6..8], [2, 0]);
        assert_eq!(long.len() % 64, 0);
        let len = u32::from_le_bytes([long[8], long[9], long[10], long[11]]);
        assert_eq!(long.len(), 12 + len as usize);
    }

    #[test]
    fn all_versions_are_read() {
        let text = b"{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3)}";
        let len = text.len() as u8;
        for version in [2, 3] {
            let bytes = [MAGIC, &[version, 0, len, 0, 0, 0], text, b"data"].concat();
            let header = parse(&bytes).expect("a valid header");
            assert_eq!((header.data_start, header.data_len()), (bytes.len() - 4, 12));
        }
        for (major, minor) in [(0, 0), (1, 1), (2, 1), (4, 0), (255, 255)] {
            let bytes = [MAGIC, &[major, minor, len, 0, 0, 0], text].concat();
            assert_eq!(parse(&bytes), Err(NpyError::UnknownVersion { major, minor }));
        }
    }

    #[test]
    fn type_codes_give_dtype_and_byte_order() {
        for (dtype, code) in DType::ALL.into_iter().zip(CODES) {
            for order in ["<", ">", "=", "|", ""] {
                let header = parse(&with_descr(&format!("'{order}{code}'"))).expect("valid");
                let foreign = if cfg!(target_endian = "little") { ">" } else { "<" };
                let swapped = order == foreign && dtype.size() > 1;
                assert_eq!((header.dtype, header.swapped), (dtype, swapped), "{order}{code}");
            }
        }
    }

    #[test]
    fn unsupported_type_codes_are_errors_with_the_code() {
        let long = format!("'{}'", "x".repeat(1000));
        let cut = format!("{}...", "x".repeat(60));
        let table = [
            ("'|O'", "|O"),
            ("'<U7'", "<U7"),
            ("'|S5'", "|S5"),
            ("'<M8[ns]'", "<M8[ns]"),
            ("'<f16'", "<f16"),
            ("'<c32'", "<c32"),
            ("'|V4'", "|V4"),
            ("'<F8'", "<F8"),
            ("'<<f8'", "<<f8"),
            ("'<f8 '", "<f8 "),
            ("'<f'", "<f"),
            ("''", ""),
            ("'<'", "<"),
            ("'f\u{fc}'", "f\u{fc}"),
            ("'f\0'", "f\0"),
            ("[('x', '<f4'), ('y', '<f4', (2,))]", "[('x', '<f4'), ('y', '<f4', (2,))]"),
            ("('<f4', (2,))", "('<f4', (2,))"),
            ("None", "None"),
            ("<f8", "<f8"),
            ("17", "17"),
            (&long, &cut),
        ];
        for (descr, found) in table {
            let expected = NpyError::UnsupportedDescr { descr: found.into() };
            assert_eq!(parse(&with_descr(descr)), Err(expected), "{descr}");
        }
    }

    #[test]
    fn valid_python_dictionaries_are_parsed() {
        let table = [
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}",
            "{'shape': (3, 4), 'fortran_order': False, 'descr': '<f8'}   \n",
            "{\"descr\": \"<f8\", 'fortran_order': False, \"shape\": (3, 4)}",
            " \t\r\n\x0c{ 'descr' :\n'<f8'\t,'fortran_order':False , 'shape':( 3 ,\n4 , ) , } \n\n",
            "{'descr':'<f8','fortran_order':False,'shape':(3,4)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 4L), }",
        ];
        for text in table {
            let header = parse(&file(text)).expect(text);
            assert_eq!(header.dtype, DType::Float64);
            assert_eq!((header.swapped, header.column_major), (false, false));
            assert_eq!(header.shape, [3, 4]);
            assert_eq!(header.data_start, 10 + text.len());
            assert_eq!(header.data_len(), 96);
        }
    }

    #[test]
    fn valid_shapes_are_parsed() {
        let table: [(&str, &[usize]); 8] = [
            ("()", &[]),
            ("( )", &[]),
            ("(3,)", &[3]),
            ("(3 , )", &[3]),
            ("(0,)", &[0]),
            ("(2,3)", &[2, 3]),
            ("(2,3,)", &[2, 3]),
            ("(0, 1152921504606846975)", &[0, (1 << 60) - 1]),
        ];
        for (text, shape) in table {
            assert_eq!(parse(&with_shape(text)).expect(text).shape, shape);
        }
        let full = format!("({})", "1, ".repeat(MAX_RANK));
        assert_eq!(parse(&with_shape(&full)).expect(&full).shape.len(), MAX_RANK);
    }

    #[test]
    fn invalid_shapes_are_errors() {
        assert_eq!(with_shape("X")[SHAPE_AT], b'X');
        let at = |step| SHAPE_AT + step;
        let deep = "(".repeat(60_000);
        let digits = "9".repeat(60_000);
        let table = [
            ("(-1,)", NpyError::BadLength { offset: at(1) }),
            ("(2, -1)", NpyError::BadLength { offset: at(4) }),
            ("(9223372036854775808,)", NpyError::BadLength { offset: at(1) }),
            ("(18446744073709551616L,)", NpyError::BadLength { offset: at(1) }),
            (&format!("({digits},)"), NpyError::BadLength { offset: at(1) }),
            ("(3)", syntax(at(2), "`,`")),
            ("3", syntax(at(0), "`(`")),
            ("[3]", syntax(at(0), "`(`")),
            ("None", syntax(at(0), "`(`")),
            ("(,)", syntax(at(1), "a length")),
            ("(3,,)", syntax(at(3), "a length")),
            ("(3 4)", syntax(at(3), "`,`")),
            ("(3, 4 5)", syntax(at(6), "`,` or `)`")),
            ("(3, 4]", syntax(at(5), "`,` or `)`")),
            ("((3,),)", syntax(at(1), "a length")),
            ("(2, (3,))", syntax(at(4), "a length")),
            (&deep, syntax(at(1), "a length")),
            ("(True,)", syntax(at(1), "a length")),
            ("(+3,)", syntax(at(1), "a length")),
            ("('3',)", syntax(at(1), "a length")),
            ("(007,)", syntax(at(1), "a length without leading zeros")),
            ("(0x10,)", syntax(at(2), "`,`")),
            ("(1_0,)", syntax(at(2), "`,`")),
            ("(1.0,)", syntax(at(2), "`,`")),
            ("(1e3,)", syntax(at(2), "`,`")),
            ("(3LL,)", syntax(at(3), "`,`")),
            ("(3\u{a0},)", syntax(at(2), "`,`")),
            ("(\u{ff13},)", syntax(at(1), "a length")),
            ("(3\0,)", syntax(at(2), "`,`")),
        ];
        for (text, error) in table {
            let shown = &text[..text.len().min(40)];
            assert_eq!(parse(&with_shape(text)), Err(error), "{shown}");
        }
        let long = format!("({})", "1, ".repeat(MAX_RANK + 1));
        let too_many = NpyError::TooManyAxes { limit: MAX_RANK };
        assert_eq!(parse(&with_shape(&long)), Err(too_many));
    }

    #[test]
    fn shapes_beyond_the_address_space_are_errors() {
        // 2^60 elements of eight bytes are 2^63 bytes, one too many; a zero changes nothing.
        let dtype = DType::Float64;
        for shape in [
            &[1 << 60][..],
            &[1 << 30, 1 << 30],
            &[1 << 30, 0, 1 << 30],
            &[1 << 32, 1 << 32],
            &[1 << 62, 1 << 62, 1 << 62],
            &[0, isize::MAX as usize],
            &[(1 << 32) - 1; 64],
        ] {
            let error = NpyError::TooLarge { dtype, shape: shape.into() };
            assert_eq!(parse(&write(dtype, shape, false)), Err(error));
        }
    }

    #[test]
    fn invalid_dictionaries_are_errors() {
        let key = |offset, key: &str| NpyError::UnknownKey { offset, key: key.into() };
        let ok = "'descr': '<f8', 'fortran_order': False, 'shape': (3,)";
        let table = [
            ("".into(), syntax(10, "`{`")),
            ("  ".into(), syntax(12, "`{`")),
            ("\0\0\0".into(), syntax(10, "`{`")),
            ("[]".into(), syntax(10, "`{`")),
            ("{".into(), syntax(11, "a key in quotes")),
            ("{,}".into(), syntax(11, "a key in quotes")),
            ("{}".into(), NpyError::MissingKey { key: DESCR }),
            ("{descr: '<f8'}".into(), syntax(11, "a key in quotes")),
            ("{u'descr': '<f8'}".into(), syntax(11, "a key in quotes")),
            ("{'descr".into(), syntax(17, "a closing quote")),
            ("{'descr\": '<f8'}".into(), syntax(21, "`:`")),
            ("{'des\\x63r': '<f8'}".into(), syntax(15, "a closing quote")),
            ("{'descr' '<f8'}".into(), syntax(19, "`:`")),
            ("{'descr': '<f8'".into(), syntax(25, "`,` or `}`")),
            ("{'descr': '<' 'f8'}".into(), NpyError::UnsupportedDescr { descr: "<".into() }),
            ("{'descr': '''<f8'''}".into(), NpyError::UnsupportedDescr { descr: "".into() }),
            ("{'descr': '<f8', 'fortran_order': 0}".into(), syntax(44, "`True` or `False`")),
            ("{'descr': '<f8', 'fortran_order': true}".into(), syntax(44, "`True` or `False`")),
            ("{'descr': '<f8', 'fortran_order': Falsehood}".into(), syntax(49, "`,` or `}`")),
            ("{'Descr': '<f8'}".into(), key(11, "Descr")),
            ("{'d\u{e9}scr': '<f8'}".into(), key(11, "d\u{e9}scr")),
            ("{'descr\0': '<f8'}".into(), key(11, "descr\0")),
            (format!("{{{ok}, 'order': 'C'}}"), key(66, "order")),
            (format!("{{{ok}, 'shape': (4,)}}"), NpyError::DuplicateKey { offset: 66, key: SHAPE }),
            (format!("{{{ok}, {ok}}}"), NpyError::DuplicateKey { offset: 66, key: DESCR }),
            (format!("{{{ok},,}}"), syntax(65, "a key in quotes")),
            (format!("{{{ok}}} x"), syntax(66, "only white space")),
            (format!("{{{ok}}}}}"), syntax(65, "only white space")),
            (format!("{{{ok}}} # so"), syntax(66, "only white space")),
            (format!("{{{ok}}}\0\0"), syntax(65, "only white space")),
            (format!("({{{ok}}})"), syntax(10, "`{`")),
            ("{'fortran_order': False, 'shape': ()}".into(), NpyError::MissingKey { key: DESCR }),
            ("{'descr': '<f8', 'shape': ()}".into(), NpyError::MissingKey { key: ORDER }),
            ("{'descr': '<f8', 'fortran_order': True}".into(), NpyError::MissingKey { key: SHAPE }),
        ];
        for (text, error) in table {
            // Two more bytes, because the prefix must be complete.
            let bytes = [file(&text), vec![0; 2]].concat();
            assert_eq!(parse(&bytes), Err(error), "{text}");
        }
    }

    #[test]
    fn truncated_headers_are_errors() {
        let bytes = write(DType::Float32, &[2, 3], false);
        for found in 0..bytes.len() {
            let needed = if found < PREFIX_BYTES { PREFIX_BYTES } else { bytes.len() };
            let error = NpyError::Truncated { needed, found };
            assert_eq!(parse(&bytes[..found]), Err(error), "{found} bytes");
        }
        // A truncated dictionary with a matching length is an error too.
        let end = bytes.iter().position(|&byte| byte == b'}').expect("the end of the text");
        for len in 10..end {
            let bytes = [file(&bytes[10..len]), vec![0; 2]].concat();
            assert!(matches!(parse(&bytes), Err(NpyError::Syntax { .. })), "{len} bytes");
        }
    }

    #[test]
    fn other_file_types_are_errors() {
        for bytes in [&b"PK\x03\x04"[..], b"\x93", b"\x93NUMPX\x01\x00", b"NUMPY", &[0; 200]] {
            let expected = match bytes {
                b"\x93" => NpyError::Truncated { needed: PREFIX_BYTES, found: 1 },
                _ => NpyError::NotNpy,
            };
            assert_eq!(parse(bytes), Err(expected));
        }
    }

    #[test]
    fn a_4_gib_header_is_an_error_before_it_is_read() {
        for len in [MAX_TEXT_BYTES as u32 + 1, u32::MAX] {
            let first = [MAGIC, &[2, 0], &len.to_le_bytes()].concat();
            let error = NpyError::HeaderTooLong { len: len.into(), limit: MAX_TEXT_BYTES };
            assert_eq!(header_len(&first), Err(error));
        }
        let longest = [MAGIC, &[2, 0], &(MAX_TEXT_BYTES as u32).to_le_bytes()].concat();
        assert_eq!(header_len(&longest), Ok(MAX_HEADER_BYTES));
    }

    /// Returns whether the bytes are accepted, and checks the invariants of an accepted header.
    fn check(bytes: &[u8]) -> bool {
        let Ok(header) = parse(bytes) else {
            return false;
        };
        assert!(header.shape.len() <= MAX_RANK);
        assert!(isize::try_from(header.data_len()).is_ok());
        assert!(header.data_start <= bytes.len().min(MAX_HEADER_BYTES));
        let again = write(header.dtype, &header.shape, header.column_major);
        let again = parse(&again).expect("what was read can be written");
        assert_eq!((again.dtype, again.shape), (header.dtype, header.shape));
        true
    }

    #[test]
    fn flipped_bits_never_panic() {
        let good = write(DType::Complex64, &[3, 1 << 20, 0, 77], true);
        let mut state = 1;
        let mut n_accepted = 0;
        for _ in 0..200_000 {
            let mut bytes = good.clone();
            for _ in 0..=random(&mut state, 3) {
                let at = random(&mut state, bytes.len());
                bytes[at] ^= 1 << random(&mut state, 8);
            }
            n_accepted += usize::from(check(&bytes));
        }
        assert!(n_accepted > 0);
    }

    #[test]
    fn shuffled_tokens_never_panic() {
        let tokens = [
            "{",
            "}",
            "(",
            ")",
            "[",
            "]",
            ",",
            ":",
            "'",
            "\"",
            "'descr'",
            "'shape'",
            "'<f8'",
            "-",
            "'fortran_order'",
            "True",
            "False",
            "0",
            "1",
            "99999999999",
            "L",
            " ",
            "\n",
            "\0",
            "\\",
            "'descr': '<i2',",
            "'fortran_order': True,",
            "'shape': (2, 3),",
            "'shape': (",
            "\u{e9}",
        ];
        let mut state = 2;
        let mut n_accepted = 0;
        for _ in 0..200_000 {
            let mut text = String::from("{");
            for _ in 0..random(&mut state, 12) {
                text += tokens[random(&mut state, tokens.len())];
            }
            text.push('}');
            n_accepted += usize::from(check(&[file(&text), vec![0; 2]].concat()));
        }
        assert!(n_accepted > 0);
    }
}
