#if os(Linux)
  import TestSupport
  import WindTunnel

  @Suite(.timeLimit(.minutes(5))) struct MemoryTests {
    /// The most memory that a server had at once from its start until it listened, in bytes.
    private func peak(_ cassette: String, in scratch: Scratch) async throws -> Int {
      let (flight, _) = try await Server.start(cassette, in: scratch)
      let status = try String(contentsOfFile: "/proc/\(flight.number)/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
      let kibibytes = try #require(line.split(whereSeparator: { !$0.isNumber }).first)
      try await flight.interrupt()
      return try #require(Int(kibibytes)) << 10
    }

    /// Returns the bytes of a file of interactions, and expects a server of it to take less than three
    /// times as many.
    private func size(serving interactions: [Interaction]) async throws -> Int {
      let scratch = try Scratch()
      try Cassette(interactions).write(to: scratch.file("large.json"))
      try Cassette([interactions[0]]).write(to: scratch.file("small.json"))
      let size = try Data(contentsOf: scratch.file("large.json")).count
      let small = try await peak("small.json", in: scratch)
      let large = try await peak("large.json", in: scratch)
      #expect(large - small < 3 * size, "\(large - small) bytes for a file of \(size)")
      // What is measured is the file: it is there whole.
      #expect(large - small > size)
      return size
    }

    @Test func `serving small interactions takes less than three times their size`() async throws {
      let interactions = (0..<10_000).map { number in
        Interaction(
          Request(
            "GET",
            RequestURL("https://api.example.com/v1/shops/items/\(number)?page=\(number % 7)"),
            headers: ["Accept": "application/json"]
          ),
          Response(
            headers: ["Content-Type": "application/json", "Content-Length": "\(40 + number % 20)"],
            body: Body(#"{"id":\#(number),"name":"amber basalt","tag":"cedar"}"#)
          )
        )
      }
      #expect(try await size(serving: interactions) < 500 * interactions.count)
    }

    @Test func `serving a cassette takes less than three times its size`() async throws {
      let item = #"{"id":1234567,"name":"amber basalt","tags":["cedar","delta"],"parent":null},"#
      let body = "[" + String(repeating: item, count: 30) + "{}]"
      let fields = (0..<10).map { (name: "X-Field-\($0)", value: "value \($0) of an answer") }
      let interactions = (0..<1_000).map { number in
        Interaction(
          Request("GET", RequestURL("https://api.example.com/items/\(number)?page=\(number)")),
          Response(
            headers: HeaderFields(fields.map { HeaderField($0.name, "\($0.value) \(number)") }),
            body: Body(body)
          )
        )
      }
      #expect(try await size(serving: interactions) > 3_500_000)
    }
  }
#endif
