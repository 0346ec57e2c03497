internal import WindTunnelSymptoms

extension Fault {
  /// The effect of a cut: an end or a pause at a point of the response.
  public enum Effect: Sendable, Hashable {
    /// The response ends with RST.
    case reset
    /// The response ends with FIN.
    case close
    /// The response ends with FIN in one direction only: the server continues to read, and never
    /// closes by itself (RFC 9293 §3.6).
    case halfClose
    /// The response pauses for a time and then continues, or never continues if it is `nil`.
    case stall(Duration?)
  }

  /// A position in a response as it is sent.
  public enum Point: Sendable, Hashable {
    /// Before the first byte of the response.
    case afterRequest
    /// After ``inStatusLineBytes`` bytes of the response.
    case inStatusLine
    /// After the status line and ``inHeadersBytes`` bytes of the fields.
    case inHeaders
    /// After the fields and a number of bytes of the body.
    case body(Int)
    /// Within a chunk (RFC 9112 §7.1), after a number of bytes of the body; `nil` for half of it.
    case inChunk(Int?)
    /// After a number of bytes of the whole response.
    case byte(Int)
    /// After a number of events of a body that streams them: server-sent events, lines of JSON or a
    /// JSON text sequence.
    case event(Int)

    /// The length of `HTTP/1.1 2`, in bytes.
    public static let inStatusLineBytes = 10
    /// The number of bytes of the fields before a cut in the headers: within the first field.
    public static let inHeadersBytes = 10
    /// Within a chunk, after half of the body.
    public static let inChunk = Point.inChunk(nil)

    /// Whether a server that only writes well-formed responses can stop at the point.
    var isPlain: Bool {
      switch self {
      case .afterRequest, .body, .event: true
      case .inStatusLine, .inHeaders, .inChunk, .byte: false
      }
    }
  }

  // Swift code and scenario files have the same grammar: a word for a place, or a label for a
  // number of bytes. `{ "reset": "inHeaders" }` is `.reset(.inHeaders)`,
  // `{ "resetAfterBodyBytes": 10 }` is `.reset(afterBodyBytes: 10)`.
  /// Resets the connection (TCP RST) at a point of the response.
  public static func reset(_ point: Point) -> Fault { .cut(at: point, then: .reset) }

  /// Resets the connection (TCP RST) after a number of bytes of the body.
  ///
  /// With `nil` it sends no response, which is usually written `.reset(.afterRequest)`.
  public static func reset(afterBodyBytes count: Int?) -> Fault { .reset(.after(count)) }

  /// Resets the connection (TCP RST) after a number of bytes of the whole response.
  public static func reset(afterBytes count: Int) -> Fault { .reset(.byte(count)) }

  /// Resets the connection (TCP RST) after a number of events of the body.
  public static func reset(afterEvents count: Int) -> Fault { .reset(.event(count)) }

  /// Closes the connection (TCP FIN) after a number of events of the body.
  public static func close(afterEvents count: Int) -> Fault { .close(.event(count)) }

  /// Sends a FIN after a number of events of the body and continues to read.
  public static func halfClose(afterEvents count: Int) -> Fault { .halfClose(.event(count)) }

  /// Stops the response after a number of events of the body, and keeps the connection open.
  public static func stall(afterEvents count: Int) -> Fault { .stall(.event(count)) }

  /// Pauses the response after a number of events of the body, and then continues.
  public static func stall(afterEvents count: Int, for length: Duration) -> Fault {
    .stall(.event(count), for: length)
  }

  /// Closes the connection (TCP FIN) at a point of the response.
  ///
  /// Within the headers this crashes a process that uses the `URLSession` of
  /// swift-corelibs-foundation up to 6.3, so in-process stages do not play it.
  public static func close(_ point: Point) -> Fault { .cut(at: point, then: .close) }

  /// Closes the connection (TCP FIN) after the request has been read, without a response.
  public static let close = Fault.close(.afterRequest)

  /// Closes the connection (TCP FIN) after a number of bytes of the whole response.
  public static func close(afterBytes count: Int) -> Fault { .close(.byte(count)) }

  /// Closes the connection (TCP FIN) after a number of bytes of the body, although more were
  /// declared.
  public static func truncate(afterBodyBytes count: Int) -> Fault { .close(.body(count)) }

