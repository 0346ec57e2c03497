import TestSupport
import WindTunnel
import WindTunnelTesting

@Suite struct CassetteExpectationTraitTests {
  /// Runs a test with the trait, and answers what it had to say at the test's line.
  private func complaints(
    of trait: CassetteTrait,
    in body: @Sendable @concurrent @escaping () async throws -> Void
  ) async throws -> [String] {
    let test = try #require(Test.current)
    let heard = Heard()
    try await withKnownIssue(isIntermittent: true) {
      try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
    } matching: { issue in
      let isHere = issue.sourceLocation == test.sourceLocation
      guard isHere, let comment = issue.comments.first else { return issue.error != nil }
      heard.add(comment.rawValue)
      return true
    }
    return heard.all
  }

  /// Issues are told on one task after the other.
  private final class Heard: @unchecked Sendable {
    private let lock = NSLock()
    private var words: [String] = []
    func add(_ word: String) { lock.withLock { words.append(word) } }
    var all: [String] { lock.withLock { words } }
  }

  @Test func `a tape that is not used up fails the test at its line`() async throws {
    let words = try await complaints(of: .cassette("users", expecting: .everyInteraction)) {
      _ = try await UserAPI(session: .windTunnel).profile(7)
    }
    expectEqual(
      words,
      [
        """
        Every interaction must be played, but 1 of 2 was not:
          2 GET https://api.example.test/home
        Remove these interactions from the cassette, or request them.
        """
      ]
    )
  }

  @Test func `a tape that is played in another order fails the test at its line`() async throws {
    let words = try await complaints(
      of: .cassette("users", expecting: [.everyInteraction, .inOrder])
    ) {
      _ = try await UserAPI(session: .windTunnel).home()
      _ = try await UserAPI(session: .windTunnel).profile(7)
    }
    expectEqual(
      words,
      [
        """
        The interactions must be played in recorded order, but this one
          2 GET https://api.example.test/home
        was played before
          1 GET https://api.example.test/users/7
        Request them in that order, or record the cassette again.
        """
      ]
    )
  }

  @Test(.cassette("users", expecting: [.everyInteraction, .inOrder]))
  func `what is expected and done is no failure`() async throws {
    _ = try await UserAPI(session: .windTunnel).profile(7)
    _ = try await UserAPI(session: .windTunnel).home()
  }

  @Test func `a test that throws for want of an answer has the explanation, too`() async throws {
    let words = try await complaints(of: .cassette("users", expecting: .everyInteraction)) {
      _ = try await UserAPI(session: .windTunnel).profile(8)
    }
    // Three tries, three misses; that the tape was not played to its end is no news then.
    expectEqual(words.count, 3)
    #expect(
      words.allSatisfy {
        $0.hasPrefix("GET https://api.example.test/users/8 is not on the cassette.")
      }
    )
  }

  @Test func `a part of a test throws what does not hold`() async throws {
    let error = await #expect(throws: CassetteProblem.self) {
      try await withCassette("users", expecting: .everyInteraction) { session in
        _ = try await UserAPI(session: session).home()
      }
    }
    expectEqual(error?.description.contains("\n  1 GET https://api.example.test/users/7\n"), true)
  }
}
