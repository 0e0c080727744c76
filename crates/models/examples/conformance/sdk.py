"""A server that is built on the types of the official SDKs, and that checks each request against them.

Plays three rounds: two calls of a tool, then a text. Prints its port, then one JSON object for each request.
"""

import json
import sys
import typing
from collections import abc
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import typing_extensions
from anthropic import types as anthropic_types
from anthropic.types import message_create_params
from openai.types import chat as chat_types
from openai.types import responses as response_types
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params

PARAMS = {
    "/v1/messages": message_create_params.MessageCreateParamsStreaming,
    "/v1/chat/completions": completion_create_params.CompletionCreateParamsStreaming,
    "/v1/responses": response_create_params.ResponseCreateParamsStreaming,
}


def mismatch(value, kind, path):
    """Why `value` is not of the type `kind`, or None. Stricter than the SDK: unknown keys are a mismatch."""
    origin = typing.get_origin(kind)
    if origin in (typing_extensions.Required, typing_extensions.NotRequired, typing.Required, typing.NotRequired):
        return mismatch(value, typing.get_args(kind)[0], path)
    if origin is typing.Annotated:
        return mismatch(value, typing.get_args(kind)[0], path)
    if kind is object or kind is typing.Any:
        return None
    if origin is typing.Union or type(kind).__name__ == "UnionType":
        reasons = [mismatch(value, option, path) for option in typing.get_args(kind)]
        if any(reason is None for reason in reasons):
            return None
        return max(reasons, key=lambda reason: len(reason.split(":")[0]))
    if origin is typing.Literal:
        return None if value in typing.get_args(kind) else f"{path}: {value!r} is none of {typing.get_args(kind)}"
    if typing_extensions.is_typeddict(kind):
        return mismatch_of_fields(value, kind, path)
    if origin in (list, abc.Iterable, abc.Sequence, tuple):
        if not isinstance(value, list):
            return f"{path}: {value!r} is no list"
        item = typing.get_args(kind)[0]
        found = (mismatch(entry, item, f"{path}[{index}]") for index, entry in enumerate(value))
        return next((reason for reason in found if reason), None)
    if origin in (dict, abc.Mapping):
        return None if isinstance(value, dict) else f"{path}: {value!r} is no object"
    if kind is type(None):
        return None if value is None else f"{path}: {value!r} is not null"
    if kind is float:
        return None if isinstance(value, (int, float)) and not isinstance(value, bool) else f"{path}: {value!r} is no number"
    if isinstance(kind, type):
        right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        return None if right else f"{path}: {value!r} is no {kind.__name__}"
    return f"{path}: the check does not know {kind!r}"


def is_required(key, hint, kind):
    """The SDKs write their types as text, which `__required_keys__` does not look into; the hints tell."""
    origin = typing.get_origin(hint)
    if origin in (typing_extensions.Required, typing.Required):
        return True
    return key in kind.__required_keys__ and origin not in (typing_extensions.NotRequired, typing.NotRequired)


def mismatch_of_fields(value, kind, path):
    if not isinstance(value, dict):
        return f"{path}: {value!r} is no object"
    hints = typing_extensions.get_type_hints(kind, include_extras=True)
    for key, hint in hints.items():
        if is_required(key, hint, kind) and key not in value:
            return f"{path}.{key}: missing in {kind.__name__}"
    for key, entry in value.items():
        if key not in hints:
            return f"{path}.{key}: unknown to {kind.__name__}"
        reason = mismatch(entry, hints[key], f"{path}.{key}")
        if reason:
            return reason
    return None


def spoilt(body):
    """The body with one fault each."""
    said = "messages" if "messages" in body else "input"
    if said == "messages":
        # The Responses API takes a stored prompt in place of a model.
        yield "no model", {key: value for key, value in body.items() if key != "model"}
    yield "an unknown key", {**body, "unheard_of": 1}
    yield "a text for a number", {**body, "max_tokens": "1", "max_output_tokens": "1"}
    yield "an unknown role", {**body, said: [*body[said], {"role": "nobody", "content": "x"}]}
    yield "an unknown block", {**body, said: [{"role": "user", "content": [{"type": "unheard_of"}]}]}
    yield "a tool without a name", {**body, "tools": [{"type": "function", "description": "x"}]}


def sent(event):
    return event.model_dump_json(by_alias=True, exclude_unset=True)


def build(kind, **fields):
    """An event of the SDK, checked by its model."""
    return kind.model_validate(fields)


