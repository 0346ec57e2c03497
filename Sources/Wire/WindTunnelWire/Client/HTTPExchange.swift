package import Foundation
package import WindTunnelHTTP
internal import WindTunnelSymptoms

/// One request of a client and its response (RFC 9110), on a persistent connection if both ends
/// agree (RFC 9112 §9.3).
///
/// Package members may be called on any thread; all others run on the client's thread.
package final class HTTPExchange: @unchecked Sendable {
  /// The events of an exchange.
  package enum Event: Sendable {
    /// The number of content bytes that the system has accepted, and their total number.
    case sent(Int64, of: Int64)
    /// The head of the final response.
    case head(ResponseHead)
    /// Encoded content without its framing; never empty.
    case content(Data)
    /// The response is complete. This is the last event.
    case end(HTTPStages)
    /// The file with the content cannot be read, for this reason. This is the last event.
    case unreadable(String)
    /// The response is missing or incomplete. This is the last event.
    case failed(DialFailure)
  }

  private let client: HTTPClient
  private let question: HTTPClient.Question
  /// Removed at the end, because the receiver holds the exchange.
  private var hear: @Sendable (Event) -> Void
  private weak var exchange: ClientExchange?
  /// The number of bytes of content that may still be read and discarded; `nil` if content is
  /// passed on.
  private var discarding: Int?

  package init(
    _ client: HTTPClient,
    _ question: HTTPClient.Question,
    _ hear: @escaping @Sendable (Event) -> Void
  ) {
    (self.client, self.question, self.hear) = (client, question, hear)
  }

  // MARK: From any thread

  /// Ends the exchange at once, without an event.
  package func cancel() { run { exchange, _ in exchange.end() } }

  /// Pauses or resumes reading. During a pause, the server's bytes wait in the system's buffers.
  package func pauseReading(_ pauses: Bool) {
    run { exchange, _ in exchange.exchange?.pauseReading(pauses) }
  }

  /// Sends no more events, and reads the rest of a short response, so that its connection can serve
  /// the next request.
  package func discard() {
    run { exchange, reactor in
      guard exchange.exchange?.hasResponse == true else { return exchange.end() }
      exchange.hear = { _ in }
      exchange.discarding = exchange.client.limits.discardedBytesMax
      exchange.exchange?.pauseReading(false)
      // If the rest is slow, opening a new connection is faster.
      let limit = Int64(nanosecondsOf: exchange.client.limits.discardSeconds)
      reactor.schedule(after: limit) { [weak exchange] _ in exchange?.end() }
    }
  }

  private func run(_ job: @escaping @Sendable (HTTPExchange, Reactor) -> Void) {
    // A stopped loop has already ended the exchange.
    client.loop.execute { [self] reactor in job(self, reactor) }
  }

  // MARK: On the loop

  package func begin(by reactor: Reactor) {
    let url = question.proxy ?? question.request.url
    guard url.scheme == "http" || url.scheme == "https" else {
      return failed(.unsupportedURL, "The URL is neither an http nor an https URL.")
    }
    guard url.host?.isEmpty == false else {
      return failed(.unsupportedURL, "The URL has no host.")
    }
    let exchange = ClientExchange(
      outgoing,
      to: client.destination(url),
      on: client.terms(question.silenceSeconds),
      by: reactor
    ) { [self] in take($0) }
    self.exchange = exchange
    exchange.begin()
  }

  private var outgoing: OutgoingRequest {
    let request = question.request
    var fields = request.headers
    // RFC 9112 §9.6.
    let endsConnection = fields.contains(token: "close", in: "Connection")
    fields.removeConnectionFields()
    for name in ["Content-Length", "Expect"] { fields.remove(name) }
    let loop = client.loop
    return OutgoingRequest(
      request.method,
      to: request.url,
      question.proxy == nil ? request.url.target : "\(request.url)",
      fields,
      question.file.map { file in
        SentContent(file.handle, bytes: file.bytes) { job in loop.execute { _ in job() } }
      } ?? SentContent(request.body.data),
      endsConnection: endsConnection
    )
  }

  private func take(_ event: ClientExchange.Event) {
    switch event {
    case .sent(let count):
      hear(.sent(Int64(count), of: Int64(question.file?.bytes ?? question.request.body.data.count)))
    case .head(let start): hear(.head(start.head))
    case .content(let data): take(data)
    case .end(_, let stages): end(.end(stages))
    case .failed(.unreadable(let reason)): end(.unreadable(reason))
    case .failed(let failure): end(.failed(DialFailure(failure)))
    case .informational, .caughtUp, .malformed, .bytes, .surplus, .upgraded: break
    }
  }

  private func take(_ data: Data) {
    guard let rest = discarding else { return hear(.content(data)) }
    discarding = rest - data.count
    if rest < data.count { end() }
  }

  private func failed(_ symptom: Symptom, _ text: String) {
    end(.failed(DialFailure(symptom, text)))
  }

  /// Ends the exchange at once.
  private func end() {
    exchange?.cancel()
    failed(.cancelled, "The request was cancelled.")
  }

  private func end(_ event: Event) {
    let hear = hear
    self.hear = { _ in }
    hear(event)
  }
}
