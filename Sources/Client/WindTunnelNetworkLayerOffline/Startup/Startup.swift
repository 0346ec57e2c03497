public import Foundation
public import WindTunnelNetworkLayer

extension NetworkClient {
  /// Applies the configuration of a start to this client and all its copies, unless that of another
  /// start with a higher version, or one that a later key has signed, was applied before: one that
  /// came late, or could not be fetched, changes nothing.
  public func apply(_ startup: Startup) { apply(startup.configuration, startup.rank) }
}

/// The result of a start: a configuration with its two outputs, and what the start cost.
public struct Startup: Sendable {
  /// The configuration, which a client is made of or takes by its `apply`.
  public let configuration: NetworkConfiguration
  /// The course of the start.
  public let record: StartupRecord
  let rank: ConfigurationRank
  let seal: VersionSeal?

  /// The first output: the configuration for a debug screen or a report, without the values of
  /// secrets, and with its source.
  public var publicView: [String: String] {
    var view = configuration.publicView
    view["configuration.source"] = record.source.name
    view["configuration.version"] = record.source.version.map(String.init)
    view["configuration.refusal"] = record.refusal
    return view
  }

  /// Returns the second output: the whole configuration, secrets included, sealed for this version
  /// of app and layer, which `NetworkConfiguration.init(opening:by:)` opens.
  ///
  /// - Throws: `SealingError` where nothing can be sealed.
  public func sealed() throws -> Data {
    guard let seal else {
      throw SealingError.unavailable(
        "There is no seal: the place of keys was refused, or the system has no cryptography."
      )
    }
    return try configuration.export(sealing: seal.seal)
  }
}

/// The course of a start, with what it cost.
public struct StartupRecord: Sendable, Hashable, Codable {
  /// The source of the configuration.
  public var source: ConfigurationSource
  /// The name of the reason for which a fetched configuration was refused; `nil` where none was.
  public var refusal: String?
  /// The time that the start took.
  public var elapsed: Duration
  /// The part of it that was waited for a fetched configuration; `nil` where none was asked for.
  public var fetch: Duration?
  /// The dial test; `nil` where there was none.
  public var dial: DialRecord?
  /// The time until which the fetched layer is good; `nil` where there is none.
  public var expires: Date?
}
