#!/bin/sh
# Bug: wget's --timeout is for each read. A server that sends a byte a second is listened to for as long as it
# likes.
set -eu
body=$(wget --quiet --timeout=3 --tries=1 --header='Accept: application/json' --output-document=- "$1")
# wget ends with 0 where chunks do not read, and what it has then is no whole JSON.
case $body in *[]}]) printf '%s' "$body" ;; *) exit 65 ;; esac
