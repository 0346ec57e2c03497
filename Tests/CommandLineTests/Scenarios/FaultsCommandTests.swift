import TestSupport
import WindTunnelServer
import WindTunnelSymptoms

@testable import WindTunnelDrill

/// `faults list` and `faults selftest`.
@Suite(.timeLimit(.minutes(5))) struct FaultsCommandTests {
  @Test func `every kind is listed with what clients make of it, and reads as a fault`()
    async throws
  {
    let scratch = try Scratch()
    let run = try await scratch.run("faults list --json").exits(0)
    let rows = try run.rows()
    #expect(rows.count == FaultKind.all.count + DNSExample.all.count && rows.count >= 140)
    for (row, kind) in zip(rows, FaultKind.all) {
      expectEqual(row["name"]?.stringValue, kind.name)
      let fault = try #require(row["fault"])
      let text = "{\"windtunnelScenario\":1,\"name\":\"x\",\"rules\":[{\"faults\":[\(fault)]}]}"
      let scenario = try Scenario(data: Data(text.utf8), source: "x")
      expectEqual(scenario.rules.first?.faults, [kind.fault])
    }
    #expect(try await scratch.run("faults list").out.contains("\nreset-in-body "))
  }

  @Test func `every fault is made for real, and seen as what it is`() async throws {
    let run = try await Scratch().run("faults selftest --json")
    let rows = try run.rows()
    let names = rows.compactMap { $0["name"]?.stringValue }
    expectEqual(Array(names.prefix(FaultKind.all.count)), FaultKind.all.map(\.name))
    expectEqual(names.count, FaultKind.all.count + DNSExample.all.count)
    for row in rows {
      let isLookUp = row["name"]?.stringValue?.hasPrefix("dns-") == true
      // A machine where nobody may make namespaces has no look-ups to lead astray.
      if isLookUp, row["skipped"]?.stringValue?.isEmpty == false { continue }
      expectEqual(row["passed"], .bool(true), "\(row)")
      if isLookUp { continue }
      expectEqual(row["seen"]?["raw"], row["asked"], "\(row)")
      expectEqual(row["seen"]?["looks"]?.intValue, 1, "\(row)")
      for key in ["expected", "skipped"] { #expect(row[key] != nil) }
    }
    expectEqual(run.code, 0)
  }

  @Test func `a fault is looked at as often as it is asked for`() async throws {
    let words = line("--fault reset-in-body --fault close-in-headers --repeat 5 --json")
    let run = try await Scratch().run(["faults", "selftest"] + words)
    let rows = try run.rows()
    expectEqual(rows.map { $0["seen"]?["looks"]?.intValue }, [5, 5])
    expectEqual(rows.map { $0["passed"] }, [.bool(true), .bool(true)])
  }

  @Test func `a self-test row passes only with all expected results`() throws {
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
    let run = try await Scratch().run("faults list")
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
}
