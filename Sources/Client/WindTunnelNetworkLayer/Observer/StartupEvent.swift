public import Foundation

/// An event of an app's start, which an ``Observer`` is told of.
public enum StartupEvent: Sendable, Hashable {
  /// The app goes on with a configuration of this source.
  case configured(ConfigurationSource)
  /// A fetched configuration was refused, and changed nothing.
  case fetchRefused(FetchRefusal)
  /// The last good configuration cannot be used, with the reason.
  case keptRefused(String)
  /// A configuration cannot be kept for the next start, with the reason.
  case notKept(String)
  /// The dial test has ended.
  case dialed(DialRecord)

  /// The name of the event for counters, with that of the reason, such as `fetchRefused.expired`.
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
  /// The layers that are built in and found out at launch.
  case builtIn
  /// The one that was fetched at an earlier start.
  case lastGood(version: Int)
  /// The one that was fetched just now.
  case fetched(version: Int)

  /// The name of the source without its version.
  public var name: String {
    switch self {
    case .builtIn: "builtIn"
    case .lastGood: "lastGood"
    case .fetched: "fetched"
    }
  }

  /// The version of the fetched layer; `nil` where there is none.
  public var version: Int? {
    switch self {
    case .builtIn: nil
    case .lastGood(let version), .fetched(let version): version
    }
  }
}

/// The reason for which a fetched configuration changes nothing.
public enum FetchRefusal: Error, Sendable, Hashable {
  /// Nothing was fetched, since it could be neither verified nor kept, with the fix.
  case off(String)
  /// No answer came, with the transport's words.
  case unreachable(String)
  /// No whole answer came within the budget.
  case late(Duration)
  /// The answer has another status than 200.
  case status(Int)
  /// The answer has more bytes than these.
  case oversized(most: Int)
  /// The answer has no signature of a key that is built in: another's page, or a changed one.
  case unsigned
  /// The signed text is no configuration, with the reason.
  case malformed(String)
  /// The signed configuration has expired at this time.
  case expired(Date)
  /// The signed configuration is older than what was known, or another one of the same version.
  case replayed(version: Int, known: Int)
  /// The key that has signed the configuration is one that a later key of the list has followed.
  case retired
  /// The layers with it make no valid configuration, with the problems.
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
}

extension FetchRefusal: CustomStringConvertible {
  /// The reason in one sentence, for a log.
  public var description: String {
    switch self {
    case .off(let text): "Fetched configuration is off. \(text)"
    case .unreachable(let text): "No configuration came: \(text)"
    case .late(let budget): "No whole configuration came within \(budget)."
    case .status(let status): "The answer has status \(status) in place of 200."
    case .oversized(let most): "The answer has more than \(most) bytes."
    case .unsigned: "The answer is signed by no key that is built in; another may have sent it."
    case .malformed(let text): "What is signed is no configuration: \(text)"
    case .expired(let date): "The configuration was good until \(date)."
    case .replayed(let version, let known):
      "The configuration has version \(version), and version \(known) is known; publish a higher one."
    case .retired:
      "The configuration is signed by a key that another one has followed; sign with the latest."
    case .invalid(let faults): faults.joined(separator: " ")
    }
  }
}

/// The result of a dial test: the servers that were probed, and their order.
public struct DialRecord: Sendable, Hashable, Codable {
  /// One server and its probes.
  public struct Candidate: Sendable, Hashable, Codable {
    /// The base URL of the server.
    public var url: URL
    /// The number of probes that were sent to it.
    public var requests = 0
    /// The times of the probes that were answered rightly, from the request to the last byte.
    public var samples: [Duration] = []
    /// The median of the samples; `nil` where too few were answered rightly.
    public var median: Duration?
    /// The estimated speed in bytes a second; `nil` where the probe data is too short for one.
    public var bytesPerSecond: Double?
    /// The reason for which the last probe failed; `nil` where none has.
    public var failure: String?
    /// The time that its median had to be below for it to be chosen, where it was not waited for
    /// any longer; it has not failed. `nil` where it was waited for.
    public var slowerThan: Duration?

    /// Makes a candidate that was not probed yet.
    public init(_ url: URL) { self.url = url }
  }

  /// The name of the network; `nil` where it is not known.
  public var network: String?
  /// The servers, the one to be asked first of all.
  public var order: [URL]
  /// The servers with their probes, in the order in which they were given.
  public var candidates: [Candidate]
  /// True where nothing was sent, since the choice on this network is remembered.
  public var isRemembered: Bool
  /// The estimated speed to the first server in bytes a second; `nil` where there is no estimate.
  public var bytesPerSecond: Double?
  /// The time that it took.
  public var elapsed: Duration

  /// Creates a record before the first probe, with the servers in the order in which they were
  /// given.
  package init(network: String?, servers: [URL]) {
    (self.network, order, candidates) = (network, servers, servers.map { Candidate($0) })
    (isRemembered, elapsed) = (false, .zero)
  }

  /// Tells whether a server has answered rightly, now or when it was remembered.
  public var isFound: Bool { isRemembered || candidates.contains { $0.median != nil } }

  /// The server to be asked first; `nil` where there are none.
  public var chosen: URL? { order.first }

  /// Returns the server to be asked if another one cannot be had; `nil` behind the last.
  public func next(after url: URL) -> URL? {
    guard let place = order.firstIndex(of: url), place + 1 < order.count else { return nil }
    return order[place + 1]
  }
}
