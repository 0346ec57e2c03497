extension Observation {
  /// The request of a response that the call shows without having requested it, or `nil` if there
  /// is none. A client may add parameters to a request.
  var strangeAnswer: String? {
    guard let showsResponseOf = self.showsResponseOf, showsResponseOf != Self.portalPage else {
      return nil
    }
    let (shown, parameters) = Self.parts(of: showsResponseOf)
    let isAsked = attempts.contains { attempt in
      let (asked, all) = Self.parts(of: attempt.key)
      return asked == shown && all.isSuperset(of: parameters)
    }
    return isAsked ? nil : showsResponseOf
  }

  /// Returns the endpoint of a request, and the parameters of its query.
  private static func parts(of key: String) -> (Substring, Set<Substring>) {
    let parts = key.split(separator: "?", maxSplits: 1)
    return (parts.first ?? "", Set(parts.dropFirst().first?.split(separator: "&") ?? []))
  }

  /// Whether the call ended before its last request had its complete response.
  var leftAnswerBehind: Bool {
    guard ending != .succeeded || wasGivenUp, let end,
      let last = attempts.last(where: \.isRequest), last.error == nil
    else { return false }
    return last.isOpenAtEnd || last.end.map { $0 > end } ?? true
  }
}
