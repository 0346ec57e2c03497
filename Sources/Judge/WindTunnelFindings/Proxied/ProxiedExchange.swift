internal import Foundation
internal import WindTunnelSymptoms

/// A request that a proxy forwarded or answered, with the parts that rules use.
package struct ProxiedExchange: Sendable, Hashable {
  /// The number of its decision.
  package let decision: Int
  /// The scenario of its decision.
  package var scenario: String?
  /// The address of the client.
  package let client: String
  /// The request with its result. Times are offsets in the run.
  package fileprivate(set) var attempt: Observation.Attempt
  /// The URL of the request.
  let url: RequestURL
  /// The sender: the client's address and its `User-Agent`.
  let sender: String
  /// The identity of the request for the same client. `nil` if its content was not observed, so
  /// that it equals no other request.
  let lane: String?
  /// The target of a redirect, or `nil` if it was not redirected.
  let redirect: String?
  /// Whether its client cancelled it without a fault.
  let isBrokenOff: Bool
  /// Whether its response is stalled and its client has not closed the connection.
  fileprivate(set) var isWaiting: Bool

  /// The URL in its canonical form.
  var place: String { url.spelled }
}

/// The exchanges of a proxy's clients, collected from the events of its deck.
package struct ProxiedExchanges: Sendable {
  /// The exchanges in the order of their ends.
  package private(set) var all: [ProxiedExchange] = []
  /// The open exchanges, by the number of their decision.
  private var open: [Int: Open] = [:]
  /// The indices of the exchanges with a stalled response, by the same number.
  private var waiting: [Int: Int] = [:]
  /// The numbers of the values in requests.
  private var numbers = CallNumbers(keeping: Self.valuesMax)

  /// The maximum number of values with numbers of their own.
  private static let valuesMax = 1 << 17
  /// The maximum number of concurrent exchanges.
  private static let openMax = 10_000

  /// An exchange that has not ended.
  private struct Open: Sendable {
    let isRepeatable: Bool
    let start: Duration
    var request: ProxiedRequest?
    var sent: Observation.Sent?
    var firstByte: Duration?
  }

  /// Creates an empty collection.
  package init() {}

  /// Handles an event of the deck.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - request: Its parsed request, or `nil` if the request is not complete.
  ///   - moment: The time of the event, as an offset in the run.
  ///   - hasRoom: Whether another exchange may be stored.
  package mutating func apply(
    _ event: ExchangeEvent,
    _ request: ProxiedRequest?,
    at moment: Duration,
    hasRoom: Bool
  ) {
    switch event {
    case .decided(let entry):
      // A tunnel is not a request. The requests in it have decisions of their own.
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
      // An incomplete request cannot be identified.
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
    // The clocks of the origin and of the client may differ by a second.
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

  /// Returns the numbers of the values in a request, and the names of its unprotected secrets.
  private mutating func sent(of outcome: Outcome, _ values: SentValues) -> Observation.Sent {
    let request = outcome.request
    var sent = Observation.Sent()
    sent.content = values.content.map { numbers.number(of: $0) }
    // Credentials for the proxy are not sent to the server.
    let credentials = values.credentials.filter { !$0.hasPrefix("credential proxy-authorization") }
    sent.credentials = credentials.map { numbers.number(of: $0) }
    sent.apiKeys = values.apiKeys.map { numbers.number(of: $0) }
    sent.key = values.key.map { numbers.number(of: $0) }
    // There is no recording that shows which values are constant, so a mark must look random.
    sent.marks = values.marks.filter(\.looksDrawn).map { numbers.number(of: $0) }
    sent.takeParameters(of: request)
    sent.takeSecretsInClear(of: request)
    return sent
  }
}

/// A parsed complete request. It is computed without a lock, because that takes time.
package struct ProxiedRequest: Sendable {
  fileprivate let client: String
  /// The address and the `User-Agent` of the client, because several programs may share a machine.
  fileprivate let sender: String
  /// The method and the URL. Secrets and user info in the URL are replaced.
  fileprivate let place: String
  /// The identity of the request for the same client; `nil` if its content was not observed.
  fileprivate let lane: String?
  fileprivate let values: SentValues

  /// The maximum size of content that is hashed, so that it does not block an event loop of the
  /// server.
  private static let contentBytesMax = 1 << 20

  /// Parses the request of an event; `nil` for any event other than a request's end.
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

  /// Returns the digest of the content: empty if there is none, `nil` if it was not observed.
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

/// The response of an exchange, as its client received it.
private struct ProxiedAnswer {
  /// The symptom of an interrupted response.
  private(set) var error: String?
  /// Whether the client closed the connection by itself, although nothing delayed it.
  private(set) var isBrokenOff = false
  /// The maximum wait that is reported: a year.
  private static let waitMax = Duration.seconds(365 * 86_400)

  /// The wait that the response requests.
  let wait: Duration?
  /// The date until which the response requests a wait, since 1970.
  let date: Duration?
  /// The target of a redirect.
  let location: String?
  /// Whether the server may have processed the request, as far as is known.
  private(set) var mayBeDone = true
  /// The source of the response.
  let source: ResponseSource
  private let isMadeUp: Bool

  /// The failures in which the server received nothing.
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
      // A client that closes a delayed response timed out. Without any delay, its user cancelled.
      if faults.isEmpty, outcome.path == nil {
        isBrokenOff = true
      } else {
        error = Symptom.timedOut.rawValue
      }
    case .failed(let symptom):
      // If nothing had been received, the proxy has reported the failure by a status.
      if status != 502, status != 503 { error = symptom.rawValue }
      if status == 503 || Self.unsent.contains(symptom) { mayBeDone = false }
    }
    // The end of the wait is unknown.
    if end.retryAfter != nil, wait == nil, date == nil { mayBeDone = false }
    if case .unmatched = outcome.source {
      source = .played(.unmatched)
    } else {
      let isAnswer = !isMadeUp && status < 500 && location == nil && error == nil && !isBrokenOff
      source = isAnswer ? .played(.forwarded) : .other("withheld")
    }
  }

  /// Returns the decision about the exchange. Faults that only delayed an origin's response are
  /// omitted, because the status is the origin's.
  func decision(of outcome: Outcome, _ place: String) -> AttemptDecision {
    var decision = outcome.decision
    (decision.lane, decision.key) = (Lane("proxy"), place)
    if !isMadeUp, error == nil { decision.faults = [] }
    return AttemptDecision(decision)
  }
}

extension String {
  /// Whether a mark looks random, as an identifier that is created for a request does.
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
  /// The URL in its canonical form: without user information, and without the default port of its
  /// scheme.
  fileprivate var spelled: String {
    let own = scheme == "https" ? 443 : 80
    let port = effectivePort.flatMap { $0 == own ? nil : ":\($0)" } ?? ""
    return "\(scheme ?? "http")://\(host ?? "")\(port)\(target)"
  }

  /// Returns the URL of a `Location` in canonical form (RFC 3986 §5.2, without dot segments).
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
