//! `serde`: a layout as its start, shape and strides, checked when it is read.

use crate::{Layout, Shape, Strides};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde_core::de::{self, Deserializer, MapAccess, SeqAccess};
use serde_core::ser::{SerializeStruct, Serializer};
use serde_core::{Deserialize, Serialize};

const FIELDS: &[&str] = &["start", "shape", "strides"];

/// Serializes the start, the shape and the strides.
///
/// ```
/// use belvedere_layout::Layout;
///
/// let layout = Layout::row_major(&[2, 3])?.flip(&[1])?;
/// let text = serde_json::to_string(&layout).unwrap();
/// assert_eq!(text, r#"{"start":2,"shape":[2,3],"strides":[3,-1]}"#);
/// assert_eq!(serde_json::from_str::<Layout>(&text).unwrap(), layout);
/// # Ok::<(), belvedere_layout::LayoutError>(())
/// ```
impl Serialize for Layout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (shape, strides): (Shape, Strides) = (self.shape(), self.strides());
        let mut fields = serializer.serialize_struct("Layout", FIELDS.len())?;
        fields.serialize_field("start", &self.start())?;
        fields.serialize_field("shape", &*shape)?;
        fields.serialize_field("strides", &*strides)?;
        fields.end()
    }
}

/// # Errors
/// If a field is missing, unknown or repeated, and as for [`Layout::from_strides`].
impl<'de> Deserialize<'de> for Layout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Layout, D::Error> {
        deserializer.deserialize_struct("Layout", FIELDS, LayoutVisitor)
    }
}

struct LayoutVisitor;

impl<'de> de::Visitor<'de> for LayoutVisitor {
    type Value = Layout;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a layout: its start, shape and strides")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<Layout, A::Error> {
        let missing = |n: usize| <A::Error as de::Error>::invalid_length(n, &self);
        let start = fields.next_element()?.ok_or_else(|| missing(0))?;
        let shape: Vec<usize> = fields.next_element()?.ok_or_else(|| missing(1))?;
        let strides: Vec<isize> = fields.next_element()?.ok_or_else(|| missing(2))?;
        Layout::from_strides(start, &shape, &strides).map_err(de::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Layout, A::Error> {
        let (mut start, mut shape, mut strides) = (None, None::<Vec<usize>>, None::<Vec<isize>>);
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                "start" if start.is_none() => start = Some(fields.next_value()?),
                "shape" if shape.is_none() => shape = Some(fields.next_value()?),
                "strides" if strides.is_none() => strides = Some(fields.next_value()?),
                "start" => return Err(de::Error::duplicate_field("start")),
                "shape" => return Err(de::Error::duplicate_field("shape")),
                "strides" => return Err(de::Error::duplicate_field("strides")),
                other => return Err(de::Error::unknown_field(other, FIELDS)),
            }
        }
        let start = start.ok_or_else(|| de::Error::missing_field("start"))?;
        let shape = shape.ok_or_else(|| de::Error::missing_field("shape"))?;
        let strides = strides.ok_or_else(|| de::Error::missing_field("strides"))?;
        Layout::from_strides(start, &shape, &strides).map_err(de::Error::custom)
    }
}
