import socket, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[1])
context.set_alpn_protocols(["http/1.1"])
plain = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
with context.wrap_socket(plain, server_hostname="a.test", suppress_ragged_eofs=False) as s:
    host = b"127.0.0.1:" + sys.argv[2].encode()
    s.sendall(b"GET /large HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n")
    count = 0
    while True:
        piece = s.recv(65536)
        if not piece: break
        count += len(piece)
    names = [value for kind, value in s.getpeercert()["subjectAltName"]]
    print(s.version(), s.selected_alpn_protocol(), names, count > int(sys.argv[3]))
