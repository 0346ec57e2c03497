extension FindingRule {
  /// Finds apps that accept an older configuration than the one they have kept.
  static let acceptsRolledBackConfiguration = FindingRule(
    id: "accepts-rolled-back-configuration",
    title: "Uses a signed configuration that is older than the one it has stored.",
    condition:
      "at the start of an app, a program whose command names its storage ({kept}) received an "
      + "older configuration, and its requests show which version it used",
    cost: "An attacker with a copy of a withdrawn configuration can bring its faults back.",
    fix: "Store the highest accepted version where updates keep it, and reject lower versions.",
    source:
      "The Update Framework specification §1.5.2 (rollback attack); CWE-345; CWE-294 (replay)",
    clients: [.program]
  ).eachCall(with: \.configuration) { call, use in
    guard let kept = use.kept, let older = use.older,
      !older.isEmpty
    else { return .notMet }
    guard let version = use.used.first(where: older.contains) else { return .kept }
    return .broken(
      "It had version \(kept) of the configuration, received version \(version), and used that one."
    )
  }
}
