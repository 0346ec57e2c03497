// swift-tools-version: 6.3
import PackageDescription

// No package dependencies: whoever adds WindTunnel to a test target adds nothing else.
let package = Package(
  name: "windtunnel",
  platforms: [.macOS(.v13), .iOS(.v16)],
  // A product has the name of a target.
  products: [
    // The careful client in drills and searches of a host that uses it.
    .library(name: "WindTunnelReferenceSubject", targets: ["WindTunnelReferenceSubject"]),
    .library(name: "WindTunnelTesting", targets: ["WindTunnelTesting"]),
    // Beside it for tests that drill or search; it brings the other along.
    .library(
      name: "WindTunnelDrillTesting",
      targets: ["WindTunnelDrillTesting", "WindTunnelSearch"]
    ),
    // A time that moves when nothing is left to do, and tests in it.
    .library(
      name: "WindTunnelVirtualTime",
      targets: ["WindTunnelVirtualTime", "WindTunnelVirtualTimeTesting"]
    ),
    .library(name: "WindTunnelDrill", targets: ["WindTunnelDrill"]),
    // For other hosts: cassettes and scenarios in process and on a port, HAR and reports.
    .library(
      name: "WindTunnel",
      targets: [
        "WindTunnel", "WindTunnelHAR", "WindTunnelReports", "WindTunnelServer",
        "WindTunnelSymptoms", "WindTunnelURLSession",
      ]
    ),
    // A running server asked and changed from a test of screens, on Foundation alone.
    .library(name: "WindTunnelRemote", targets: ["WindTunnelRemote"]),
    // Calls, and beside them an outbox, transfers in the background, seals and an app's start.
    .library(
      name: "WindTunnelNetworkLayer",
      targets: ["WindTunnelNetworkLayer", "WindTunnelNetworkLayerOffline"]
    ),
    // Conversations where sessions have no WebSockets, as on Linux.
    .library(name: "WindTunnelNetworkLayerSockets", targets: ["WindTunnelNetworkLayerSockets"]),
    // Only debug builds of an app link it: what it can do is in no other product.
    .library(name: "WindTunnelNetworkLayerDebug", targets: ["WindTunnelNetworkLayerDebug"]),
    // Calls as they run, on a page inside a debug build; it brings a server.
    .library(name: "WindTunnelNetworkLayerConsole", targets: ["WindTunnelNetworkLayerConsole"]),
    .executable(name: "windtunnel", targets: ["windtunnel-cli"]),
  ],
  targets: [
    // Five wings, each a folder of Sources: a target depends on its own and those above.

    // Values: what can be written down, and the C below it.

    .target(name: "CWindTunnelSystem", path: "Sources/Values/CWindTunnelSystem"),
    .target(
      name: "CWindTunnelFiles",
      path: "Sources/Values/CWindTunnelFiles",
      exclude: ["Completions", "Mutants", "Reproduction", "Styles", "Workflows"]
    ),
    .target(name: "WindTunnelSymptoms", path: "Sources/Values/WindTunnelSymptoms"),
    // Draws, digests, lanes and locks.
    .target(
      name: "WindTunnelCore",
      dependencies: ["CWindTunnelSystem"],
      path: "Sources/Values/WindTunnelCore"
    ),
    // Messages, JSON and codecs.
    .target(
      name: "WindTunnelHTTP",
      dependencies: ["WindTunnelCore"],
      path: "Sources/Values/WindTunnelHTTP"
    ),
    // Delay, rate, loss and TCP.
    .target(
      name: "WindTunnelLink",
      dependencies: ["WindTunnelHTTP"],
      path: "Sources/Values/WindTunnelLink"
    ),
    // Cassettes, what compares requests with them, and what compares and merges cassettes.
    .target(
      name: "WindTunnelCassettes",
      dependencies: ["WindTunnelHTTP", "WindTunnelSymptoms"],
      path: "Sources/Values/WindTunnelCassettes"
    ),
    .target(
      name: "WindTunnelRedaction",
      dependencies: ["WindTunnelCassettes", "WindTunnelSymptoms"],
      path: "Sources/Values/WindTunnelRedaction"
    ),
    .target(
      name: "WindTunnel",
      dependencies: [
        "CWindTunnelFiles", "CWindTunnelSystem", "WindTunnelLink", "WindTunnelRedaction",
        "WindTunnelSymptoms",
      ],
      path: "Sources/Values/WindTunnel"
    ),
    // HAR, in and out.
    .target(
      name: "WindTunnelHAR",
      dependencies: ["WindTunnelRedaction", "WindTunnelSymptoms"],
      path: "Sources/Values/WindTunnelHAR"
    ),
    .target(
      name: "WindTunnelCommandLine",
      dependencies: ["WindTunnel"],
      path: "Sources/Values/WindTunnelCommandLine"
    ),
    // Wire: bytes, sockets and what serves them.

    // The page of the console.
    .target(name: "CWindTunnelConsole", path: "Sources/Wire/CWindTunnelConsole", exclude: ["Page"]),
    .target(
      name: "WindTunnelURLSession",
      dependencies: ["WindTunnelSymptoms", "WindTunnel"],
      path: "Sources/Wire/WindTunnelURLSession"
    ),
    // Sockets, TLS, HTTP/1.1 on a connection, and a client of it.
    .target(
      name: "WindTunnelWire",
      dependencies: [
        "CWindTunnelSystem", "WindTunnelCore", "WindTunnelHTTP", "WindTunnelSymptoms",
      ],
      path: "Sources/Wire/WindTunnelWire"
    ),
    .target(
      name: "WindTunnelServer",
      dependencies: [
        "CWindTunnelConsole", "WindTunnelSymptoms", "WindTunnel",
        "WindTunnelWire",
      ],
      path: "Sources/Wire/WindTunnelServer"
    ),
    .target(name: "WindTunnelRemote", path: "Sources/Wire/WindTunnelRemote"),
    // Client: what an app ships, and two modules for its debug builds. Outside it, only the
    // reference subject and tests name it.

    .target(
      name: "WindTunnelNetworkLayer",
      dependencies: ["CWindTunnelSystem", "WindTunnelSymptoms"],
      path: "Sources/Client/WindTunnelNetworkLayer"
    ),
    // Calls that wait on the disk, transfers without the app, seals and keys, and an app's start.
    .target(
      name: "WindTunnelNetworkLayerOffline",
      dependencies: ["CWindTunnelSystem", "WindTunnelNetworkLayer", "WindTunnelSymptoms"],
      path: "Sources/Client/WindTunnelNetworkLayerOffline"
    ),
    .target(
      name: "WindTunnelNetworkLayerSockets",
      dependencies: [
        "WindTunnelCore", "WindTunnelHTTP", "WindTunnelNetworkLayer", "WindTunnelSymptoms",
        "WindTunnelWire",
      ],
      path: "Sources/Client/WindTunnelNetworkLayerSockets"
    ),
    .target(
      name: "WindTunnelNetworkLayerDebug",
      dependencies: [
        "WindTunnelNetworkLayer", "WindTunnelSymptoms", "WindTunnel", "WindTunnelURLSession",
      ],
      path: "Sources/Client/WindTunnelNetworkLayerDebug"
    ),
    .target(
      name: "WindTunnelNetworkLayerConsole",
      dependencies: [
        "WindTunnelCore", "WindTunnelNetworkLayer", "WindTunnelNetworkLayerDebug",
        "WindTunnelServer", "WindTunnelSymptoms", "WindTunnel",
      ],
      path: "Sources/Client/WindTunnelNetworkLayerConsole"
    ),
    // Judge: what a drill does, finds and reports.

    // What threads take for the time, in the programs that link it.
    .target(name: "CWindTunnelClock", path: "Sources/Judge/CWindTunnelClock"),
    // Any program in virtual time, on Linux.
    .target(name: "CWindTunnelVirtual", path: "Sources/Judge/CWindTunnelVirtual"),
    // Calls as they were seen, and the rules that they are held against.
    .target(
      name: "WindTunnelFindings",
      dependencies: ["WindTunnel", "WindTunnelSymptoms"],
      path: "Sources/Judge/WindTunnelFindings"
    ),
    // Metrics, gates' verdicts and renderers.
    .target(
      name: "WindTunnelReports",
      dependencies: ["WindTunnel", "WindTunnelFindings", "WindTunnelSymptoms"],
      path: "Sources/Judge/WindTunnelReports"
    ),
    // What a suite of tests does not notice of broken responses.
    .target(
      name: "WindTunnelMutants",
      dependencies: ["WindTunnel", "WindTunnelFindings", "WindTunnelReports"],
      path: "Sources/Judge/WindTunnelMutants"
    ),
    .target(
      name: "WindTunnelVirtualTime",
      dependencies: ["CWindTunnelClock", "CWindTunnelSystem", "WindTunnelCore"],
      path: "Sources/Judge/WindTunnelVirtualTime"
    ),
    .target(
      name: "WindTunnelDrill",
      dependencies: [
        "CWindTunnelSystem", "WindTunnelReports", "WindTunnelSymptoms", "WindTunnel",
        "WindTunnelCommandLine", "WindTunnelServer", "WindTunnelURLSession",
        "WindTunnelVirtualTime",
      ],
      path: "Sources/Judge/WindTunnelDrill"
    ),
    .target(
      name: "WindTunnelSearch",
      dependencies: [
        "CWindTunnelSystem", "WindTunnelDrill", "WindTunnelURLSession", "WindTunnelVirtualTime",
      ],
      path: "Sources/Judge/WindTunnelSearch"
    ),
    // Use: where people enter.

    .target(
      name: "WindTunnelVirtualTimeTesting",
      dependencies: ["WindTunnelVirtualTime"],
      path: "Sources/Use/WindTunnelVirtualTimeTesting"
    ),
    // Programs and archives, and what of this package is in them.
    .target(
      name: "WindTunnelRelease",
      dependencies: ["WindTunnelHTTP"],
      path: "Sources/Use/WindTunnelRelease"
    ),
    // The reference client as a subject of drills and searches.
    .target(
      name: "WindTunnelReferenceSubject",
      dependencies: [
        "WindTunnelCore", "WindTunnelDrill", "WindTunnelNetworkLayer",
        "WindTunnelNetworkLayerOffline", "WindTunnelNetworkLayerSockets",
        "WindTunnelSymptoms", "WindTunnel", "WindTunnelURLSession", "WindTunnelVirtualTime",
      ],
      path: "Sources/Use/WindTunnelReferenceSubject"
    ),
    // Without drill, reports and command line: whoever only replays does not compile them.
    .target(
      name: "WindTunnelTesting",
      dependencies: [
        "WindTunnelSymptoms", "WindTunnel", "WindTunnelServer", "WindTunnelURLSession",
      ],
      path: "Sources/Use/WindTunnelTesting"
    ),
    .target(
      name: "WindTunnelDrillTesting",
      dependencies: [
        "WindTunnelCore", "WindTunnelSymptoms", "WindTunnel", "WindTunnelDrill", "WindTunnelSearch",
        "WindTunnelTesting",
      ],
      path: "Sources/Use/WindTunnelDrillTesting"
    ),
    .executableTarget(
      name: "windtunnel-cli",
      dependencies: [
        "CWindTunnelSystem", "CWindTunnelVirtual", "WindTunnelHAR",
        "WindTunnelMutants", "WindTunnelRelease",
        "WindTunnelReports", "WindTunnelSymptoms", "WindTunnel", "WindTunnelCommandLine",
        "WindTunnelDrill", "WindTunnelReferenceSubject", "WindTunnelSearch", "WindTunnelServer",
      ],
      path: "Sources/Use/windtunnel-cli"
    ),
    .testTarget(
      name: "SymptomsTests",
      dependencies: [
        "WindTunnelSymptoms"
      ]
    ),
    // The live servers that several test targets ask; no product holds them.
    .target(
      name: "Origins",
      dependencies: [
        "WindTunnelServer"
      ],
      path: "Tests/Origins"
    ),
    // What several test targets plant and look for; no product holds it.
    .target(
      name: "PlantedSecrets",
      dependencies: [
        "Mutations", "WindTunnelSymptoms", "WindTunnel",
      ],
      path: "Tests/PlantedSecrets",
      exclude: ["Data"]
    ),
    // As much of JSON Schema as the schemas that ship use; no product holds it.
    .target(name: "Schemas", dependencies: ["WindTunnel"], path: "Tests/Schemas"),
    // The number of test cases that run at once; loaded before the testing library reads it.
    .target(name: "CTestWidth", path: "Tests/CTestWidth"),
    // The tiers of tests, and expectations that compile quickly. Every test target depends on it; no
    // product holds it.
    .target(name: "TestSupport", dependencies: ["CTestWidth"], path: "Tests/TestSupport"),
    // Programs that tests start, and their whole output; no product holds it.
    .target(
      name: "Programs",
      dependencies: ["WindTunnelCore", "WindTunnelDrill"],
      path: "Tests/Programs"
    ),
    // Random changes of what is read, the same for a seed everywhere; no product holds them.
    .target(name: "Mutations", path: "Tests/Mutations"),
    .testTarget(
      name: "WindTunnelTests",
      dependencies: [
        "CWindTunnelSystem", "Mutations", "PlantedSecrets", "Schemas", "WindTunnelSymptoms",
        "WindTunnel", "WindTunnelCore", "WindTunnelHAR", "WindTunnelFindings",
        "WindTunnelMutants", "WindTunnelReports",
        "WindTunnelCassettes", "WindTunnelHTTP", "WindTunnelLink",
        "WindTunnelRedaction",
      ],
      // What a kernel did; they are found by the path of the test that reads them.
      exclude: ["Data", "Link/Measured"]
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
        "WindTunnelReports", "CWindTunnelSystem", "Mutations", "Origins", "PlantedSecrets",
        "Programs", "Schemas",
        "WindTunnelSymptoms", "WindTunnel", "WindTunnelDrill", "WindTunnelServer",
        "WindTunnelWire",
        "WindTunnelCassettes",
        "WindTunnelHTTP", "WindTunnelHAR", "WindTunnelLink",
        "WindTunnelRedaction",
      ],
      exclude: ["Data"]
    ),
    .testTarget(
      name: "WindTunnelRemoteTests",
      dependencies: ["WindTunnelRemote", "WindTunnelServer"]
    ),
    // An app with an outbox, which tests start and kill; no product holds it.
    .executableTarget(
      name: "outbox-drill",
      dependencies: ["WindTunnelNetworkLayer", "WindTunnelNetworkLayerOffline"],
      path: "Tests/OutboxDrill"
    ),
    .testTarget(
      name: "NetworkLayerTests",
      // The client flies on the deck, in process and on the wire.
      dependencies: [
        "WindTunnelReports", "WindTunnelNetworkLayer", "WindTunnelNetworkLayerConsole",
        "WindTunnelNetworkLayerDebug", "WindTunnelHAR", "WindTunnelNetworkLayerOffline",
        "WindTunnelNetworkLayerSockets", "WindTunnelReferenceSubject", "Origins", "outbox-drill",
        "Programs",
        "WindTunnelSymptoms", "WindTunnel", "WindTunnelDrill", "WindTunnelServer",
        "WindTunnelTesting", "WindTunnelURLSession", "WindTunnelVirtualTime",
      ],
      exclude: [
        "Builder/Cassettes", "Cache/Cassettes", "Cassettes", "Conveniences/Cassettes", "Data",
        "Flights/Cassettes", "Observer/Cassettes", "Traffic/Cassettes",
      ]
    ),
    // A host's own drill, which tests start as a process; no product holds it.
    .executableTarget(
      name: "host-drill",
      dependencies: ["WindTunnelDrill", "WindTunnelFindings"],
      path: "Tests/HostDrill"
    ),
    .testTarget(
      name: "WindTunnelDrillTests",
      dependencies: [
        "WindTunnelReports", "WindTunnelNetworkLayer", "Origins", "Programs", "WindTunnelSymptoms",
        "WindTunnel", "WindTunnelCommandLine", "WindTunnelDrill", "WindTunnelReferenceSubject",
        "host-drill", "windtunnel-cli", "WindTunnelServer", "WindTunnelVirtualTime",
      ],
      exclude: ["Data"]
    ),
    .testTarget(
      name: "WindTunnelTestingTests",
      dependencies: [
        "Origins", "WindTunnelSymptoms", "WindTunnelServer", "WindTunnelDrillTesting",
        "WindTunnelTesting", "WindTunnel", "WindTunnelHAR",
      ],
      // They are found by the path of the test that names them.
      exclude: ["Cassettes"]
    ),
    .testTarget(
      name: "WindTunnelReleaseTests",
      dependencies: ["Mutations", "WindTunnelCore", "WindTunnelRelease"]
    ),
    .testTarget(
      name: "CommandLineTests",
      // Commands of the tool run in the tests, or as the built tool; the dependency has it built.
      dependencies: [
        "WindTunnelReports", "Origins", "PlantedSecrets", "Programs", "WindTunnelSymptoms",
        "WindTunnel",
        "WindTunnelCommandLine", "WindTunnelDrill", "WindTunnelRelease", "WindTunnelRemote",
        "WindTunnelVirtualTime",
        "WindTunnelServer", "windtunnel-cli",
      ],
      exclude: ["Data", "Golden"]
    ),
    // One word for each way to wait, which tests start; no product holds it.
    .executableTarget(name: "wait-programs", path: "Tests/WaitPrograms"),
    .testTarget(
      name: "VirtualWorldTests",
      dependencies: ["Programs", "wait-programs", "windtunnel-cli"]
    ),
    // The structure itself: walls, words, widths.
    .testTarget(name: "TidyTests", dependencies: ["Programs"]),
    .testTarget(
      name: "WindTunnelVirtualTimeTests",
      dependencies: [
        "WindTunnelNetworkLayer", "WindTunnelVirtualTime", "WindTunnelVirtualTimeTesting",
      ]
    ),
    .testTarget(
      name: "WindTunnelSearchTests",
      dependencies: [
        "Origins", "WindTunnelDrillTesting", "WindTunnelNetworkLayer",
        "WindTunnelNetworkLayerOffline", "WindTunnelReferenceSubject", "WindTunnelSearch",
      ]
    ),
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "WindTunnelReports", "Origins", "WindTunnelSymptoms", "WindTunnel", "WindTunnelServer",
        "WindTunnelURLSession",
      ],
      exclude: ["Data"]
    ),
  ],
  swiftLanguageModes: [.v6],
  // C23 for `#embed`.
  cLanguageStandard: .gnu2x
)

// Warnings are errors if the environment asks for it, as `.ci/run` does: a newer compiler's warning does
// not break the build of a clone.
let warningsAreErrors = Context.environment["WINDTUNNEL_WARNINGS"] == "error"

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
  if target.isTest { target.dependencies.append("TestSupport") }
  if warningsAreErrors {
    target.swiftSettings?.append(.treatAllWarnings(as: .error))
    // In C targets only: of a Swift target in a dependency SwiftPM 6.3 takes `-Werror` away together
    // with the flag behind it, and what remains is no command line that a compiler takes.
    if target.name.hasPrefix("CWindTunnel") {
      target.cSettings = [.treatAllWarnings(as: .error)]
    }
  }
}
