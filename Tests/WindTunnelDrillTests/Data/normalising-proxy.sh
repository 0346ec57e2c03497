dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT || exit 9
place=${WINDTUNNEL_URL#http://}
cat >"$dir/conf" <<CONF
daemon off; master_process off; pid $dir/pid; error_log $dir/log; events {}
http { access_log off; client_body_temp_path $dir/a; proxy_temp_path $dir/b;
  fastcgi_temp_path $dir/c; uwsgi_temp_path $dir/d; scgi_temp_path $dir/e;
  server { listen unix:$dir/s; location / { proxy_pass http://${place%%/*}/; } } }
CONF
nginx -p "$dir" -c "$dir/conf" -e "$dir/log" & front=$!
until code=$(curl -s --noproxy '*' --unix-socket "$dir/s" -o "$dir/body" -w '%{http_code}'   "http://front.test/${place#*/}"); do kill -0 $front || exit 8; done
kill $front; wait $front
[ "$code" = 200 ] && cat "$dir/body"
