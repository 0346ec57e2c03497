"""A test whose failure has a secret."""

import os, urllib.request


def test_a():
    body = urllib.request.urlopen(os.environ["WINDTUNNEL_URL"] + "/a").read()
    assert b"a" in body, "Authorization: Bearer a-secret-of-a-test"
