import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelSymptoms
import WindTunnelURLSession

/// Nothing that has ended is held, and nothing that goes on is mixed up.
@Suite(.timeLimit(.minutes(5))) struct LeavingTests {
  /// Tells when nobody holds it any more.
  private final class Token: Sendable {
    private let gone: AsyncStream<Void>.Continuation
    init(_ gone: AsyncStream<Void>.Continuation) { self.gone = gone }
    deinit { gone.finish() }
  }

  private static let url = "https://api.example.test/n"

  enum Ending: CaseIterable, Sendable {
    case finished, failed, cancelled, suspendedAndCancelled, redirected, invalidated
  }

  @Test(arguments: Ending.allCases)
  func `a task that has ended lets its deck go`(ending: Ending) async throws {
    let (gone, continuation) = AsyncStream<Void>.makeStream()
    try await Self.run(ending, Token(continuation))
    for await _ in gone {}
  }

  private static func run(_ ending: Ending, _ token: Token) async throws {
    let moved = Interaction(
      Request("GET", "https://api.example.test/a"),
      Response(status: 302, headers: ["Location": "/n"]),
      then: .repeat
    )
    let answer = Stub.get(RequestURL(url)) { _ in
      withExtendedLifetime(token) { .text(Body("n")) }
    }
    let fault: Fault? =
      switch ending {
      case .finished, .redirected: nil
      case .failed: .truncate(afterBodyBytes: 0)
      case .cancelled, .suspendedAndCancelled, .invalidated: .stall(.afterRequest)
      }
    let scenario = Scenario("s", rules: fault.map { [.always(.always, $0)] } ?? [])
    let deck = Deck([.recorded(moved), answer], scenario: scenario)
    let type: AnyClass = ProtocolClassPool.take(
      for: ProtocolRegistration(deck: deck, lane: .deck, errors: .current)
    )
    let session = URLSession(configuration: .registered(type))
    for _ in 0..<20 {
      switch ending {
      case .finished, .failed: _ = await session.seen(url)
      case .redirected: _ = await session.seen("https://api.example.test/a")
      case .cancelled: _ = try await session.cancelling(url) { _ in }
      case .suspendedAndCancelled: _ = try await session.cancelling(url) { $0.suspend() }
      case .invalidated:
        let other = URLSession(configuration: .registered(type))
        let request = URLRequest(url: try #require(URL(string: url)))
        _ = await other.seen(request) { task in
          task.resume()
          other.invalidateAndCancel()
        }
      }
    }
    session.finishTasksAndInvalidate()
    ProtocolClassPool.giveBack(type)
  }

  @Test func `a recording that is cancelled keeps nothing`() async throws {
    let silent = Deck([.get("/n", json: [:])], scenario: [.always(.always, .stall(.afterRequest))])
    let origin = try await ReplayServer(silent, .patient)
    let deck = Deck(Cassette(), mode: .rewrite)
    let session = deck.session()
    for _ in 0..<20 {
      try await expectEqual(session.cancelling(origin.url + "/n") { _ in }.code, .cancelled)
    }
    await origin.stop(grace: .zero)
    #expect(deck.recorded().cassette.interactions.isEmpty)
  }

  @Test func `64 sessions on one URL keep their own answers, faults and delays`() async {
    await concurrently(0..<64) { number in
      let delay = Fault.delay(.init(.zero, through: .milliseconds(5)))
      var rules = [FaultRule.always(.always, delay)]
      if number.isMultiple(of: 2) { rules.append(.always(.every(3), .status(500 + number))) }
      if number.isMultiple(of: 5) { rules.append(.always(.every(4), .reset(.afterRequest))) }
      let stub = Stub.get(RequestURL(Self.url), json: ["n": .number(number)], then: .repeat)
      let deck = Deck([stub], scenario: Scenario("s", rules: rules), seed: UInt64(number))
      let session = deck.session()
      for ordinal in 1...12 {
        let seen = await session.seen(Self.url)
        if number.isMultiple(of: 5), ordinal.isMultiple(of: 4) {
          expectEqual(seen.error.flatMap { Symptom($0) }, .connectionLost)
        } else if number.isMultiple(of: 2), ordinal.isMultiple(of: 3) {
          expectEqual(seen.status, 500 + number)
        } else {
          expectEqual(seen.text, #"{"n":\#(number)}"#)
        }
      }
      session.finishTasksAndInvalidate()
    }
  }

  @Test func `a task that is suspended while its body is read goes on`() async throws {
    // Late enough that no resume meets the end: that ends the process on Linux.
    let deck = Deck(
      [.post("https://api.example.test/echo") { request in .text(request.body) }],
      scenario: [.always(.always, .delay(.exactly(.milliseconds(100))))]
    )
    let session = deck.session()
    var request = URLRequest(url: try #require(URL(string: "https://api.example.test/echo")))
    request.httpMethod = "POST"
    for number in 0..<10 {
      let body = Data("body \(number)".utf8)
      request.httpBodyStream = InputStream(data: body)
      let seen = await session.seen(request) { task in
        task.resume()
        task.suspend()
        task.resume()
      }
      expectEqual(seen.body, body)
    }
  }

  @Test func `a task that is suspended while its delegate is asked goes on`() async throws {
    let moved = Interaction(
      Request("GET", "https://api.example.test/a"),
      Response(status: 302, headers: ["Location": "/n"])
    )
    let deck = Deck([.recorded(moved), .get(RequestURL(Self.url)) { _ in .text(Body("n")) }])
    let url = try #require(URL(string: "https://api.example.test/a"))
    let error: (any Error)? = await withCheckedContinuation { continuation in
      let session = URLSession(
        configuration: .windTunnel(deck),
        delegate: Hesitant { continuation.resume(returning: $0) },
        delegateQueue: nil
      )
      session.dataTask(with: url).resume()
    }
    expectNil(error)
    expectEqual(deck.journal.all.map(\.decision.key), ["GET /a", "GET /n"])
  }
}

/// A delegate that suspends its task while it is asked about a redirect, and then goes on.
private final class Hesitant: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let done: @Sendable ((any Error)?) -> Void
  init(_ done: @escaping @Sendable ((any Error)?) -> Void) { self.done = done }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    task.suspend()
    completionHandler(request)
    task.resume()
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    done(error)
  }
}
