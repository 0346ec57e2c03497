import TestSupport
import WindTunnel
import WindTunnelRelease

@Suite(.world) struct HostPackageTests {
  /// Only a look at the whole graph sees a name twice: `resolve` and `describe` do not.
  @Test func `a host may call its modules what hosts and their packages call theirs`() async throws
  {
    let scratch = try Scratch()
    let made = try await scratch.run(
      "\(Repository.root.path)/Scripts/development/host-with-common-names host",
      isTool: false
    )
    try #require(made == Program.Run(code: 0, out: "", err: ""))
    let seen = try await scratch.run(
      "/usr/bin/env swift package --package-path host show-dependencies",
      isTool: false
    ).exits(0)
    #expect(!seen.err.contains("conflicting name"))
    #expect(seen.out.contains("swift-system"))
  }

  @Test func `every target that a product holds begins with the package's name`() async throws {
    // The tests' own programs make products in the root package alone; hosts never load them.
    let held = try await targets().filter { $0.product_memberships?.isEmpty == false }.map(\.name)
      .filter { !["host-drill", "outbox-drill", "wait-programs"].contains($0) }
    let prefixes = ["WindTunnel", "CWindTunnel", "windtunnel"]
    #expect(held.count > 9)
    expectEqual(held.filter { name in !prefixes.contains { name.hasPrefix($0) } }, [])
  }

  /// A host compiles all modules of its product.
  @Test(arguments: [
    ("WindTunnelTesting", ["CommandLine", "Drill", "HAR", "NetworkLayer", "Reports"]),
    ("WindTunnel", ["CommandLine", "Drill", "NetworkLayer"]),
    (
      "WindTunnelNetworkLayerDebug",
      ["CommandLine", "Drill", "HAR", "NetworkLayerConsole", "Reports", "Server"]
    ),
  ])
  func `a host compiles no drill or command line by a product that has none`(
    product: String,
    others: [String]
  ) async throws {
    let compiled = try await targets().filter { target in
      target.product_memberships?.contains(product) == true
    }.map(\.name)
    #expect(compiled.contains(product) && compiled.contains("WindTunnel"))
    #expect(Set(compiled).isDisjoint(with: others.map { "WindTunnel\($0)" }))
  }

  @Test func `a product has the name of a target, and there are twelve at most`() async throws {
    let targets = try await targets()
    let products = Set(targets.flatMap { $0.product_memberships ?? [] })
    expectEqual(products.subtracting(targets.map(\.name)), ["windtunnel"])
    let own = products.filter { $0.lowercased().hasPrefix("windtunnel") }
    #expect((8...12).contains(own.count), "\(own)")
  }

  /// What each product makes a user compile, to a tenth of it.
  @Test(.enabled(if: Companion.find("python3") != nil, "there is no python3"))
  func `the page has the modules and lines of each product`() async throws {
    let run = try await Scratch().run(
      "\(Repository.root.appendingPathComponent("Scripts/house").path) products --json",
      isTool: false
    )
    struct Size: Decodable {
      var modules: Int
      var lines: Int
    }
    let sizes = try JSONDecoder().decode([String: Size].self, from: Data(run.out.utf8))
    let rows = try Repository.page("Architecture").matches(of: /\| `(\w+)` \| (\d+) \| ([\d,]+) \|/)
    expectEqual(Set(rows.map { String($0.1) }), Set(sizes.keys))
    for row in rows {
      let size = try #require(sizes[String(row.1)])
      expectEqual(Int(row.2), size.modules, "\(row.1)")
      let lines = try #require(Int(row.3.replacing(",", with: "")))
      #expect(abs(lines - size.lines) * 10 <= size.lines + 1000, "\(row.1): \(size.lines)")
    }
  }

  /// A drill compiles the client that it judges, and no other.
  @Test(arguments: ["WindTunnelDrill", "WindTunnelDrillTesting"])
  func `a host that judges its client compiles no client of this package and no HAR`(
    product: String
  ) async throws {
    let compiled = try await targets().filter { target in
      target.product_memberships?.contains(product) == true
    }.map(\.name)
    #expect(compiled.contains(product) && compiled.contains("WindTunnelReports"))
    let others = compiled.filter { name in
      ["WindTunnelNetworkLayer", "WindTunnelHAR", "WindTunnelReferenceSubject"].contains {
        name.hasPrefix($0)
      }
    }
    expectEqual(others, [])
  }

  /// The client and its sockets are all that an app ships.
  @Test func `check-release lets through what the network layer's product holds, and no more`()
    async throws
  {
    let all = try await targets()
    func held(by product: String) -> Set<String> {
      Set(all.filter { $0.product_memberships?.contains(product) == true }.map(\.name))
    }
    let sockets = held(by: "WindTunnelNetworkLayerSockets")
    #expect(sockets.contains("WindTunnelNetworkLayer") && sockets.contains("WindTunnelWire"))
    expectEqual(ReleaseModule.shipped, sockets.union(held(by: "WindTunnelNetworkLayer")))
  }

  private struct Target: Decodable {
    var name: String
    var product_memberships: [String]?
  }

  private func targets() async throws -> [Target] {
    let run = try await Scratch().run(
      "/usr/bin/env swift package --package-path \(Repository.root.path) --scratch-path scratch",
      "describe --type json",
      isTool: false
    )
    struct Package: Decodable {
      var targets: [Target]
    }
    let text = try #require(run.out.firstIndex(of: "{").map { run.out[$0...] }, "\(run.err)")
    return try JSONDecoder().decode(Package.self, from: Data(text.utf8)).targets
  }
}
