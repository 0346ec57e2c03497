internal import Foundation
internal import WindTunnelSymptoms

/// A request that a proxy passed on or answered, as far as rules look at it.
package struct ProxiedExchange: Sendable, Hashable {
  /// The number of its decision.
  package let decision: Int
  /// The scenario that it was decided in.
  package var scenario: String?
  /// The address of the client.
  package let client: String
  /// The request with what came of it; times are offsets in the flight.
  package fileprivate(set) var attempt: Observation.Attempt
  /// The address that was asked for.
  let url: RequestURL
  /// The same client, as far as its address and its name for itself tell.
  let sender: String
  /// The same request of the same client; `nil` where its content was not seen, so that none is
  /// known for the same.
  let lane: String?
  /// The place that a redirect leads to; `nil` where it was none.
  let redirect: String?
  /// Tells whether its client broke it off, in no weather.
  let isBrokenOff: Bool
  /// Tells whether its answer stands still and its client has not left.
  fileprivate(set) var isWaiting: Bool

  /// The address, spelled in one way.
  var place: String { url.spelled }
}

/// The exchanges of a proxy's clients: a fold over the events of its deck.
package struct ProxiedExchanges: Sendable {
  /// The exchanges in the order of their ends.
  package private(set) var all: [ProxiedExchange] = []
  /// Those that are not over, by the number of their decision.
  private var open: [Int: Open] = [:]
  /// The places of those whose answer stands still, by the same number.
  private var waiting: [Int: Int] = [:]
  /// The numbers of the values that requests bear.
  private var numbers = CallNumbers(keeping: Self.valuesMax)

  /// So many values have numbers of their own.
  private static let valuesMax = 1 << 17
  /// So many exchanges may be under way.
  private static let openMax = 10_000

  /// An exchange that is not over.
  private struct Open: Sendable {
    let isRepeatable: Bool
    let start: Duration
    var request: ProxiedRequest?
    var sent: Observation.Sent?
    var firstByte: Duration?
  }

  /// Makes a fold of no exchanges.
  package init() {}

  /// Takes an event of the deck's.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - request: The reading of its request; `nil` where none has come whole.
  ///   - moment: The time at which it came, as an offset in the flight.
  ///   - hasRoom: Whether one more may be kept.
  package mutating func apply(
    _ event: ExchangeEvent,
    _ request: ProxiedRequest?,
    at moment: Duration,
    hasRoom: Bool
  ) {
    switch event {
    case .decided(let entry):
      // A tunnel is no request, and what is in it has decisions of its own.
      guard entry.take != .connection, open.count < Self.openMax else { return }
      open[entry.id] = Open(isRepeatable: entry.isRepeatable, start: moment)
    case .requestEnd(let outcome, _, _):
      guard open[outcome.id] != nil, let request else { return }
      let sent = sent(of: outcome, request.values)
      open[outcome.id]?.request = request
      open[outcome.id]?.sent = sent == Observation.Sent() ? nil : sent
    case .firstByte(let outcome):
      if open[outcome.id]?.firstByte == nil { open[outcome.id]?.firstByte = moment }
    case .ended(let outcome, let end?):
      // Of a request that did not come whole nobody knows which it is.
      guard let open = open.removeValue(forKey: outcome.id), let request = open.request, hasRoom
      else { return }
      if let exchange = exchange(open, request, outcome, end, at: moment) {
        if exchange.isWaiting { waiting[outcome.id] = all.count }
        all.append(exchange)
      }
    case .left(let outcome):
      guard let place = waiting.removeValue(forKey: outcome.id) else { return }
      all[place].isWaiting = false
      all[place].attempt.end = moment
    default: break
    }
  }

  private func exchange(
    _ open: Open,
    _ request: ProxiedRequest,
    _ outcome: Outcome,
    _ end: ExchangeEnd,
    at moment: Duration
  ) -> ProxiedExchange? {
    guard end.ending != .stopped else { return nil }
    let answer = ProxiedAnswer(outcome, end)
    var attempt = Observation.Attempt(
      decision: answer.decision(of: outcome, request.place),
      source: answer.source
    )
    (attempt.start, attempt.end) = (open.start, moment)
    (attempt.status, attempt.bytes, attempt.error) = (end.status, end.bytes, answer.error)
    attempt.isRepeatable = answer.mayBeDone ? open.isRepeatable : nil
    attempt.retryAfter = answer.wait
    // The clocks of the origin and of the client need not agree on the second.
    let now = Duration(milliseconds: Date().timeIntervalSince1970 * 1000)
    attempt.retryNotBefore = answer.date.flatMap { date in
      date > now ? max(.zero, moment + date - now - .seconds(1)) : nil
    }
    if let first = open.firstByte { attempt.stages.body = max(.zero, moment - first) }
    attempt.sent = open.sent
    return ProxiedExchange(
      decision: outcome.id,
      scenario: end.scenario,
      client: request.client,
      attempt: attempt,
      url: outcome.request.url,
      sender: request.sender,
      lane: request.lane,
      redirect: answer.location.map { outcome.request.url.resolved($0) },
      isBrokenOff: answer.isBrokenOff,
      isWaiting: end.ending == .cut && answer.error == Symptom.timedOut.rawValue
    )
  }

  /// The numbers of what a request bears, and the places of secrets that anybody can read.
  private mutating func sent(of outcome: Outcome, _ values: SentValues) -> Observation.Sent {
    let request = outcome.request
    var sent = Observation.Sent()
    sent.content = values.content.map { numbers.number(of: $0) }
    // The code of a proxy is for the proxy.
    let credentials = values.credentials.filter { !$0.hasPrefix("credential proxy-authorization") }
    sent.credentials = credentials.map { numbers.number(of: $0) }
    sent.apiKeys = values.apiKeys.map { numbers.number(of: $0) }
    sent.key = values.key.map { numbers.number(of: $0) }
    // Nobody has recorded what stays from call to call, so a mark has to look like one.
    sent.marks = values.marks.filter(\.looksDrawn).map { numbers.number(of: $0) }
    sent.takeParameters(of: request)
    sent.takeSecretsInClear(of: request)
    return sent
  }
}

