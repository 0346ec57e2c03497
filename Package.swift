// swift-tools-version: 6.3
import PackageDescription

// No package dependencies: whoever adds WindTunnel to a test target adds nothing else.
let package = Package(
  name: "windtunnel",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [
    .library(name: "WindTunnel", targets: ["WindTunnel", "WindTunnelSymptoms"]),
    // What a test imports comes with it: decks and scenarios, and errors by name.
    .library(
      name: "WindTunnelURLSession",
      targets: ["WindTunnelSymptoms", "WindTunnel", "WindTunnelURLSession"]
    ),
    .library(name: "WindTunnelServer", targets: ["WindTunnelServer"]),
    .library(name: "WindTunnelDrill", targets: ["WindTunnelDrill"]),
    .library(name: "WindTunnelTesting", targets: ["WindTunnelTesting"]),
    // Beside it for tests that drill; it brings the other along.
    .library(name: "WindTunnelDrillTesting", targets: ["WindTunnelDrillTesting"]),
    .library(name: "NetworkLayer", targets: ["WindTunnelNetworkLayer"]),
    // Only debug builds of an app link it: what it can do is in no other product.
    .library(name: "NetworkLayerDebug", targets: ["WindTunnelNetworkLayerDebug"]),
    .executable(name: "windtunnel", targets: ["windtunnel-cli"]),
  ],
  targets: [
    .target(name: "CWindTunnelSystem"),
    .target(name: "CWindTunnelFiles"),
    .target(name: "WindTunnelSymptoms"),
    .target(
      name: "WindTunnel",
      dependencies: ["CWindTunnelFiles", "CWindTunnelSystem", "WindTunnelSymptoms"]
    ),
    .target(name: "WindTunnelURLSession", dependencies: ["WindTunnelSymptoms", "WindTunnel"]),
    .target(
      name: "WindTunnelServer",
      dependencies: ["CWindTunnelSystem", "WindTunnelSymptoms", "WindTunnel"]
    ),
    .target(name: "WindTunnelNetworkLayer", dependencies: ["WindTunnelSymptoms"]),
    .target(
      name: "WindTunnelNetworkLayerDebug",
      dependencies: [
        "WindTunnelNetworkLayer", "WindTunnelSymptoms", "WindTunnel", "WindTunnelURLSession",
      ]
    ),
    .target(name: "WindTunnelCommandLine", dependencies: ["WindTunnel"]),
    .target(
      name: "WindTunnelDrill",
      dependencies: [
        "CWindTunnelSystem", "WindTunnelNetworkLayer", "WindTunnelSymptoms", "WindTunnel",
        "WindTunnelCommandLine", "WindTunnelServer", "WindTunnelURLSession",
      ]
    ),
    // Without drill, reports and command line: whoever only replays does not compile them.
    .target(
      name: "WindTunnelTesting",
      dependencies: [
        "WindTunnelSymptoms", "WindTunnel", "WindTunnelServer", "WindTunnelURLSession",
      ]
    ),
    .target(
      name: "WindTunnelDrillTesting",
      dependencies: ["WindTunnelSymptoms", "WindTunnel", "WindTunnelDrill", "WindTunnelTesting"]
    ),
    .executableTarget(
      name: "windtunnel-cli",
      dependencies: [
        "WindTunnelSymptoms", "WindTunnel", "WindTunnelCommandLine", "WindTunnelDrill",
        "WindTunnelServer",
      ]
    ),
    .testTarget(name: "SymptomsTests", dependencies: ["WindTunnelSymptoms"]),
    // The live servers that several test targets ask; no product holds them.
    .target(name: "Origins", dependencies: ["WindTunnelServer"], path: "Tests/Origins"),
    // What several test targets plant and look for; no product holds it.
    .target(
      name: "PlantedSecrets",
      dependencies: ["WindTunnelSymptoms", "WindTunnel"],
      path: "Tests/PlantedSecrets"
    ),
    .testTarget(
      name: "WindTunnelTests",
      dependencies: ["PlantedSecrets", "WindTunnelSymptoms", "WindTunnel"],
      // What a kernel did; they are found by the path of the test that reads them.
      exclude: ["Link/Measured"]
    ),
    .testTarget(
      name: "WindTunnelURLSessionTests",
      dependencies: [
        "Origins", "PlantedSecrets", "WindTunnelSymptoms", "WindTunnel", "WindTunnelServer",
        "WindTunnelURLSession",
      ]
    ),
    .testTarget(
      name: "WindTunnelServerTests",
      // Real clients are run as processes, and it is the drill that knows how.
      dependencies: [
        "CWindTunnelSystem", "Origins", "WindTunnelSymptoms", "WindTunnel", "WindTunnelDrill",
        "WindTunnelServer",
      ]
    ),
    .testTarget(
      name: "NetworkLayerTests",
      // The client flies on the deck, in process and on the wire.
      dependencies: [
        "WindTunnelNetworkLayer", "WindTunnelNetworkLayerDebug", "Origins", "WindTunnelSymptoms",
        "WindTunnel", "WindTunnelDrill",
        "WindTunnelServer", "WindTunnelURLSession",
      ]
    ),
    // A host's own drill, which tests start as a process; no product holds it.
    .executableTarget(
      name: "host-drill",
      dependencies: ["WindTunnelDrill"],
      path: "Tests/HostDrill"
    ),
    .testTarget(
      name: "WindTunnelDrillTests",
      dependencies: [
        "WindTunnelNetworkLayer", "Origins", "WindTunnelSymptoms", "WindTunnel",
        "WindTunnelCommandLine", "WindTunnelDrill", "host-drill", "windtunnel-cli",
      ]
    ),
    .testTarget(
      name: "WindTunnelTestingTests",
      dependencies: [
        "Origins", "WindTunnelSymptoms", "WindTunnelServer", "WindTunnelDrillTesting",
        "WindTunnelTesting",
      ],
      // They are found by the path of the test that names them.
      exclude: ["Cassettes"]
    ),
    .testTarget(
      name: "CommandLineTests",
      // The tool is run as a process; the dependency has it built.
      dependencies: [
        "Origins", "PlantedSecrets", "WindTunnelSymptoms", "WindTunnel", "WindTunnelDrill",
        "WindTunnelServer", "windtunnel-cli",
      ],
      exclude: ["Golden"]
    ),
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "Origins", "WindTunnelSymptoms", "WindTunnel", "WindTunnelServer", "WindTunnelURLSession",
      ]
    ),
  ],
  swiftLanguageModes: [.v6],
  // C23 for `#embed`.
  cLanguageStandard: .gnu2x
)

// Every target is equally strict. SwiftPM drops the warning treatment for packages that are
// dependencies, so a host with a newer compiler is not broken by a new warning.
for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
  ]
  // In C targets only: of a Swift target in a dependency SwiftPM 6.3 takes `-Werror` away together
  // with the flag behind it, and what remains is no command line that a compiler takes.
  if ["CWindTunnelSystem", "CWindTunnelFiles"].contains(target.name) {
    target.cSettings = [.treatAllWarnings(as: .error)]
  }
}
