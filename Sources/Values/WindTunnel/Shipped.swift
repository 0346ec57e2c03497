internal import CWindTunnelFiles
package import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The files that are embedded in the binary.
package enum Shipped {
  /// Returns the cassette of the default drill.
  package static func cassette() throws -> Cassette {
    try Cassette(data: data("examples/shop") ?? Data(), source: "shop.json")
  }

  /// Returns the cassette of three servers for scenarios of starts.
  package static func startup() throws -> Cassette {
    try Cassette(data: data("examples/startup") ?? Data(), source: "startup.json")
  }

  /// The OpenAPI document of a server's admin port.
  package static var openAPI: Data { data("format/admin-1.openapi") ?? Data() }

  /// Returns the text of an embedded file. Names between `@` signs stand for the values.
  package static func text(_ name: String, _ values: [String: String] = [:]) -> String {
    let text = String(decoding: data(name) ?? Data(), as: UTF8.self)
    return values.reduce(text) { $0.replacing("@\($1.key)@", with: $1.value) }
  }

  /// The kinds of pages that have further rules.
  package enum Style: String {
    case findings, mutants

    /// The rules of all reports, and after them the rules of this kind.
    package var sheet: String {
      let bytes = ["report", rawValue].map { data("styles/\($0)") ?? Data() }.joined()
      return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
  }

  /// The group `default-drill`: the names of the default drill's scenarios, in order.
  package static let drill = [
    "calm", "latency", "packet-loss", "legal", "rate-limited", "retry-after-date",
    "retry-after-far", "limited", "one-fault", "server-errors", "permanent-errors",
    "broken-answers", "changed-between", "captive-portal", "portal-gone", "stale-answers",
    "redirect-elsewhere",
    "redirect-downgrade", "redirect-loop", "dns-failure", "tls-failure", "expired-certificate",
    "wrong-host", "unknown-authority", "offline", "outage", "reuse", "large-answer",
    "dead-connection", "late-answers", "recovery", "warm-outage", "auth-expiry",
    "auth-refused", "stall", "stalled-body", "connect-timeout", "slow-bytes", "cancel",
  ]

  /// Returns all embedded scenarios.
  package static func scenarios() throws -> [Scenario] {
    let folder = "scenarios/"
    let files = names().filter { $0.hasPrefix(folder) }
    return try scenarios(named: files.map { String($0.dropFirst(folder.count)) })
  }

  /// The group `every-push`: short enough for a test of every push.
  package static let everyPush = [
    "calm", "latency", "packet-loss", "rate-limited", "server-errors", "dns-failure", "tls-failure",
    "offline", "outage",
  ]

  /// The group `pre-release`: the names of all scenarios that a release must pass.
  package static let preRelease = drill + weakNetwork + largeBodies + streams + sockets + startups

  /// Responses that fill the memory of a client without a limit for bodies.
  ///
  /// Few clients have one, so the default drill does not contain them.
  package static let largeBodies = ["endless-body"]

  /// Streams that report a failure in an event, which need a cassette with streams.
  package static let streams = ["error-in-200"]

  /// WebSocket conversations that fail, which need a cassette with conversations.
  package static let sockets = ["socket-restart", "socket-stall", "socket-refused"]

  /// Starts of an app, which need a cassette with a start.
  package static let startups = [
    "nearest-dead", "nearest-slow", "nearest-lies", "config-garbage", "config-late",
    "config-replayed", "offline-start",
  ]

  /// The group `weak-network`: intermittent networks, which take longer and demand more of a client
  /// than a test of every push.
  package static let weakNetwork = [
    "very-bad-network", "metro", "elevator", "handover", "airplane-mode", "slow-dns",
    "ipv6-blackhole",
  ]

  /// Returns embedded scenarios by their names, in the order of the names.
  package static func scenarios(named names: [String]) throws -> [Scenario] {
    try names.map { name in
      if let scenario = parsed.withLock({ $0[name] }) { return scenario }
      let scenario = try Scenario(data: data("scenarios/\(name)") ?? Data(), source: "\(name).json")
      parsed.withLock { $0[name] = scenario }
      return scenario
    }
  }

  /// The scenarios that were parsed before, by name.
  private static let parsed = Locked<[String: Scenario]>([:])

  private static func names() -> [String] {
    (0...).lazy.map { wt_shipped_name($0) }.prefix { $0 != nil }.compactMap { name in
      name.map { String(cString: $0) }
    }
  }

  private static func data(_ name: String) -> Data? {
    guard let number = names().firstIndex(of: name),
      let bytes = wt_shipped_bytes(number)
    else { return nil }
    return Data(bytes: bytes, count: wt_shipped_length(number))
  }
}

extension Scenario {
  /// The scenarios that are short enough for a test of every push: the embedded group `every-push`.
  ///
  /// ```swift
  /// @Test(arguments: Scenario.everyPush)
  /// ```
  public static let everyPush = group(Shipped.everyPush)

  /// The scenarios of the default drill: every kind of network fault, including some in which no
  /// call can succeed.
  ///
  /// The drill takes a minute, or as long as a client waits for a response that never arrives.
  public static let defaultDrill = group(Shipped.drill)

  /// The scenarios for a release: the embedded group `pre-release`.
  ///
  /// It contains:
  ///
  /// - the default drill and ``weakNetwork``;
  /// - `endless-body` and `error-in-200`;
  /// - WebSockets: `socket-restart`, `socket-stall` and `socket-refused`;
  /// - starts: `nearest-dead`, `nearest-slow`, `nearest-lies`, `config-garbage`, `config-late`,
  ///   `config-replayed` and `offline-start`.
  ///
  /// Several of its networks recover only after seconds, so a drill needs `.openLoop` and a few
  /// hundred calls.
  public static let preRelease = group(Shipped.preRelease)

  /// The scenarios of intermittent networks: the embedded group `weak-network`.
  public static let weakNetwork = group(Shipped.weakNetwork)

  private static func group(_ names: [String]) -> [Scenario] {
    do {
      return try Shipped.scenarios(named: names)
    } catch {
      // The file is embedded in the binary, so it cannot have been changed.
      preconditionFailure("A shipped scenario is invalid: \(error)")
    }
  }
}

extension [Scenario] {
  /// The scenarios that are short enough for a test of every push.
  public static var everyPush: [Scenario] { Scenario.everyPush }
  /// The scenarios of the default drill.
  public static var defaultDrill: [Scenario] { Scenario.defaultDrill }
  /// The scenarios for a release.
  public static var preRelease: [Scenario] { Scenario.preRelease }
  /// The scenarios of intermittent networks.
  public static var weakNetwork: [Scenario] { Scenario.weakNetwork }
}
