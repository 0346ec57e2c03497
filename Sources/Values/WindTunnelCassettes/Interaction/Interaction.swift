@_spi(WindTunnel) internal import WindTunnelCore
public import WindTunnelSymptoms

/// A request and the answer to it.
///
/// Its parts are stored behind a reference, so that a list of interactions grows without moving
/// them and copies are cheap.
public struct Interaction: Sendable, Hashable {
  /// The request that was made. In one written by hand the URL may lack a host (any host) and may
  /// hold `{name}` for any one segment of the path.
  public var request: Request {
    get { parts.value.request }
    _modify { yield &parts.value.request }
  }
  /// The answer that came back.
  public var result: RecordedResult {
    get { parts.value.result }
    _modify { yield &parts.value.result }
  }
  /// The times at which the parts of the answer arrived, where they were recorded.
  public var timing: Timing? {
    get { parts.value.timing }
    _modify { yield &parts.value.timing }
  }
  /// The policy for requests after the recordings are used up; `nil`: the player's default.
  public var then: EndPolicy? {
    get { parts.value.then }
    _modify { yield &parts.value.then }
  }
  /// The date of the recording (RFC 3339). It changes with each recording, and so is written only
  /// on request.
  public var recordedAt: String? {
    get { parts.value.seldom.first?.recordedAt }
    set { if newValue != recordedAt { edit { $0.recordedAt = newValue } } }
  }
  /// The names of the response's fields whose value may be several fields' values, joined with
  /// commas by the platform that recorded them (RFC 9110 §5.3 allows it). A recording made on the
  /// wire has none.
  public var joined: [String] {
    get { parts.value.seldom.first?.joined ?? [] }
    set { if newValue != joined { edit { $0.joined = newValue } } }
  }
  /// The WebSocket messages, in the order in which they were sent.
  public var messages: [WebSocketMessage] {
    get { parts.value.seldom.first?.messages ?? [] }
    set { if newValue != messages { edit { $0.messages = newValue } } }
  }
  /// The members of the file whose names begin with `_`, kept as they are, and the keys `template`,
  /// `critical` and `protocol`.
  public var notes: [JSON.Member] {
    get { parts.value.seldom.first?.notes ?? [] }
    set { if !newValue.isEmpty || !notes.isEmpty { edit { $0.notes = newValue } } }
  }
  /// The same of nested objects, by their place: `request`, `response`, `informational[0]`,
  /// `failure`, `timing` or `messages[0]`. They have the keys `trailersOnly` and `stream`, too.
  public var innerNotes: [String: [JSON.Member]] {
    get { parts.value.seldom.first?.innerNotes ?? [:] }
    set { if !newValue.isEmpty || !innerNotes.isEmpty { edit { $0.innerNotes = newValue } } }
  }

  private struct Parts: Sendable, Hashable {
    var request: Request
    var result: RecordedResult
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
    _ result: RecordedResult,
    timing: Timing? = nil,
    then: EndPolicy? = nil
  ) {
    parts = Boxed(Parts(request: request, result: result, timing: timing, then: then))
  }

  /// Makes an interaction of a request and a whole response.
  public init(_ request: Request, _ response: Response, then: EndPolicy? = nil) {
    self.init(request, .response(response), then: then)
  }

  /// The response, as far as one arrived.
  public var response: Response? {
    switch result {
    case .response(let response), .cut(let response, _): response
    case .failure: nil
    }
  }

  /// Changes the response, as far as one arrived.
  package mutating func editResponse(_ change: (inout Response) -> Void) {
    guard var response else { return }
    change(&response)
    result = RecordedResult(response, failure) ?? result
  }

  private mutating func edit(_ change: (inout Seldom) -> Void) {
    var all = parts.value.seldom.first ?? Seldom()
    parts.value.seldom = []
    change(&all)
    if all != Seldom() { parts.value.seldom = [all] }
  }

  /// The note of a template.
  package static let template = JSON.Member("template", true)
  /// Whether the response is a template: `{{request.path.1}}` and the like stand for values of the
  /// request. No recording is one.
  public var isTemplate: Bool { notes.contains(Self.template) }
  /// Whether a person needs the response: a drill counts such a GET or HEAD as a screen, and any
  /// other request as an action.
  public var isCritical: Bool { notes.contains(JSON.Member("critical", true)) }

  /// The failure, if the interaction ended in one.
  public var failure: Failure? {
    switch result {
    case .response: nil
    case .failure(let failure), .cut(_, let failure): failure
    }
  }

  /// Tells whether it is a conversation by WebSocket: a handshake that was answered (RFC 6455 §4),
  /// and what was said behind it.
  package var isConversation: Bool {
    guard case .response(let response) = result, response.status == 101 else { return false }
    return !messages.isEmpty || response.headers["Sec-WebSocket-Accept"] != nil
      || response.headers.values("Upgrade").contains { $0.equalsIgnoringASCIICase("websocket") }
  }

  /// Tells whether another is the very same value, without looking at it.
  package func isSame(as other: Interaction) -> Bool { parts.isSame(as: other.parts) }

  /// The bodies that stand on a cassette: the request's, the response's and those of messages.
  package var bodies: [Body] {
    [request.body] + [response?.body].compactMap(\.self) + messages.map(\.body)
  }

  /// The size of its bodies.
  package var bodyBytes: Int { bodies.reduce(0) { $0 + $1.count } }

  /// Tells whether nobody was there to answer.
  package var isRefused: Bool { failure?.symptom == .connectionRefused && response == nil }
}

/// The answer to a request.
public enum RecordedResult: Sendable, Hashable {
  /// A response that is whole.
  case response(Response)
  /// A failure without any response.
  indirect case failure(Failure)
  /// A head and a part of the body, and then a failure.
  indirect case cut(Response, Failure)

  /// Creates the answer of a response and a failure; `nil` if there is neither.
  package init?(_ response: Response?, _ failure: Failure?) {
    switch (response, failure) {
    case (let response?, nil): self = .response(response)
    case (nil, let failure?): self = .failure(failure)
    case (let response?, let failure?): self = .cut(response, failure)
    case (nil, nil): return nil
    }
  }
}

/// A failure as a cassette stores it: by name, and never by a platform's error code.
public struct Failure: Sendable, Hashable {
  /// The symptom that the client saw.
  public var symptom: Symptom
  /// The platform's own description of the error.
  public var text: String?

  /// Makes a failure of its symptom.
  public init(_ symptom: Symptom, text: String? = nil) {
    (self.symptom, self.text) = (symptom, text)
  }
}

/// The policy for requests after the recordings are used up.
public enum EndPolicy: String, Sendable, Hashable, CaseIterable {
  /// The next request fails, with the explanation that every recording was played.
  case fail
  /// The last recording is played again, for ever.
  case `repeat`
  /// The recordings start again with the first.
  case cycle
}
