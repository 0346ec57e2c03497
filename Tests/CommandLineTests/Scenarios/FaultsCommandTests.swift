import Foundation
import TestSupport
import Testing
import WindTunnel
import WindTunnelServer
import WindTunnelSymptoms

@testable import WindTunnelDrill

/// `faults list` and `faults selftest`.
@Suite(.timeLimit(.minutes(5))) struct FaultsCommandTests {
  @Test func `every kind is listed with what clients make of it, and reads as a fault`()
    async throws
  {
    let scratch = try Scratch()
    let run = try await Program.run("faults", "list", "--json", in: scratch)
    expectEqual(run.code, 0)
    let list = try JSON(parsing: run.out.utf8, source: "list")
    guard case .array(let rows) = list else {
      Issue.record("\(list) is no list")
      return
    }
    #expect(rows.count == FaultKind.all.count + DNSExample.all.count && rows.count >= 140)
    for (row, kind) in zip(rows, FaultKind.all) {
      expectEqual(row["name"]?.stringValue, kind.name)
      let fault = try #require(row["fault"])
      let text = "{\"windtunnelScenario\":1,\"name\":\"x\",\"rules\":[{\"faults\":[\(fault)]}]}"
      let scenario = try Scenario(data: Data(text.utf8), source: "x")
      expectEqual(scenario.rules.first?.faults, [kind.fault])
    }
    #expect(try await Program.run("faults", "list", in: scratch).out.contains("\nreset-in-body "))
  }

  /// All are a matter of seconds; these are one of each way to fail.
  static let some = [
    "host-not-found", "refused", "connect-timeout", "lost-syns", "tls-plaintext", "tls-expired",
    "reset-in-body", "close-after-request", "close-in-headers", "stall-in-headers", "idle-reset",
    "close-on-next-request", "delay", "retry-after-date", "interim-responses", "bad-chunk-size",
  ]

  @Test func `faults are made for real, and seen as what they are`() async throws {
    let scratch = try Scratch()
    let words = Self.some.flatMap { ["--fault", $0] } + ["--repeat", "5", "--json"]
    let run = try await Program.run(["faults", "selftest"] + words, in: scratch)
    let list = try JSON(parsing: run.out.utf8, source: "selftest")
    guard case .array(let rows) = list else {
      Issue.record("\(list) is no list")
      return
    }
    expectEqual(rows.compactMap { $0["name"]?.stringValue }, Self.some)
    for row in rows {
      expectEqual(row["passed"], .bool(true), "\(row)")
      expectEqual(row["seen"]?["raw"], row["asked"], "\(row)")
      expectEqual(row["seen"]?["looks"]?.intValue, 5, "\(row)")
      for key in ["expected", "skipped"] { #expect(row[key] != nil) }
    }
    expectEqual(run.code, 0)
  }

  @Test func `what is not what was asked is no pass`() throws {
    let kind = try #require(FaultKind.named("reset-in-body"))
    var row = SelfTestRow(.fault(kind))
    #expect(!row.passed && row.isSkipped)
    (row.looks, row.equalLooks, row.curl, row.session) = (2, 2, 56, .failure(.connectionLost))
    row.sessionCode = -1005
    #expect(row.passed)
    for spoil in [{ $0.equalLooks = 1 }, { $0.curl = 18 }, { $0.session = .crash }]
      as [(inout SelfTestRow) -> Void]
    {
      var spoiled = row
      spoil(&spoiled)
      #expect(!spoiled.passed)
    }
    let asked = ExpectedView(
      Delivery([.head(ResponseHead(status: 200)), .bytes(.data(Data("ab".utf8))), .reset])
    )
    var sight = WireProbe.View()
    sight.bytes = Array("HTTP/1.1 200 OK\r\n\r\nab".utf8)
    sight.ending = .reset
    #expect(sight.matches(asked))
    sight.ending = .finished
    #expect(!sight.matches(asked))
    (sight.ending, sight.bytes) = (.reset, Array("HTTP/1.1 200 OK\r\n\r\nac".utf8))
    #expect(!sight.matches(asked))
  }

  @Test func `who did not look is named, and a row is passed or skipped and never both`() throws {
    let kind = try #require(FaultKind.named("reset-in-body"))
    var row = SelfTestRow(.fault(kind))
    row.skipped = ["no room"]
    expectEqual(row.json["passed"], .null)
    expectEqual(row.json["skipped"], .text("no room"))
    (row.looks, row.equalLooks, row.skipped, row.unseenBy) = (1, 1, [], [SelfTest.noCurl])
    expectEqual(row.json["passed"], .bool(true))
    expectEqual(row.json["skipped"], .null)
    expectEqual(row.json["unseenBy"], .array(["curl is not here"]))
  }

  @Test func `codes stand beside the names of errors`() async throws {
    let run = try await Program.run("faults", "list", in: try Scratch())
    let lines = run.out.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let expected = [
      ["reset-in-body", "tcp", "connectionLost", "-1005", "56", "connectionLost", "-1005"],
      [
        "tls-expired", "tls", "serverCertificateHasBadDate", "-1", "60",
        "serverCertificateHasBadDate", "-1201",
      ],
      ["garbage", "http", "malformedResponse", "-1002", "1", "malformedResponse", "-1017"],
      ["delay", "http", "200", "0", "200"],
      ["dns-nxdomain", "dns", "hostNotFound", "-1003", "6", "hostNotFound", "-1003"],
    ]
    for line in expected { #expect(lines.contains(line), "\(line)") }
  }

  #if os(Linux)
    @Test func `look-ups are led astray for real, or skipped with a reason`() async throws {
      let names = [
        "dns-nxdomain", "dns-nodata", "dns-servfail", "dns-drop", "dns-first-packet-lost",
      ]
      let words = names.flatMap { ["--fault", $0] } + ["--json"]
      let run = try await Program.run(["faults", "selftest"] + words, in: try Scratch())
      expectEqual(run.code, 0, "\(run)")
      guard case .array(let rows) = try JSON(parsing: run.out.utf8, source: "selftest") else {
        Issue.record("\(run) is no list")
        return
      }
      expectEqual(rows.compactMap { $0["name"]?.stringValue }, names)
      for row in rows where row["passed"] != .bool(true) {
        // Where nobody may make namespaces there is nothing to look at.
        expectEqual(row["passed"], .null)
        expectEqual(row["skipped"]?.stringValue?.isEmpty, false, "\(row)")
      }
    }
  #endif

  @Test func `an unknown fault is refused with the nearest`() async throws {
    let scratch = try Scratch()
    let run = try await Program.run("faults", "selftest", "--fault", "reset-in-bdy", in: scratch)
    expectEqual(
      run, Program.Run(
          code: 64,
          out: "",
          err: "windtunnel: There is no fault \"reset-in-bdy\". Did you mean reset-in-body? "
            + "windtunnel faults list shows them.\nFor help: windtunnel faults selftest --help\n"
        )
    )
  }
}
