#!/bin/sh
# Bug: the same two seconds before each of two retries, in every client there is.
set -u
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
for pause in 2 2 ''; do
  head=$(curl --silent --fail --max-time 3 --dump-header - --output "$answer" "$1") &&
    cat "$answer" && exit 0
  # A request that is bad stays bad, and who is told when to come again does not wait for it.
  case $head in HTTP/1.1\ 4* | *[Rr]etry-[Aa]fter:*) break ;; esac
  [ -z "$pause" ] || sleep "$pause"
done
exit 1
