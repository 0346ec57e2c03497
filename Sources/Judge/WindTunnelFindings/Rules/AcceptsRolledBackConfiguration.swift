extension FindingRule {
  /// A configuration that was withdrawn is served once more.
  static let acceptsRolledBackConfiguration = FindingRule(
    id: "accepts-rolled-back-configuration",
    title: "Goes by a signed configuration that is older than the one that it has.",
    condition:
      "at an app's start a program whose command names what it has kept ({kept}) was served an older "
      + "configuration, and what it sent shows by which version it went",
    cost: "A configuration that was withdrawn for its faults comes back with whoever has a copy.",
    fix:
      "Keep the highest version that was ever taken where an update does not forget it, and refuse all "
      + "that is below it.",
    source:
      "The Update Framework specification §1.5.2 (rollback attack); CWE-345; CWE-294 (replay)",
    clients: [.program]
  ).eachCall(with: \.configuration) { call, use in
    guard let kept = use.kept, let older = use.older,
      !older.isEmpty
    else { return .notMet }
    guard let version = use.used.first(where: older.contains) else { return .kept }
    return .broken(
      "It had version \(kept) of the configuration, was served version \(version), and went by that."
    )
  }
}
