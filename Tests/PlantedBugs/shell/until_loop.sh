#!/bin/sh
# Bug: tries until it works, every quarter of a second.
until curl --silent --fail --max-time 5 "$1"; do sleep 0.25; done
