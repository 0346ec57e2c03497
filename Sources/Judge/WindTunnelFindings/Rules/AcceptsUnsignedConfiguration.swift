extension FindingRule {
  /// Finds apps that accept a configuration with an invalid signature.
  static let acceptsUnsignedConfiguration = FindingRule(
    id: "accepts-unsigned-configuration",
    title: "Uses a configuration without a valid signature.",
    condition:
      "at the start of an app, a call received a changed configuration of a version that no call "
      + "received signed, and its requests show which version it used",
    cost: "An attacker on the network path decides which servers the app contacts.",
    fix:
      "Verify the signature over the exact bytes with a built-in key before parsing them. If it is "
      + "invalid, keep the last valid configuration.",
    source:
      "CWE-347 (improper verification of cryptographic signature); CWE-345; The Update Framework "
      + "specification §1.5.2 (arbitrary software attack)"
  ).eachCall(with: \.configuration) { call, use in
    guard !use.unsigned.isEmpty else { return .notMet }
    guard let version = use.used.first(where: use.unsigned.contains) else { return .kept }
    return .broken("It used version \(version) of the configuration, which has no valid signature.")
  }
}

extension EvidenceRows {
  /// The configurations that an app's start received and that the call used. `nil` if no request
  /// shows which configuration was used.
  public var configuration: Evidence<Observation.ConfigurationUse> {
    Evidence("configuration", JSONFields.fact) { $0.configuration }
  }
}
