import Foundation
import Testing
import WindTunnelDrill

@Suite struct HostPackageTests {
  /// Only a look at the whole graph sees a name twice: `resolve` and `describe` do not.
  @Test func `a host may call its modules what hosts and their packages call theirs`() async throws
  {
    let scratch = try Scratch()
    let made = try await Program.run(
      [Repository.root.appendingPathComponent("Scripts/host-with-common-names").path, "host"],
      in: scratch,
      isTool: false
    )
    try #require(made == Program.Run(code: 0, out: "", err: ""))
    let seen = try await Program.run(
      ["/usr/bin/env", "swift", "package", "--package-path", "host", "show-dependencies"],
      in: scratch,
      isTool: false
    )
    #expect(seen.code == 0, "\(seen.err)")
    #expect(!seen.err.contains("conflicting name"))
    #expect(seen.out.contains("swift-system"))
  }

  @Test func `every target that a product holds begins with the package's name`() async throws {
    let scratch = try Scratch()
    let run = try await Program.run(
      [
        "/usr/bin/env", "swift", "package", "--package-path", Repository.root.path,
        "--scratch-path", "scratch", "describe", "--type", "json",
      ],
      in: scratch,
      isTool: false
    )
    struct Package: Decodable {
      struct Target: Decodable {
        var name: String
        var product_memberships: [String]?
      }
      var targets: [Target]
    }
    let text = try #require(run.out.firstIndex(of: "{").map { run.out[$0...] }, "\(run.err)")
    let package = try JSONDecoder().decode(Package.self, from: Data(text.utf8))
    // The tests' own program makes a product in the root package alone; hosts never load it.
    let held = package.targets.filter { $0.product_memberships?.isEmpty == false }.map(\.name)
      .filter { $0 != "host-drill" }
    let prefixes = ["WindTunnel", "CWindTunnel", "windtunnel"]
    #expect(held.count > 9)
    #expect(held.filter { name in !prefixes.contains { name.hasPrefix($0) } } == [])
  }
}
