import TestSupport
import WindTunnel
import WindTunnelTesting

/// What the process that runs a host's tests has to know.
enum Host {
  static let originVariable = "HOST_TESTS_ORIGIN"
  static let failingVariable = "HOST_TESTS_FAILING"

  /// The live server.
  static var origin: String? { ProcessInfo.processInfo.environment[originVariable] }

  static func isToFail(_ name: String) -> Bool {
    ProcessInfo.processInfo.environment[failingVariable]?.contains(name) == true
  }
}

/// What a host's tests would be. They run in processes that other tests start, and nowhere else.
@Suite(.enabled(if: Host.origin != nil)) struct HostTests {
  private func ask(_ path: String, at base: String? = nil) async throws -> String {
    let base = try #require(base ?? Host.origin)
    return try await URLSession.windTunnel.text("\(base)\(path)")
  }

  @Test(.cassette("shared")) func asksForA() async throws {
    _ = try await ask("/a?first")
    _ = try await ask("/a?second")
    #expect(!Host.isToFail("asksForA"))
  }

  @Test(.cassette("shared")) func asksForB() async throws {
    _ = try await ask("/b")
    #expect(!Host.isToFail("asksForB"))
  }

  @Test func ordersBesideWhoLooks() async throws {
    let origin = try #require(Host.origin)
    try await withCassette("orders") { outer in
      _ = try await outer.text("\(origin)/new")
      try await withCassette("orders") { inner in
        let id = try await inner.text("\(origin)/new")
        try await expectEqual(inner.text("\(origin)/orders/\(id)"), "order \(id)")
      }
    }
  }

  @Test(.cassette("known")) func knowsItsIssue() async throws {
    _ = try await ask("/a")
    withKnownIssue { #expect(Bool(false)) }
  }

  @Test(.cassette("thrown")) func throwsInTheEnd() async throws {
    _ = try await ask("/a")
    throw URLError(.cannotDecodeContentData)
  }

  @Test(.cassette("unopened")) func asksForWhatCannotBeOpened() async throws {
    _ = try await ask("/a")
    _ = try await ask("/unopened")
  }

  @Test(.cassette("part")) func failsWithinAPart() async throws {
    try await withCassette("inner") { session in
      _ = try await session.text("\(try #require(Host.origin))/a")
      #expect(Bool(false))
    }
  }

  @Test func throwsWithinAPart() async throws {
    try await withCassette("torn") { session in
      _ = try await session.text("\(try #require(Host.origin))/a")
      throw URLError(.cannotDecodeContentData)
    }
  }

  @Test(.cassette("wire"), .onTheWire) func asksOnTheWire() async throws {
    print("the test has begun")
    let text = try await ask("/a", at: Deck.current.url)
    print("it was told: \(text)")
  }

  @Test(.cassette("personal", redacting: .personalData)) func asksForPersonalData() async throws {
    _ = try await ask("/mail")
  }

  @Test(.cassette("verified"), arguments: 0..<8) func asksForTheFirst(number: Int) async throws {
    _ = try await ask("/a")
  }

  @Test(.cassette("verified")) func asksForTheSecond() async throws { _ = try await ask("/b") }

  @Test(.cassette("verified")) func asksForAPattern() async throws { _ = try await ask("/p/7") }
}
