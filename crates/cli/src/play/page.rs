//! The static files of the page, embedded in the program.

/// A static file.
pub(super) struct File {
    /// Its path in the URL.
    pub path: &'static str,
    /// Its media type.
    pub media: &'static str,
    /// Its contents.
    pub text: &'static str,
}

/// All files.
const FILES: &[File] = &[
    File { path: "/", media: "text/html", text: include_str!("../../web/index.html") },
    File { path: "/style.css", media: "text/css", text: include_str!("../../web/style.css") },
    File { path: "/app.js", media: "text/javascript", text: include_str!("../../web/app.js") },
    File {
        path: "/editor.js",
        media: "text/javascript",
        text: include_str!("../../web/editor.js"),
    },
    File { path: "/grid.js", media: "text/javascript", text: include_str!("../../web/grid.js") },
    File { path: "/info.js", media: "text/javascript", text: include_str!("../../web/info.js") },
    File {
        path: "/picture.js",
        media: "text/javascript",
        text: include_str!("../../web/picture.js"),
    },
    File {
        path: "/timeline.js",
        media: "text/javascript",
        text: include_str!("../../web/timeline.js"),
    },
    File {
        path: "/examples.js",
        media: "text/javascript",
        text: include_str!("../../web/examples.js"),
    },
    File { path: "/icon.svg", media: "image/svg+xml", text: include_str!("../../web/icon.svg") },
];

/// Returns the file with a path.
pub(super) fn file(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_loads_nothing_from_other_hosts() {
        for File { path, text, .. } in FILES {
            let addresses = text.match_indices("://").map(|(i, _)| &text[i.saturating_sub(5)..]);
            for address in addresses {
                // The SVG namespace is an identifier: no browser requests it.
                assert!(address.contains("://www.w3.org/2000/svg"), "{path}: {address:.60}");
            }
        }
    }

    #[test]
    fn every_file_that_the_page_references_is_embedded() {
        let page = file("/").expect("there is a page").text;
        let names = page.split(['"', '\'']).filter(|it| it.contains('.') && !it.contains(' '));
        for name in names.filter(|it| !it.contains('=')) {
            assert!(file(&format!("/{name}")).is_some(), "{name}");
        }
    }

    #[test]
    fn every_module_that_a_script_imports_is_embedded() {
        for File { path, text, .. } in FILES {
            for (at, _) in text.match_indices("from \"./") {
                let name = text[at + 8..].split('"').next().unwrap_or_default();
                assert!(file(&format!("/{name}")).is_some(), "{path} imports {name}");
            }
        }
    }
}
