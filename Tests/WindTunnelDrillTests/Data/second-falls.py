def makes(name):
    try: os.close(os.open(os.path.join(sys.argv[1], name), os.O_CREAT | os.O_EXCL))
    except FileExistsError: return False
    return True
isSecond = not makes("first") and makes("second")
for line in lines:
    if isSecond:
        os.read(os.open(sys.argv[2], os.O_RDONLY), 1)
        sys.exit(0)
    say(line["call"])
