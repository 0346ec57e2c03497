public import Foundation
public import WindTunnelNetworkLayer

extension NetworkClient {
  /// Applies the configuration of a start to this client and all its copies.
  ///
  /// It is ignored if a configuration with a higher version, or with a later signing key, was
  /// applied before. A late start, or one without a fetched configuration, therefore changes
  /// nothing.
  public func apply(_ startup: Startup) { apply(startup.configuration, startup.rank) }
}

/// The result of a start: a configuration with its two outputs, and the durations of the start.
public struct Startup: Sendable {
  /// The configuration, for creating a client or for its `apply`.
  public let configuration: NetworkConfiguration
  /// The record of the start.
  public let record: StartupRecord
  let rank: ConfigurationRank
  let seal: VersionSeal?

  /// The first output: the configuration with its source, for a debug screen or a report.
  ///
  /// It does not contain the values of secrets.
  public var publicView: [String: String] {
    var view = configuration.publicView
    view["configuration.source"] = record.source.name
    view["configuration.version"] = record.source.version.map(String.init)
    view["configuration.refusal"] = record.refusal
    return view
  }

  /// Returns the second output: the whole configuration, including secrets, encrypted.
  ///
  /// Only this version of app and layer can decrypt it, with
  /// `NetworkConfiguration.init(opening:by:)`.
  ///
  /// - Throws: `SealingError` if encryption is unavailable.
  public func sealed() throws -> Data {
    guard let seal else {
      throw SealingError.unavailable(
        "There is no seal: the key place is not usable, or the system has no cryptography."
      )
    }
    return try configuration.export(sealing: seal.seal)
  }
}

/// The record of a start, with its durations.
public struct StartupRecord: Sendable, Hashable, Codable {
  /// The source of the configuration.
  public var source: ConfigurationSource
  /// The name of the reason why a fetched configuration was refused; `nil` if none was.
  public var refusal: String?
  /// The duration of the start.
  public var elapsed: Duration
  /// The time spent waiting for a fetched configuration; `nil` if none was requested.
  public var fetch: Duration?
  /// The result of the dial test; `nil` if there was none.
  public var dial: DialRecord?
  /// The expiry time of the fetched layer; `nil` if there is none.
  public var expires: Date?
}
