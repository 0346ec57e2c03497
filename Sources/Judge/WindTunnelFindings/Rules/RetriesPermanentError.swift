extension FindingRule {
  /// Something is tried again that no repetition can mend.
  static let retriesPermanentError = FindingRule(
    id: "retries-permanent-error",
    title: "Tries the same again after an error that no retry mends.",
    condition: "an attempt was answered 400, 403, 404, 405, 410, 413, 414, 415, 422 or 501, or its "
      + "certificate was bad",
    cost: "The user waits for an error that is certain, and the server answers it several times.",
    fix: "Retry 408, 429, 500, 502, 503, 504 and broken connections alone.",
    source: "RFC 9110 §15.5 (the client should not repeat a 400 without changing it)",
    clients: Set(ClientRun.Client.allCases)
  ).eachCall(.lasting) { call in
    guard call.attempts.contains(where: \.isPermanent) else { return .notMet }
    let pairs = call.repeats.filter { call.attempts[$0.before].isPermanent }
    guard let place = pairs.first?.before else { return .kept }
    let first = call.attempts[place]
    // What came in between, or overlaps, is asked for again as well.
    let again = call.attempts[(place + 1)...].count { $0.asksAgain(for: first) }
    let what = first.status.map { "\($0)" } ?? first.error.map(Figures.symptom) ?? "it"
    return .broken(
      "After \(what) it asked for the same \(again) \(again == 1 ? "time" : "times") more.",
      // Some libraries take a certificate for a connection that broke (urllib3).
      severity: pairs.count == 1 || first.status == nil ? .warning : nil
    )
  }
}

extension Observation.Attempt {
  private static let statuses: Set<Int> = [400, 403, 404, 405, 410, 413, 414, 415, 422, 501]

  /// Tells whether it asks for what an earlier attempt asked for; of a connection that failed
  /// nobody knows, and what comes behind it tries once more.
  fileprivate func asksAgain(for first: Self) -> Bool {
    first.isRequest ? isRequest && key == first.key : !isUnderBadCertificate
  }

  /// Tells whether a fault did to it what stays so: a recorded 404 may be what a client polls for.
  fileprivate var isPermanent: Bool {
    if let error { return Self.certificateErrors.contains(error) }
    return injectedStatus.map(Self.statuses.contains) ?? false
  }
}
