#!/bin/sh
# Bug: without --fail curl shows the text of an error and ends with 0.
exec curl --silent --show-error --max-time 5 "$1"
