import TestSupport
import WindTunnelNetworkLayer

@Suite struct PageTests {
  @Test func `the page shows code that is compiled here`() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let sources = here.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/Client")
    let pages = try ["WindTunnelNetworkLayer", "WindTunnelNetworkLayerOffline"].flatMap { name in
      let folder = "\(sources.path)/\(name)/\(name).docc/"
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .map { try String(contentsOfFile: folder + $0, encoding: .utf8) }
    }
    let code = try String(contentsOf: here.appending(path: "PageCode.swift"), encoding: .utf8)
    let parts = pages.joined().components(separatedBy: "```")
    let blocks = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
      .filter { $0.hasPrefix("swift\n") }.map { String($0.dropFirst(6)) }
    expectEqual(blocks.count, 17)
    for block in blocks { #expect(code.contains(block)) }
  }

  /// The tests of a suite by their sentences, as the list of all tests has them.
  private static func tests() throws -> [String: Set<String>] {
    let list = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("tiers.txt")
    var found: [String: Set<String>] = [:]
    for line in try String(contentsOf: list, encoding: .utf8).split(separator: "\n") {
      // tier Module.Suite/Inner/`sentence`
      guard let mark = line.firstIndex(of: "`") else { continue }
      let path = line[..<mark].split { "./".contains($0) }
      for suite in path.dropFirst() {
        found[String(suite), default: []].insert(String(line[mark...].dropFirst().dropLast()))
      }
    }
    return found
  }

  @Test func `each promise names tests that are there`() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent(
        "Sources/Client/WindTunnelNetworkLayer/WindTunnelNetworkLayer.docc/Promises.md"
      )
    let rows = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
      .filter { $0.hasPrefix("| ") }
      .map { $0.dropFirst(2).dropLast(2).components(separatedBy: " | ") }
      .filter { $0.count == 3 && $0[0] != "feature" }
    #expect(rows.count > 35)
    let tests = try Self.tests()
    for row in rows {
      for named in row[2].components(separatedBy: "; ") {
        let match = try #require(named.wholeMatch(of: /`(\w+)` (.+)/), "\(row[0]): \(named)")
        let isThere = tests[String(match.1)]?.contains(String(match.2)) == true
        #expect(isThere, "\(row[0]) names a test that is not there: \(named)")
      }
    }
  }

  @Test func `the preview's user is there`() async {
    #expect(await show(7, by: preview) == "Ada")
  }

  @Test func `what the page says of the defaults is so`() {
    expectEqual(CallLimits(), CallLimits(attemptTimeout: .seconds(15), deadline: .seconds(60)))
    expectEqual(TrafficCaps(), TrafficCaps(total: 64, perHost: 48, reserved: 2, overtakingsMax: 32))
    expectEqual(RetryBudget(), RetryBudget(share: 0.2, reserve: 10, most: 100))
    expectEqual(
      BreakerRules(),
      BreakerRules(window: 20, share: 0.9, pause: .seconds(5), longestPause: .seconds(60))
    )
  }
}
