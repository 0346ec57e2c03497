public import WindTunnelDrill

extension DrillSubject {
  /// This package's own client with its default policy, used as in an app.
  ///
  /// All calls of a scenario share its limits, its retry budget, its circuit breakers and its
  /// cache.
  ///
  /// ```swift
  /// await DrillMain(subject: .reference).run()
  /// ```
  public static var reference: DrillSubject { DrillSubject(ReferenceSubject()) }

  /// The reference client with each engine that can follow its name after a colon.
  package static var referenceEngines: [DrillSubject] {
    ReferenceEngine.allCases.map { DrillSubject(ReferenceSubject($0)) }
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 34)
