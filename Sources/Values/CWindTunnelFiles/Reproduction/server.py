import http.server, sys, threading, time
import email.utils, re  #? date
import socket, struct  #? "reset"
import ssl, subprocess  #? certificate
{responses}
RESPONSES = {table}  # the n-th request gets the n-th, later ones the last
COMMAND = {command}
start, seen, lock = time.monotonic(), {}, threading.Lock()
say = lambda *words: print(f"{time.monotonic() - start:7.3f} s", *words, flush=True)
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def send(self, data):
        date = lambda m: email.utils.formatdate(time.time() + int(m[1]), usegmt=True).encode()  #? date
        data = re.sub(rb"{date\+(\d+)}", date, data)  #? date
        self.wfile.write(data.replace(b":8765", b":%d" % server.server_port))
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        key = self.command + " " + self.path.split("?")[0]
        with lock: number = seen[key] = seen.get(key, 0) + 1
        say(key, f"request {number}, {len(body)} bytes", dict(self.headers))
        steps = RESPONSES.get(key, [[b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"]])
        for step in steps[min(number, len(steps)) - 1]:
            if isinstance(step, bytes): self.send(step)
            elif isinstance(step, float): time.sleep(step)  #? wait
            elif isinstance(step, tuple):  # pieces of a body: bytes, size, seconds behind each  #? pieces
                for at in range(0, len(step[0]), step[1]):  #? pieces
                    self.send(step[0][at:at + step[1]]); time.sleep(step[2])  #? pieces
            elif step == "half-close": self.connection.shutdown(1); self.rfile.read(1)  #? "half-close"
            elif step == "silence": self.rfile.read(1); say("the client left")  #? "silence"
            elif step == "reset":  # RST in place of FIN, once the client has what was sent  #? "reset"
                time.sleep(0.1)  #? "reset"
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  #? "reset"
        self.close_connection |= isinstance(step, str)
    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer
address = "127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 8765
server = http.server.ThreadingHTTPServer(address, Handler)
server.shutdown_request = server.close_request
server.handle_error = lambda *_: say("the connection ended:", sys.exc_info()[1])
make = "openssl req -new -newkey rsa:2048 -nodes -keyout wt-key.pem -out wt-request.pem -subj /CN=test -addext subjectAltName={name} && openssl x509 -req -in wt-request.pem -signkey wt-key.pem -days {days} -copy_extensions copy -out wt-certificate.pem"  #? certificate
subprocess.run(make, shell=True, check=True, stderr=subprocess.DEVNULL)  #? certificate
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)  #? certificate
context.load_cert_chain("wt-certificate.pem", "wt-key.pem")  #? certificate
server.socket = context.wrap_socket(server.socket, True, do_handshake_on_connect=False)  #? certificate
print("Run:", COMMAND.replace(":8765", f":{server.server_port}"), flush=True)
server.serve_forever()
