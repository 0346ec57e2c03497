import os, pty, sys, termios
gate, opener = os.pipe()
child, master = pty.fork()
if child == 0:
    os.read(gate, 1)
    os.execv(sys.argv[2], sys.argv[2:])
before = termios.tcgetattr(master)[3]
os.write(opener, b"x")
text, keys = "", list(sys.argv[1])
wanted = ["quit.", *["latency", "× 1", "× 1", ""]] if len(keys) > 1 else ["quit.", ""]
raw = None
while True:
    try:
        some = os.read(master, 4096)
    except OSError:
        break
    if not some:
        break
    text += some.decode()
    while wanted and wanted[0] and wanted[0] in text:
        text = text.split(wanted.pop(0), 1)[1]
        raw = raw or termios.tcgetattr(master)[3]
        os.write(master, keys.pop(0).encode())
after = termios.tcgetattr(master)[3]
status = os.waitpid(child, 0)[1]
cooked = termios.ICANON | termios.ECHO
print(status, raw & cooked == 0, after & cooked == cooked, before == after)
