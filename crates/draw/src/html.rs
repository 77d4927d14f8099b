//! Pictures as HTML.

use crate::picture::Picture;
use crate::svg::{self, escape};

/// Draws each picture in a `figure`, for embedding in a page.
pub(crate) fn fragment(pictures: &[Picture]) -> String {
    let drawn: Vec<String> = pictures.iter().map(figure).collect();
    drawn.concat()
}

/// Draws a picture in a `figure` that scrolls if it is wider than the page.
fn figure(picture: &Picture) -> String {
    let svg = svg::draw(std::slice::from_ref(picture));
    format!("<figure style=\"margin:0 0 1rem;overflow-x:auto\">\n{svg}</figure>\n")
}

/// Draws the pictures as a self-contained page.
pub(crate) fn page(title: &str, pictures: &[Picture]) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>body{{margin:2rem auto;max-width:60rem;padding:0 1rem;\
         font:16px/1.5 ui-sans-serif,system-ui,sans-serif}}\
         h1{{font-size:1.1rem;font-family:ui-monospace,monospace;overflow-wrap:anywhere}}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n{}</body>\n</html>\n",
        fragment(pictures)
    )
}
