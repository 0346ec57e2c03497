# Plays parts of tests, as an XCTest program does: part ID FUNCTION RESULT END [RECORDINGS]. With a mutant, a part logs the
# result, and its function ends so.
echo >>runs
code=0
part() {
  end=passed
  mutant=$(sed -n 's/.*"begin","test":"'"$1"'".*"mutant":"\([^"]*\)".*/\1/p' "$WINDTUNNEL_MUTATE")
  case $3 in
    survived) result='"survived","asked":2,"plainAsked":2' ;;
    killed) result='"killed","by":"error","message":"refused"' ;;
    noRoom) result='"noRoom","reason":"none"' ;;
    *) result='"notReached"' ;;
  esac
  if [ -z "$mutant" ]; then
    echo '{"event":"test","test":"'"$1"'","name":"T.'"$2"'()","file":"","line":1,"cassette":"a.json",' \
      '"plain":"green","milliseconds":1,"recordings":['"${5:-1}"'],"part":true}' >>"$WINDTUNNEL_MUTATE"
  else
    end=$4
    [ "$3" = lost ] ||
      echo '{"event":"end","test":"'"$1"'","recording":1,"mutant":"'"$mutant"'","result":'"$result}" >>"$WINDTUNNEL_MUTATE"
  fi
  echo "Test Case 'T.$2' $end (0.1 seconds)"
  [ $end = passed ] || code=1
}
# use TEXT: names a program that plays the parts, with the words of TEXT replaced.
use() {
  case $0 in *program) return ;; esac
  sed "$1" "$0" >program
  printf '["%s","/bin/sh","program"]' "${2:-$PWD}" >"$WINDTUNNEL_MUTATE_DECKS/program-1.json"
}
