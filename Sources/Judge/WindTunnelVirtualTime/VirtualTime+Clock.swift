extension VirtualTime {
  /// Runs work that accepts a clock, in a time that only this clock has.
  ///
  /// ```swift
  /// let clock = VirtualClock()
  /// try await VirtualTime.run(on: clock) {
  ///   try await clock.sleep(for: .seconds(3600))
  /// }
  /// ```
  ///
  /// It uses only public interfaces, so it is available with every compiler and on every system,
  /// regardless of ``isSupported``. Runs on different clocks can be concurrent. Runs on the same
  /// clock follow each other: the next begins at the instant at which the previous one ended.
  ///
  /// - Parameters:
  ///   - clock: The clock by which the work sleeps.
  ///   - order: The order in which tasks that are ready at the same instant run.
  ///   - patience: The maximum real time to wait for tasks from outside of the run when no other
  ///     work is left. Zero means that the run fails at once.
  ///   - work: The work. It is cancelled if the run is not virtual. If it does not end then, it is
  ///     abandoned and gets no more turns, and its clock accepts no more runs.
  /// - Returns: The value of the work.
  /// - Throws: The error of the work, or ``NotVirtual``.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  public static func run<Value: Sendable>(
    on clock: VirtualClock,
    in order: TurnOrder = .arrival,
    patience: Duration = .seconds(10),
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard !isRunning else { throw NotVirtual(.nested) }
    try Task.checkCancellation()
    return try await clock.run(in: order, patience: patience, work)
  }
}
