#!/bin/sh
# Runs a command that downloads to the file "body" in an empty folder, and prints that file: to-stdout.sh COMMAND …
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 143' TERM
cd "$folder" || exit 1
"$@" >&2 || exit $?
cat body
