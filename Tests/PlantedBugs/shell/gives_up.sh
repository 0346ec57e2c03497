#!/bin/sh
# Bug: one attempt, whatever comes.
exec curl --silent --fail --max-time 5 "$1"
