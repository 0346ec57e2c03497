import TestSupport
import WindTunnel
import WindTunnelURLSession

/// Who waits for ever is told so in the end.
@Suite(.timeLimit(.minutes(5))) struct SilenceTests {
  private static let url = "https://api.example.test/n"

  private func session(_ fault: Fault, silenceMax: Duration, timeout: TimeInterval) -> URLSession {
    let deck = Deck(
      [.get("https://api.example.test/n", json: ["n": 1])],
      scenario: [.always(.always, fault)]
    )
    let configuration = URLSessionConfiguration.windTunnel(deck, silenceMax: silenceMax)
    configuration.timeoutIntervalForRequest = timeout
    return URLSession(configuration: configuration)
  }

  @Test(arguments: [
    Fault.stall(.afterRequest), .stall(afterBodyBytes: 2), .delay(.exactly(.seconds(3600))),
    .dribble(bytes: 2, every: .seconds(3600)), .stall(afterBodyBytes: 2, for: .seconds(3600)),
  ])
  func `a task without a timeout of its own ends with the harness's error`(fault: Fault) async {
    let session = session(fault, silenceMax: .milliseconds(200), timeout: .infinity)
    let error = await session.seen(Self.url).error
    #expect(!(error is URLError))
    expectEqual(
      error?.localizedDescription,
      "Nothing arrived for 0.2 seconds, the maximum wait of the harness, and this task would wait longer. Set a timeout of the request, or a longer silenceMax in the configuration."
    )
  }

  @Test func `a client's own timeout comes first, as its platform keeps it`() async throws {
    let stalled = session(.stall(.afterRequest), silenceMax: .seconds(60), timeout: 1)
    let error = try #require(await stalled.seen(Self.url).error as? URLError)
    expectEqual(error.code, .timedOut)
    // Linux cuts a timeout to whole seconds, so that what comes after 1.5 s comes too late for 1.9.
    let late = Fault.delay(.exactly(.milliseconds(1500)))
    let seen = await session(late, silenceMax: .seconds(60), timeout: 1.9).seen(Self.url)
    #if canImport(Darwin)
      expectEqual(seen.text, #"{"n":1}"#)
    #else
      expectEqual((seen.error as? URLError)?.code, .timedOut)
    #endif
  }

  @Test func `what comes drop by drop is no silence`() async {
    let fault = Fault.dribble(bytes: 1, every: .milliseconds(60))
    let session = session(fault, silenceMax: .milliseconds(300), timeout: .infinity)
    await expectEqual(session.seen(Self.url).text, #"{"n":1}"#)
  }

  @Test func `a delay by a busy machine does not count as silence`() async {
    let answer = Interaction(Request("GET", RequestURL(Self.url)), Response(body: Body("rest")))
    let deck = Deck(
      Cassette([answer]),
      scenario: [.always(.always, .stall(afterBodyBytes: 0, for: .milliseconds(60)))],
      options: PlaybackOptions(),
      observe: { event in
        // The thread that brings the rest, for longer than the harness would wait.
        if case .firstByte = event { Thread.sleep(forTimeInterval: 0.4) }
      }
    )
    let configuration = URLSessionConfiguration.windTunnel(deck, silenceMax: .milliseconds(200))
    configuration.timeoutIntervalForRequest = .infinity
    await expectEqual(URLSession(configuration: configuration).seen(Self.url).text, "rest")
  }
}
