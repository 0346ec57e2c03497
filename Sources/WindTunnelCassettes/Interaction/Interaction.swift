@_spi(WindTunnel) internal import WindTunnelCore
public import WindTunnelSymptoms

/// A request and what came back for it.
///
/// Its parts stand beside it, so that a list of interactions grows without moving them and whoever
/// is dealt one takes a reference.
public struct Interaction: Sendable, Hashable {
  /// The request that was made. Written by hand, its URL may lack a host (any host) and may hold
  /// `{name}` for any one segment of the path.
  public var request: Request {
    get { parts.value.request }
    _modify { yield &parts.value.request }
  }
  /// The answer that came back.
  public var answer: Answer {
    get { parts.value.answer }
    _modify { yield &parts.value.answer }
  }
  /// The moments at which it came, where those were recorded.
  public var timing: Timing? {
    get { parts.value.timing }
    _modify { yield &parts.value.timing }
  }
  /// The policy for when the recordings for this request are used up; `nil`: the player's default.
  public var then: EndPolicy? {
    get { parts.value.then }
    _modify { yield &parts.value.then }
  }
  /// The date of the recording (RFC 3339); volatile, so never written unless asked for.
  public var recordedAt: String? {
    get { parts.value.seldom.first?.recordedAt }
    set { if newValue != recordedAt { edit { $0.recordedAt = newValue } } }
  }
  /// The names of the response's fields whose value may be several fields' values, joined with
  /// commas by the platform they were recorded through (RFC 9110 §5.3 lets it). Recorded on the
  /// wire there are none.
  public var joined: [String] {
    get { parts.value.seldom.first?.joined ?? [] }
    set { if newValue != joined { edit { $0.joined = newValue } } }
  }
  /// WebSocket messages in the order they went.
  public var messages: [WebSocketMessage] {
    get { parts.value.seldom.first?.messages ?? [] }
    set { if newValue != messages { edit { $0.messages = newValue } } }
  }
  /// Keys that begin with `_`: kept as they are.
  public var notes: [JSON.Member] {
    get { parts.value.seldom.first?.notes ?? [] }
    set { if !newValue.isEmpty || !notes.isEmpty { edit { $0.notes = newValue } } }
  }
  /// Keys that begin with `_` in the objects within, by their place: `request`, `response`,
  /// `failure`, `timing` or `messages[0]`.
  public var innerNotes: [String: [JSON.Member]] {
    get { parts.value.seldom.first?.innerNotes ?? [:] }
    set { if !newValue.isEmpty || !innerNotes.isEmpty { edit { $0.innerNotes = newValue } } }
  }

  private struct Parts: Sendable, Hashable {
    var request: Request
    var answer: Answer
    var timing: Timing?
    var then: EndPolicy?
    /// At most one, in a list so that the room is taken where there is any.
    var seldom: [Seldom] = []
  }

  /// The parts that most interactions do not have.
  private struct Seldom: Sendable, Hashable {
    var recordedAt: String?
    var joined: [String] = []
    var messages: [WebSocketMessage] = []
    var notes: [JSON.Member] = []
    var innerNotes: [String: [JSON.Member]] = [:]
  }

  private var parts: Boxed<Parts>

  /// Makes an interaction of a request and an answer.
  public init(
    _ request: Request,
    _ answer: Answer,
    timing: Timing? = nil,
    then: EndPolicy? = nil
  ) {
    parts = Boxed(Parts(request: request, answer: answer, timing: timing, then: then))
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

  private mutating func edit(_ change: (inout Seldom) -> Void) {
    var all = parts.value.seldom.first ?? Seldom()
    parts.value.seldom = []
    change(&all)
    if all != Seldom() { parts.value.seldom = [all] }
  }
}

extension Interaction {
  /// The failure, if it ended in one.
  public var failure: Failure? {
    switch answer {
    case .response: nil
    case .failure(let failure), .cut(_, let failure): failure
    }
  }

  /// Tells whether nobody was there to answer.
  package var isRefused: Bool { failure?.symptom == .connectionRefused && response == nil }
}

/// The answer that came back for a request.
public enum Answer: Sendable, Hashable {
  /// A response that is whole.
  case response(Response)
  /// Nothing but a failure.
  indirect case failure(Failure)
  /// A head and a part of the body, then a failure.
  indirect case cut(Response, Failure)
}

/// A failure as a cassette keeps it: a symbol, never a platform's integer.
public struct Failure: Sendable, Hashable {
  /// The symptom that the client saw.
  public var symptom: Symptom
  /// The platform's own words.
  public var text: String?

  /// Makes a failure of its symptom.
  public init(_ symptom: Symptom, text: String? = nil) {
    self.symptom = symptom
    self.text = text
  }
}

/// The policy for when the recordings for a request are used up.
public enum EndPolicy: String, Sendable, Hashable, CaseIterable {
  /// The next request is told that everything was played.
  case fail
  /// The last recording is played again, for ever.
  case `repeat`
  /// The recordings start again with the first.
  case cycle
}

/// One message of a WebSocket (RFC 6455 §5.6).
public struct WebSocketMessage: Sendable, Hashable {
  /// The side that sends a message.
  public enum Sender: String, Sendable, Hashable, CaseIterable { case client, server }

  /// The side that sent it.
  public var sender: Sender
  /// Its content; text is a text message, anything else a binary one.
  public var body: Body
  /// Tells whether it is a text message.
  public var isText: Bool
  /// The moment at which it went, counted from the handshake's end.
  public var offset: Duration

  /// Makes a message of its sender and content.
  public init(from sender: Sender, _ body: Body, isText: Bool, offset: Duration) {
    self.sender = sender
    self.body = body
    self.isText = isText
    self.offset = offset
  }
}
