public import Foundation

/// A time that moves when nothing is left to do at its present instant, and then to the next timer
/// at once: code that sleeps for hours takes milliseconds, and sees its clocks go on by hours.
///
/// What runs in it runs on one thread: tasks, groups, actors, `Task.sleep`, clocks and `Date()`
/// need no change. See ``run(in:seed:startingAt:_:)``.
public enum VirtualTime {
  /// Tells whether this system and this runtime have what it takes.
  public static var isSupported: Bool { hindrance == nil }

  /// Tells whether the caller is in a run.
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
  /// Runs of a process follow one another. Tasks that are left when the work returns go on by the
  /// machine's time.
  ///
  /// - Parameters:
  ///   - order: The order in which what is ready at one instant has its turn.
  ///   - seed: The seed of random numbers that the work draws from the system's generator; `nil`:
  ///     they are the system's.
  ///   - date: The time of day at the beginning; `nil`: the machine's.
  ///   - work: The work; it is cancelled where the run turns out not to be virtual.
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

  /// Lets runs that the work begins be at the same time, each on a thread and with a time of its
  /// own, while no other run of the process is.
  ///
  /// They share nothing that one of them waits for: what another run brings comes back late.
  ///
  /// - Parameter work: The work, which is in no run itself.
  /// - Returns: The value of the work.
  /// - Throws: The error of the work, or ``NotVirtual`` in a run.
  package static func together<Value>(_ work: () async throws -> Value) async throws -> Value {
    guard !isRunning else { throw NotVirtual(.nested) }
    return try await sharingTurn(work)
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 23)
