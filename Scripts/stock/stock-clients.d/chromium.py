"""Loads the page of each call of a drill in a headless Chromium: chromium.py

Each line of standard input is a call, and each line of standard output its result. The browser is driven by its
debugging pipe. A page is a success if its document was loaded to the end with a status of 2xx.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile


class Browser:
    def __init__(self, folder):
        commands, self.commands = os.pipe()
        self.events, events = os.pipe()
        words = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
        words += ["--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"]
        words += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]
        # Chromium reads commands from descriptor 3 and writes events to descriptor 4.
        shell = f'exec "$@" 3<&{commands} 4>&{events}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *words, f"--user-data-dir={folder}"],
            pass_fds=(commands, events),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(events)
        self.kept, self.number = b"", 0
        target = self.ask("Target.createTarget", {"url": "about:blank"}, None)["targetId"]
        self.session = self.ask("Target.attachToTarget", {"targetId": target, "flatten": True}, None)["sessionId"]
        for domain in ("Page", "Network"):
            self.ask(f"{domain}.enable", {})

    def next(self):
        while b"\0" not in self.kept:
            piece = os.read(self.events, 65536)
            if not piece:
                raise SystemExit("Chromium has ended.")
            self.kept += piece
        text, self.kept = self.kept.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, parameters, session=""):
        """Sends a command and returns its result; the events before it are kept in `seen`."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        self.seen = []
        while (event := self.next()).get("id") != self.number:
            self.seen.append(event)
        if "error" in event:
            raise ValueError(event["error"]["message"])
        return event["result"]

    def load(self, url, headers):
        self.ask("Network.setExtraHTTPHeaders", {"headers": headers})
        loaded = self.ask("Page.navigate", {"url": url})
        if loaded.get("errorText"):
            raise ValueError(loaded["errorText"])
        # The request of a document has the identifier of its loader.
        status, events = 0, self.seen
        while True:
            event = events.pop(0) if events else self.next()
            about = event.get("params", {})
            if about.get("requestId") != loaded.get("loaderId"):
                continue
            if event["method"] == "Network.responseReceived":
                status = about["response"]["status"]
            elif event["method"] == "Network.loadingFailed":
                raise ValueError(about["errorText"])
            elif event["method"] == "Network.loadingFinished":
                break
        if not 200 <= status < 300:
            raise ValueError(f"status {status}")
        body = self.ask("Network.getResponseBody", {"requestId": loaded["loaderId"]})
        return status, base64.b64decode(body["body"]).decode() if body["base64Encoded"] else body["body"]


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        for text in sys.stdin:
            line = json.loads(text)
            if "url" not in line:
                continue
            try:
                status, content = browser.load(line["url"], line["headers"])
                result = {"ok": True, "status": status, "shown": content}
            except ValueError as error:
                result = {"ok": False, "error": str(error)[:200]}
            print(json.dumps({"call": line["call"]} | result), flush=True)
        browser.process.terminate()
        browser.process.wait()


main()
