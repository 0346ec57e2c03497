for attempt in range(3):
    ask("http://127.0.0.1:9/orders", b'{"sum":1}')
for attempt in range(2):
    ask("http://127.0.0.1:9/slow", b'{"sum":1}', seconds=0.6)
for call in range(2):
    for attempt in range(12):
        ask("http://127.0.0.1:9/limited")
ask("http://api.example.com/me", headers={"Authorization": "Bearer invented-token-1"})
