internal import CWindTunnelFiles
package import Foundation

/// The files that ship inside the binary.
package enum Shipped {
  /// Returns the cassette that the default drill flies on.
  package static func cassette() throws -> Cassette {
    try Cassette(data: data("examples/shop") ?? Data(), source: "shop.json")
  }

  /// Returns the cassette of three servers on which scenarios of starts are flown.
  package static func startup() throws -> Cassette {
    try Cassette(data: data("examples/startup") ?? Data(), source: "startup.json")
  }

  /// The OpenAPI document of a server's admin port.
  package static var openAPI: Data { data("format/admin-1.openapi") ?? Data() }

  /// The template of the server in Python that `reproduce` writes. A line that ends with `#? WORD`
  /// belongs to a program that needs that.
  package static var reproduction: String {
    String(decoding: data("reproduction") ?? Data(), as: UTF8.self)
  }

  /// The plug-in for pytest that `mutate` loads, as a Python module `windtunnel_mutate`.
  package static var pytestPlugin: String {
    String(decoding: data("pytest-plugin") ?? Data(), as: UTF8.self)
  }

  /// The group `default-drill`: the names of the scenarios that the default drill flies, in its
  /// order.
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

  /// Returns all scenarios that ship.
  package static func scenarios() throws -> [Scenario] {
    try names().filter { $0.hasPrefix("scenarios/") }.map { name in
      try Scenario(data: data(name) ?? Data(), source: "\(name).json")
    }
  }

  /// The group `every-push`: short enough for a test of every push.
  package static let everyPush = [
    "calm", "latency", "packet-loss", "rate-limited", "server-errors", "dns-failure", "tls-failure",
    "offline", "outage",
  ]

  /// The group `pre-release`: the names of all that a release must fly.
  package static let preRelease = drill + weakNetwork + largeBodies + streams + sockets + startups

  /// Answers that fill the memory of a client without a limit to a body. Few clients have one, so
  /// that the default drill leaves them out.
  package static let largeBodies = ["endless-body"]

  /// Streams that say in an event that they have failed, which only a cassette with streams can
  /// show.
  package static let streams = ["error-in-200"]

  /// Conversations by WebSocket that break, which only a cassette with some can show.
  package static let sockets = ["socket-restart", "socket-stall", "socket-refused"]

  /// Starts of an app, which only a cassette that has one can show.
  package static let startups = [
    "nearest-dead", "nearest-slow", "nearest-lies", "config-garbage", "config-late",
    "config-replayed", "offline-start",
  ]

  /// The group `weak-network`: networks that come and go, which take longer to fly and ask more of
  /// a client than a test of every push does.
  package static let weakNetwork = [
    "very-bad-network", "metro", "elevator", "handover", "airplane-mode", "slow-dns",
    "ipv6-blackhole",
  ]

  /// Shipped scenarios by name, in the order of the names.
  package static func scenarios(named names: [String]) throws -> [Scenario] {
    try names.map { name in
      try Scenario(data: data("scenarios/\(name)") ?? Data(), source: "\(name).json")
    }
  }

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
  /// The scenarios that are short enough for a test of every push: the shipped group `every-push`.
  ///
  /// ```swift
  /// @Test(arguments: Scenario.everyPush)
  /// ```
  public static let everyPush = group(Shipped.everyPush)

  /// The scenarios of the default drill: every kind of fault that a client meets, in some of which
  /// no call can succeed. The drill takes a minute, or as long as a client waits for an answer that
  /// never comes.
  public static let defaultDrill = group(Shipped.drill)

  /// The scenarios for a release: the shipped group `pre-release`, which is the default drill,
  /// ``weakNetwork``, `endless-body`, `error-in-200`, the scenarios of WebSockets,
  /// `socket-restart`, `socket-stall` and `socket-refused`, and those of starts, `nearest-dead`,
  /// `nearest-slow`, `nearest-lies`, `config-garbage`, `config-late`, `config-replayed` and
  /// `offline-start`. Some of its networks come back only
  /// after seconds, so that a drill in it wants `.openLoop` and a few hundred calls.
  public static let preRelease = group(Shipped.preRelease)

  /// The scenarios of networks that come and go: the shipped group `weak-network`.
  public static let weakNetwork = group(Shipped.weakNetwork)

  private static func group(_ names: [String]) -> [Scenario] {
    do {
      return try Shipped.scenarios(named: names)
    } catch {
      // It is inside the binary, where nobody can have changed it.
      preconditionFailure("A shipped scenario does not read: \(error)")
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
  /// The scenarios of networks that come and go.
  public static var weakNetwork: [Scenario] { Scenario.weakNetwork }
}
