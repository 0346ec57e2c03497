// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that neither a host nor `swift build` in the root ever builds it.
let package = Package(
  name: "bench",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "windtunnel", path: "../../..")],
  targets: [
    .executableTarget(
      name: "bench",
      dependencies: [
        .product(name: "WindTunnel", package: "windtunnel"),
        .product(name: "WindTunnelDrill", package: "windtunnel"),
        .product(name: "WindTunnelNetworkLayer", package: "windtunnel"),
        .product(name: "WindTunnelReferenceSubject", package: "windtunnel"),
        .product(name: "WindTunnelVirtualTime", package: "windtunnel"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)
