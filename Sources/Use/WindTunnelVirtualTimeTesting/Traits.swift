public import Foundation
public import Testing

/// A trait that runs a test in virtual time.
public struct VirtualTimeTrait: TestTrait, SuiteTrait, TestScoping {
  fileprivate let order: TurnOrder
  fileprivate let seed: UInt64?
  fileprivate let date: Date?

  /// Always `true`: each test of a suite has its own virtual time.
  public var isRecursive: Bool { true }

  /// Runs a test in virtual time. A test that cannot run in virtual time fails with `NotVirtual`.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    // The suite's virtual time is already running and cannot change its seed or date.
    if VirtualTime.isRunning {
      if order != .arrival || seed != nil || date != nil {
        Issue.record(
          "The test uses the virtual time of its suite; its own seed, order and date have no effect."
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
  /// Runs a test in virtual time, which begins with the machine's date.
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
  ///   - order: The order of work that is ready at the same instant.
  ///   - seed: The seed of random numbers; `nil` for the system's generator.
  ///   - date: The date at the beginning; `nil` for the machine's date.
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
