internal import WindTunnel
internal import WindTunnelSymptoms

extension FindingRule {
  /// Finds clients that accept an invalid certificate, so that an attacker can impersonate the
  /// server.
  static let acceptsBadCertificate = FindingRule(
    id: "accepts-bad-certificate",
    title: "Sends its request to a server whose certificate is invalid.",
    condition:
      "a server presented a certificate that is expired, for another host or from an unknown "
      + "issuer, and a call with a valid certificate succeeded",
    cost: "An attacker on the network path can read passwords and change responses unnoticed.",
    fix: "Leave certificate checks to the TLS library. In tests, trust only the test's authority.",
    source:
      "RFC 9525 §6; RFC 5280 §6.1; Georgiev et al., The Most Dangerous Code in the World, CCS 2012"
  ).together { rule, troubled, flight in
    // In process, there is no handshake in which a client could fail.
    guard flight.stage == .onTheWire else {
      return .notMet("In process there is no TLS handshake; run the client over a socket.")
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
        "It sent its request although the handshake showed \(Figures.symptom(shown)).",
        in: example,
        calls: taken.count,
        of: met.count
      )
    }
    // If no call succeeded, the client rejected the authority, and not the fault in the
    // certificate.
    let bad = Set(met.map(\.observation.call))
    let isTrusted = flight.calls.contains { call in
      call.ending == .succeeded && !bad.contains(call.call)
    }
    return isTrusted
      ? .passed(met.count)
      : .notMet(
        "No call with a valid certificate succeeded: the client does not trust the run's "
          + "authority, whose file {ca} names."
      )
  }
}

extension Observation.Attempt {
  /// The errors with which a client that checks certificates ends the handshake.
  static let certificateErrors: Set<String> = Set(
    [
      Symptom.serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot,
    ].map(\.rawValue)
  )

  /// Whether its connection had an invalid certificate.
  var metBadCertificate: Bool { !isRequest && error.map(Self.certificateErrors.contains) ?? false }
}
