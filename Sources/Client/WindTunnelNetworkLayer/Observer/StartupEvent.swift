public import Foundation

/// An event of an app's start that an ``Observer`` receives.
public enum StartupEvent: Sendable, Hashable {
  /// The app continues with a configuration from this source.
  case configured(ConfigurationSource)
  /// A fetched configuration was refused and not applied.
  case fetchRefused(FetchRefusal)
  /// The last good configuration cannot be used, with the reason.
  case keptRefused(String)
  /// A configuration cannot be stored for the next start, with the reason.
  case notKept(String)
  /// The candidate servers were probed, or the result of an earlier probing was used.
  case dialed(DialRecord)

  /// The name of the event for counters, including the reason's, such as `fetchRefused.expired`.
  public var name: String {
    switch self {
    case .configured(let source): "configured.\(source.name)"
    case .fetchRefused(let refusal): "fetchRefused.\(refusal.name)"
    case .keptRefused: "keptRefused"
    case .notKept: "notKept"
    case .dialed(let record): record.isRemembered ? "dialed.remembered" : "dialed.probed"
    }
  }
}

/// The source of the topmost layer of a configuration.
public enum ConfigurationSource: Sendable, Hashable, Codable {
  /// The built-in layer and the layer set at launch.
  case builtIn
  /// The layer that was fetched at an earlier start.
  case lastGood(version: Int)
  /// The layer that was fetched at this start.
  case fetched(version: Int)

  /// The name of the source without its version.
  public var name: String {
    switch self {
    case .builtIn: "builtIn"
    case .lastGood: "lastGood"
    case .fetched: "fetched"
    }
  }

  /// The version of the fetched layer; `nil` if there is none.
  public var version: Int? {
    switch self {
    case .builtIn: nil
    case .lastGood(let version), .fetched(let version): version
    }
  }
}

/// The reason why a fetched configuration is not applied.
public enum FetchRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// Nothing was fetched, because it could be neither verified nor stored, with the fix.
  case off(String)
  /// There was no response, with the transport's text.
  case unreachable(String)
  /// There was no complete response within the time budget.
  case late(Duration)
  /// The response has another status than 200.
  case status(Int)
  /// The response has more than this number of bytes.
  case oversized(most: Int)
  /// The response is not signed with a built-in key: it is from another source, or it was changed.
  case unsigned
  /// The signed text is not a configuration, with the reason.
  case malformed(String)
  /// The signed configuration has expired at this time.
  case expired(Date)
  /// The signed configuration is older than the known one, or differs from it with the same
  /// version.
  case replayed(version: Int, known: Int)
  /// The configuration is signed with a key that a later key of the list has replaced.
  case retired
  /// The resulting configuration is invalid, with the problems.
  case invalid([String])

  /// The name of the reason without its details.
  public var name: String {
    switch self {
    case .off: "off"
    case .unreachable: "unreachable"
    case .late: "late"
    case .status: "status"
    case .oversized: "oversized"
    case .unsigned: "unsigned"
    case .malformed: "malformed"
    case .expired: "expired"
    case .replayed: "replayed"
    case .retired: "retired"
    case .invalid: "invalid"
    }
  }

  /// The reason in one sentence, for a log.
  public var description: String {
    switch self {
    case .off(let text): "Fetched configuration is off. \(text)"
    case .unreachable(let text): "No configuration arrived: \(text)"
    case .late(let budget): "No complete configuration arrived within \(budget)."
    case .status(let status): "The response has status \(status) instead of 200."
    case .oversized(let most): "The response has more than \(most) bytes."
    case .unsigned: "The response is not signed with a built-in key, so its sender is unknown."
    case .malformed(let text): "The signed data is not a configuration: \(text)"
    case .expired(let date): "The configuration expired at \(date)."
    case .replayed(let version, let known):
      "The configuration has version \(version), but version \(known) is known; publish a higher one."
    case .retired:
      "The configuration is signed with a key that was replaced; sign with the latest key."
    case .invalid(let faults): faults.joined(separator: " ")
    }
  }
}

/// The result of a dial test: the probed servers and their order.
public struct DialRecord: Sendable, Hashable, Codable {
  /// One server and its probes.
  public struct Candidate: Sendable, Hashable, Codable {
    /// The base URL of the server.
    public var url: URL
    /// The number of probes that were sent to it.
    public var requests = 0
    /// The times of the successful probes, from the request to the last byte.
    public var samples: [Duration] = []
    /// The median of the samples; `nil` if too few probes succeeded.
    public var median: Duration?
    /// The estimated speed in bytes per second; `nil` if the probe data is too short for an
    /// estimate.
    public var bytesPerSecond: Double?
    /// The reason why the last failed probe failed; `nil` if none failed.
    public var failure: String?
    /// The time that its median had to beat when the test stopped waiting for it; `nil` otherwise.
    ///
    /// Such a server was too slow to be chosen, but has not failed.
    public var slowerThan: Duration?

    /// Creates a candidate without probes.
    public init(_ url: URL) { self.url = url }
  }

  /// The name of the network; `nil` if it is unknown.
  public var network: String?
  /// The servers in the order in which to try them.
  public var order: [URL]
  /// The servers with their probes, in the given order.
  public var candidates: [Candidate]
  /// Whether nothing was sent, because the choice for this network is remembered.
  public var isRemembered: Bool
  /// The estimated speed to the first server in bytes per second; `nil` if there is no estimate.
  public var bytesPerSecond: Double?
  /// The duration of the dial test.
  public var elapsed: Duration

  /// Creates a record before the first probe, with the servers in the given order.
  package init(network: String?, servers: [URL]) {
    (self.network, order, candidates) = (network, servers, servers.map { Candidate($0) })
    (isRemembered, elapsed) = (false, .zero)
  }

  /// Whether a server has responded correctly, now or when the choice was remembered.
  public var isFound: Bool { isRemembered || candidates.contains { $0.median != nil } }

  /// The server to try first; `nil` if there are none.
  public var chosen: URL? { order.first }

  /// Returns the server to try if another one is unreachable; `nil` after the last one.
  public func next(after url: URL) -> URL? {
    guard let place = order.firstIndex(of: url), place + 1 < order.count else { return nil }
    return order[place + 1]
  }
}