/// The reading of a request that has come whole: all that takes time, and needs nobody's lock.
package struct ProxiedRequest: Sendable {
  fileprivate let client: String
  /// The address with what the client calls itself: several programs may share a machine.
  fileprivate let sender: String
  /// The address that was asked for without what may be private, behind the method.
  fileprivate let place: String
  /// The same request of the same client; `nil` if its content was not seen.
  fileprivate let lane: String?
  fileprivate let values: SentValues

  /// Larger content is not looked at, so that no loop of the server is held up by it.
  private static let contentBytesMax = 1 << 20

  /// Reads the request of an event; `nil` of any event but a request's end.
  package init?(of event: ExchangeEvent) {
    guard case .requestEnd(let outcome, _, _) = event, let client = outcome.client else {
      return nil
    }
    let request = outcome.request
    let sender = "\(client) \(request.headers["User-Agent"] ?? "")"
    (self.client, self.sender) = (client, sender)
    var shown = request.url
    (shown.userInfo, shown.query) = (nil, nil)
    place = "\(request.method) \(shown.withoutSecrets)"
    lane = Self.content(of: request).map { content in
      let parts = [sender, request.method, request.url.spelled, content]
      return SHA256.hexadecimal(parts.joined(separator: "\n").utf8)
    }
    values = SentValues(of: outcome, contentBytesMax: Self.contentBytesMax)
  }

  /// The digest of the content, empty where there is none; `nil` where it was not seen.
  private static func content(of request: Request) -> String? {
    let body = request.body
    if body.count > contentBytesMax { return nil }
    if body.count > 0 { return SHA256.hexadecimal(body.data) }
    let hasContent =
      request.headers["Transfer-Encoding"] != nil
      || request.headers["Content-Length"].map { $0 != "0" } == true
    return hasContent ? nil : ""
  }
}

/// The answer of an exchange as its client got it.
private struct ProxiedAnswer {
  /// The symptom that it was broken off with.
  private(set) var error: String?
  /// Tells whether the client left of its own accord, with nothing in its way.
  private(set) var isBrokenOff = false
  /// The longest wait that is told apart from a longer one: a year.
  private static let waitMax = Duration.seconds(365 * 86_400)

