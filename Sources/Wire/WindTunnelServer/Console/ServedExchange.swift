internal import WindTunnel
internal import WindTunnelSymptoms

/// An exchange of a deck as a console shows it.
package struct ServedExchange: ConsoleSubject {
  /// The kinds of things that a deck's events tell of.
  enum Matter: Sendable {
    case request(Outcome)
    case tunnel(TunnelEnd)
    /// A connection that met faults before there was a request.
    case connection(Journal.Entry)
  }

  /// The first messages of a live conversation.
  struct Said: Sendable {
    private(set) var messages: [WebSocketMessage] = []
    /// The memory that they take, roughly, in bytes.
    private(set) var cost = 0
    /// The reason why nothing more is read; `nil`: all is.
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
  let matter: Matter
  let segment: Int
  let at: Duration
  var attempt = 1
  /// The time since the attempt before ended.
  var gap: Duration?
  var undone: [UndoneFault] = []
  var handshake: Duration?
  var upload: Duration?
  /// The times of the first byte and of the end, from the console's start.
  var firstByte: Duration?
  var over: Duration?
  var end: ExchangeEnd?
  /// Tells whether the client of a proxy closed a connection that had come to a standstill.
  var isLeft = false
  var conversation: ConversationLog?
  /// The reason why the origin was not asked that it was to be passed on to, as a sentence.
  var notAsked: String?
  /// The answer of the origin that it was passed on to.
  private(set) var live: LiveResponse?
  /// The beginning of a live conversation; `nil` where it is none.
  private(set) var said: Said?
  /// Tells whether the content of that is no longer kept, since newer ones are.
  private(set) var isContentForgotten = false
  /// The secrets beside the standard ones.
  let rules: RedactionRules
  private let ownCost: Int
  private let shown = ConsoleAddress()

  init(_ id: Int, _ matter: Matter, segment: Int, at: Duration, _ rules: RedactionRules) {
    (self.id, self.matter, self.segment, self.at) = (id, matter, segment, at)
    self.rules = rules
    ownCost = if case .request(let outcome) = matter { outcome.cost } else { 500 }
  }

  /// The memory that it takes, roughly, but for the content of a live answer.
  package var cost: Int { ownCost + (conversation?.messages.count ?? 0) * 64 + (said?.cost ?? 0) }

  /// A device of the network reaches less than this machine does, by which a request would be sent
  /// again; and content that was passed on while it came is nowhere any more.
  package var reasonAgainstRepeat: String? {
    guard case .request(let outcome) = matter else { return nil }
    if outcome.request.isWithoutItsContent {
      return "The content of exchange \(id) was passed on while it came and is not kept."
    }
    guard let client = outcome.client, !PrivateAddress.isLoopback(client) else { return nil }
    return "Exchange \(id) came from \(client), which may not reach all that this machine may; "
      + "send it again from there (Copy as curl)."
  }

  /// The greatest content of one live answer that is kept, and of all together.
  package static let (contentBytesMax, contentsBytesMax) = (256 << 10, 16 << 20)

  /// Takes what an origin has answered.
  mutating func take(_ answer: LiveResponse) {
    live = answer
    // RFC 9110 §15.2.2: what follows is no HTTP.
    if answer.head.status == 101 { said = Said() }
  }

  /// Takes what was seen of a live conversation.
  mutating func hear(_ speech: LiveSpeech) { said?.take(speech) }

  /// Gives the content of a live answer up.
  mutating func forgetContent() {
    isContentForgotten = live?.content != nil
    live?.content = nil
  }

  /// The word for what answers it: of what was to be passed on and was not, as of what a fault kept
  /// back, `withheld`.
  var take: String? {
    guard case .request(let outcome) = matter else { return nil }
    return isKeptFromOrigin ? "withheld" : outcome.take.name
  }

  /// Tells whether a request that was to be passed on was not: a fault answered in the origin's
  /// place, or the proxy itself did.
  var isKeptFromOrigin: Bool {
    guard case .request(let outcome) = matter, case .forward = outcome.source else { return false }
    return !outcome.forwards || notAsked != nil
  }

  /// The address of the request as it is shown.
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
    // The server's own clock looks more closely than the one by which events are taken.
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

  private func row(of entry: Journal.Entry) -> ConsoleRow {
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
  /// The source of the response by its kind.
  var take: Journal.Take {
    switch source {
    case .recording(_, let place):
      decision.faults.contains(where: \.replacesOrCuts) ? .withheld(place) : .recording(place)
    case .computed: .computed
    case .forward: .forwarded
    case .unmatched: .unmatched
    }
  }

  /// The memory that a console needs to keep it, roughly, in bytes.
  fileprivate var cost: Int {
    let computed = if case .computed(let response) = source { response.body.count } else { 0 }
    return 2000 + request.headBytes + request.body.count + computed
  }
}

extension Request {
  /// Tells whether it had content that is not here.
  var isWithoutItsContent: Bool {
    body.count == 0
      && (headers["Transfer-Encoding"] != nil
        || headers["Content-Length"].map { $0 != "0" } == true)
  }
}

extension TunnelEnd.Reason {
  /// The reason in a word.
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
