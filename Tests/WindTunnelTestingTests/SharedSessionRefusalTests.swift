import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelTesting

#if !canImport(Darwin)
  import FoundationNetworking

  /// Whose requests are not sent while a test has `URLSession.shared`. On Apple platforms they are
  /// that test's.
  @Suite struct SharedSessionRefusalTests {
    private func tape() -> Deck { Deck([.get("/own", json: [:])]) }

    @Test func `what is no HTTP is refused`() async throws {
      let error = await #expect(throws: (any Error).self) {
        try await withDeck(tape(), sharedSession: true) { _ in
          try await URLSession.shared.text("ftp://127.0.0.1:9/n")
        }
      }
      expectEqual(
        error?.localizedDescription,
        "ftp://127.0.0.1:9/n through URLSession.shared is not HTTP; no cassette plays it."
      )
    }

    @Test(arguments: Stranger.allCases)
    func `an unmarked request is refused in words and never sent`(by stranger: Stranger)
      async throws
    {
      let origin = Deck([.get("/n", json: [:])])
      let server = try await ReplayServer(origin, .patient)
      let url = "\(server.url)/n"
      let tape = tape()
      let error = await #expect(throws: (any Error).self) {
        try await withDeck(tape, sharedSession: true) { _ in try await stranger.ask(url) }
      }
      let words = error?.localizedDescription ?? ""
      #expect(words.hasPrefix("\(url) was requested with URLSession.shared outside a test's"))
      #expect(words.contains("was not sent. Send it in the test or in a Task it starts"))
      await server.stop()
      #expect(origin.journal.all.isEmpty)
      expectEqual(tape.attempts("GET /own"), (stranger == .completionHandler ? 1 : 0))
    }

    @Test func `before and after such tests the session is the platform's`() async throws {
      await #expect(processExitsWith: .success) {
        let origin = Deck([.get("/n") { _ in .text(Body("live")) }])
        let server = try await ReplayServer(origin, .patient)
        let url = "\(server.url)/n"
        let cache = URLSession.shared.configuration.urlCache
        #expect(cache != nil)
        try await expectEqual(URLSession.shared.text(url), "live")
        let tape = Deck([.get(RequestURL(url)) { _ in .text(Body("tape")) }])
        try await withDeck(tape, sharedSession: true) { _ in
          try await expectEqual(URLSession.shared.text(url), "tape")
          try await withDeck(tape, sharedSession: true) { _ in }
          // One of two has ended: still nobody else gets through.
          await #expect(throws: (any Error).self) {
            try await Task.detached { try await URLSession.shared.text(url) }.value
          }
        }
        expectEqual(origin.attempts("GET /n"), 1)
        try await expectEqual(URLSession.shared.text(url), "live")
        #expect(URLSession.shared.configuration.urlCache === cache)
        expectEqual(tape.attempts("GET /n"), 1)
        await server.stop()
      }
    }

    @Test func `a list of protocols that was set meanwhile does not open the way`() async throws {
      await #expect(processExitsWith: .success) {
        try await withDeck(Deck(Cassette()), sharedSession: true) { _ in }
        let configuration = URLSession.shared.configuration
        configuration.protocolClasses = URLSessionConfiguration.default.protocolClasses
        let tape = Deck([.get("http://127.0.0.1:9/n") { _ in .text(Body("tape")) }])
        let text = try await withDeck(tape, sharedSession: true) { _ in
          try await URLSession.shared.text("http://127.0.0.1:9/n")
        }
        expectEqual(text, "tape")
      }
    }
  }

  /// Who asks from where nobody can tell whose request it is.
  enum Stranger: CaseIterable {
    case detachedTask
    case dispatchQueue
    case completionHandler

    func ask(_ url: String) async throws -> String {
      let request = URLRequest(url: try #require(URL(string: url)))
      switch self {
      case .detachedTask:
        return try await Task.detached { try await URLSession.shared.text(url) }.value
      case .dispatchQueue:
        return try await withCheckedThrowingContinuation { continuation in
          DispatchQueue.global().async { URLSession.shared.text(request, continuation) }
        }
      case .completionHandler:
        let own = try #require(URL(string: "https://api.example.test/own"))
        return try await withCheckedThrowingContinuation { continuation in
          URLSession.shared.dataTask(with: own) { _, _, _ in
            URLSession.shared.text(request, continuation)
          }.resume()
        }
      }
    }
  }
#endif
