extension FindingRule {
  /// Finds clients that show parts of two versions of a body as one body.
  static let splicesVersions = FindingRule(
    id: "splices-versions",
    title: "Joins the beginning of one version of a body with another version.",
    condition:
      "a response was truncated in its body, the client requested the rest by Range, and the body "
      + "had a new version by then",
    cost: "A file or list that never existed is stored and shown, without an error.",
    fix:
      "Send If-Range with the strong ETag of the stored part. Append only a 206 with the same tag, "
      + "and start again on a 200.",
    source:
      "RFC 9110 §13.1.5 (If-Range), §14.2 (Range), §15.3.7.3 (combining parts requires the same "
      + "strong validator)"
  ).needing(\.joinsVersions).eachCall(.repeats) { call in
    guard let (cut, rest) = call.changedResumption, let old = cut.version, let new = rest.version
    else { return .notMet }
    guard call.claimsSuccess else { return .kept }
    // Any other result may have any origin.
    guard let joins = call.observation.joinsVersions else { return .notMet }
    guard joins else { return .kept }
    let beginning = cut.bytes.map { "the first \(Figures.bytes($0))" } ?? "the beginning"
    let isConditional = rest.sent?.isResumedConditionally == true
    let answer =
      rest.status == 206
      ? "the rest of version \(Observation.Attempt.tag(new)), which it had requested "
        + (isConditional ? "with If-Range" : "without If-Range")
      : "the whole of version \(Observation.Attempt.tag(new)), which was the response to "
        + (isConditional ? "If-Range" : "Range")
    return .broken(
      "To \(beginning) of version \(Observation.Attempt.tag(old)), which was truncated, it "
        + "appended \(answer)."
    )
  }
}

extension EvidenceRows {
  /// Whether a successful call returned the beginning of one version of a body, followed by another
  /// version or its rest. `nil` if it did not receive two versions, or returned something else.
  public var joinsVersions: Evidence<Bool> {
    Evidence("joinsVersions", JSONFields.fact) { call in
      call.success.flatMap { call.bodies.joins($0, call.key, call.versions) }
    }
  }
}

extension JudgedCall {
  /// The response of a version that was cut in its body, and the first request that resumed it and
  /// received another version.
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
