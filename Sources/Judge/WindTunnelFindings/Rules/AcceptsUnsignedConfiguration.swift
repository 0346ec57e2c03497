extension FindingRule {
  /// A configuration is as good as any other bytes.
  static let acceptsUnsignedConfiguration = FindingRule(
    id: "accepts-unsigned-configuration",
    title: "Goes by a configuration that nobody has signed.",
    condition:
      "at an app's start a call's configuration came changed, of a version that came signed to none, and "
      + "what the call sent shows by which version it went",
    cost: "Whoever is on the way decides whom the app asks, and what it does there.",
    fix:
      "Verify the signature over the exact bytes by a key that is built in, before any of them is read; "
      + "go on with the last good one where it does not hold.",
    source:
      "CWE-347 (improper verification of cryptographic signature); CWE-345; The Update Framework "
      + "specification §1.5.2 (arbitrary software attack)"
  ).eachCall(with: \.configuration) { call, use in
    guard !use.unsigned.isEmpty else { return .notMet }
    guard let version = use.used.first(where: use.unsigned.contains) else { return .kept }
    return .broken(
      "It went by version \(version) of the configuration, which had come with bytes that nobody has "
        + "signed."
    )
  }
}

extension EvidenceRows {
  /// The configurations that an app's start met, and those that the call went by; `nil` if nothing
  /// that it sent shows by which it went.
  public var configuration: Evidence<Observation.ConfigurationUse> {
    Evidence("configuration", JSONFields.fact) { $0.configuration }
  }
}
