import Foundation
import TestSupport
import Testing
import WindTunnel

@testable import WindTunnelDrill

/// The lines that tell how failing calls are flown again.
@Suite struct FailingCallsTests {
  private static func lines(_ count: Int, scenario: String = "rain") -> [String] {
    let calls = (0..<count).map { number in
      var call = Observation(
        call: number,
        endpoint: number == 0 ? "GET /" : "GET /a/home",
        isCritical: false,
        ending: .failed("status 503"),
        showed: false,
        latency: .milliseconds(1),
        attemptCount: 1
      )
      // It was given up, which is no failure.
      if number == 1 {
        call.cancellation = .init(after: .zero, toReturn: .zero, attemptsAfter: 0)
      }
      return call
    }
    let report = Report(
      seed: 1,
      decisionHash: "",
      platformErrors: "current",
      scenarios: [.init(scenario, on: .onTheWire, subjects: [.init("a", calls)])]
    )
    return FailingCalls(report: report, file: "d.json", program: "windtunnel drill").lines
  }

  @Test func `each failing call is a line that a shell takes as it stands`() {
    expectEqual(
      Self.lines(4),
      [
        "failed, status 503: windtunnel drill --again d.json#rain/call/0",
        "failed, status 503: windtunnel drill --again d.json#rain/home/2",
        "failed, status 503: windtunnel drill --again d.json#rain/home/3",
      ]
    )
    expectEqual(
      Self.lines(1, scenario: "it's | a"),
      [
        #"failed, status 503: windtunnel drill --again 'd.json#it'\''s | a/call/0'"#
      ]
    )
  }

  @Test func `a person gets some and is told where the others are`() {
    let shown = Self.lines(74)
    expectEqual(shown.count, 11)
    expectEqual(shown.last, "and 63 calls more: --report FILE.csv has a line of every call")
    expectEqual(Self.lines(11).count, 10)
    expectEqual(Self.lines(0), [])
  }

  @Test func `what nobody sees in a name is spelled as a shell understands it`() {
    let line = Self.lines(1, scenario: "a\u{1B}[31m'\\é\u{202E}\n")[0]
    #expect(
      line.hasSuffix(#" --again $'d.json#a\x1B[31m\'\\\xC3\xA9\xE2\x80\xAE\x0A/call/0'"#),
      "\(line)"
    )
  }
}
