public import Symptoms

/// A request and what came back for it.
public struct Interaction: Sendable, Hashable {
  /// What was asked. Written by hand, its URL may lack a host (any host) and may hold `{name}`
  /// for any one segment of the path.
  public var request: Request
  /// What came back.
  public var answer: Answer
  /// When it came, where that was recorded.
  public var timing: Timing?
  /// What follows when the recordings for this request are used up; `nil`: the player's default.
  public var then: EndPolicy?
  /// When it was recorded, as an RFC 3339 date; volatile, so never written unless asked for.
  public var recordedAt: String?
  /// WebSocket messages in the order they went.
  public var messages: [WebSocketMessage] = []
  /// Keys that begin with `_`: kept as they are.
  public var notes: [JSON.Member] = []

  /// Makes an interaction.
  public init(
    _ request: Request,
    _ answer: Answer,
    timing: Timing? = nil,
    then: EndPolicy? = nil
  ) {
    self.request = request
    self.answer = answer
    self.timing = timing
    self.then = then
  }

  /// Makes an interaction that ended well.
  public init(_ request: Request, _ response: Response, then: EndPolicy? = nil) {
    self.init(request, .response(response), then: then)
  }

  /// The response as far as one came.
  public var response: Response? {
    switch answer {
    case .response(let response), .cut(let response, _): response
    case .failure: nil
    }
  }
}

/// What came back for a request.
public enum Answer: Sendable, Hashable {
  /// A whole response.
  case response(Response)
  /// Nothing but a failure.
  case failure(Failure)
  /// A head and a part of the body, then a failure.
  case cut(Response, Failure)
}

/// A failure as a cassette keeps it: a symbol, never a platform's integer.
public struct Failure: Sendable, Hashable {
  /// What the client saw.
  public var symptom: Symptom
  /// The platform's own words.
  public var text: String?

  /// Makes a failure.
  public init(_ symptom: Symptom, text: String? = nil) {
    self.symptom = symptom
    self.text = text
  }
}

/// What follows when the recordings for a request are used up.
public enum EndPolicy: String, Sendable, Hashable, CaseIterable {
  /// The next request is told that everything was played.
  case fail
  /// The last recording is played again, for ever.
  case `repeat`
  /// The recordings start again with the first.
  case cycle
}

/// When the parts of an answer came, counted from the moment the request was sent.
public struct Timing: Sendable, Hashable {
  /// Until the first byte of the head.
  public var firstByte: Duration
  /// Until the last byte of the body.
  public var lastByte: Duration
  /// The pieces a streamed body came in; empty where that was not recorded.
  public var chunks: [Chunk] = []

  /// One piece of a body.
  public struct Chunk: Sendable, Hashable {
    /// Its length.
    public var bytes: Int
    /// When it came.
    public var offset: Duration

    /// Makes a piece.
    public init(bytes: Int, offset: Duration) {
      self.bytes = bytes
      self.offset = offset
    }
  }

  /// Makes a timing.
  public init(firstByte: Duration, lastByte: Duration, chunks: [Chunk] = []) {
    self.firstByte = firstByte
    self.lastByte = lastByte
    self.chunks = chunks
  }
}

/// One message of a WebSocket (RFC 6455 §5.6).
public struct WebSocketMessage: Sendable, Hashable {
  /// Who sent it.
  public enum Sender: String, Sendable, Hashable, CaseIterable { case client, server }

  /// Who sent it.
  public var sender: Sender
  /// Its content; text is a text message, anything else a binary one.
  public var body: Body
  /// Whether it is a text message.
  public var isText: Bool
  /// When it went, counted from the handshake's end.
  public var offset: Duration

  /// Makes a message.
  public init(from sender: Sender, _ body: Body, isText: Bool, offset: Duration) {
    self.sender = sender
    self.body = body
    self.isText = isText
    self.offset = offset
  }
}

extension Duration {
  /// Makes a duration of milliseconds, rounded to whole microseconds.
  package init(milliseconds: Double) {
    self = .microseconds(Int64((milliseconds * 1000).rounded()))
  }

  /// This duration in milliseconds.
  package var inMilliseconds: Double {
    Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
  }

  /// This duration in whole seconds, rounded up: what `Retry-After` can say.
  package var wholeSeconds: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }

  /// This duration in whole nanoseconds.
  package var inNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
