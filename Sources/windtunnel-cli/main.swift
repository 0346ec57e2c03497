print("windtunnel")
