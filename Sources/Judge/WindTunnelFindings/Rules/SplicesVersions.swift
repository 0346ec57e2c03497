extension FindingRule {
  /// Parts of two versions of a body are shown as one body.
  static let splicesVersions = FindingRule(
    id: "splices-versions",
    title: "Shows the beginning of one version of a body with another version behind it.",
    condition:
      "an answer was cut in its body, its client asked for the rest by Range, and there was another version "
      + "by then",
    cost:
      "A file or a list that never was is stored and shown, and nothing says that it is broken.",
    fix:
      "Send If-Range with the strong ETag of what is there; put only a 206 of the same tag behind it, and "
      + "begin anew with a 200.",
    source:
      "RFC 9110 §13.1.5 (If-Range), §14.2 (Range), §15.3.7.3 (parts are combined only where they share a "
      + "strong validator)"
  ).needing(\.joinsVersions).eachCall(.repeats) { call in
    guard let (cut, rest) = call.changedResumption, let old = cut.version, let new = rest.version
    else { return .notMet }
    guard call.claimsSuccess else { return .kept }
    // What else it shows may be made of anything.
    guard let joins = call.observation.joinsVersions else { return .notMet }
    guard joins else { return .kept }
    let beginning = cut.bytes.map { "the first \(Figures.bytes($0))" } ?? "the beginning"
    let isConditional = rest.sent?.isResumedConditionally == true
    let answer =
      rest.status == 206
      ? "the rest of version \(Observation.Attempt.tag(new)), which it had asked for "
        + (isConditional ? "with If-Range" : "without If-Range")
      : "the whole of version \(Observation.Attempt.tag(new)), which was the answer to "
        + (isConditional ? "If-Range" : "Range")
    return .broken(
      "Behind \(beginning) of version \(Observation.Attempt.tag(old)), where that broke off, it put "
        + "\(answer)."
    )
  }
}

extension EvidenceRows {
  /// Whether a successful call returned the beginning of one version of a body with another
  /// version, or the rest of it, behind it; `nil` if it had no two versions to return, or returned
  /// something else.
  public var joinsVersions: Evidence<Bool> {
    Evidence("joinsVersions", JSONFields.fact) { call in
      call.success.flatMap { call.bodies.joins($0, call.key, call.versions) }
    }
  }
}

extension JudgedCall {
  /// The answer of a version that was cut in its body, and the first request that took it up and
  /// was answered with another version.
  fileprivate var changedResumption: (cut: Observation.Attempt, rest: Observation.Attempt)? {
    var cuts: [String: Observation.Attempt] = [:]
    for attempt in attempts {
      guard let version = attempt.version else { continue }
      if attempt.error == nil, attempt.sent?.resumesAt != nil, let cut = cuts[attempt.key],
        cut.version != version
      {
        return (cut, attempt)
      }
      if attempt.error != nil, attempt.status != nil, cuts[attempt.key] == nil {
        cuts[attempt.key] = attempt
      }
    }
    return nil
  }
}
