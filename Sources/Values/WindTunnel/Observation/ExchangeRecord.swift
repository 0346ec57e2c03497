package import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// One exchange of a deck: the request, the decision about it, and its end.
package struct ExchangeRecord: Sendable, Hashable, Identifiable {
  // A deck creates a record for each request under its lock, so the parts are few and small.

  /// The number of the decision.
  package let id: Int
  /// The kind of the response's source.
  package let take: Journal.Take
  /// The lane, and the ordinal of the request within its lane and key.
  package let (lane, ordinal): (Lane, Int)
  /// The faults that were decided.
  package let decided: [Fault]
  /// The recording or response itself. The response of a function is empty until the function
  /// returns.
  package private(set) var source: Outcome.Source
  /// The time of the decision by the caller's clock; `nil` if the caller passed none.
  package let moment: Date?
  /// The connection of the request; `nil` if the stage has none.
  package let connection: SentRequest.Connection?
  /// Whether the request has its whole content.
  package private(set) var isBodyKept: Bool
  /// The number of bytes of the request's head, and of its content that the record keeps.
  let headBytes: Int
  private(set) var bodyBytes: Int
  /// Whether ``Deck/nextRequest(_:within:)`` has returned the request.
  var isReturned = false
  /// The decided faults that did not happen.
  package internal(set) var undone: [UndoneFault] = []
  /// The end of the response, if a stage has measured it.
  package internal(set) var end: ExchangeEnd? {
    get { boxedEnd?.value }
    set { boxedEnd = newValue.map { Boxed($0) } }
  }
  /// The status that faults or the live server set.
  var givenStatus: Int?
  private var boxedRequest: Boxed<Request>
  private var boxedEnd: Boxed<ExchangeEnd>?

  /// Creates a record of a decision about a request.
  ///
  /// - Parameters:
  ///   - entry: The decision.
  ///   - request: The request, with the number of bytes of its head and of its content.
  ///   - source: The source of the response.
  ///   - moment: The time of the decision.
  ///   - connection: The connection of the request.
  ///   - content: The whole content, or `nil` if it was not kept; no value for the request's own.
  init(
    _ entry: Journal.Record,
    _ request: (boxed: Boxed<Request>, headBytes: Int, bodyBytes: Int),
    _ source: Outcome.Source,
    at moment: Date?,
    on connection: SentRequest.Connection?,
    content: Body??
  ) {
    (id, take, decided) = (entry.id, entry.take, entry.decision.faults)
    (lane, ordinal) = (entry.decision.lane, entry.decision.ordinal)
    (self.source, self.moment, self.connection) = (source, moment, connection)
    headBytes = request.headBytes
    let bytes = content.map { $0?.count ?? .max } ?? request.bodyBytes
    isBodyKept = bytes <= ExchangeRecords.bodyBytesMax
    bodyBytes = isBodyKept ? bytes : 0
    boxedRequest = request.boxed
    guard bodyBytes != request.bodyBytes else { return }
    var whole = request.boxed.value
    whole.body = isBodyKept ? (content ?? nil) ?? .empty : .empty
    boxedRequest = Boxed(whole)
  }

  /// The request as it was matched, with its content.
  package var request: Request { boxedRequest.value }

  /// The decided faults that happened.
  package var faults: [Fault] { decided.filter { fault in !undone.contains { $0.fault == fault } } }

  /// The status that was sent; `nil` if none was sent, or if it is unknown.
  package var status: Int? {
    if let end { return end.status }
    if let givenStatus { return givenStatus }
    guard decided.isEmpty else { return nil }
    return switch source {
    case .recording(let interaction, _): interaction.response?.status
    // The response of a function that has not returned yet is empty.
    case .computed(let response): response == Response() ? nil : response.status
    case .forward, .unmatched: nil
    }
  }

  /// Keeps the source of a response without the content, unless a cassette has it in memory as
  /// well.
  mutating func keep(_ completed: Outcome.Source) {
    switch completed {
    case .computed(var response):
      if decided.isEmpty { givenStatus = response.status }
      response.body = .empty
      source = .computed(response)
    case .recording(let fitted, _):
      if decided.isEmpty { givenStatus = fitted.response?.status }
    case .forward, .unmatched: source = completed
    }
  }

  mutating func forgetBody() {
    var request = request
    request.body = .empty
    (boxedRequest, isBodyKept, bodyBytes) = (Boxed(request), false, 0)
  }

  /// Frees the memory of the request and of the response, after the record was dropped.
  mutating func forgetContents() {
    boxedRequest = Boxed(Request("", RequestURL("/")))
    (source, undone, boxedEnd) = (.forward(ticket: nil), [], nil)
  }
}

extension Request {
  /// The number of bytes of the path, the query and the header fields, with four for the separators
  /// of each field.
  package var headBytes: Int {
    headers.reduce(url.path.utf8.count + (url.query?.utf8.count ?? 0)) { bytes, field in
      bytes + field.name.utf8.count + field.value.utf8.count + 4
    }
  }
}
