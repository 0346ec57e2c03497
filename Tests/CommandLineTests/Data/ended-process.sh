# A test program that logs one test, for sh -c: the words after it are run with its mutant, at first and by itself.
e() { echo '{"event":"'$1'",'$2'"test":"T","recording":1,"mutant":"values"}' >>"$WINDTUNNEL_MUTATE"; }
passed() { e end '"result":"survived","asked":1,"plainAsked":1,'; }
if ! grep -q '"begin"' "$WINDTUNNEL_MUTATE"; then
  echo '{"event":"test","test":"T","name":"T","file":"","line":1,"cassette":"a.json","plain":"green",' \
    '"milliseconds":1,"recordings":[1]}' >>"$WINDTUNNEL_MUTATE"
  e begin
  eval "$0"
elif grep -q '"run":{' "$WINDTUNNEL_MUTATE"; then
  e begin
  eval "$1"
fi
