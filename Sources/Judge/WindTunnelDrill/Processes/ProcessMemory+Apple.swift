#if canImport(Darwin)
  /// The resident memory of processes, which nobody is asked for there: rules by it are not met.
  enum ProcessMemory {
    /// Returns `nil`: the system is not asked.
    static func bytes(of process: Int32, atMost isPeak: Bool) -> Int? { nil }
  }
#endif
