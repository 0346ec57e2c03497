import TestSupport

/// Answers by a table, always synchronously on the queue of the session: elsewhere the client may
/// not be called on Linux.
final class StubProtocol: URLProtocol {
  enum Reply {
    case status(Int, [String: String], Data)
    case failure(any Error)
    case never
  }

  private static let table = StubTable()
  private var isStarted = false

  /// A session that asks this stub alone, and a URL whose requests are answered by `reply`.
  static func session(
    stopped: @escaping @Sendable (URLRequest) -> Void = { _ in },
    reply: @escaping @Sendable (URLRequest) -> Reply
  ) -> (session: URLSession, base: String) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [StubProtocol.self]
    configuration.urlCache = nil
    return (URLSession(configuration: configuration), table.add(reply, stopped))
  }

  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard !isStarted, let client, let url = request.url else { return }
    isStarted = true
    switch Self.table[url]?.reply(request) {
    case .status(let status, let headers, let body):
      let response = HTTPURLResponse(
        url: url,
        statusCode: status,
        httpVersion: "HTTP/1.1",
        headerFields: headers
      )
      guard let response else { return }
      client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client.urlProtocol(self, didLoad: body)
      client.urlProtocolDidFinishLoading(self)
    case .failure(let error):
      client.urlProtocol(self, didFailWithError: error)
    case .never, nil: break
    }
  }

  override func stopLoading() {
    guard let url = request.url else { return }
    Self.table[url]?.stopped(request)
  }
}

/// What each stubbed host replies.
private final class StubTable: @unchecked Sendable {
  struct Row: Sendable {
    var reply: @Sendable (URLRequest) -> StubProtocol.Reply
    var stopped: @Sendable (URLRequest) -> Void
  }

  private let lock = NSLock()
  private var rows: [String: Row] = [:]

  subscript(url: URL) -> Row? { lock.withLock { rows[url.host ?? ""] } }

  func add(
    _ reply: @escaping @Sendable (URLRequest) -> StubProtocol.Reply,
    _ stopped: @escaping @Sendable (URLRequest) -> Void
  ) -> String {
    lock.withLock {
      let host = "stub-\(rows.count + 1).example.test"
      rows[host] = Row(reply: reply, stopped: stopped)
      return "http://\(host)"
    }
  }
}
