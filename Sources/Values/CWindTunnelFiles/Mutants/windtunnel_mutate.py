"""Runs each test again for every broken response (`windtunnel mutate`, pytest 7 or later)."""
import json
import os
import random
import time
import traceback
import urllib.request
import warnings
from collections import Counter

import pytest
from _pytest.runner import runtestprotocol

CALM = {"windtunnelScenario": 1, "name": "plain", "rules": []}
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # Without the tests' proxy.


def pytest_configure(config):
    path = os.environ.get("WINDTUNNEL_MUTATE_PLAN")
    if not path or config.option.collectonly:
        return
    if hasattr(config, "workerinput") or getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("Tests share one server for their mutants: run pytest without -n.")
    with open(path, encoding="utf-8") as file:
        config.pluginmanager.register(MutationRun(config, json.load(file)), "windtunnel-mutants")


def short(name):
    return name if len(name) < 1000 else f"{name[:980]} {hash(name):x}"


class Unreported:
    """The hooks of a test, except that its reports are collected instead of published."""

    def __init__(self, ihook):
        self.ihook, self.reports, self.errors = ihook, [], []

    def __getattr__(self, name):
        return getattr(self.ihook, name)

    def pytest_runtest_logreport(self, report):
        self.reports.append(report)

    def pytest_exception_interact(self, node, call, report):
        self.errors.append(call.excinfo.value)

    @property
    def color(self):
        greens = [r.passed and not hasattr(r, "wasxfail") for r in self.reports]
        return "green" if all(greens) else "red"

    @property
    def killer(self):
        """The first failure, as members of a result; None if there is none."""
        failed = [AssertionError(r.longrepr) for r in self.reports if r.failed]
        for error in (self.errors + failed)[:1]:
            is_assertion = isinstance(error, (AssertionError, pytest.fail.Exception))
            text = " ".join("".join(traceback.format_exception_only(type(error), error)).split())
            return {"by": "assertion" if is_assertion else "error", "message": text[:300]}


class MutationRun:
    def __init__(self, config, plan):
        self.config, self.plan = config, plan
        self.done = {tuple(run) for run in plan.get("done", [])}
        self.only = plan.get("run") and tuple(plan["run"])  # A run that is repeated by itself.
        self.log = os.open(plan["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self.tests = []  # Each test that is green twice, and how often it used each recording.

    def write(self, event, **members):
        os.write(self.log, (json.dumps({"event": event, **members}) + "\n").encode())

    def ask(self, method, path, value=None):
        """Sends a request to the admin port of the server; returns its JSON."""
        body, url = value and json.dumps(value).encode(), self.plan["admin"].rstrip("/") + path
        request = urllib.request.Request(url, body, method=method)
        with DIRECT.open(request, timeout=60) as response:
            return json.loads(response.read() or "null")

    def run(self, item, scenario=CALM):
        """Runs a test with its fixtures; returns its hooks and its requests for recordings."""
        self.ask("PUT", "/scenario", scenario)
        self.ask("POST", "/reset")
        hooks, item._report_sections = Unreported(item.ihook), []
        for cached in ("_obj", "_instance") if getattr(item, "cls", None) else ():
            item.__dict__.pop(cached, None)  # Each run has an instance of the class of its own.
        item.session.gethookproxy = lambda path: hooks
        try:
            with warnings.catch_warnings(record=scenario is not CALM):
                runtestprotocol(item, nextitem=None)
        finally:
            del item.session.gethookproxy
        requests = self.ask("GET", "/requests?limit=10000")["requests"]
        return hooks, [r for r in requests if r["interaction"]]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        hooks, requests = self.run(item)
        [item.ihook.pytest_runtest_logreport(report=report) for report in hooks.reports]
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        plain, used = hooks.color, Counter(r["interaction"] for r in requests)
        if plain == "green" and used:
            hooks, requests = self.run(item)
            if hooks.color != plain or used != Counter(r["interaction"] for r in requests):
                plain = "unsteady"
        name, line = item.nodeid.split("::", 1)[-1].replace("::", "."), item.location[1] or 0
        self.write("test", test=short(item.nodeid), name=short(name), file=str(item.path),
                   line=line + 1, recordings=sorted(used), cassette=self.plan["cassette"],
                   plain=plain, milliseconds=round(sum(r.duration for r in hooks.reports) * 1000))
        self.tests += [(item, used)] if plain == "green" else []
        return True

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtestloop(self):
        error = (yield).excinfo
        if error is None or not issubclass(error[0], KeyboardInterrupt):
            self.config.option.tbstyle = "native"  # The other styles take longer than the tests.
            self.try_mutants()

    def try_mutants(self):
        draws, mutants, tried = random.Random(self.plan.get("seed", 1)), [], {}
        for item, uses in self.tests:
            for number, count in sorted(uses.items()):
                for rank, mutant in enumerate(self.plan["recordings"].get(str(number), [])):
                    key = short(item.nodeid), number, mutant["mutant"], mutant.get("at")
                    run = dict(zip(("test", "recording", "mutant", "at"), key[:3 + bool(key[3])]))
                    if key not in self.done and self.only in (None, key):
                        mutants.append((rank, draws.random(), item, run, mutant["scenario"], count))
        end = time.monotonic() + (self.plan.get("budgetSeconds") or float("inf"))
        for _, _, item, run, scenario, count in sorted(mutants, key=lambda row: row[:2]):
            if time.monotonic() < end:
                tried[item] = tried.pop(item, True)  # In the order of their last mutants.
                self.write("begin", **run)
                self.write("end", **run, **self.result(item, scenario, run, count))
        for item in tried:
            self.write("after", test=short(item.nodeid), plain=self.run(item)[0].color)

    def result(self, item, scenario, run, count):
        hooks, requests = self.run(item, scenario)
        own = [r for r in requests if r["interaction"] == run["recording"]]
        met = [r for r in own if r["faults"]]
        undone = [r["notDone"][0] for r in met if r.get("notDone")]
        if run["mutant"] == "status-429" and met and not own[-1]["faults"] and not hooks.killer:
            undone = ["the client retried until it received the recorded response"] * len(met)
        if len(undone) == len(met):
            return {"result": "noRoom", "reason": undone[0]} if met else {"result": "notReached"}
        survived = {"result": "survived", "asked": len(met), "plainAsked": count}
        return {"result": "killed", **hooks.killer} if hooks.killer else survived
