@_spi(WindTunnel) internal import WindTunnelCore
public import WindTunnelSymptoms

/// A request and its result.
///
/// The parts are stored behind a reference, so that a list of interactions grows without moving
/// them, and copies are cheap.
public struct Interaction: Sendable, Hashable {
  /// The request that was sent. In a handwritten one, the URL may omit the host (any host), and the
  /// path may contain `{name}` for any segment.
  public var request: Request {
    get { parts.value.request }
    _modify { yield &parts.value.request }
  }
  /// The result of the request.
  public var result: RecordedResult {
    get { parts.value.result }
    _modify { yield &parts.value.result }
  }
  /// The times at which the parts of the response arrived; `nil` if they were not recorded.
  public var timing: Timing? {
    get { parts.value.timing }
    _modify { yield &parts.value.timing }
  }
  /// The policy for requests after the last recording; `nil` means the player's default.
  public var then: EndPolicy? {
    get { parts.value.then }
    _modify { yield &parts.value.then }
  }
  /// The date of the recording (RFC 3339). It changes with each recording, so it is only recorded
  /// on request.
  public var recordedAt: String? {
    get { parts.value.seldom.first?.recordedAt }
    set { if newValue != recordedAt { edit { $0.recordedAt = newValue } } }
  }
  /// The names of response fields that may contain several joined values.
  ///
  /// The platform that recorded them joins fields with the same name by commas (RFC 9110 §5.3
  /// allows it). A recording made on the wire has none.
  public var joined: [String] {
    get { parts.value.seldom.first?.joined ?? [] }
    set { if newValue != joined { edit { $0.joined = newValue } } }
  }
  /// The WebSocket messages, in the order in which they were sent.
  public var messages: [WebSocketMessage] {
    get { parts.value.seldom.first?.messages ?? [] }
    set { if newValue != messages { edit { $0.messages = newValue } } }
  }
  /// The members of the file whose names begin with `_`, unchanged, and the keys `template`,
  /// `critical` and `protocol`.
  public var notes: [JSON.Member] {
    get { parts.value.seldom.first?.notes ?? [] }
    set { if !newValue.isEmpty || !notes.isEmpty { edit { $0.notes = newValue } } }
  }
  /// The notes of nested objects, by their place: `request`, `response`, `informational[0]`,
  /// `failure`, `timing` or `messages[0]`.
  ///
  /// They also contain the keys `trailersOnly` and `stream`.
  public var innerNotes: [String: [JSON.Member]] {
    get { parts.value.seldom.first?.innerNotes ?? [:] }
    set { if !newValue.isEmpty || !innerNotes.isEmpty { edit { $0.innerNotes = newValue } } }
  }

  private struct Parts: Sendable, Hashable {
    var request: Request
    var result: RecordedResult
    var timing: Timing?
    var then: EndPolicy?
    /// At most one element. A list allocates memory only if there is an element.
    var seldom: [Seldom] = []
  }

  /// The parts that few interactions have.
  private struct Seldom: Sendable, Hashable {
    var recordedAt: String?
    var joined: [String] = []
    var messages: [WebSocketMessage] = []
    var notes: [JSON.Member] = []
    var innerNotes: [String: [JSON.Member]] = [:]
  }

  private var parts: Boxed<Parts>

  /// Creates an interaction from a request and its result.
  public init(
    _ request: Request,
    _ result: RecordedResult,
    timing: Timing? = nil,
    then: EndPolicy? = nil
  ) {
    parts = Boxed(Parts(request: request, result: result, timing: timing, then: then))
  }

  /// Creates an interaction from a request and a complete response.
  public init(_ request: Request, _ response: Response, then: EndPolicy? = nil) {
    self.init(request, .response(response), then: then)
  }

  /// The response, complete or truncated; `nil` if there is none.
  public var response: Response? {
    switch result {
    case .response(let response), .cut(let response, _): response
    case .failure: nil
    }
  }

  /// Changes the response, if there is one.
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

  /// The note that marks a template.
  package static let template = JSON.Member("template", true)
  /// Whether the response is a template, in which placeholders such as `{{request.path.1}}` are
  /// replaced by values of the request. Recordings are never templates.
  public var isTemplate: Bool { notes.contains(Self.template) }
  /// Whether the user depends on the response. A drill counts such a GET or HEAD as a screen, and
  /// any other request as an action.
  public var isCritical: Bool { notes.contains(JSON.Member("critical", true)) }

  /// The failure; `nil` if the response is complete.
  public var failure: Failure? {
    switch result {
    case .response: nil
    case .failure(let failure), .cut(_, let failure): failure
    }
  }

  /// Whether this is a WebSocket conversation: a successful handshake (RFC 6455 §4) and its
  /// messages.
  package var isConversation: Bool {
    guard case .response(let response) = result, response.status == 101 else { return false }
    return !messages.isEmpty || response.headers["Sec-WebSocket-Accept"] != nil
      || response.headers.values("Upgrade").contains { $0.equalsIgnoringASCIICase("websocket") }
  }

  /// Whether another interaction shares the same storage. Values are not compared.
  package func isSame(as other: Interaction) -> Bool { parts.isSame(as: other.parts) }

  /// The bodies of the interaction: of the request, the response and the messages.
  package var bodies: [Body] {
    [request.body] + [response?.body].compactMap(\.self) + messages.map(\.body)
  }

  /// The total size of its bodies in bytes.
  package var bodyBytes: Int { bodies.reduce(0) { $0 + $1.count } }

  /// Whether the connection was refused.
  package var isRefused: Bool { failure?.symptom == .connectionRefused && response == nil }
}

/// The result of a request.
public enum RecordedResult: Sendable, Hashable {
  /// The response is complete.
  case response(Response)
  /// A failure without any response.
  indirect case failure(Failure)
  /// A response whose body was truncated by a failure.
  indirect case cut(Response, Failure)

  /// Creates the result from a response and a failure; `nil` if there is neither.
  package init?(_ response: Response?, _ failure: Failure?) {
    switch (response, failure) {
    case (let response?, nil): self = .response(response)
    case (nil, let failure?): self = .failure(failure)
    case (let response?, let failure?): self = .cut(response, failure)
    case (nil, nil): return nil
    }
  }
}

/// A failure on a cassette, stored by name and never by a platform's error code.
public struct Failure: Sendable, Hashable {
  /// The symptom that the client observed.
  public var symptom: Symptom
  /// The platform's own description of the error.
  public var text: String?

  /// Creates a failure with a symptom.
  public init(_ symptom: Symptom, text: String? = nil) {
    (self.symptom, self.text) = (symptom, text)
  }
}

/// The policy for requests after the last recording.
public enum EndPolicy: String, Sendable, Hashable, CaseIterable {
  /// The next request fails, with the explanation that all recordings were played.
  case fail
  /// The last recording is played indefinitely.
  case `repeat`
  /// The recordings start again with the first.
  case cycle
}
