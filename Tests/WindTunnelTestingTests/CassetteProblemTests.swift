import TestSupport
import WindTunnel
import WindTunnelTesting
import XCTest

@Suite struct CassetteProblemTests {
  private struct Broken: Error, CustomStringConvertible { var description: String { "it broke" } }

  @Test func `what a part has thrown comes with every explanation`() async throws {
    let error = await #expect(throws: CassetteProblem.self) {
      try await withCassette("users") { session in
        // Nobody cares here that it fails.
        _ = try? await session.text("https://api.example.test/users/8")
        _ = try? await session.text("https://api.example.test/users/9")
        throw Broken()
      }
    }
    let words = try #require(error?.description)
    for number in [8, 9] {
      #expect(
        words.contains("GET https://api.example.test/users/\(number) is not on the cassette.")
      )
    }
    #expect(words.hasSuffix("\n\nThe test threw: it broke"))
    #expect(error?.underlyingError is Broken)
  }

  @Test func `what a part has thrown by itself is thrown as it is`() async {
    await #expect(throws: Broken.self) {
      try await withCassette("users") { _ in throw Broken() }
    }
  }

  @Test func `of a deck made there all misses are told, too`() async throws {
    let error = await #expect(throws: CassetteProblem.self) {
      try await withDeck(Deck([.get("https://api.example.test/a", json: [:])])) { session in
        for path in ["b", "c"] { _ = try await session.text("https://api.example.test/\(path)") }
      }
    }
    expectEqual(error?.description.components(separatedBy: " is not on the cassette.").count, 3)
    expectNil(error?.underlyingError)
  }

  @Test func `a mapping that leads nowhere is refused in words`() async {
    let error = await #expect(throws: CassetteProblem.self) {
      try await withCassette("users", mapping: ["api.example.test": "/nowhere"]) { _ in }
    }
    expectEqual(
      error?.description,
      "mapping: the URL /nowhere for api.example.test has no host; "
        + "write it as [\"api.example.test\": \"http://127.0.0.1:8000\"]."
    )
  }
}

/// The same from a test of XCTest.
final class CassetteInXCTests: XCTestCase {
  func testPlaysACassette() async throws {
    let name = try await withCassette("users") { session in
      try await UserAPI(session: session).profile(7).name
    }
    XCTAssertEqual(name, "Ada")
  }

  func testIsToldWhyNothingAnswered() async throws {
    do {
      try await withCassette("users") { session in
        _ = try await UserAPI(session: session).profile(8)
      }
      XCTFail("nobody is on this tape")
    } catch let problem as CassetteProblem {
      XCTAssertTrue(
        problem.description.hasPrefix(
          "GET https://api.example.test/users/8 is not on the cassette."
        )
      )
      XCTAssertEqual((problem.underlyingError as? URLError)?.code, .badServerResponse)
    }
  }

  func testPlaysDatesOfToday() async throws {
    let now = try await withCassette("dated", refreshingDates: true) { session in
      let url = try XCTUnwrap(URL(string: "https://api.example.test/now"))
      let answer = await session.result(of: URLRequest(url: url)).response
      return answer?.value(forHTTPHeaderField: "X-Now")
    }
    let date = try Date(try XCTUnwrap(now), strategy: .iso8601)
    XCTAssertTrue((0..<600).contains(Date().timeIntervalSince(date)))
  }
}
