import TestSupport
import WindTunnel

@testable import WindTunnelTesting

/// Where a cassette is found: in the folder of the environment, in what the build has copied, beside
/// the test.
@Suite struct ResourcesTests {
  /// A folder in which a build has left resources, and one of sources.
  private final class Build: Sendable {
    let folder: URL
    let resources: Resources

    init(_ copies: String...) throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "build-\(UUID().uuidString)")
      resources = Resources(roots: [folder.appending(path: "none"), folder])
      for copy in copies + [
        "shop_OtherTests.resources/users.json", "shop_Mine.resources/users.json",
      ] {
        try write(copy)
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ path: String) throws {
      try Cassette([Interaction(Request("GET", "/a"), .json([:]))]).write(to: place(path))
    }

    func place(_ path: String) throws -> URL {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      return file
    }

    func found(_ name: String, _ environment: [String: String]) throws -> CassettePlace {
      try CassettePlace(
        name,
        besides: folder.appending(path: "Tests/ShopTests/a.swift").path,
        in: "ShopTests",
        environment: environment,
        resources: resources
      )
    }

    /// The place within the folder.
    func path(_ place: CassettePlace) -> String {
      String(place.file.path.dropFirst(folder.path.count + 1))
    }
  }

  private static let source = "Tests/ShopTests/Cassettes/users.json"

  @Test(arguments: [
    "shop_ShopTests.resources/Cassettes/users.json", "shop_ShopTests.resources/users.json",
    "shop_ShopTests.bundle/users.json", "ShopTests.xctest/users.json",
  ])
  func `what is played comes from the resources of the test's module`(copy: String) throws {
    let build = try Build(copy)
    if copy.hasPrefix("ShopTests.xctest") {
      let root = Resources(roots: [build.folder.appending(path: "ShopTests.xctest")])
      expectEqual(root.file(atTop: "users.json", of: "ShopTests")?.path.hasSuffix(copy), true)
      return
    }
    for environment in [["CI": "1"], ["WINDTUNNEL_RECORD": "verify"]] {
      let place = try build.found("users", environment)
      expectEqual(build.path(place), copy)
      try expectEqual(place.deck().interactions.map(\.request.url.path), ["/a"])
    }
  }

  @Test func `at a desk what lies beside the test comes before a copy of it`() throws {
    let build = try Build("shop_ShopTests.resources/Cassettes/users.json")
    let copy = try build.found("users", [:])
    // A copy is never recorded onto.
    expectEqual(build.path(copy), "shop_ShopTests.resources/Cassettes/users.json")
    expectEqual(copy.mode, .none)
    try build.write(Self.source)
    let source = try build.found("users", [:])
    expectEqual(build.path(source), Self.source)
    expectEqual(source.mode, .once)
  }

  @Test(arguments: ["rewrite", "new-episodes"])
  func `what is recorded is recorded beside the test`(mode: String) throws {
    let build = try Build("shop_ShopTests.resources/Cassettes/users.json")
    let place = try build.found("users", ["WINDTUNNEL_RECORD": mode])
    expectEqual(build.path(place), Self.source)
  }

  @Test func `a folder that the environment names comes first`() throws {
    let build = try Build("shop_ShopTests.resources/Cassettes/users.json")
    let place = try build.found(
      "users",
      ["CI": "1", "WINDTUNNEL_CASSETTES": build.folder.appending(path: "tapes").path]
    )
    expectEqual(build.path(place), "tapes/users.json")
  }

  @Test(arguments: ["none", "verify"])
  func `a file at the top that is no cassette is none`(mode: String) throws {
    let build = try Build()
    try Data(#"{"users": []}"#.utf8).write(to: build.place("shop_ShopTests.resources/users.json"))
    expectEqual(build.path(try build.found("users", ["WINDTUNNEL_RECORD": mode])), Self.source)
    try build.write("shop_ShopTests.resources/Cassettes/users.json")
    let copy = try build.found("users", ["WINDTUNNEL_RECORD": mode])
    expectEqual(build.path(copy), "shop_ShopTests.resources/Cassettes/users.json")
  }

  @Test func `a cassette beside the test has precedence over one at the bundle's top level`() throws
  {
    let build = try Build("shop_ShopTests.resources/users.json", Self.source)
    expectEqual(build.path(try build.found("users", ["CI": "1"])), Self.source)
  }

  @Test(arguments: [["CI": "1"], [:]])
  func `another folder's cassette of the same name is not played`(
    environment: [String: String]
  ) throws {
    let build = try Build("shop_ShopTests.resources/users.json")
    let place = try build.found("b/users", environment)
    expectEqual(build.path(place), "Tests/ShopTests/Cassettes/b/users.json")
  }

  @Test(arguments: ["shop_Core-ShopTests", "shopShopTests", "ShopTests"])
  func `a target whose name ends alike is another`(name: String) throws {
    let build = try Build("\(name).resources/Cassettes/users.json")
    expectEqual(build.path(try build.found("users", ["CI": "1"])), Self.source)
  }

  @Test func `of two names that fit, the shorter one is the module's`() throws {
    let build = try Build(
      "shop_Core_ShopTests.resources/Cassettes/users.json",
      "shop_ShopTests.resources/Cassettes/users.json"
    )
    let place = try build.found("users", ["CI": "1"])
    expectEqual(build.path(place), "shop_ShopTests.resources/Cassettes/users.json")
  }

  @Test func `a cassette that was deleted beside the test is recorded again`() throws {
    let build = try Build("shop_ShopTests.resources/Cassettes/users.json")
    _ = try build.place("Tests/ShopTests/a.swift")
    let place = try build.found("users", [:])
    expectEqual(build.path(place), Self.source)
    expectEqual(place.mode, .once)
  }

  @Test(arguments: [
    "ShopTests.xctest/shop_ShopTests.bundle/Cassettes/users.json",
    "shop_ShopTests.bundle/Cassettes/users.json",
  ])
  func `a bundle within that of the tests is found, and one beside it`(copy: String) throws {
    let build = try Build(copy)
    let tests = build.folder.appending(path: "ShopTests.xctest")
    // Flat, as on a phone.
    let found = Resources(bundles: [(tests, tests)])
      .file(inCassettes: "users.json", of: "ShopTests")
    expectEqual(found?.standardizedFileURL, build.folder.appending(path: copy).standardizedFileURL)
  }

  @Test func `where there is no copy, another module's is none`() throws {
    let build = try Build()
    expectEqual(build.path(try build.found("users", ["CI": "1"])), Self.source)
  }
}
