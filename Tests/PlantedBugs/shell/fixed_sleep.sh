#!/bin/sh
# Bug: the same two seconds before each of two retries, in every client there is.
for attempt in 1 2 3; do
  curl --silent --fail --max-time 3 "$1" && exit 0
  sleep 2
done
exit 1
