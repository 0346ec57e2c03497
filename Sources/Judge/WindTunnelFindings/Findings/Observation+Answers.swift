extension Observation {
  /// The endpoint of a response that the call shows without having requested it, or `nil` if there
  /// is none.
  var strangeAnswer: String? {
    guard let showsResponseOf = self.showsResponseOf, showsResponseOf != Self.portalPage else {
      return nil
    }
    let isAsked = attempts.contains { attempt in attempt.key.prefix { $0 != "?" } == showsResponseOf
    }
    return isAsked ? nil : showsResponseOf
  }

  /// Whether the call ended before its last request had its complete response.
  var leftAnswerBehind: Bool {
    guard ending != .succeeded || wasGivenUp, let end,
      let last = attempts.last(where: \.isRequest), last.error == nil
    else { return false }
    return last.isOpenAtEnd || last.end.map { $0 > end } ?? true
  }
}
