public import Foundation
public import WindTunnelNetworkLayer

/// The facts of an app's launch. They are sent with the request for its configuration.
///
/// The configuration's public view contains them, too.
public struct LaunchFacts: Sendable, Hashable {
  /// The time of the launch.
  public var start: Date
  /// The version of the app.
  public var app: String
  /// The version of the network layer.
  public var layer: String
  /// The place where the app runs, as the app knows it, such as `DE`; `nil` if it is unknown.
  public var place: String?
  /// The kind or the name of the network, from the app or its monitor; `nil` if it is unknown.
  public var network: String?

  /// Creates facts. The versions have default values.
  public init(
    start: Date = Date(),
    app: String = LaunchFacts.appVersion,
    layer: String = VersionSeal.layerVersion,
    place: String? = nil,
    network: String? = nil
  ) {
    (self.start, self.app, self.layer) = (start, app, layer)
    (self.place, self.network) = (place, network)
  }

  /// The version of the main bundle, such as `2.1 (417)`; `0` if it has none.
  ///
  /// Programs on Linux have none and should set `app` themselves. Otherwise one version can decrypt
  /// the data of another, because nothing else distinguishes them without cost.
  public static var appVersion: String {
    let short = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
    let build = Bundle.main.object(forInfoDictionaryKey: "CFBundleVersion") as? String
    return switch (short, build) {
    case (let short?, let build?): "\(short) (\(build))"
    case (let version?, nil), (nil, let version?): version
    case (nil, nil): "0"
    }
  }

  /// The query parameters of a request for a configuration.
  ///
  /// They are `app`, `layer`, `time` in whole seconds since 1970, and, if known, `place` and
  /// `network`.
  public var parameters: [Headers.Field] {
    let known = [
      ("app", app), ("layer", layer), ("time", "\(Int(start.timeIntervalSince1970))"),
      ("place", place), ("network", network),
    ]
    return known.compactMap { name, value in value.map { Headers.Field(name, $0) } }
  }
}
