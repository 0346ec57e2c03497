import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("origin.pem", "origin.key")
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    plain, _ = listener.accept()
    secure = context.wrap_socket(plain, server_side=True)
    secure.recv(65536)
    secure.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nhello")
    if sys.argv[1] == "agreed":
        secure.unwrap()
    secure.close()
