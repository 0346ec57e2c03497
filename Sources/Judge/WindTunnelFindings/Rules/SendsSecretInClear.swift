extension FindingRule {
  /// Only a proxy sees by which scheme a client would ask the real server.
  static let sendsSecretInClear = FindingRule(
    id: "sends-secret-in-clear",
    severity: .error,
    title: "Sends a credential or a key to another machine without TLS.",
    condition: "a request went to another machine by plain http",
    cost: "Everybody on the same Wi-Fi, and whoever is on the way, reads it and can use it.",
    fix:
      "Ask by https, and for nothing that needs a credential by http, not even to be redirected.",
    source: "RFC 6750 §5.3 (always use TLS); RFC 6265 §8.3; OWASP MASVS-NETWORK-1",
    clients: [.proxied]
  ).together(.inClear) { rule, _, flight in
    var (met, broken): (Int, [Int]) = (0, [])
    for place in flight.calls.indices {
      let sent = flight.calls[place].attempts.lazy.compactMap(\.sent).filter(\.isInClear)
      if !sent.isEmpty { met += 1 }
      if sent.contains(where: { !$0.secretsInClear.isEmpty }) { broken.append(place) }
    }
    guard met > 0 else { return rule.notMet(by: 0) }
    guard let first = flight.firstCall(of: broken) else { return .passed(met) }
    let names = flight.calls[first].attempts.lazy.compactMap { $0.sent?.secretsInClear }
      .first { !$0.isEmpty }
    let call = JudgedCall.one(at: first, in: flight)
    let seen = "It sent \((names ?? []).joined(separator: ", ")) by plain http."
    return rule.broken(seen, in: call, calls: broken.count, of: met)
  }
}
