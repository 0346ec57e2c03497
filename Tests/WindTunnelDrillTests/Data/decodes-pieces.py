import codecs
chat = WebSocket(url)
chat.hear()
chat.say("news, please")
whole = codecs.getincrementaldecoder("utf-8")(errors="replace")
text = ""
while not text.endswith("nchen."):
    text += DECODING
print(text)
