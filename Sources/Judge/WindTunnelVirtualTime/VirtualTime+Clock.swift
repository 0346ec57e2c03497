extension VirtualTime {
  /// Runs work that takes a clock, in a time that only that clock has.
  ///
  /// ```swift
  /// let clock = VirtualClock()
  /// try await VirtualTime.run(on: clock) {
  ///   try await clock.sleep(for: .seconds(3600))
  /// }
  /// ```
  ///
  /// This rests on public interfaces alone, and so is to be had with every compiler and on every
  /// system, whatever ``isSupported`` says. Runs on several clocks may be at the same time. Those
  /// on one follow one another: the next begins at the moment at which the last has ended.
  ///
  /// - Parameters:
  ///   - clock: The clock by which the work sleeps.
  ///   - order: The order in which what is ready at one instant has its turn.
  ///   - patience: The machine's time for which whatever comes from outside of the run is waited
  ///     for when nothing else is left; with zero that is a standstill at once.
  ///   - work: The work. It is cancelled where the run turns out not to be virtual; where that does
  ///     not end it, it is given up, has no more turns, and its clock has no more runs.
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
