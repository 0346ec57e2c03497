extension FindingRule {
  /// Finds clients that send secrets over plain HTTP. Only a proxy observes the scheme with which a
  /// client connects to the real server.
  static let sendsSecretInClear = FindingRule(
    id: "sends-secret-in-clear",
    title: "Sends a credential or a key to another machine without TLS.",
    condition: "a request was sent to another machine by plain http",
    cost: "Every device on the same Wi-Fi or network path can read and use it.",
    fix: "Use https, and follow no redirect to http with a credential.",
    source: "RFC 6750 §5.3 (always use TLS); RFC 6265 §8.3; OWASP MASVS-NETWORK-1",
    clients: [.proxied]
  ).together(.inClear) { rule, _, flight in
    func inClear(_ place: Int) -> some Sequence<Observation.Sent> {
      flight.calls[place].attempts.lazy.compactMap(\.sent).filter(\.isInClear)
    }
    func secrets(_ place: Int) -> [String] {
      inClear(place).map(\.secretsInClear).first { !$0.isEmpty } ?? []
    }
    let met = flight.calls.indices.filter { inClear($0).contains { _ in true } }
    let broken = met.filter { !secrets($0).isEmpty }
    return rule.standing(broken, of: met.count, in: flight) { place in
      "It sent \(secrets(place).joined(separator: ", ")) by plain http."
    }
  }
}