  /// Sends a FIN at a point of the response and continues to read.
  public static func halfClose(_ point: Point) -> Fault { .cut(at: point, then: .halfClose) }

  /// Sends a FIN after a number of bytes of the body and continues to read.
  public static func halfClose(afterBodyBytes count: Int) -> Fault { .halfClose(.body(count)) }

  /// Sends a FIN after a number of bytes of the whole response and continues to read.
  public static func halfClose(afterBytes count: Int) -> Fault { .halfClose(.byte(count)) }

  /// Stops the response at a point, and keeps the connection open.
  public static func stall(_ point: Point) -> Fault { .cut(at: point, then: .stall(nil)) }

  /// Stops the response after a number of bytes of the body, and keeps the connection open.
  ///
  /// With `nil` it sends nothing, which is usually written `.stall(.afterRequest)`.
  public static func stall(afterBodyBytes count: Int?) -> Fault { .stall(.after(count)) }

  /// Stops the response after a number of bytes of the whole response, and keeps the connection
  /// open.
  public static func stall(afterBytes count: Int) -> Fault { .stall(.byte(count)) }

  /// Pauses the response at a point, and then continues.
  public static func stall(_ point: Point, for length: Duration) -> Fault {
    .cut(at: point, then: .stall(length))
  }

  /// Pauses the response after a number of bytes of the body, and then continues.
  public static func stall(afterBodyBytes count: Int, for length: Duration) -> Fault {
    .stall(.body(count), for: length)
  }

  /// Pauses the response after a number of bytes of the whole response, and then continues.
  public static func stall(afterBytes count: Int, for length: Duration) -> Fault {
    .stall(.byte(count), for: length)
  }
}

extension Fault.Point {
  fileprivate static func after(_ bodyBytes: Int?) -> Fault.Point {
    bodyBytes.map { .body($0) } ?? .afterRequest
  }
}

// MARK: In the catalogue

extension Fault {
  /// The kinds that end a response early.
  static let cutKinds: [FaultKind] = [
    FaultKind("reset-after-request", .tcp, .reset(.afterRequest)),
    FaultKind("reset-in-status-line", .tcp, .reset(.inStatusLine)),
    FaultKind("reset-in-headers", .tcp, .reset(.inHeaders)),
    FaultKind("reset-in-body", .tcp, .reset(afterBodyBytes: 4)),
    FaultKind("reset-in-chunk", .tcp, .reset(.inChunk)),
    FaultKind("reset-at-byte", .tcp, .reset(afterBytes: 40)),
    FaultKind("close-after-request", .tcp, .close),
    FaultKind("close-in-status-line", .tcp, .close(.inStatusLine)),
    FaultKind("close-in-headers", .tcp, .close(.inHeaders)),
    FaultKind("close-in-body", .tcp, .truncate(afterBodyBytes: 4)),
    FaultKind("close-in-chunk", .tcp, .close(.inChunk)),
    FaultKind("close-at-byte", .tcp, .close(afterBytes: 10)),
    FaultKind("half-close-after-request", .tcp, .halfClose(.afterRequest)),
    FaultKind("half-close-in-body", .tcp, .halfClose(afterBodyBytes: 4)),
    FaultKind("stall-after-request", .tcp, .stall(.afterRequest)),
    FaultKind("stall-in-status-line", .tcp, .stall(.inStatusLine)),
    FaultKind("stall-in-headers", .tcp, .stall(.inHeaders)),
    FaultKind("stall-in-body", .tcp, .stall(afterBodyBytes: 4)),
    FaultKind("stall-in-chunk", .tcp, .stall(.inChunk)),
    FaultKind("reset-after-events", .tcp, .reset(afterEvents: 2)),
    FaultKind("close-after-events", .tcp, .close(afterEvents: 2)),
    FaultKind("stall-after-events", .tcp, .stall(afterEvents: 2)),
  ]

  /// The kinds that only pause a response.
  static let pauseKinds: [FaultKind] = [
    FaultKind("pause-in-headers", .http, .stall(.inHeaders, for: .milliseconds(50))),
    FaultKind("pause-in-body", .http, .stall(afterBodyBytes: 4, for: .milliseconds(50))),
  ]
}

