extension Observation {
  /// All attempts of the call, including attempts of the app's start, in order of arrival.
  public var allAttempts: [Attempt] {
    let ofStart = startAttempts
    if ofStart.isEmpty { return attempts }
    var (all, next): ([Attempt], Int) = ([], 0)
    for attempt in attempts {
      while next < ofStart.count, ofStart[next].begins(before: attempt) {
        all.append(ofStart[next])
        next += 1
      }
      all.append(attempt)
    }
    return all + ofStart[next...]
  }

  /// Sets the attempts of a call, and separates the attempts of the app's start.
  ///
  /// If connections failed and the call made no request of its own, the number of its own attempts
  /// is unknown and counts as not observed.
  package mutating func take(_ all: [Attempt]) {
    // Most calls have no start, so their attempts do not need to be separated.
    guard all.contains(where: \.isOfStart) else {
      attempts = all
      return
    }
    attempts = all.filter { !$0.isOfStart }
    startAttempts = all.filter(\.isOfStart)
    if attempts.isEmpty, startAttempts.contains(where: { !$0.isRequest }) { attemptCount = nil }
  }

  /// Changes every attempt, including attempts of the app's start.
  package mutating func changeAllAttempts(_ change: (inout Attempt) -> Void) {
    for place in attempts.indices { change(&attempts[place]) }
    // Most calls have no such attempts.
    guard !startAttempts.isEmpty else { return }
    var ofStart = startAttempts
    for place in ofStart.indices { change(&ofStart[place]) }
    startAttempts = ofStart
  }

  /// Changes the attempt at an index among all attempts, including attempts of the app's start.
  ///
  /// - Parameters:
  ///   - place: The index, counted from 0.
  ///   - ofStart: The indices of the attempts of the app's start, in order.
  ///   - change: The change. It is not applied if there is no such index.
  package mutating func changeAttempt(
    at place: Int,
    whereOfStart ofStart: [Int],
    _ change: (inout Attempt) -> Void
  ) {
    if let index = ofStart.firstIndex(of: place) {
      if startAttempts.indices.contains(index) { change(&startAttempts[index]) }
      return
    }
    let index = place - ofStart.count { $0 < place }
    if attempts.indices.contains(index) { change(&attempts[index]) }
  }
}

extension Observation.Attempt {
  fileprivate func begins(before other: Self) -> Bool {
    guard let start, let next = other.start else { return true }
    return start <= next
  }
}
