extension Observation {
  /// The endpoint whose answer it shows and which it has not asked for by itself.
  var strangeAnswer: String? {
    guard let showsResponseOf = self.showsResponseOf, showsResponseOf != Self.portalPage else {
      return nil
    }
    let isAsked = attempts.contains { attempt in attempt.key.prefix { $0 != "?" } == showsResponseOf
    }
    return isAsked ? nil : showsResponseOf
  }

  /// Tells whether it ended before the server had answered its last request.
  var leftAnswerBehind: Bool {
    guard ending != .succeeded || wasGivenUp, let end,
      let last = attempts.last(where: \.isRequest), last.error == nil
    else { return false }
    return last.isOpenAtEnd || last.end.map { $0 > end } ?? true
  }
}