extension Fault.Effect {
  /// Returns the results of the effect in clients.
  func expected(at point: Fault.Point) -> FaultExpectation {
    switch (self, point) {
    case (.stall(_?), _): FaultExpectation(200)
    case (.reset, _): FaultExpectation(.connectionLost, apple: .connectionLost, 56)
    case (.stall(nil), _): FaultExpectation(.timedOut, apple: .timedOut, 28)
    case (.close, .inHeaders), (.halfClose, .inHeaders):
      // libcurl accepts the received part as a complete response; the platform's own code traps on
      // it.
      FaultExpectation(apple: .failure(.connectionLost), linux: .crash, curl: [0, 52])
    case (.close, .body), (.close, .inChunk), (.halfClose, .body), (.halfClose, .inChunk),
      (.close, .event), (.halfClose, .event):
      FaultExpectation(.truncated, apple: .connectionLost, 18)
    case (.close, _), (.halfClose, _): FaultExpectation(.emptyAnswer, apple: .connectionLost, 52)
    }
  }
}

// MARK: In a scenario's file

// { "reset": "afterRequest" | "inStatusLine" | "inHeaders" | "inChunk" }
// { "resetAfterBytes": 40 }                of the whole response
// { "resetAfterBodyBytes": 10 }            { "resetInChunkAfterBodyBytes": 10 }
// { "resetAfterEvents": 3 }                of a body that streams events
// and the same with "close", "halfClose" and "stall", except { "truncateAfterBodyBytes": 10 }. A
// stall may have a duration: { "stallAfterBodyBytes": 4096, "forMilliseconds": 2000 }.

/// The ways to end a response; the duration of a stall is a key of its own.
private let effects: [Fault.Effect] = [.reset, .close, .halfClose, .stall(nil)]

private let places: [(word: String, value: Fault.Point)] = [
  ("afterRequest", .afterRequest), ("inStatusLine", .inStatusLine), ("inHeaders", .inHeaders),
  ("inChunk", .inChunk),
]

/// The places with a count, by the end of their key.
private let counted: [(end: String, place: @Sendable (Int) -> Fault.Point)] = [
  ("AfterBytes", { .byte($0) }), ("AfterBodyBytes", { .body($0) }),
  ("InChunkAfterBodyBytes", { .inChunk($0) }), ("AfterEvents", { .event($0) }),
]

private func key(_ verb: String, _ end: String) -> String {
  verb == "close" && end == "AfterBodyBytes" ? "truncateAfterBodyBytes" : verb + end
}

extension Fault {
  static func cuts(_ object: inout ObjectReader) throws(FormatError) -> [Fault] {
    let length = try object.double("forMilliseconds", in: milliseconds)
    var found: [Fault] = []
    var hasStall = false
    for effect in effects {
      var points: [Point] = []
      if let row = try object.row(effect.verb, of: places) { points.append(row.value) }
      for (end, place) in counted {
        if let count = try object.int(key(effect.verb, end), in: bytes) {
          points.append(place(count))
        }
      }
      let isStall = effect == .stall(nil)
      hasStall = hasStall || isStall && !points.isEmpty
      let lasting = isStall ? .stall(length.map { Duration(milliseconds: $0) }) : effect
      found += points.map { .cut(at: $0, then: lasting) }
    }
    guard length == nil || hasStall else {
      throw object.error("forMilliseconds", "this requires a \"stall\"")
    }
    return found
  }
}

extension Fault.Effect {
  fileprivate var verb: String { if case .stall = self { "stall" } else { "\(self)" } }

  func json(at point: Fault.Point) -> JSON {
    let (end, place): (String, JSON) =
      switch point {
      case .afterRequest, .inStatusLine, .inHeaders: ("", .text("\(point)"))
      case .inChunk(nil): ("", "inChunk")
      case .inChunk(let count?): ("InChunkAfterBodyBytes", .number(count))
      case .body(let count): ("AfterBodyBytes", .number(count))
      case .byte(let count): ("AfterBytes", .number(count))
      case .event(let count): ("AfterEvents", .number(count))
      }
    var members = [JSON.Member(JSON.Text(key(verb, end)), place)]
    if case .stall(let length) = self { members.add("forMilliseconds", length) }
    return .object(members)
  }
}
