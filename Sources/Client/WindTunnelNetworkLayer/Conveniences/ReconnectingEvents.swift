internal import Foundation
internal import WindTunnelSymptoms

extension NetworkClient {
  /// Returns the server-sent events of an endpoint, and reconnects after a lost connection (WHATWG
  /// HTML §9.2).
  ///
  /// Each connection is a ``stream(_:)`` that requests the events after the last one by its id
  /// (`Last-Event-ID`). It is opened after the time that the server set, or after the policy's
  /// delay.
  ///
  /// The sequence ends if a server responds with 204. It fails if a stream cannot be opened. It
  /// also fails if several connections in a row have no new event; the retry policy limits their
  /// number. A request that must not be repeated, such as a `POST`, is opened once; use
  /// ``stream(_:)`` for it.
  public func events(of endpoint: Endpoint) -> ReconnectingEvents {
    ReconnectingEvents(client: self, endpoint: endpoint)
  }
}

/// The server-sent events of an endpoint, over any number of connections.
public struct ReconnectingEvents: AsyncSequence, Sendable {
  /// One event of the stream.
  public typealias Element = ServerSentEvent

  let client: NetworkClient
  let endpoint: Endpoint

  /// Creates an iterator with its own connection, which begins without a last event id.
  public func makeAsyncIterator() -> Iterator { Iterator(client: client, endpoint: endpoint) }

  /// An iterator that opens a new stream after a connection ends.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let client: NetworkClient
    fileprivate let endpoint: Endpoint
    fileprivate var events: ServerSentEvents.Iterator?
    fileprivate var lastID = ""
    /// The server's time to wait before the next connection; `nil` for the policy's delay.
    fileprivate var retry: Duration?
    /// The number of consecutive connections without a new event.
    fileprivate var fruitless = 0
    /// The time at which the latest connection was opened.
    fileprivate var opened = Duration.zero
    fileprivate var isOver = false

    /// The minimum wait before the next connection, even if the server allows less.
    private static let leastWait = Duration.milliseconds(50)

    /// Returns the next event; `nil` if the server has no more.
    ///
    /// - Throws: ``NetworkError``, or ``DecodeFault`` if an event is too long.
    @concurrent public mutating func next() async throws -> ServerSentEvent? {
      while !isOver {
        if events == nil, try await !open() { break }
        var lost: TransportError?
        do {
          if let event = try await events?.next() { return event }
        } catch let error as TransportError {
          lost = error
        }
        if lost == .cancelled || Task.isCancelled { throw NetworkError.cancelled }
        if let parser = events?.parser {
          if bearsFruit(parser) { fruitless = 0 }
          (retry, lastID) = (parser.retry ?? retry, parser.lastID)
        }
        events = nil
        try await wait(after: lost ?? .failed(.connectionLost, text: "The stream ended."))
      }
      isOver = true
      return nil
    }

    /// Returns whether a connection made progress.
    ///
    /// If events have identifiers, a connection that ends at the same event as the previous one did
    /// not. However, a connection that stayed open for a while belongs to a quiet feed and counts
    /// as progress.
    private func bearsFruit(_ events: ServerSentEventParser) -> Bool {
      guard events.hasLine else { return false }
      return events.lastID.isEmpty || events.lastID != lastID || events.hasUnnamedEvent
        || client.time.uptime - opened >= Self.aWhile
    }

    /// Much longer than the wait between two connections, and shorter than the idle timeout of any
    /// proxy.
    private static let aWhile = Duration.seconds(10)

    /// Opens the stream; `false` if the server has no more events (§9.2.3: status 204).
    private mutating func open() async throws -> Bool {
      let answer = try await client.stream(question)
      if answer.status == 204 { return false }
      let type = answer.headers["Content-Type"]
      guard type?.isMediaType("text/event-stream") ?? false else {
        answer.cancel()
        throw NetworkError.decode(.contentType(type, expected: ["text/event-stream"]))
      }
      opened = client.time.uptime
      events = ServerSentEvents.Iterator(pieces: answer.pieces.makeAsyncIterator(), after: lastID)
      return true
    }

    private var question: Endpoint {
      var question = endpoint
      if question.headers["Accept"] == nil { question.headers["Accept"] = "text/event-stream" }
      if !lastID.isEmpty { question.headers["Last-Event-ID"] = lastID }
      return question
    }

    private mutating func wait(after lost: TransportError) async throws {
      fruitless += 1
      let decision = client.policy.decide(
        after: .failure(lost),
        attempt: fruitless,
        of: try request(),
        at: client.time.date,
        draw: client.draw()
      )
      // The first reconnection after progress costs nothing from the retry budget.
      guard case .retry(let delay) = decision, fruitless == 1 || client.admission.spend() else {
        isOver = true
        throw lost.asNetworkError
      }
      try await client.time.sleep(for: Swift.max(retry ?? delay, Self.leastWait))
    }

    private func request() throws(NetworkError) -> URLRequest {
      do { return try client.current().settings.builder.request(for: question) } catch {
        throw .invalidRequest(error)
      }
    }
  }
}
