public import Foundation

/// A time that advances only when no work is left at its current instant, and then directly to the
/// next timer. Code that sleeps for hours takes milliseconds, and its clocks advance by hours.
///
/// All code of a run uses one thread. Tasks, groups, actors, `Task.sleep`, clocks and `Date()` need
/// no change. See ``run(in:seed:startingAt:_:)``.
public enum VirtualTime {
  /// Whether this system and this runtime support virtual time.
  public static var isSupported: Bool { hindrance == nil }

  /// Whether the caller is in a run.
  public static var isRunning: Bool { isHere }

  /// Runs work in virtual time.
  ///
  /// ```swift
  /// let waited = try await VirtualTime.run {
  ///   let start = ContinuousClock.now
  ///   try await Task.sleep(for: .seconds(3600))
  ///   return ContinuousClock.now - start
  /// }
  /// ```
  ///
  /// Runs of a process follow each other. Tasks that remain when the work returns continue in real
  /// time.
  ///
  /// - Parameters:
  ///   - order: The order in which tasks that are ready at the same instant run.
  ///   - seed: The seed of random numbers that the work draws from the system's generator. `nil`
  ///     means the system's own numbers.
  ///   - date: The date and time at the beginning. `nil` means the machine's.
  ///   - work: The work. It is cancelled if the run is not virtual.
  /// - Returns: The value of the work.
  /// - Throws: The error of the work, or ``NotVirtual``.
  public static func run<Value: Sendable>(
    in order: TurnOrder = .arrival,
    seed: UInt64? = nil,
    startingAt date: Date? = nil,
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard !isRunning else { throw NotVirtual(.nested) }
    if let hindrance { throw NotVirtual(.unsupported(hindrance)) }
    return try await run(order, seed, startingAt: date, work)
  }

  /// Allows concurrent runs within the work, each with a thread and a time of its own, while no
  /// other run of the process is active.
  ///
  /// They must not wait for each other: a task that another run resumes counts as late.
  ///
  /// - Parameter work: The work, which is not in a run itself.
  /// - Returns: The value of the work.
  /// - Throws: The error of the work, or ``NotVirtual`` if the caller is in a run.
  package static func together<Value>(_ work: () async throws -> Value) async throws -> Value {
    guard !isRunning else { throw NotVirtual(.nested) }
    return try await sharingTurn(work)
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 23)
