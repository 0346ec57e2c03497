def ask(chat, words):
    chat.hear()
    if words: chat.say(words)
    try:
        return chat.hear(), chat.hear()
    except OSError as error:
        return error
ask(WebSocket(url), "news, please")
print(ask(WebSocket(url, WAIT), "SAYING"))
