def ask(chat, words):
    try:
        while True:
            if words: chat.say(words)
            for _ in range(3 if words else 1):
                print(json.dumps({"received": chat.hear()}), flush=True)
            return chat.hear()
    except OSError as error:
        return error
ask(WebSocket(url), "news, please")
ask(WebSocket(url, 6), "SAYING")
