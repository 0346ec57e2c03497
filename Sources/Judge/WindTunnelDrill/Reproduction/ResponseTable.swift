internal import Foundation
internal import WindTunnelCommandLine
internal import WindTunnelServer

/// The responses that a call received, computed from its report by the code that decided them.
struct ResponseTable {
  /// The responses to each method and path, in the order of the requests.
  private(set) var rows: [(request: String, responses: [[String]])] = []
  /// The fault of the server's certificate. `nil` means that the server uses plain HTTP.
  private(set) var certificate: TLSFault?
  private let (deck, lane): (Deck, Lane)
  private var tags: [String: String] = [:]

  /// Computes the responses. Throws a `CommandError` if a plain server cannot send them.
  init(of call: Observation, in plan: DrillPlan) throws {
    let scenario = plan.scenarios[0]
    let (cassette, leftOut) = plan.cassette.redacted()
    let isDriven = scenario.startup != nil || scenario.cancellation != nil
    let obstacle =
      scenario.link.map { _ in "the link of its scenario delays or loses packets" }
      ?? (isDriven ? "the drill itself starts an app or cancels calls" : nil)
      ?? leftOut.first.map { "\($0) contains a secret" }
    if let obstacle { throw CommandError.notReproducible(obstacle) }
    let options = PlaybackOptions(matcher: plan.matcher, then: .repeat, keepsRequests: false)
    deck = Deck(cassette, scenario: scenario, seed: plan.seed, options: options)
    if let age = plan.elapsed { deck.begin(aged: age) }
    lane = Workload.lane(scenario.name, call.call)
    let openings = (1...max(1, call.allAttempts.count)).map {
      scenario.decideConnection(seed: plan.seed, lane: lane, ordinal: $0).faults.first
    }
    certificate = try Self.certificate(openings[0])
    if openings.contains(where: { $0 != openings[0] }) {
      throw CommandError.notReproducible("its connections meet different faults")
    }
    let now = Date.now
    let first = call.allAttempts.first?.start ?? .zero
    for attempt in call.allAttempts where attempt.isRequest {
      try add(attempt, at: now + ((attempt.start ?? first) - first) / .seconds(1))
    }
    if rows.isEmpty {
      throw CommandError.notReproducible("the server received no request of the call")
    }
    // The server repeats the last response.
    for row in rows.indices {
      let responses = rows[row].responses
      let repeated = responses.reversed().prefix { $0 == responses.last }.count
      rows[row].responses.removeLast(repeated - 1)
    }
  }

  /// Returns the address of the server with one of its host names.
  func base(_ host: String = "127.0.0.1") -> String {
    "\(certificate == nil ? "http" : "https")://\(host):8765"
  }

  private mutating func add(_ attempt: Observation.Attempt, at moment: Date) throws {
    let words = attempt.decision.key.split(separator: " ").map(String.init)
    guard words.count > 1 else { throw CommandError.notReproducible("the report has no decision") }
    let (method, target) = (words[0], words[1])
    let name = "\(method) \(target.prefix { $0 != "?" })"
    var request = Request(method, RequestURL(target))
    // Only a gzip bomb depends on this field.
    request.headers["Accept-Encoding"] = attempt.unappliedFaults.isEmpty ? "gzip" : nil
    request.headers["Range"] = attempt.sent?.resumesAt.map { "bytes=\($0)-" }
    request.headers["If-Range"] = attempt.sent?.isResumedConditionally == true ? tags[name] : nil
    let outcome = deck.decide(request, lane: lane, at: moment)
    deck.finished(outcome)
    guard outcome.decision.faultsText == attempt.decision.faultsText,
      AnswerSummary.status(of: outcome) == attempt.status
    else {
      throw CommandError.notReproducible("its response depends on header fields that no report has")
    }
    var delivery = deck.delivery(of: outcome, on: .onTheWire)
    if let need = delivery.needs.subtracting([.rawBytes, .halfClose]).first {
      throw CommandError.notReproducible("its response requires \(need.noun)")
    }
    for (index, step) in delivery.steps.enumerated() {
      guard case .head(var head) = step else { continue }
      tags[name] = head.headers["ETag"] ?? tags[name]
      for case .status(_, retryAfter: .date(let seconds)?) in outcome.decision.faults {
        head.headers["Retry-After"] = "{date+\(seconds)}"
      }
      head.headers["Location"] = try head.headers["Location"].map(localised)
      delivery.steps[index] = .head(head)
    }
    let keeps = deck.scenario.keepsConnections
    let items = delivery.written(to: method, keepsConnections: keeps).pythonItems
    guard let place = rows.firstIndex(where: { $0.request == name }) else {
      return rows.append((name, [items]))
    }
    rows[place].responses.append(items)
  }

  /// Returns the address of a redirect, changed to the server itself, as the server of a drill does
  /// it.
  private func localised(_ location: String) throws -> String {
    let url = RequestURL(location)
    switch url.host {
    case ReplacementResponse.plainHost?:
      throw CommandError.notReproducible("it is redirected to a port without TLS")
    case ReplacementResponse.otherHost?: return base("localhost") + url.target
    default: return url.origin == deck.origin?.origin ? base() + url.target : location
    }
  }

  /// Returns the fault of a connection's certificate, or `nil` if it has none.
  private static func certificate(_ fault: Fault?) throws -> TLSFault? {
    let kinds: Set<TLSFault> = [.expired, .wrongHost, .selfSigned, .untrusted, .unknownRoot]
    guard case .connection(let fault)? = fault else { return nil }
    if case .tls(let kind) = fault, kinds.contains(kind) { return kind }
    let reason =
      switch fault {
      case .tls: "its TLS handshake fails in ways that no library produces"
      case .hostNotFound: "DNS fails before a server is contacted"
      case .lostSYNs, .connectTimeout: "packets are lost before they reach a server"
      case .offline, .refused:
        "nothing listens: the command fails in the same way with any closed port"
      }
    throw CommandError.notReproducible(reason)
  }
}

extension CommandError {
  /// Creates the error for a call that cannot be reproduced. The reason is a clause.
  static func notReproducible(_ reason: String) -> CommandError {
    .usage("A plain server cannot reproduce this call: \(reason).")
  }
}
