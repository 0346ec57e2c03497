public import Foundation
public import WindTunnelNetworkLayer

/// The facts that an app finds out at its launch: they go with the request for its configuration,
/// and into its view.
public struct LaunchFacts: Sendable, Hashable {
  /// The time of the launch.
  public var start: Date
  /// The version of the app.
  public var app: String
  /// The version of the network layer.
  public var layer: String
  /// The place where the app runs, as the host says it, such as `DE`; `nil`: it does not say.
  public var place: String?
  /// The kind or the name of the network, as the host or its monitor says it; `nil`: unknown.
  public var network: String?

  /// Makes facts of what the host knows; the versions are found out.
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

  /// The version of the main bundle, such as `2.1 (417)`; `0` where it has none, as programs on
  /// Linux. Nothing else that is found out at a start tells their versions apart at no cost, so
  /// they give `app` themselves: else what one version has sealed is opened by the next.
  public static var appVersion: String {
    let short = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
    let build = Bundle.main.object(forInfoDictionaryKey: "CFBundleVersion") as? String
    return switch (short, build) {
    case (let short?, let build?): "\(short) (\(build))"
    case (let version?, nil), (nil, let version?): version
    case (nil, nil): "0"
    }
  }

  /// The names and values of a request for a configuration: `app`, `layer`, `time` in whole seconds
  /// since 1970, and `place` and `network` where they are known.
  public var parameters: [Headers.Field] {
    let known = [
      ("app", app), ("layer", layer), ("time", "\(Int(start.timeIntervalSince1970))"),
      ("place", place), ("network", network),
    ]
    return known.compactMap { name, value in value.map { Headers.Field(name, $0) } }
  }

  /// The facts as a layer: its extras have them by names such as `launch.place`.
  var asLayer: ConfigurationLayer {
    let extras = parameters.map { ("launch.\($0.name)", $0.value) }
    return ConfigurationLayer(extras: Dictionary(extras) { $1 })
  }
}
