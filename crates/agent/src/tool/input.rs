//! The arguments of a call as a type, and the type as the model sees it. Never guesses: what does not fit is said with its field.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::message::ToolCall;
use crate::model::ToolSpec;

/// The arguments of `call`, or what is wrong with them and in which field, for the model.
///
/// # Errors
///
/// Words for the model, which can mend its call.
pub fn parsed<T: DeserializeOwned>(call: &ToolCall) -> Result<T, String> {
    let arguments = call.arguments().map_err(|error| error.to_string())?;
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { String::new() } else { format!("`{path}`: ") };
        format!("InputValidationError: {field}{}", error.inner())
    })
}

/// A tool whose description is the doc comment of its input.
pub fn spec<T: JsonSchema>(name: &str) -> ToolSpec {
    // Without references: not every provider follows them.
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut input_schema = SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value();
    let mut description = String::new();
    if let Some(schema) = input_schema.as_object_mut() {
        schema.remove("title");
        if let Some(Value::String(text)) = schema.remove("description") {
            description = text;
        }
        // A tool without arguments takes an object too.
        schema.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
    ToolSpec { name: name.to_owned(), description, input_schema }
}
