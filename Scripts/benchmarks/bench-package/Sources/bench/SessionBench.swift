internal import Dispatch
internal import Foundation
internal import WindTunnel
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The least a `URLProtocol` can do: what replay is measured against.
private final class StubProtocol: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url,
      let response = HTTPURLResponse(
        url: url,
        statusCode: 200,
        httpVersion: "HTTP/1.1",
        headerFields: Tape.fields
      )
    else { return }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Tape.body)
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}

/// Replay through `URLSession` against a stub, round about.
struct SessionBench {
  private let deck: URLSession
  private let stub: URLSession
  private let urls: [URL]

  struct WrongAnswer: Error {}

  init(interactions: Int) {
    deck = URLSession(
      configuration: .windTunnel(Deck(Tape.cassette(interactions), then: .repeat))
    )
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [StubProtocol.self]
    configuration.urlCache = nil
    stub = URLSession(configuration: configuration)
    urls = (0..<interactions).compactMap { URL(string: Tape.origin + Tape.path($0)) }
  }

  /// Asks for the URLs one after the other; each answer must be of so many bytes.
  static func ask(
    _ session: URLSession,
    for urls: [URL],
    bytes: Int = Tape.body.count
  ) throws {
    for url in urls {
      let done = DispatchSemaphore(value: 0)
      nonisolated(unsafe) var count = 0
      session.dataTask(with: url) { data, _, _ in
        count = data?.count ?? 0
        done.signal()
      }.resume()
      done.wait()
      guard count == bytes else { throw WrongAnswer() }
    }
  }

  /// The ratios of time with the deck to time with the stub, one a round. A round asks for
  /// `requests` URLs of the tape, from the first on or of the last ones only.
  func ratios(rounds: Int, requests: Int, last: Int? = nil) throws -> [Double] {
    let asked = last.map { Array(urls.suffix($0)) } ?? urls
    var next = 0
    func part() -> [URL] {
      defer { next += requests }
      return (next..<next + requests).map { asked[$0 % asked.count] }
    }
    try Self.ask(deck, for: part())
    try Self.ask(stub, for: part())
    return try (0..<rounds).map { round in
      let urls = part()
      let order = round.isMultiple(of: 2) ? [deck, stub] : [stub, deck]
      let times = try order.map { session in
        try nanoseconds { try Self.ask(session, for: urls) }
      }
      return round.isMultiple(of: 2) ? times[0] / times[1] : times[1] / times[0]
    }
  }

  /// Only the deck's half, or only the stub's, for a profiler.
  func run(_ requests: Int, isStub: Bool) throws {
    try Self.ask(isStub ? stub : deck, for: (0..<requests).map { urls[$0 % urls.count] })
  }
}
