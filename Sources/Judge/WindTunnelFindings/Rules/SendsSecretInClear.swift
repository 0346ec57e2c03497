extension FindingRule {
  /// Only a proxy sees by which scheme a client would ask the real server.
  static let sendsSecretInClear = FindingRule(
    id: "sends-secret-in-clear",
    title: "Sends a credential or a key to another machine without TLS.",
    condition: "a request went to another machine by plain http",
    cost: "Everybody on the same Wi-Fi, and whoever is on the way, reads it and can use it.",
    fix:
      "Ask by https, and for nothing that needs a credential by http, not even to be redirected.",
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