  /// The wait that it asked for.
  let wait: Duration?
  /// The date that it asked to wait for, since 1970.
  let date: Duration?
  /// The place that it redirects to.
  let location: String?
  /// Tells whether the server may have done what was asked, as far as can be told.
  private(set) var mayBeDone = true
  /// The source of the response.
  let source: ResponseSource
  private let isMadeUp: Bool

  /// The failures after which a server has seen nothing.
  private static let unsent: Set<Symptom> = [
    .hostNotFound, .connectionRefused, .offline, .secureConnectionFailed,
    .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
    .serverCertificateHasUnknownRoot,
  ]

  init(_ outcome: Outcome, _ end: ExchangeEnd) {
    let faults = outcome.decision.faults
    let summary = AnswerSummary(faults, over: outcome.recording, now: outcome.second)
    isMadeUp = AnswerSummary(faults, over: nil).status != nil
    let status = end.status ?? 0
    location = [301, 302, 303, 307, 308].contains(status) ? end.location : nil
    switch end.retryAfter.flatMap({ RetryAfterValue($0) }) {
    // An origin may send any number.
    case .delay(let delay): (wait, date) = (min(delay, Self.waitMax), nil)
    case .date(let moment): (wait, date) = (nil, moment)
    case nil: (wait, date) = (nil, nil)
    }
    switch end.ending {
    case .whole, .stopped: break
    case .cut:
      let symptom = summary.symptom ?? (end.status == nil ? .connectionLost : .truncated)
      error = symptom.rawValue
    case .clientLeft:
      // Whoever waits for weather gives up; whoever waits for nothing has been told to go.
      if faults.isEmpty, outcome.path == nil {
        isBrokenOff = true
      } else {
        error = Symptom.timedOut.rawValue
      }
    case .failed(let symptom):
      // Where nothing had come yet, the proxy has said so by a status.
      if status != 502, status != 503 { error = symptom.rawValue }
      if status == 503 || Self.unsent.contains(symptom) { mayBeDone = false }
    }
    // Until when is not known.
    if end.retryAfter != nil, wait == nil, date == nil { mayBeDone = false }
    if case .unmatched = outcome.source {
      source = .played(.unmatched)
    } else {
      let isAnswer = !isMadeUp && status < 500 && location == nil && error == nil && !isBrokenOff
      source = isAnswer ? .played(.forwarded) : .other("withheld")
    }
  }

  /// The decision about it. Faults that only delayed an origin's answer are left out: the status is
  /// the origin's.
  func decision(of outcome: Outcome, _ place: String) -> AttemptDecision {
    var decision = outcome.decision
    (decision.lane, decision.key) = (Lane("proxy"), place)
    if !isMadeUp, error == nil { decision.faults = [] }
    return AttemptDecision(decision)
  }
}

extension String {
  /// Tells whether a mark looks drawn by lot, as a number made for a request does.
  fileprivate var looksDrawn: Bool {
    let value = utf8.dropFirst("mark ".utf8.count)
    var digits = 0
    for byte in value {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        break
      default: return false
      }
    }
    return digits >= 3
  }
}

extension RequestURL {
  /// The address in one spelling: without user, and without a port that its scheme has anyway.
  fileprivate var spelled: String {
    let own = scheme == "https" ? 443 : 80
    let port = effectivePort.flatMap { $0 == own ? nil : ":\($0)" } ?? ""
    return "\(scheme ?? "http")://\(host ?? "")\(port)\(target)"
  }

  /// The address that a `Location` names, in the same spelling (RFC 3986 §5.2, without dots).
  fileprivate func resolved(_ location: String) -> String {
    if location.contains("://") { return RequestURL(location).spelled }
    if location.hasPrefix("//") { return RequestURL("\(scheme ?? "http"):\(location)").spelled }
    var url = self
    let relative = RequestURL(location.hasPrefix("/") ? location : "/\(location)")
    url.query = relative.query
    let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    url.path = location.hasPrefix("/") ? relative.path : "\(folder)\(relative.path)"
    return url.spelled
  }
}
