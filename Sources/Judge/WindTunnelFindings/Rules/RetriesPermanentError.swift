extension FindingRule {
  /// Finds clients that repeat a request after a permanent error.
  static let retriesPermanentError = FindingRule(
    id: "retries-permanent-error",
    title: "Repeats a request after an error that no retry can fix.",
    condition: "an attempt received 400, 403-405, 410, 413-415, 422, 501 or an invalid certificate",
    cost: "The user waits for an unavoidable error, and the server sends it several times.",
    fix: "Retry only 408, 429, 500, 502, 503, 504 and broken connections.",
    source: "RFC 9110 §15.5 (the client should not repeat a 400 without changing it)",
    clients: Set(ClientRun.Client.allCases)
  ).eachCall(.lasting) { call in
    guard call.attempts.contains(where: \.isPermanent) else { return .notMet }
    let pairs = call.repeats.filter { call.attempts[$0.before].isPermanent }
    guard let place = pairs.first?.before else { return .kept }
    let first = call.attempts[place]
    // Attempts between or during these are repetitions as well.
    let again = call.attempts[(place + 1)...].count { $0.asksAgain(for: first) }
    let what = first.status.map { "\($0)" } ?? first.error.map(Figures.symptom) ?? "it"
    return .broken(
      "After \(what) it sent the same request \(again) more \(again == 1 ? "time" : "times").",
      // Some libraries report an invalid certificate as a broken connection (urllib3).
      severity: pairs.count == 1 || first.status == nil ? .warning : nil
    )
  }
}

extension Observation.Attempt {
  private static let statuses: Set<Int> = [400, 403, 404, 405, 410, 413, 414, 415, 422, 501]

  /// Returns whether it repeats the request of an earlier attempt. The request of a failed
  /// connection is unknown, so any later attempt counts.
  fileprivate func asksAgain(for first: Self) -> Bool {
    first.isRequest ? isRequest && key == first.key : !isUnderBadCertificate
  }

  /// Whether its fault is permanent. Recorded errors do not count: a client may poll for a recorded
  /// 404.
  fileprivate var isPermanent: Bool {
    if let error { return Self.certificateErrors.contains(error) }
    return injectedStatus.map(Self.statuses.contains) ?? false
  }
}