def messages(round_):
    t = anthropic_types
    usage = {"input_tokens": 20, "output_tokens": 1, "cache_read_input_tokens": 3}
    message = {"id": f"msg_{round_}", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    yield build(t.RawMessageStartEvent, type="message_start", message=message)
    index = 0
    for block, deltas in blocks(round_):
        yield build(t.RawContentBlockStartEvent, type="content_block_start", index=index, content_block=block)
        for delta in deltas:
            yield build(t.RawContentBlockDeltaEvent, type="content_block_delta", index=index, delta=delta)
        yield build(t.RawContentBlockStopEvent, type="content_block_stop", index=index)
        index += 1
    reason = "tool_use" if round_ < 2 else "end_turn"
    yield build(t.RawMessageDeltaEvent, type="message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage={"output_tokens": 9})
    yield build(t.RawMessageStopEvent, type="message_stop")


def blocks(round_):
    thinking = {"type": "thinking", "thinking": "", "signature": ""}
    yield thinking, [{"type": "thinking_delta", "thinking": "hm é"}, {"type": "signature_delta", "signature": f"SIG{round_}"}]
    yield {"type": "redacted_thinking", "data": "XYZ"}, []
    if round_ == 2:
        yield {"type": "text", "text": ""}, [{"type": "text_delta", "text": "All "}, {"type": "text_delta", "text": "done."}]
        return
    call = {"type": "tool_use", "id": f"toolu_{round_}", "name": "Read", "input": {}, "caller": {"type": "direct"}}
    pieces = ["", '{"path": "a', f'{round_}.md"}}']
    yield call, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def chunks(round_):
    def chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return build(chat_types.ChatCompletionChunk, id=f"c{round_}", object="chat.completion.chunk", created=1, model="m", choices=[choice])

    yield chunk({"role": "assistant", "content": None})
    if round_ == 2:
        yield chunk({"content": "All "})
        yield chunk({"content": "done."})
        yield chunk({}, "stop")
    else:
        call = {"index": 0, "id": f"call_{round_}", "type": "function", "function": {"name": "Read", "arguments": ""}}
        yield chunk({"tool_calls": [call]})
        for piece in ['{"path": "a', f'{round_}.md"}}']:
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
        yield chunk({}, "tool_calls")
    usage = {"prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29}
    yield build(chat_types.ChatCompletionChunk, id=f"c{round_}", object="chat.completion.chunk", created=1, model="m", choices=[], usage=usage)


def items(round_):
    t = response_types
    base = {"id": f"resp_{round_}", "created_at": 1, "model": "m", "object": "response", "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    number = iter(range(1000))
    yield build(t.ResponseCreatedEvent, type="response.created", sequence_number=next(number), response={**base, "output": []})
    reasoning = {"id": f"rs_{round_}", "type": "reasoning", "summary": [], "encrypted_content": f"SEAL{round_}"}
    yield build(t.ResponseOutputItemAddedEvent, type="response.output_item.added", sequence_number=next(number), output_index=0, item={**reasoning})
    yield build(t.ResponseOutputItemDoneEvent, type="response.output_item.done", sequence_number=next(number), output_index=0, item=reasoning)
    if round_ == 2:
        text = {"type": "output_text", "text": "All done.", "annotations": []}
        item = {"id": "msg", "type": "message", "role": "assistant", "status": "completed", "content": [text]}
        yield build(t.ResponseOutputItemAddedEvent, type="response.output_item.added", sequence_number=next(number), output_index=1, item={**item, "status": "in_progress", "content": []})
        for piece in ["All ", "done."]:
            yield build(t.ResponseTextDeltaEvent, type="response.output_text.delta", sequence_number=next(number), output_index=1, content_index=0, item_id="msg", delta=piece, logprobs=[])
    else:
        arguments = json.dumps({"path": f"a{round_}.md"})
        item = {"id": f"fc_{round_}", "type": "function_call", "status": "completed", "call_id": f"call_{round_}", "name": "Read", "arguments": arguments}
        yield build(t.ResponseOutputItemAddedEvent, type="response.output_item.added", sequence_number=next(number), output_index=1, item={**item, "status": "in_progress", "arguments": ""})
        for piece in [arguments[:5], arguments[5:]]:
            yield build(t.ResponseFunctionCallArgumentsDeltaEvent, type="response.function_call_arguments.delta", sequence_number=next(number), output_index=1, item_id=item["id"], delta=piece)
    yield build(t.ResponseOutputItemDoneEvent, type="response.output_item.done", sequence_number=next(number), output_index=1, item=item)
    details = {"cached_tokens": 3, "cache_write_tokens": 0}
    usage = {"input_tokens": 20, "output_tokens": 9, "total_tokens": 29, "input_tokens_details": details, "output_tokens_details": {"reasoning_tokens": 0}}
    yield build(t.ResponseCompletedEvent, type="response.completed", sequence_number=next(number), response={**base, "output": [reasoning, item], "usage": usage})


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        reason = mismatch(body, PARAMS[self.path], "body")
        # A check that takes everything shows nothing, so it must refuse each of these.
        missed = [name for name, wrong in spoilt(body) if mismatch(wrong, PARAMS[self.path], "body") is None]
        if missed and not reason:
            reason = f"the check takes a body that is spoilt: {missed}"
        print(json.dumps({"path": self.path, "mismatch": reason}), flush=True)
        # A tool has answered as often as there were rounds.
        round_ = json.dumps(body).count('"tool_result"') + json.dumps(body).count('"role": "tool"') + json.dumps(body).count('"function_call_output"')
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        events = {"/v1/messages": messages, "/v1/chat/completions": chunks, "/v1/responses": items}[self.path](round_)
        for event in events:
            name = "" if self.path.endswith("completions") else f"event: {event.type}\n"
            self.wfile.write(f"{name}data: {sent(event)}\n\n".encode())
        if self.path.endswith("completions"):
            self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(json.dumps({"port": server.server_port}), flush=True)
# The parent closes our input when it has seen enough.
import threading

threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
server.serve_forever()
