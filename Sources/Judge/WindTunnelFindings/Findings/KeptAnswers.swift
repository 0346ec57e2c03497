/// The answers of a flight that a client could keep, by the endpoints of its calls.
struct KeptAnswers {
  /// An answer and the time at which it had come.
  struct Answer {
    var end: Duration
    var terms: Observation.CacheTerms
  }

  private var keys: [String: Set<String>] = [:]
  private var answers: [String: [Answer]] = [:]

  init(of calls: [Observation]) {
    for call in calls {
      for attempt in call.attempts where attempt.isRequest && attempt.asks(for: call.endpoint) {
        keys[call.endpoint, default: []].insert(attempt.key)
        guard let terms = attempt.cacheTerms, attempt.isAnswered, let end = attempt.end else {
          continue
        }
        answers[call.endpoint, default: []].append(Answer(end: end, terms: terms))
      }
    }
    for endpoint in answers.keys { answers[endpoint]?.sort { $0.end < $1.end } }
  }

  /// Returns the last answer that had come for an endpoint before a moment; `nil` where there was
  /// none, or where several requests share the endpoint: of a call without a request nobody knows
  /// which it means.
  func last(for endpoint: String, before moment: Duration) -> Answer? {
    guard keys[endpoint]?.count == 1, let answers = answers[endpoint] else { return nil }
    let count = answers.countOfFirst { $0.end < moment }
    return count > 0 ? answers[count - 1] : nil
  }
}

extension ClientRun {
  /// Tells whether its client has shown that it keeps answers: it asked by a validator, showed one
  /// without asking, or said that it shows a copy.
  var showsCache: Bool {
    calls.contains { call in
      call.isStale == true || call.attempts.contains { $0.sent?.isConditional == true }
        || call.ending == .succeeded && call.attemptCount == 0 && call.attempts.isEmpty
          && call.bodyMatches == true
    }
  }

  /// Tells whether all calls for an endpoint are made at one address, by which most caches know an
  /// answer again.
  var keepsAddresses: Bool {
    stage == .inProcess || scenario?.showsWhatMayBeKept == true && mostAtOnce <= 1
  }

  /// The sentence of a rule about caches where calls have addresses of their own.
  static let changesAddresses =
    "Its calls had addresses of their own, at which no client can have kept an answer."
}

extension Observation.Attempt {
  /// Tells whether it is a request for an endpoint, whatever its query is.
  func asks(for endpoint: String) -> Bool {
    // As bytes: a text is looked through as a chain of characters, which takes far longer.
    key.utf8.prefix { $0 != UInt8(ascii: "?") }.elementsEqual(endpoint.utf8)
  }
}
