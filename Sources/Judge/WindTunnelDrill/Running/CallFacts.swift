internal import Foundation

/// The observed facts of one call.
struct CallFacts: Sendable {
  /// The number of attempts.
  var count = 0
  /// Whether the server intentionally sent a valid response other than the recorded one.
  var hasMutation = false
  /// Whether no fault replaces or cuts the response to one of its requests.
  var isServed = false
  /// The facts by which requests of an app's start are recognised.
  var start = StartRequests.Facts()
  /// The first request that is not on the cassette, with the nearest one that is.
  var notOnCassette: String?
  /// The first requests of the call. Its client may print their secrets.
  private(set) var requests: [Request] = []
  /// The host of its first request.
  private var host: String?
  /// Whether its first request used TLS.
  private var isSecure: Bool?
  /// The numbers of the values by which the call's own requests are compared, counted from 0. They
  /// do not depend on concurrent calls.
  private var numbers = CallNumbers()
  /// The number of values of this call that are compared with values of other calls.
  private var marks = 0
  /// The versions of the bodies in its responses, in order.
  private(set) var versions: [AnsweredVersion] = []
  /// The point at which its last response was cut, if that was a stream of events.
  var cut: CutStream?
  /// Whether its last response was a stream that ended with an error event.
  var endsInErrorEvent = false
  /// The time of the first sign of the client: a DNS query, a connection or a request.
  var firstSign: Duration?

  /// The limits of the stored requests of a call.
  private static let requestsMax = 4
  private static let versionsMax = 8
  private static let requestBytesMax = 64 << 10

  init(firstSign: Duration? = nil) { self.firstSign = firstSign }

  /// Records a request of the call, and returns the facts about it that rules compare.
  mutating func note(
    _ request: SentRequest,
    of call: Int,
    isOfStart: Bool,
    _ startRequests: StartRequests,
    _ shared: inout SharedValues
  ) -> Observation.Sent {
    let (outcome, values, resumesAt) = (request.outcome, request.values, request.resumesAt)
    if outcome.request.body.count <= Self.requestBytesMax, requests.count < Self.requestsMax {
      requests.append(outcome.request)
    }
    var sent = Observation.Sent()
    sent.content = values.content.map { numbers.number(of: $0) }
    sent.credentials = values.credentials.map { numbers.number(of: $0) }
    sent.apiKeys = values.apiKeys.map { numbers.number(of: $0) }
    sent.key = values.key.map { numbers.number(of: $0) }
    sent.deed = values.deed.map { numbers.number(of: $0) }
    sent.marks = values.marks.map { shared.numbers.number(of: $0, in: call, &marks) }
    // A start makes requests to several servers, and their order is not the call's behaviour.
    sent.isElsewhere = !isOfStart && host.map { $0 != request.host } ?? false
    if host == nil, !isOfStart { host = request.host }
    sent.isSecure = outcome.isSecure
    if outcome.isHTTP2 { sent.httpProtocol = .h2 }
    sent.isConditional = outcome.request.isConditional
    sent.resumesAt = resumesAt
    sent.isResumedConditionally = resumesAt != nil && outcome.request.headers["If-Range"] != nil
    startRequests.note(outcome, isOfStart: isOfStart, in: &start)
    if !isOfStart, let number = outcome.decision.faults.version,
      versions.count < Self.versionsMax
    {
      var version = AnsweredVersion(number: number)
      (version.resumesAt, version.origin) = (resumesAt, outcome.request.url.origin)
      version.isOfFailedProbe = version.origin.map(start.failedProbes.contains) ?? false
      versions.append(version)
    }
    if isSecure == true, !outcome.isSecure {
      let open = SentValues.openCookies(of: shared.cassette)
      sent.credentials = SentValues(of: outcome, besidesCookies: open).credentials
        .map { numbers.number(of: $0) }
    }
    if isSecure == nil { isSecure = outcome.isSecure }
    if outcome.request.url.query != nil {
      sent.takeParameters(of: outcome.request, recorded: shared.recordedQueries)
    }
    return sent
  }
}

/// A request with the values by which it is compared. They are computed outside a lock.
struct SentRequest: Sendable {
  let outcome: Outcome
  let values: SentValues
  let host: String?
  let resumesAt: Int?

  init(_ outcome: Outcome, _ values: SentValues, on stage: Stage) {
    (self.outcome, self.values) = (outcome, values)
    host = SentValues.host(of: outcome, on: stage)
    resumesAt = outcome.request.resumesAt
  }
}

/// The values by which requests of several calls are compared.
struct SharedValues: Sendable {
  let cassette: Cassette
  var numbers = ValueNumbers()
  /// The names of the recorded query parameters of each path.
  private(set) lazy var recordedQueries = SentValues.queries(of: cassette)

  init(of cassette: Cassette) { self.cassette = cassette }
}
