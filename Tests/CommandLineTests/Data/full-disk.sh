mkdir small kept
mount -t tmpfs -o size=$5 none small || exit 4
cd small
"$1" record --upstream "$2" --cassette a.json > ../ready 2> ../told & tool=$!
until [ -s ../ready ]; do kill -0 $tool || exit 3; sleep 0.05; done
port=$(sed 's/.*://' ../ready)
ask() {
  exec 3<>/dev/tcp/127.0.0.1/$port
  printf 'GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n' "$1" >&3
  cat <&3 > /dev/null
  exec 3>&-
}
for path in $4; do ask $path; done
kill -$3 $tool
wait $tool
echo $? > ../code
cp -r . ../kept
"$1" record --upstream "$2" --cassette a.json -- true 2> ../next
echo $? > ../nextcode
mkdir ../then; cp -r . ../then
