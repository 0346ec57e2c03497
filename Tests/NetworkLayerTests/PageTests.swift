import Foundation
import Testing
import WindTunnelNetworkLayer

@Suite struct PageTests {
  @Test func `the page shows code that is compiled here`() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let page = here.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent(
        "Sources/WindTunnelNetworkLayer/WindTunnelNetworkLayer.docc/WindTunnelNetworkLayer.md"
      )
    let code = try String(
      contentsOf: here.appendingPathComponent("PageCode.swift"),
      encoding: .utf8
    )
    let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```")
    let blocks = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
      .filter { $0.hasPrefix("swift\n") }.map { String($0.dropFirst(6)) }
    #expect(blocks.count == 16)
    for block in blocks { #expect(code.contains(block)) }
  }

  @Test func `the preview's user is there`() async {
    #expect(await show(7, by: preview) == "Ada")
  }

  @Test func `what the page says of the defaults is so`() {
    #expect(CallLimits() == CallLimits(attemptTimeout: .seconds(15), deadline: .seconds(60)))
    #expect(TrafficCaps() == TrafficCaps(total: 64, perHost: 48, reserved: 2, overtakingsMax: 32))
    #expect(RetryBudget() == RetryBudget(share: 0.2, reserve: 10, most: 100))
    #expect(
      BreakerRules()
        == BreakerRules(window: 20, share: 0.9, pause: .seconds(5), longestPause: .seconds(60))
    )
  }
}
