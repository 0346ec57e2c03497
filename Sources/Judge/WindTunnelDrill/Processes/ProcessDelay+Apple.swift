#if canImport(Darwin)
  /// The time that processes waited for a processor, which nobody is told there.
  enum ProcessDelay {
    /// Returns no time, for no thread.
    static func threads(of process: Int32) -> [String: Duration] { [:] }
  }
#endif
