#!/bin/sh
# Bug: a loop without a sleep.
set -u
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
for attempt in 1 2 3 4 5; do
  head=$(curl --silent --fail --connect-timeout 2 --max-time 3 --dump-header - --output "$answer" "$1") &&
    cat "$answer" && exit 0
  # A request that is bad stays bad, and who is told when to come again does not wait for it.
  case $head in HTTP/1.1\ 4* | *[Rr]etry-[Aa]fter:*) break ;; esac
done
exit 1
