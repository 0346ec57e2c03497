import TestSupport
import WindTunnel
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelURLSession

/// An answer that was made once is sent again as it is; nobody may notice.
@Suite struct RenderedResponseTests {
  private let url = "https://api.example.test/users/7"

  /// All that a caller can compare.
  private struct Told: Equatable {
    var url: String?
    var status: Int?
    var fields: [String: String]
    var text: String?

    init(_ seen: Seen) {
      url = seen.response?.url?.absoluteString
      status = seen.status
      fields = (seen.response?.allHeaderFields ?? [:]).reduce(into: [:]) {
        $0["\($1.key)"] = "\($1.value)"
      }
      text = seen.text
    }
  }

  private func cassette(
    _ text: String,
    _ fields: HeaderFields = [:],
    status: Int = 200
  ) -> Cassette {
    Cassette([
      Interaction(
        Request("GET", RequestURL(url)),
        Response(status: status, headers: fields, body: Body(text))
      )
    ])
  }

  /// The number of responses that a session was sent again.
  private func hits(_ session: URLSession) -> Int? {
    let type: AnyClass? = session.configuration.protocolClasses?.first
    return type.flatMap { ProtocolClassPool.registration(of: $0) }?.responses.hits
  }

  @Test func `a response is made once and sent again each time`() async {
    let deck = Deck(cassette("seven"), then: .repeat)
    let session = deck.session()
    var counts: [Int?] = []
    for _ in 0..<4 {
      await expectEqual(session.seen(url).text, "seven")
      counts.append(hits(session))
    }
    expectEqual(counts, [0, 1, 2, 3])
    deck.load(cassette("eight"))
    for _ in 0..<2 { await expectEqual(session.seen(url).text, "eight") }
    expectEqual(hits(session), 4)
  }

  @Test(arguments: [
    Scenario("link", link: Link(up: .init(), down: .init(delay: .milliseconds(2)))),
    [.on("GET /users/*", .always, .delay(.exactly(.milliseconds(1))))],
  ])
  func `what a scenario changes is never sent from the cache`(_ scenario: Scenario) async {
    let deck = Deck(cassette("seven"), scenario: scenario, then: .repeat)
    let session = deck.session()
    for _ in 0..<3 { await expectEqual(session.seen(url).text, "seven") }
    expectEqual(hits(session), 0)
    deck.swap(.calm)
    for _ in 0..<3 { await expectEqual(session.seen(url).text, "seven") }
    expectEqual(hits(session), 2)
    deck.swap(scenario)
    for _ in 0..<2 { await expectEqual(session.seen(url).text, "seven") }
    expectEqual(hits(session), 2)
  }

  @Test(arguments: [
    PlaybackOptions(then: .repeat, pace: .asRecorded),
    PlaybackOptions(then: .repeat, refreshingDates: { Date() }),
  ])
  func `what takes its time or is of today is made each time`(_ options: PlaybackOptions) async {
    let session = Deck(cassette("seven"), options: options).session()
    for _ in 0..<3 { await expectEqual(session.seen(url).text, "seven") }
    expectEqual(hits(session), 0)
  }

  @Test func `repeated requests get equal responses`() async {
    let deck = Deck(cassette("seven", ["Content-Type": "text/plain", "X-One": "1"]), then: .repeat)
    let session = deck.session()
    var told: [Told] = []
    for _ in 0..<3 { told.append(Told(await session.seen(url))) }
    #expect(told[0].fields["X-One"] == "1" && told[0].text == "seven" && told[0].url == url)
    expectEqual(told, Array(repeating: told[0], count: 3))
    expectEqual(deck.journal.all.map(\.take), Array(repeating: .recording(0), count: 3))
  }

  @Test func `an answer bears the address it was asked under`() async {
    let deck = Deck(cassette("seven"), matcher: .pathAndQuery, then: .repeat)
    let session = deck.session()
    let asked = [url, "https://other.example.test/users/7", url, "http://third.test:81/users/7"]
    var urls: [String?] = []
    for url in asked { urls.append(Told(await session.seen(url)).url) }
    expectEqual(urls, asked)
  }

  @Test func `weather between two of them is not passed over`() async {
    let deck = Deck(
      cassette("seven"),
      scenario: [.on("GET /users/*", .attempt(2), .status(503))],
      then: .repeat
    )
    let session = deck.session()
    var statuses: [Int?] = []
    for _ in 0..<3 { statuses.append(await session.seen(url).status) }
    expectEqual(statuses, [200, 503, 200])
  }

  @Test func `a cookie is set each time`() async {
    let deck = Deck(cassette("seven", ["Set-Cookie": "a=1; Path=/"]), then: .repeat)
    let session = deck.session()
    let storage = session.configuration.httpCookieStorage
    for _ in 0..<2 {
      _ = await session.seen(url)
      expectEqual(storage?.cookies?.map(\.value), ["1"])
      for cookie in storage?.cookies ?? [] { storage?.deleteCookie(cookie) }
    }
  }

  @Test func `in process, a too large Content-Length is replaced by the body's length`() async {
    let deck = Deck(cassette("seven", ["Content-Length": "9999"]), then: .repeat)
    let session = deck.session()
    var told: [Told] = []
    for _ in 0..<2 { told.append(Told(await session.seen(url))) }
    #expect(told[0].text == "seven" && told[0].fields["Content-Length"] == "5")
    expectEqual(told[0], told[1])
  }

  @Test(arguments: [204, 301, 401, 404]) func `other statuses are told again, too`(_ status: Int)
    async
  {
    let text = status == 204 ? "" : "no"
    let deck = Deck(cassette(text, status: status), then: .repeat)
    let session = deck.session()
    var told: [Told] = []
    for _ in 0..<2 { told.append(Told(await session.seen(url))) }
    #expect(told[0].status == status && told[0].text == text)
    expectEqual(told[0], told[1])
  }

  @Test func `a delegate hears response, bytes and end each time`() async {
    let deck = Deck(cassette("seven"), then: .repeat)
    let hearing = Hearing()
    let session = URLSession(
      configuration: .windTunnel(deck),
      delegate: hearing,
      delegateQueue: nil
    )
    for _ in 0..<2 { await expectEqual(hearing.hear(url, in: session), ["200", "seven", "end"]) }
    session.invalidateAndCancel()
  }
}

/// Tells what a delegate is told of one task.
private final class Hearing: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let heard = Locked<[String]>([])
  private let done = Locked<CheckedContinuation<[String], Never>?>(nil)

  func hear(_ text: String, in session: URLSession) async -> [String] {
    guard let url = URL(string: text) else { return [] }
    return await withCheckedContinuation { continuation in
      heard.withLock { $0 = [] }
      done.withLock { $0 = continuation }
      session.dataTask(with: url).resume()
    }
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    heard.withLock { $0.append("\((response as? HTTPURLResponse)?.statusCode ?? 0)") }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    heard.withLock { $0.append(String(decoding: data, as: UTF8.self)) }
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    heard.withLock { $0.append(error.map { "\($0)" } ?? "end") }
    done.withLock { $0.take() }?.resume(returning: heard.withLock { $0 })
  }
}
