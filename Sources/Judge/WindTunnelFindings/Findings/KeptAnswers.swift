/// The responses of a run that a client could store, by their requests.
struct KeptAnswers {
  /// A response and the time of its end.
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
        answers[attempt.key, default: []].append(Answer(end: end, terms: terms))
      }
    }
    for key in answers.keys { answers[key]?.sort { $0.end < $1.end } }
  }

  /// Returns the last response for the request of a call before a moment, or `nil` if there is
  /// none. Also returns `nil` for a call without a request if several share its endpoint, because
  /// it does not show which one it means.
  func last(for call: Observation, before moment: Duration) -> Answer? {
    let keys = keys[call.endpoint] ?? []
    let asked = call.attempts.first { $0.isRequest && $0.asks(for: call.endpoint) }?.key
    let key = asked ?? (keys.count == 1 ? keys.first : nil)
    guard let key, let answers = answers[key] else { return nil }
    let count = answers.countOfFirst { $0.end < moment }
    return count > 0 ? answers[count - 1] : nil
  }
}

extension ClientRun {
  /// Whether its client has shown that it stores responses. It has if it sent a validator, showed a
  /// response without a request, or reported a copy.
  var showsCache: Bool {
    calls.contains { call in
      call.isStale == true || call.attempts.contains { $0.sent?.isConditional == true }
        || call.ending == .succeeded && call.attemptCount == 0 && call.attempts.isEmpty
          && call.bodyMatches == true
    }
  }

  /// Whether all calls of an endpoint use the same URL, by which most caches recognise a response.
  var keepsAddresses: Bool {
    stage == .inProcess || scenario?.showsWhatMayBeKept == true && mostAtOnce <= 1
  }

  /// The sentence of rules about caches if each call has a URL of its own.
  static let changesAddresses =
    "Each call had its own address, so the client cannot have stored a response for it."
}

extension Observation.Attempt {
  /// Returns whether the attempt is a request for an endpoint, with any query.
  func asks(for endpoint: String) -> Bool {
    // Compared as bytes, because iterating over characters takes far longer.
    key.utf8.prefix { $0 != UInt8(ascii: "?") }.elementsEqual(endpoint.utf8)
  }
}
