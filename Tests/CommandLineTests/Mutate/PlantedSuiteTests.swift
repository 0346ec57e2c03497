import Programs
import TestSupport
import WindTunnel

/// `windtunnel mutate` over the suites that `Tests/PlantedSuites` describes.
@Suite(.serialized) struct PlantedSuiteTests {
  private static let folder = Repository.root.appending(path: "Tests/PlantedSuites").path
  static let hasPytest = StartedProgram.succeeds("python3 -c 'import pytest'")
  /// The last one runs beside two busy programs.
  private static let rounds = Tier.cases(Array(1...5), few: 1)

  @Test(.bothTiers, .enabled(if: hasPytest, "there is no python3 with pytest"), arguments: rounds)
  func `the blind tests of pytest are reported, and no others`(round: Int) async throws {
    let faults = ["values", "hollow", "lists-empty"].flatMap { ["--fault", $0] }
    let pytest = [
      "python3", "-B", "-m", "pytest", "-p", "no:cacheprovider", "\(Self.folder)/python",
    ]
    try await expectBlindSpots(
      of: ["--cassette", "\(Self.folder)/shop.json"]
        + (Tier.includesWorld ? [] : faults) + ["--"] + pytest,
      at: Tier.includesWorld ? nil : ["shape", "values"],
      isBusy: round == 5
    )
  }

  #if !canImport(Darwin)
    @Test(.bothTiers, arguments: rounds)
    func `the blind tests of Swift are reported, and no others`(round: Int) async throws {
      let binary = try #require(Bundle.main.executableURL).path
      let words = [
        "--", binary, "--testing-library", "swift-testing", "--filter", #"\.ShopTests/"#,
      ]
      try await expectBlindSpots(of: words, isBusy: round == 5)
    }

    @Test(.bothTiers) func `the blind parts of XCTest are reported, and no others`() async throws {
      let binary = try #require(Bundle.main.executableURL).path
      let faults = ["reset", "values", "hollow"].flatMap { ["--fault", $0] }
      try await expectBlindSpots(
        of: faults + ["--", binary, "WindTunnelTestingTests.ShopPartTests"],
        at: ["answer", "shape", "values"],
        among: ["orders", "export", "badge", "prices", "missing"]
      )
    }
  #endif

  /// Runs the tool, and compares the blind levels of its report with `blind.json`.
  private func expectBlindSpots(
    of words: [String],
    at levels: [String]? = nil,
    among endpoints: [String]? = nil,
    isBusy: Bool = false
  ) async throws {
    let scratch = try Scratch()
    let busy = try (0..<(isBusy ? 2 : 0)).map { _ in
      try Flight(["/bin/sh", "-c", "while :; do :; done"], in: scratch, isTool: false)
    }
    defer { busy.forEach { $0.signal(SIGKILL) } }
    let run = try await scratch.run(
      ["mutate", "--report", "report.json"] + words,
      with: ["PLANTED_SHOP": "1", "WINDTUNNEL_CASSETTES": Self.folder]
    )
    #expect(run.code == 99 && run.out.contains("not tried 0"), "\(run)")
    #expect(!run.out.contains("REDACTED"), "it can be repeated: \(run)")
    let report = try JSON(parsing: Data(contentsOf: scratch.file("report.json")), source: "report")
    let blind = (report["endpoints"]?.elements ?? []).map { endpoint in
      let columns = endpoint["columns"]?.members.filter { $0.value == "blind" } ?? []
      return (endpoint["endpoint"]?.stringValue ?? "", columns.map(\.name.value))
    }
    let wanted = try JSONDecoder().decode(
      [String: [String]].self,
      from: Data(Repository.text("Tests/PlantedSuites/blind.json").utf8)
    ).mapValues { $0.filter { levels?.contains($0) ?? true } }
      .filter { endpoint, _ in endpoints?.contains { endpoint.hasSuffix("/\($0)") } ?? true }
    expectEqual(
      Dictionary(uniqueKeysWithValues: blind).filter { !$1.isEmpty },
      wanted.filter { !$1.isEmpty }
    )
  }
}
