internal import Foundation
internal import WindTunnel
internal import WindTunnelNetworkLayer
internal import WindTunnelNetworkLayerDebug
internal import WindTunnelServer

/// An attempt of a client's call, or a call without an attempt, as a console shows it.
struct LayerAttempt: ConsoleSubject {
  let id: Int
  let call: Int
  let segment: Int
  let at: Duration
  let attempt: Int
  let gap: Duration?
  /// The request as it was sent; for a call without an attempt, a request built from its endpoint.
  let asked: Request
  let engine: String?
  var outcome: AttemptOutcome?
  var over: Duration?
  /// The waits and other events of the call, one sentence each.
  var remarks: [String] = []
  let rules: RedactionRules
  let address = ConsoleAddress()

  var cost: Int {
    let body = if case .success(let answer)? = outcome { answer.body.count } else { 0 }
    return 2000 + asked.body.count + body
  }

  var request: Request? { asked }

  var row: ConsoleRow {
    let shown = address.text(of: asked, by: rules)
    var row = ConsoleRow(id: id, at: at, segment: segment, asked.method, shown)
    row.call = "\(call)"
    (row.attempt, row.gap) = (attempt, gap)
    row.latency = over.map { $0 - at }
    switch outcome {
    case .success(let answer)?:
      (row.status, row.bytes) = (
        answer.status, answer.bytesElsewhere.map { Int($0) } ?? answer.body.count
      )
      row.ending = "whole"
    case .failure(let error)?: row.ending = error.asNetworkError.name
    case nil: row.ending = over == nil ? nil : "whole"
    }
    return row
  }

  private var response: Response? {
    guard case .success(let answer)? = outcome, answer.bytesElsewhere == nil else { return nil }
    // The content is available without its coding.
    let fields = answer.headers.fields.filter { $0.name.lowercased() != "content-encoding" }
    return Response(
      status: answer.status,
      headers: HeaderFields(fields.map { HeaderField($0.name, $0.value) }),
      body: Body(answer.body)
    )
  }

  var interaction: Interaction? { response.map { Interaction(asked, $0) } }

  func detail(in scenario: Scenario?) -> [JSON.Member] {
    let words = ([engine.map { "Sent by \($0)." }].compactMap(\.self) + remarks).joined(
      separator: " "
    )
    return ConsoleDetail.members(
      asked,
      response,
      by: rules,
      match: words.withoutSecrets(of: [asked], by: rules)
    )
  }
}

/// The attempts of a client's calls, as a fold over its events.
struct LayerAttempts: ConsoleBook {
  /// The maximum number of calls in progress that are tracked.
  private static let openMax = 10_000
  /// The maximum number of remarks on one attempt.
  private static let remarksMax = 20

  /// A call that has not ended.
  private struct Open: Sendable {
    var endpoint: Endpoint
    var line: Int?
    var over: Duration?
    var remarks: [String] = []
  }

  var feed = ConsoleFeed<LayerAttempt>()
  let rules: RedactionRules
  private var open: [Int: Open] = [:]

  init(_ rules: RedactionRules) { self.rules = rules }

  mutating func begin(_ scenario: Scenario, seed: UInt64, at moment: Duration) {
    feed.begin(scenario, seed: seed, at: moment)
  }

  mutating func take(_ event: CallEvent, at moment: Duration) {
    switch event.kind {
    case .callStarted(let endpoint):
      if open.count < Self.openMax { open[event.call] = Open(endpoint: endpoint) }
    case .waiting(let wait): remark("It waited for \(wait.words).", on: event.call)
    case .foundInCache(let freshness): remark("It is in the cache, \(freshness).", on: event.call)
    case .attemptStarted(let number, let request, let engine):
      guard let known = open[event.call] else { return }
      append(number, Request(request), engine, event.call, known, moment)
      open[event.call]?.line = feed.subjects.last?.id
      open[event.call]?.remarks = []
    case .attemptEnded(_, let outcome):
      guard let line = open[event.call]?.line else { return }
      open[event.call]?.over = moment
      feed.update(line) { ($0.outcome, $0.over) = (outcome, moment) }
      count(line)
    case .retryScheduled(_, let delay):
      remark("Another attempt follows after \(Int(delay.inMilliseconds)) ms.", on: event.call)
    case .retryNotPaid: remark("The retry budget is spent: no attempt follows.", on: event.call)
    case .credentialRenewed: remark("A new credential was fetched.", on: event.call)
    case .callEnded:
      guard let call = open.removeValue(forKey: event.call), call.line == nil else { return }
      // The call ended without a request.
      let url = RequestURL(call.endpoint.path)
      append(1, Request(call.endpoint.method.rawValue, url), nil, event.call, call, moment)
      guard let line = feed.subjects.last?.id else { return }
      feed.update(line) { $0.over = moment }
      count(line)
    }
  }

  private mutating func append(
    _ number: Int,
    _ request: Request,
    _ engine: String?,
    _ call: Int,
    _ known: Open,
    _ moment: Duration
  ) {
    feed.append(
      LayerAttempt(
        id: feed.nextID,
        call: call,
        segment: feed.segments.last?.number ?? 1,
        at: moment,
        attempt: number,
        gap: known.over.map { moment - $0 },
        asked: request,
        engine: engine,
        remarks: known.remarks,
        rules: rules
      )
    )
  }

  private mutating func remark(_ words: String, on call: Int) {
    if let line = open[call]?.line {
      feed.update(line) { if $0.remarks.count < Self.remarksMax { $0.remarks.append(words) } }
    } else if open[call].map({ $0.remarks.count < Self.remarksMax }) == true {
      open[call]?.remarks.append(words)
    }
  }

  private mutating func count(_ line: Int) {
    guard let row = feed[line]?.row, let over = feed[line]?.over else { return }
    feed.counters.took(row, at: over)
  }
}

extension CallEvent.Wait {
  /// The reason as text.
  fileprivate var words: String {
    switch self {
    case .order: "the previous call"
    case .slot: "a free slot"
    case .pause: "its caller to resume it"
    case .sharedResponse: "an equal call"
    case .retryAfter: "the time that the server requested"
    case .network: "a network"
    }
  }
}
