public import WindTunnelDrill
public import WindTunnelSymptoms

extension Drill {
  /// Creates a drill of a cassette that is found as by the trait `.cassette("NAME")`.
  ///
  /// ```swift
  /// let report = try await Drill("shop", in: .preRelease, calls: 400, seed: 7).run { call in
  ///   try await ShopAPI(baseURL: call.baseURL, session: call.session).get(call.url)
  /// }
  /// report.require(.successRate >= 0.99, .blankScreens == 0)
  /// ```
  ///
  /// A drill plays and never records.
  ///
  /// - Parameters:
  ///   - name: The cassette `NAME.json`, found as by the trait `.cassette`.
  ///   - scenarios: The scenarios, run one after the other, such as `.preRelease`. A search creates
  ///     its own.
  ///   - calls: The number of calls that the client makes in each scenario.
  ///   - seed: The seed of all random draws.
  ///   - load: The times at which the calls begin. The default has no fixed times, because a test
  ///     shares its machine with others.
  ///   - deadline: The maximum duration of a call. A call that takes much longer counts as hanging.
  ///   - stage: The stage; `nil` for the wire if it supports the faults and observes every attempt,
  ///     and for in process otherwise.
  ///   - errors: The platform whose errors are used for faults in process.
  ///   - critical: The requests of critical endpoints. If empty, the critical requests of the
  ///     cassette or a scenario, or else every GET and HEAD.
  ///   - file: The test's file.
  ///   - fileID: The same file with its module, whose resources are searched.
  /// - Throws: `CassetteProblem` if the cassette is missing, `FormatError` for a scenario that no
  ///   file can contain.
  public init(
    _ name: String,
    in scenarios: [Scenario] = [],
    calls: Int? = nil,
    seed: UInt64 = 1,
    load: Load = .closedLoop(concurrency: 16),
    deadline: Duration? = nil,
    stage: Stage? = nil,
    errors: Symptom.Platform = .current,
    critical: [RequestPattern] = [],
    file: String = #filePath,
    fileID: String = #fileID
  ) throws {
    for scenario in scenarios { try scenario.check() }
    self.init(
      try Cassette(playing: name, besides: file, fileID),
      in: scenarios,
      calls: calls,
      seed: seed,
      load: load,
      deadline: deadline,
      stage: stage,
      errors: errors,
      critical: critical
    )
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 7)
