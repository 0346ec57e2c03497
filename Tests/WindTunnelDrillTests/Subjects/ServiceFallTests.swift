import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnelDrill

/// The ways in which programs fall that live from call to call, and what is none.
@Suite(.timeLimit(.minutes(5))) struct ServiceFallTests {
  /// A call of which the program alone is told: nobody is at its address.
  private static func call(deadline: Duration = .seconds(3600)) throws -> DrillCall {
    DrillCall(
      index: 0,
      request: Request("GET", "http://a.example/a"),
      isCritical: false,
      route: CallRoute(
        baseURL: try #require(URL(string: "http://127.0.0.1:9")),
        session: .wire()
      ),
      attemptTimeout: deadline,
      deadline: deadline
    )
  }

  @Test(.python)
  func `one that ends in the first call of a later scenario has crashed, and is started again`()
    async throws
  {
    let folder = try Folder()
    let fifo = try NamedPipe(in: folder)
    // The second program of the drill ends by itself once a scenario is through.
    let script = TestData.text("second-falls.py")
    let flight = ServiceFlight(script, folder.url.path, fifo.path, calls: 2)
    let rows = try await flight.run(in: [.calm, Scenario("later")]) { event in
      if case .finished = event { fifo.write() }
    }
    // Either may be the one whose program comes second.
    let endings = rows.map { $0.observations.map(\.ending) }
    expectEqual(endings.count { $0 == [.crashed, .succeeded] }, 1, "\(endings)")
    expectEqual(endings.count { $0 == [.succeeded, .succeeded] }, 1, "\(endings)")
  }

  @Test(.python) func `a hang is the program's own to tell, and told once`() async throws {
    let command = ServiceFlight.command(#"for line in lines: say(line["call"])"#)
    let subject = ServiceSubject(command) { Issue.record("it fell: \($0)") }
    var flight = try FlightOfCalls(subject, .calm, on: .onTheWire, calls: 4)
    flight.setup.hanging = Alarm { _, _, ring in ring() }
    let endings = try await flight.run().map(\.ending)
    expectEqual(endings, [.succeeded, .succeeded, .succeeded, .succeeded])
  }

  @Test(.enabled(if: Executable.find("sh") != nil, "sh is not here."))
  func `one that is ended because it hangs has not crashed beside that`() async throws {
    let folder = try Folder()
    let fifo = try NamedPipe(in: folder)
    let file = try folder.file("number")
    let script = #"read line; echo $$ > "$0"; read more < "$1"; exit 3"#
    let falls = Locked<[ServiceSubject.ProgramFailure]>([])
    let subject = ServiceSubject(["sh", "-c", script, file, fifo.path]) { fall in
      falls.withLock { $0.append(fall) }
      // As if it were killed.
      if fall == .hung { fifo.write() }
    }
    let result = await subject.run(try Self.call(deadline: .milliseconds(10)))
    expectEqual(result.ending, .hung)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let number = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    while kill(number, 0) == 0 { await Task.yield() }
    await subject.close()
    expectEqual(falls.withLock { $0 }, [.hung])
  }

  @Test(.python) func `who waits in line for a program that is there is not starting it`()
    async throws
  {
    let script = """
      import urllib.request
      first, second = next(lines), next(lines)
      for line in [first, second]:
          urllib.request.urlopen(urllib.request.Request(line["url"], method=line["method"])).read()
          say(line["call"])
          time.sleep(1)
      for line in lines: pass
      """
    let subject = ServiceSubject(ServiceFlight.command(script)) { Issue.record("it fell: \($0)") }
    var flight = try FlightOfCalls(subject, .calm, on: .onTheWire, calls: 2)
    flight.setup.mix = Mix(isReadOnly: true)
    let calls = try await flight.run()
    expectEqual(calls.map(\.ending), [.succeeded, .succeeded])
    let sign = try #require(calls.flatMap(\.attempts).compactMap(\.start).min())
    for call in calls {
      let (start, startUp) = (try #require(call.start), try #require(call.startUp))
      #expect(start + startUp <= sign, "it was there when its first request came")
    }
  }

  #if os(Linux)
    @Test(.enabled(if: Executable.find("sh") != nil, "sh is not here."))
    func `an end waits for nobody who holds its output`() async throws {
      let script = #"""
        echo $$ > "$0"
        while read line; do echo '{"call":0,"ok":true}'; done
        """#
      let folder = try Folder()
      let number = try folder.file("number")
      let subject = ServiceSubject(["sh", "-c", script, number]) { _ in }
      try await expectEqual(subject.run(Self.call()).ending, .succeeded)
      let text = try String(contentsOfFile: number, encoding: .utf8)
      let process = text.trimmingCharacters(in: .whitespacesAndNewlines)
      let held = try #require(FileHandle(forWritingAtPath: "/proc/\(process)/fd/1"))
      await subject.close()
      try held.close()
    }
  #endif
}

/// A named pipe that this process holds open, so that nobody waits for another end.
private struct NamedPipe: Sendable {
  let path: String
  private let handle: FileHandle

  init(in folder: Folder) throws {
    path = try folder.file("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    handle = try #require(FileHandle(forUpdatingAtPath: path))
  }

  /// Lets one go who reads a line, or a byte.
  func write() { #expect(throws: Never.self) { try handle.write(contentsOf: Data("\n".utf8)) } }
}
