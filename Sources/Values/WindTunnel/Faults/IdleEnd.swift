/// A server's end of a connection that it promised to keep (RFC 9112 §9.3), after an answer that is
/// whole.
public struct IdleEnd: Sendable, Hashable {
  /// The kind of the end: FIN or RST.
  public enum Ending: Sendable, Hashable { case close, reset }

  /// The time of an end.
  public enum Moment: Sendable, Hashable {
    /// After a length of time without a request.
    case idle(Duration)
    /// At the first byte of the next request.
    case nextRequest
  }

  /// The kind of the end: FIN or RST.
  public var ending: Ending
  /// The time of the end.
  public var moment: Moment

  /// Makes an end of a kind at a time.
  public init(_ ending: Ending, _ moment: Moment) { (self.ending, self.moment) = (ending, moment) }

  // MARK: In the catalogue

  /// Each end at each moment.
  static let kinds: [FaultKind] = [
    FaultKind("idle-close", .tcp, .idle(IdleEnd(.close, .idle(.milliseconds(50))))),
    FaultKind("idle-reset", .tcp, .idle(IdleEnd(.reset, .idle(.milliseconds(50))))),
    FaultKind("close-on-next-request", .tcp, .idle(IdleEnd(.close, .nextRequest))),
    FaultKind("reset-on-next-request", .tcp, .idle(IdleEnd(.reset, .nextRequest))),
  ]
}

// MARK: In a scenario's file

// { "keepAlive": "closeAfterIdle" | "resetAfterIdle", "idleMilliseconds": 500 }
// { "keepAlive": "closeOnNextRequest" | "resetOnNextRequest" }

extension IdleEnd {
  private static let words: [(word: String, value: (ending: Ending, isIdle: Bool))] = [
    ("closeAfterIdle", (.close, true)), ("resetAfterIdle", (.reset, true)),
    ("closeOnNextRequest", (.close, false)), ("resetOnNextRequest", (.reset, false)),
  ]

  /// Reads the keys of an end; `nil` if there are none.
  init?(reading object: inout ObjectReader) throws(FormatError) {
    let row = try object.row("keepAlive", of: Self.words)
    let idle = try object.double("idleMilliseconds", in: Fault.milliseconds)
    guard let (word, (ending, isIdle)) = row else {
      if idle != nil { throw object.error("idleMilliseconds", "this belongs to a \"keepAlive\"") }
      return nil
    }
    guard isIdle == (idle != nil) else {
      throw object.error(
        "idleMilliseconds",
        isIdle
          ? "\(word) needs this time, 0 to 86400000" : "this does not go with \"\(word)\""
      )
    }
    self.init(ending, idle.map { .idle(Duration(milliseconds: $0)) } ?? .nextRequest)
  }

  var json: JSON {
    switch moment {
    case .nextRequest: ["keepAlive": "\(ending)OnNextRequest"]
    case .idle(let length):
      ["keepAlive": "\(ending)AfterIdle", "idleMilliseconds": .milliseconds(length)]
    }
  }
}
