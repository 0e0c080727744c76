"""A peer with pycrdt. Tells what it reads as lines of JSON, and does what it is told on standard input: `write`, `text`."""

import asyncio
import importlib.metadata
import json
import re
import sys
import urllib.parse

from pycrdt import Doc, Text, create_sync_message, create_update_message, handle_sync_message
from websockets.asyncio.client import connect

ORIGIN, TOKEN, PATH, EDITS = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
SYNC = 0
CLIENT = 77_001


def tell(**words):
    print(json.dumps(words), flush=True)


async def main():
    doc = Doc(client_id=CLIENT)
    doc["text"] = text = Text()
    asked = urllib.parse.urlencode({"path": PATH, "client": CLIENT, "name": "Pia", "frames": "binary"})
    address = f"{ORIGIN}/ws?{asked}"
    async with connect(address, subprotocols=["agent-doc", f"bearer.{TOKEN}"], max_size=None) as socket:
        outbox = asyncio.Queue()
        is_told = False

        def changed(event):
            # What came from the server is not sent back.
            if not is_told:
                outbox.put_nowait(create_update_message(event.update))

        doc.observe(changed)
        await socket.send(create_sync_message(doc))
        read = asyncio.Event()

        async def hear():
            nonlocal is_told
            async for message in socket:
                if message[0] != SYNC:
                    continue
                is_told = True
                reply = handle_sync_message(message[1:], doc)
                is_told = False
                if reply is not None:
                    await socket.send(reply)
                if message[1] == 1:
                    read.set()

        async def say():
            while True:
                await socket.send(await outbox.get())

        hearing, saying = asyncio.create_task(hear()), asyncio.create_task(say())
        await asyncio.wait_for(read.wait(), 30)
        tell(kind="read", text=str(text), version=importlib.metadata.version("pycrdt"))
        lines = asyncio.Queue()
        loop = asyncio.get_running_loop()
        loop.add_reader(sys.stdin, lambda: lines.put_nowait(sys.stdin.readline()))
        while word := (await lines.get()).strip():
            if word == "write":
                for number in range(EDITS):
                    # Positions are counted in bytes of UTF-8 here.
                    ends = [end.end() for end in re.finditer(rb"(?m)^[A-Za-z].*$", str(text).encode())]
                    text.insert(ends[(number * 11) % len(ends)], f" p{number};")
                    if number % 20 == 0:
                        await asyncio.sleep(0.005)
                tell(kind="written")
            elif word == "text":
                tell(kind="text", text=str(text))
        hearing.cancel()
        saying.cancel()


asyncio.run(main())
