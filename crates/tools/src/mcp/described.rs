//! What a server says about a tool, made into what a model reads. Never takes over a text as it came.

use agent::model::ToolSpec;
use agent::permission::visible;
use rmcp::model::Tool;
use serde_json::{Map, Value};

use super::names::tool_name;
use super::words::bounded;
use crate::limits::{DESCRIPTION_MAX, SCHEMA_MAX};

/// Providers refuse a whole request if the schema of one tool has these at its top. The server checks its arguments anyway.
const NOT_AT_TOP: &[&str] =
    &["$schema", "$id", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum"];

/// How a model sees a tool of `server`, or why it should not.
pub(super) fn spec(server: &str, tool: &Tool) -> Result<ToolSpec, String> {
    if tool.name.is_empty() {
        return Err("it has no name".to_owned());
    }
    let description = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    let description = bounded(description, DESCRIPTION_MAX);
    let mut schema = Value::Object((*tool.input_schema).clone());
    if schema.to_string().len() > SCHEMA_MAX {
        return Err(format!("its schema has more than {SCHEMA_MAX} bytes"));
    }
    clean(&mut schema)?;
    let Value::Object(mut schema) = schema else { return Err("its schema is no object".to_owned()) };
    schema.retain(|key, _| !NOT_AT_TOP.contains(&key.as_str()));
    schema.insert("type".to_owned(), Value::from("object"));
    let properties = schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if !properties.is_object() {
        return Err("the properties of its schema are no object".to_owned());
    }
    Ok(ToolSpec { name: tool_name(server, &tool.name), description, input_schema: Value::Object(schema) })
}

/// Makes all texts of a schema visible. Names of fields go to the server as they are, so one that hides something is refused.
fn clean(schema: &mut Value) -> Result<(), String> {
    match schema {
        Value::String(text) => *text = bounded(text, DESCRIPTION_MAX),
        Value::Array(values) => values.iter_mut().try_for_each(clean)?,
        Value::Object(fields) => {
            for (name, value) in fields {
                let shown = visible(name);
                if shown != *name {
                    return Err(format!("a field of its schema hides a part of its name: {shown}"));
                }
                clean(value)?;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Ok(())
}
