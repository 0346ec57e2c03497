#!/usr/bin/env python3
"""Writes a report as a comment on a pull request. An earlier comment of the same TITLE is updated instead.

It reads REPORT (a file), TITLE, NUMBER (of the pull request), TOKEN and the variables of GitHub Actions. If the
comment is refused, as in pull requests from forks, it prints a warning and ends with 0: the drill has its own verdict.
"""

import http.client
import json
import os
import pathlib
import sys
import urllib.error
import urllib.request

# GitHub refuses comments of more than 65,536 characters.
CHARACTERS_MAX = 60_000
PAGES_MAX = 20


def request(method, path, body=None):
    """Returns what the API of GitHub sends."""
    query = urllib.request.Request(os.environ["GITHUB_API_URL"] + path, method=method)
    query.add_header("Authorization", f"Bearer {os.environ['TOKEN']}")
    query.add_header("Accept", "application/vnd.github+json")
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(query, data, timeout=30) as response:
        return json.load(response)


def login():
    """Returns the name of the token's user; None for the token of a job, which GitHub tells nothing and is a bot."""
    try:
        return request("GET", "/user")["login"]
    except urllib.error.HTTPError:
        return None


def main():
    """Updates the comment, or writes the first one."""
    report = pathlib.Path(os.environ["REPORT"])
    if not report.exists():
        print("There is no report, so there is no comment.")
        return
    mark = f"<!-- windtunnel {os.environ['TITLE']} -->"
    text = report.read_text()
    if len(text) > CHARACTERS_MAX:
        # Between lines, so that no markup is cut.
        text = text[:CHARACTERS_MAX].rpartition("\n")[0] + "\n\n… and more in the job's summary.\n"
    run = f"{os.environ['GITHUB_SERVER_URL']}/{os.environ['GITHUB_REPOSITORY']}/actions/runs/{os.environ['GITHUB_RUN_ID']}"
    body = {"body": f"{mark}\n{text}\n[All reports of this run]({run})\n"}
    issues = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    name = login()
    for page in range(1, PAGES_MAX + 1):
        comments = request("GET", f"{issues}/{os.environ['NUMBER']}/comments?per_page=100&page={page}")
        for comment in comments:
            user = comment["user"] or {}
            # Nobody else's is changed.
            is_own = user.get("login") == name if name else user.get("type") == "Bot"
            if is_own and (comment["body"] or "").startswith(mark):
                request("PATCH", f"{issues}/comments/{comment['id']}", body)
                print("The comment was updated.")
                return
        if len(comments) < 100:
            break
    request("POST", f"{issues}/{os.environ['NUMBER']}/comments", body)
    print("The comment was written.")


try:
    main()
except (OSError, http.client.HTTPException, ValueError) as error:
    print(f"::warning::The comment was not written: {error}. It needs the permission pull-requests: write.")
    sys.exit(0)
