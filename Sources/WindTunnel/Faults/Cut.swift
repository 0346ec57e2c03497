extension Fault {
  /// Where on its way an answer is broken off, and how.
  public struct Cut: Sendable, Hashable {
    /// How.
    public var ending: Ending
    /// Where.
    public var point: Point

    /// Makes a cut.
    public init(_ ending: Ending, at point: Point) { (self.ending, self.point) = (ending, point) }

    /// Bytes to the client in front of it, where it can be made in a tunnel, which nobody can look into.
    var tunnelOffset: Int? {
      if case .stall(_?) = ending { return nil }
      switch point {
      case .body(let count), .byte(let count): return count
      case .afterRequest, .inStatusLine, .inHeaders, .inChunk: return nil
      }
    }
  }

  /// How an answer is broken off.
  public enum Ending: Sendable, Hashable {
    /// With RST.
    case reset
    /// With FIN.
    case close
    /// With FIN one way only: the server goes on reading, and never closes by itself
    /// (RFC 9293 §3.6).
    case halfClose
    /// Nothing more comes, for a while or, with `nil`, for ever; after a while it goes on.
    case stall(Duration?)
  }

  /// A place in an answer as it travels.
  public enum Point: Sendable, Hashable {
    /// Before its first byte.
    case afterRequest
    /// After ``inStatusLineBytes`` bytes.
    case inStatusLine
    /// After the status line and ``inHeadersBytes`` bytes of the fields.
    case inHeaders
    /// After the fields and so many bytes of the body.
    case body(Int)
    /// Within a chunk (RFC 9112 §7.1), after so many bytes of the body; `nil`: after half of it.
    case inChunk(Int?)
    /// After so many bytes of the whole.
    case byte(Int)

    /// `HTTP/1.1 2`.
    public static let inStatusLineBytes = 10
    /// The beginning of the first field.
    public static let inHeadersBytes = 10
    /// Within a chunk, after half of the body.
    public static let inChunk = Point.inChunk(nil)

    /// Whether a server that writes answers in good form can stop here.
    var isPlain: Bool {
      switch self {
      case .afterRequest, .body: true
      case .inStatusLine, .inHeaders, .inChunk, .byte: false
      }
    }
  }

  // One grammar, here and in a scenario's file: a word for a place, or a label for a count of bytes.
  // `{ "reset": "inHeaders" }` is `.reset(.inHeaders)`, `{ "resetAfterBodyBytes": 10 }` is
  // `.reset(afterBodyBytes: 10)`.

  /// The connection is reset (RST) at a place of the answer.
  public static func reset(_ point: Point) -> Fault {
    switch point {
    case .afterRequest: .reset(afterBodyBytes: nil)
    case .body(let count): .reset(afterBodyBytes: count)
    default: .cut(Cut(.reset, at: point))
    }
  }

  /// The same after so many bytes of the whole answer.
  public static func reset(afterBytes count: Int) -> Fault { .reset(.byte(count)) }

  /// The connection is closed (FIN) at a place of the answer.
  ///
  /// Within the headers this ends a process that asks by swift-corelibs-foundation's `URLSession` up
  /// to 6.3, so that no stage without a wire plays it.
  public static func close(_ point: Point) -> Fault {
    switch point {
    case .afterRequest: .close
    case .body(let count): .truncate(afterBodyBytes: count)
    default: .cut(Cut(.close, at: point))
    }
  }

  /// The same after so many bytes of the whole answer.
  public static func close(afterBytes count: Int) -> Fault { .close(.byte(count)) }

  /// The server sends its FIN at a place of the answer and goes on reading.
  public static func halfClose(_ point: Point) -> Fault { .cut(Cut(.halfClose, at: point)) }

  /// The same after so many bytes of the body.
  public static func halfClose(afterBodyBytes count: Int) -> Fault { .halfClose(.body(count)) }

  /// The same after so many bytes of the whole answer.
  public static func halfClose(afterBytes count: Int) -> Fault { .halfClose(.byte(count)) }

  /// Nothing more comes from a place of the answer on, and the connection stays open.
  public static func stall(_ point: Point) -> Fault {
    switch point {
    case .afterRequest: .stall(afterBodyBytes: nil)
    case .body(let count): .stall(afterBodyBytes: count)
    default: .cut(Cut(.stall(nil), at: point))
    }
  }

  /// The same after so many bytes of the whole answer.
  public static func stall(afterBytes count: Int) -> Fault { .stall(.byte(count)) }

  /// Nothing comes for a while at a place of the answer, which then goes on.
  public static func stall(_ point: Point, for length: Duration) -> Fault {
    .cut(Cut(.stall(length), at: point))
  }

  /// The same after so many bytes of the body.
  public static func stall(afterBodyBytes count: Int, for length: Duration) -> Fault {
    .stall(.body(count), for: length)
  }

  /// The same after so many bytes of the whole answer.
  public static func stall(afterBytes count: Int, for length: Duration) -> Fault {
    .stall(.byte(count), for: length)
  }
}
