#if os(Linux) && arch(x86_64)
  import TestSupport

  /// Programs of others, unmodified.
  @Suite(World.trait) struct ProgramTests {
    @Test(World.needs("sleep")) func `a shell sleeps for an hour`() async throws {
      let script = "sleep 3600; sleep 100 & sleep 5; wait; exit 7"
      let run = try await World.run(["/bin/sh", "-c", script])
      expectEqual(run.code, 7)
      expectEqual(run.notes.exit, 7)
      expectEqual(run.notes.virtualNanoseconds, 3700 * World.second)
      expectEqual(run.notes.jumps, 3)
    }

    @Test(World.needs("sleep", "timeout")) func `a timeout ends what sleeps longer`() async throws {
      let run = try await World.run(["timeout", "5", "sleep", "100"])
      expectEqual(run.code, 124)
      expectEqual(run.notes.outcome, "ended")
      expectEqual(run.notes.virtualNanoseconds, 5 * World.second)
    }

    @Test func `a signal that ends a program is told`() async throws {
      let run = try await World.run(["/bin/sh", "-c", "kill -9 $$"])
      expectEqual(run.code, 137)
      expectEqual(run.notes.signal, 9)
    }

    @Test(World.needs("date", "sleep"))
    func `the wall clock begins where it is told to`() async throws {
      let script = "date -u +%s.%N; sleep 1.5; date -u +%s.%N"
      let options = ["--realtime", "1800000000"]
      let run = try await World.run(["/bin/sh", "-c", script], options: options)
      expectEqual(run.lines, ["1800000000.000000000", "1800000001.500000000"])
    }

    /// A server in the same world: the instants of the requests, and the end.
    static let server = """
      import http.server, subprocess, sys, threading, time
      seen = []
      class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *words): pass
        def do_GET(self):
          seen.append(time.monotonic_ns() - start)
          if self.path == "/stall": time.sleep(10000)
          status = 503 if len(seen) < 4 else 200
          self.send_response(status)
          self.send_header("Content-Length", "0")
          self.end_headers()
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
      server.daemon_threads = True
      threading.Thread(target=server.serve_forever, daemon=True).start()
      start = time.monotonic_ns()
      url = "http://127.0.0.1:%d" % server.server_port
      code = subprocess.run([word.replace("{url}", url) for word in sys.argv[1:]]).returncode
      print(*seen, "end", code, time.monotonic_ns() - start)
      """

    @Test(World.needs("python3", "curl")) func `curl comes again after its pauses`() async throws {
      let client = ["curl", "-sS", "--retry", "5", "{url}/"]
      let run = try await World.run(["python3", "-c", Self.server] + client)
      expectEqual(run.lines, ["0 1000000000 3000000000 7000000000 end 0 7000000000"])
      expectEqual(run.notes.reason, "none")
    }

    @Test(World.needs("python3", "curl")) func `curl gives up at its limit`() async throws {
      let client = ["curl", "-sS", "--max-time", "20", "{url}/stall"]
      let run = try await World.run(["python3", "-c", Self.server] + client)
      expectEqual(run.lines, ["0 end 28 20000000000"])
    }

    @Test(World.needs("python3")) func `Python sleeps and waits for a lock`() async throws {
      let script = """
        import threading, time
        start = time.monotonic_ns()
        time.sleep(30)
        threading.Event().wait(12.5)
        print(time.monotonic_ns() - start)
        """
      let run = try await World.run(["python3", "-c", script])
      expectEqual(run.lines, ["42500000000"])
    }

    @Test(World.needs("node")) func `Node waits for its timers`() async throws {
      let script = "const t = Date.now(); setTimeout(() => console.log(Date.now() - t), 30000)"
      let run = try await World.run(["node", "-e", script])
      expectEqual(run.lines, ["30000"])
    }
  }
#endif
