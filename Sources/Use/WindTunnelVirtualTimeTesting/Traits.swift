public import Foundation
public import Testing
public import WindTunnelVirtualTime

/// A trait that runs a test in virtual time.
public struct VirtualTimeTrait: TestTrait, SuiteTrait, TestScoping {
  fileprivate let order: TurnOrder
  fileprivate let seed: UInt64?
  fileprivate let date: Date?

  /// Tells that each test of a suite has a time of its own.
  public var isRecursive: Bool { true }

  /// Runs a test in virtual time; a test that is not virtual fails with `NotVirtual`.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    // In the time of its suite, which has begun, and cannot have another seed or date by now.
    if VirtualTime.isRunning {
      if order != .arrival || seed != nil || date != nil {
        Issue.record(
          "The test has the time of its suite, and its own seed, order and date are without effect."
        )
      }
      return try await function()
    }
    // The run ends before this function does.
    try await withoutActuallyEscaping(function) { function in
      try await VirtualTime.run(in: order, seed: seed, startingAt: date) { try await function() }
    }
  }
}

extension Trait where Self == VirtualTimeTrait {
  /// Runs a test in virtual time, which begins with the machine's.
  public static var virtualTime: Self { .virtualTime() }

  /// Runs a test in virtual time, or each test of a suite.
  ///
  /// ```swift
  /// @Test(.virtualTime(startingAt: Date(timeIntervalSince1970: 0)))
  /// func `it is one o'clock`() async throws {
  ///   try await Task.sleep(for: .seconds(3600))
  ///   #expect(Date().timeIntervalSince1970 == 3600)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - order: The order in which what is ready at one instant has its turn.
  ///   - seed: The seed of random numbers; `nil`: the system's.
  ///   - date: The time of day at the beginning; `nil`: the machine's.
  /// - Returns: The trait.
  public static func virtualTime(
    in order: TurnOrder = .arrival,
    seed: UInt64? = nil,
    startingAt date: Date? = nil
  ) -> Self {
    VirtualTimeTrait(order: order, seed: seed, date: date)
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 24)
