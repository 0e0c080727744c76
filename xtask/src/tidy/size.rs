//! Limits on the length of files and functions. Never counts clever layouts: a line is a line.

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

use super::source::Source;
use super::violation::Violation;

const FILE_LINES_MAX: usize = 600;
const FILE_LINES_USUAL: usize = 400;
const FUNCTION_LINES_MAX: usize = 70;
const FILE_BYTES_MAX: u64 = 1_000_000;

/// No file is so large that a clone carries it for ever.
pub(super) fn check_blob(path: &str, bytes: u64) -> Option<Violation> {
    let what = format!("{bytes} bytes, and the limit is {FILE_BYTES_MAX}");
    (bytes > FILE_BYTES_MAX).then(|| Violation::new(path, 1, what, "generate it or make it smaller"))
}

/// No Rust file is too long to be read in one sitting.
pub(super) fn check_lines(path: &str, text: &str) -> Option<Violation> {
    let lines = text.lines().count();
    let what = format!("{lines} lines, and the limit is {FILE_LINES_MAX}");
    (lines > FILE_LINES_MAX).then(|| {
        Violation::new(path, FILE_LINES_MAX + 1, what, "split it by reason to change")
            .unless(format!("file {path}"))
    })
}

/// Nine Rust files in ten stay well under the limit.
pub(super) fn check_share(sources: &[Source]) -> Vec<Violation> {
    let files: Vec<&Source> = sources.iter().filter(|source| source.path.ends_with(".rs")).collect();
    let long: Vec<&&Source> =
        files.iter().filter(|file| file.text.lines().count() > FILE_LINES_USUAL).collect();
    if long.len() * 10 <= files.len() {
        return Vec::new();
    }
    let what = format!("over {FILE_LINES_USUAL} lines, as are {} files of {}", long.len(), files.len());
    let remedy = "nine in ten stay under; split the one that has two reasons to change";
    long.iter().map(|file| Violation::new(&file.path, FILE_LINES_USUAL + 1, what.clone(), remedy)).collect()
}

/// No function is longer than a screen. Closures and functions inside count to the function around them.
/// Functions inside a macro call are not seen here; clippy counts those after expansion.
pub(super) fn check_functions(path: &str, text: &str) -> Vec<Violation> {
    let file = match syn::parse_file(text) {
        Ok(file) => file,
        Err(error) => {
            let line = error.span().start().line;
            return vec![Violation::new(path, line, format!("no valid Rust: {error}"), "make it compile")];
        }
    };
    let mut functions = Functions { path, violations: Vec::new() };
    functions.visit_file(&file);
    functions.violations
}

struct Functions<'a> {
    path: &'a str,
    violations: Vec<Violation>,
}

impl Functions<'_> {
    /// Counts from the signature to the closing brace; the doc above is not the function's burden.
    fn measure(&mut self, signature: &syn::Signature, end: Span) {
        let (start, end) = (signature.span().start().line, end.end().line);
        let lines = end + 1 - start;
        if lines <= FUNCTION_LINES_MAX {
            return;
        }
        let name = &signature.ident;
        let what = format!("function {name} has {lines} lines, and the limit is {FUNCTION_LINES_MAX}");
        let violation = Violation::new(self.path, start, what, "name its parts and call them");
        self.violations.push(violation.unless(format!("function {} {name}", self.path)));
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.measure(&function.sig, function.block.span());
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.measure(&function.sig, function.block.span());
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.measure(&function.sig, block.span());
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests;
