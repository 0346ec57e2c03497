internal import WindTunnel
internal import WindTunnelSymptoms

/// An exchange of a deck in a console.
package struct ServedExchange: ConsoleSubject {
  /// The kinds of items in a deck's events.
  enum Source: Sendable {
    case request(Outcome)
    case tunnel(TunnelEnd)
    /// A connection that met faults before there was a request.
    case connection(Journal.Record)
  }

  /// The first messages of a live conversation.
  struct ConversationStart: Sendable {
    private(set) var messages: [WebSocketMessage] = []
    /// The approximate memory of the messages in bytes.
    private(set) var cost = 0
    /// The reason why no more messages are read; `nil` if all are.
    private(set) var end: String?

    fileprivate mutating func take(_ speech: LiveSpeech) {
      switch speech {
      case .message(let message):
        messages.append(message)
        cost += 256 + message.body.count
      case .unread(let reason): end = reason
      }
    }
  }

  package let id: Int
  let matter: Source
  let segment: Int
  let at: Duration
  var attempt = 1
  /// The time since the previous attempt ended.
  var gap: Duration?
  var undone: [UndoneFault] = []
  var handshake: Duration?
  var upload: Duration?
  /// The times of the first byte and of the end, relative to the console's start.
  var firstByte: Duration?
  var over: Duration?
  var end: ExchangeEnd?
  /// Whether the client of a proxy closed a stalled connection.
  var isLeft = false
  var conversation: ConversationLog?
  /// The reason why the request was not forwarded to the origin, as a sentence.
  var notAsked: String?
  /// The response of the origin to the forwarded request.
  private(set) var live: LiveResponse?
  /// The beginning of a live conversation; `nil` if it is not one.
  private(set) var said: ConversationStart?
  /// Whether the content of the live response was dropped in favour of newer ones.
  private(set) var isContentForgotten = false
  /// The redaction rules in addition to the default ones.
  let rules: RedactionRules
  private let ownCost: Int
  private let shown = ConsoleAddress()

  init(_ id: Int, _ matter: Source, segment: Int, at: Duration, _ rules: RedactionRules) {
    (self.id, self.matter, self.segment, self.at) = (id, matter, segment, at)
    self.rules = rules
    ownCost = if case .request(let outcome) = matter { outcome.cost } else { 500 }
  }

  /// The approximate memory of the exchange, without the content of a live response.
  package var cost: Int { ownCost + (conversation?.messages.count ?? 0) * 64 + (said?.cost ?? 0) }

  /// A device of the network may reach less than this machine, which would repeat the request.
  /// Content that was forwarded while it was received is not available.
  package var reasonAgainstRepeat: String? {
    guard case .request(let outcome) = matter else { return nil }
    if outcome.request.isWithoutItsContent {
      return "The content of exchange \(id) was passed on as a stream and not stored."
    }
    guard let client = outcome.client, !PrivateAddress.isLoopback(client) else { return nil }
    return "Exchange \(id) is from \(client), which can reach fewer hosts than this machine. "
      + "Send it again from that device (Copy as curl)."
  }

  /// The maximum sizes in bytes of kept content: of one live response, and of all of them.
  package static let (contentBytesMax, contentsBytesMax) = (256 << 10, 16 << 20)

  /// Stores the response of an origin.
  mutating func take(_ answer: LiveResponse) {
    live = answer
    // After a 101, the connection is not HTTP (RFC 9110 §15.2.2).
    if answer.head.status == 101 { said = ConversationStart() }
  }

  /// Stores a message of a live conversation.
  mutating func hear(_ speech: LiveSpeech) { said?.take(speech) }

  /// Drops the content of a live response.
  mutating func forgetContent() {
    isContentForgotten = live?.content != nil
    live?.content = nil
  }

  /// The name of the source. It is `withheld` if a fault suppressed the response or the request was
  /// not forwarded.
  var take: String? {
    guard case .request(let outcome) = matter else { return nil }
    return isKeptFromOrigin ? "withheld" : outcome.take.name
  }

  /// Whether a request was not forwarded as intended: a fault or the proxy itself responded.
  var isKeptFromOrigin: Bool {
    guard case .request(let outcome) = matter, case .forward = outcome.source else { return false }
    return !outcome.forwards || notAsked != nil
  }

  /// The displayed address of the request.
  var address: String { request.map { shown.text(of: $0, by: rules) } ?? "" }

  package var row: ConsoleRow {
    switch matter {
    case .request(let outcome): row(of: outcome)
    case .tunnel(let end): row(of: end)
    case .connection(let entry): row(of: entry)
    }
  }

  private func row(of outcome: Outcome) -> ConsoleRow {
    var row = ConsoleRow(id: id, at: at, segment: segment, outcome.request.method, address)
    row.call = outcome.decision.lane.call.map { "\($0)" }
    row.client = outcome.client
    (row.take, row.interaction) = (take, outcome.take.interaction)
    (row.ordinal, row.attempt, row.gap) = (outcome.decision.ordinal, attempt, gap)
    row.faults = outcome.decision.faults.map(\.words)
    row.notDone = undone.map(\.description)
    (row.status, row.bytes) = (end?.status, end?.bytes)
    row.latency = end?.latency ?? over.map { $0 - at }
    // The server's own clock is more exact than the time at which events are processed.
    row.firstByte = firstByte.map { min($0 - at, row.latency ?? $0 - at) }
    row.ending = isLeft ? "clientLeft" : over.map { _ in end?.ending.name ?? "whole" }
    row.isConversation = conversation != nil || said != nil
    return row
  }

  private func row(of end: TunnelEnd) -> ConsoleRow {
    var row = ConsoleRow(id: id, .tunnel, at: at, segment: segment, "CONNECT", end.authority)
    row.bytes = end.bytesDown
    (row.firstByte, row.latency) = (end.connect, end.duration)
    row.ending = end.reason.name
    if case .refused(let status) = end.reason { row.status = status }
    return row
  }

  private func row(of entry: Journal.Record) -> ConsoleRow {
    var row = ConsoleRow(id: id, .connection, at: at, segment: segment, "connect", "")
    row.call = entry.decision.lane.call.map { "\($0)" }
    row.ordinal = entry.decision.ordinal
    row.faults = entry.decision.faults.map(\.words)
    row.notDone = entry.misfits
    row.ending = "cut"
    return row
  }
}

extension Outcome {
  /// The kind of the response's source.
  var take: Journal.Take {
    switch source {
    case .recording(_, let place):
      decision.faults.contains(where: \.replacesOrCuts) ? .withheld(place) : .recording(place)
    case .computed: .computed
    case .forward: .forwarded
    case .unmatched: .unmatched
    }
  }

  /// The approximate memory of the outcome in a console, in bytes.
  fileprivate var cost: Int {
    let computed = if case .computed(let response) = source { response.body.count } else { 0 }
    return 2000 + request.headBytes + request.body.count + computed
  }
}

extension Request {
  /// Whether the request had content that is not available.
  var isWithoutItsContent: Bool {
    body.count == 0
      && (headers["Transfer-Encoding"] != nil
        || headers["Content-Length"].map { $0 != "0" } == true)
  }
}

extension TunnelEnd.Reason {
  /// The name of the reason.
  fileprivate var name: String {
    switch self {
    case .closed: "whole"
    case .clientReset: "clientLeft"
    case .originReset: "connectionReset"
    case .failed(let symptom): symptom.rawValue
    case .refused: "refused"
    case .handshakeFailed: "handshakeFailed"
    case .cut, .certificateRefused, .expired, .stopped: "\(self)"
    }
  }
}
