internal import Foundation
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension NetworkClient {
  /// Returns the server-sent events of an endpoint, which come back after a loss (WHATWG HTML
  /// §9.2).
  ///
  /// Each connection is a ``stream(_:)`` that asks for what follows the last event by its id
  /// (`Last-Event-ID`), after the time that the server named, or the policy's. The events end where
  /// a server answers 204, and fail where a stream cannot be opened, or as often as the policy
  /// retries a lost connection says nothing, or nothing behind the last event's id. What must not
  /// be repeated, such as a `POST`, is opened once: use ``stream(_:)`` for it.
  public func events(of endpoint: Endpoint) -> ReconnectingEvents {
    ReconnectingEvents(client: self, endpoint: endpoint)
  }
}

/// The server-sent events of an endpoint over as many connections as it takes.
public struct ReconnectingEvents: AsyncSequence, Sendable {
  /// One event of the stream.
  public typealias Element = ServerSentEvent

  let client: NetworkClient
  let endpoint: Endpoint

  /// Makes an iterator with a connection of its own, which begins with the first event asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(client: client, endpoint: endpoint) }

  /// An iterator that opens the stream anew where a connection ends.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let client: NetworkClient
    fileprivate let endpoint: Endpoint
    fileprivate var events: ServerSentEvents.Iterator?
    fileprivate var lastID = ""
    /// The time to wait before the next connection; `nil`: the policy's.
    fileprivate var retry: Duration?
    /// The number of connections in a row that brought nothing.
    fileprivate var fruitless = 0
    /// The time at which the latest connection was opened.
    fileprivate var opened = Duration.zero
    fileprivate var isOver = false

    /// The least wait before the next connection, whatever the server says: nobody is to be asked
    /// without a pause.
    private static let leastWait = Duration.milliseconds(50)

    /// Returns the next event; `nil` where the server has no more.
    ///
    /// - Throws: ``NetworkError``, or ``DecodeFault`` where an event is too long.
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

    /// Tells whether a connection brought the events on. Where they have identifiers, one that ends
    /// behind the same event as the one before does not, however much it says; one that was open
    /// for a while, if only with a comment now and then, is of a feed in which nothing happens.
    private func bearsFruit(_ events: ServerSentEventParser) -> Bool {
      guard events.hasLine else { return false }
      return events.lastID.isEmpty || events.lastID != lastID || events.hasUnnamedEvent
        || client.time.uptime - opened >= Self.aWhile
    }

    /// Far more than the wait between two connections, and less than any proxy leaves one that is
    /// quiet.
    private static let aWhile = Duration.seconds(10)

    /// Opens the stream; false where the server has no more events (§9.2.3: status 204).
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
      // One that has brought something has paid for the next.
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
