#if canImport(Darwin)
  /// The time that processes waited for a processor, which nobody is told there.
  enum ProcessDelay {
    /// Returns no time, for no process.
    static func longest(of process: Int32) -> Duration { .zero }
  }
#endif
