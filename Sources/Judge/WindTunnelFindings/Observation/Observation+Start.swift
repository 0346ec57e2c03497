extension Observation {
  /// All attempts of the call, with those of the app's start, in the order in which they came.
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

  /// Takes all attempts of a call, and puts those of the app's start apart.
  ///
  /// Where connections failed and no request of the call's own came, nobody can tell how many of
  /// them were for what it asks for, and their number was not observed.
  package mutating func take(_ all: [Attempt]) {
    // Most calls have no start, and their attempts are not looked at one by one.
    guard all.contains(where: \.isOfStart) else {
      attempts = all
      return
    }
    attempts = all.filter { !$0.isOfStart }
    startAttempts = all.filter(\.isOfStart)
    if attempts.isEmpty, startAttempts.contains(where: { !$0.isRequest }) { attemptCount = nil }
  }

  /// Changes every attempt, those of the app's start included.
  package mutating func changeAllAttempts(_ change: (inout Attempt) -> Void) {
    for place in attempts.indices { change(&attempts[place]) }
    // Most calls have none.
    guard !startAttempts.isEmpty else { return }
    var ofStart = startAttempts
    for place in ofStart.indices { change(&ofStart[place]) }
    startAttempts = ofStart
  }

  /// Changes the attempt of a place among all that came, those of the app's start included.
  ///
  /// - Parameters:
  ///   - place: The place, from 0.
  ///   - ofStart: The places of the attempts of the app's start, in order.
  ///   - change: The change; it is not made where there is no such place.
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
