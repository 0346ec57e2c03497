/// A server's end of a connection that it promised to keep alive (RFC 9112 §9.3), after a complete
/// response.
public struct IdleEnd: Sendable, Hashable {
  /// The kind of the end: FIN or RST.
  public enum CloseMethod: Sendable, Hashable { case close, reset }

  /// The time of an end.
  public enum Moment: Sendable, Hashable {
    /// After a duration without a request.
    case idle(Duration)
    /// At the first byte of the next request.
    case nextRequest
  }

  /// The kind of the end: FIN or RST.
  public var ending: CloseMethod
  /// The time of the end.
  public var moment: Moment

  /// Creates an end of a kind at a time.
  public init(_ ending: CloseMethod, _ moment: Moment) {
    (self.ending, self.moment) = (ending, moment)
  }

  // MARK: In the catalogue

  /// Each kind of end at each time.
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
  private static let words: [(word: String, value: (ending: CloseMethod, isIdle: Bool))] = [
    ("closeAfterIdle", (.close, true)), ("resetAfterIdle", (.reset, true)),
    ("closeOnNextRequest", (.close, false)), ("resetOnNextRequest", (.reset, false)),
  ]

  /// Reads the keys of an end; `nil` if there are none.
  init?(reading object: inout ObjectReader) throws(FormatError) {
    let row = try object.row("keepAlive", of: Self.words)
    let idle = try object.double("idleMilliseconds", in: Fault.milliseconds)
    guard let (word, (ending, isIdle)) = row else {
      if idle != nil { throw object.error("idleMilliseconds", "this requires a \"keepAlive\"") }
      return nil
    }
    guard isIdle == (idle != nil) else {
      throw object.error(
        "idleMilliseconds",
        isIdle
          ? "\(word) requires this time, 0 to 86400000" : "this cannot be combined with \"\(word)\""
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
