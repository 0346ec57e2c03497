def tell(call, text):
    print(json.dumps({"call": call, "received": text}), flush=True)
for line in lines:
    chat = WebSocket(line["url"])
    tell(line["call"], chat.hear())
    chat.say("news, please")
    chat.hear()
    if line["call"] == 0: tell(line["call"], chat.hear())
    chat.close()
    say(line["call"])
    tell(line["call"], "too late to count")
