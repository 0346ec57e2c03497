#!/bin/sh
# Bug: a loop without a sleep.
for attempt in 1 2 3 4 5; do
  curl --silent --fail --connect-timeout 2 --max-time 3 "$1" && exit 0
done
exit 1
