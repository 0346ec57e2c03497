for order in range(3):
    ask("http://127.0.0.1:9/orders", b'{"sum":%d}' % order)
ask("http://127.0.0.1:9/limited")
ask("http://api.example.com/me")
