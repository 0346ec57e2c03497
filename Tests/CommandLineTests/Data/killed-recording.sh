#!/usr/bin/env bash
# Asks the server at port $1 for texts and conversations by turns, beside a stream that stays open, and
# prints the path of each that has come to its end.
ask() { printf "GET $1 HTTP/1.1\r\nHost: a\r\nConnection: $2\r\n$3\r\n" >&3; }
upgrade='Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
(exec 3<>"/dev/tcp/127.0.0.1/$1" && ask /stream close && cat <&3 >/dev/null) &
for i in 1 2 3 4 5 6; do
  exec 3<>"/dev/tcp/127.0.0.1/$1" || break
  ask "/text$i" close
  [[ $(cat <&3) == *'"whole"'* ]] && echo "/text$i"
  exec 3<>"/dev/tcp/127.0.0.1/$1" || break
  ask "/chat$i" Upgrade "$upgrade"
  # A text, and a close frame with 1000; their masks are zeros.
  printf '\x81\x82\0\0\0\0hi\x88\x82\0\0\0\0\x03\xe8' >&3
  [[ $(cat <&3 | od -An -v -tx1 | tr -d ' \n') == *880203e8 ]] && echo "/chat$i"
done
wait
