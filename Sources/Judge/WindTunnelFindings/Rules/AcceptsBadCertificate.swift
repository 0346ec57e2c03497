internal import WindTunnel
internal import WindTunnelSymptoms

extension FindingRule {
  /// Anybody on the way can be the server.
  static let acceptsBadCertificate = FindingRule(
    id: "accepts-bad-certificate",
    title: "Sends its request under a certificate that does not hold.",
    condition:
      "a server showed a certificate that has expired, is another host's or of an unknown issuer, and a "
      + "call under a good one went well",
    cost: "Whoever is on the way reads passwords and changes answers, and nobody sees it.",
    fix:
      "Leave certificates to the TLS library; for a test's own authority, trust that one and no other.",
    source:
      "RFC 9525 §6; RFC 5280 §6.1; Georgiev et al., The Most Dangerous Code in the World, CCS 2012"
  ).together { rule, troubled, flight in
    // In process there is no handshake in which a client could be wrong.
    guard flight.stage == .onTheWire else {
      return .notMet("In process there is no handshake: it is seen on the wire.")
    }
    let met = troubled.filter {
      $0.traits.contains(.connectedOnly)
        && $0.observation.allAttempts.contains(where: \.metBadCertificate)
    }
    guard !met.isEmpty else { return rule.notMet(by: 0) }
    let taken = met.filter {
      $0.observation.allAttempts.contains { $0.isUnderBadCertificate && !$0.isPlain }
    }
    if let example = taken.smallest,
      let shown = example.observation.allAttempts.first(where: \.metBadCertificate)?.error
    {
      return rule.broken(
        "It sent its request all the same when the handshake showed \(Figures.symptom(shown)).",
        in: example,
        calls: taken.count,
        of: met.count
      )
    }
    // Whoever trusts nobody here has refused the authority, and not what was wrong.
    let bad = Set(met.map(\.observation.call))
    let isTrusted = flight.calls.contains { call in
      call.ending == .succeeded && !bad.contains(call.call)
    }
    return isTrusted
      ? .passed(met.count)
      : .notMet(
        "No call under a good certificate went well: the client does not trust the run's authority, whose "
          + "file {ca} names."
      )
  }
}

extension Observation.Attempt {
  /// The errors by which a client that looks at certificates would end the handshake.
  static let certificateErrors: Set<String> = Set(
    [
      Symptom.serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot,
    ].map(\.rawValue)
  )

  /// Tells whether its connection showed a certificate that does not hold.
  var metBadCertificate: Bool { !isRequest && error.map(Self.certificateErrors.contains) ?? false }
}
