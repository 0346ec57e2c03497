#if !canImport(Darwin)
  internal import FoundationNetworking

  /// Asks how long the stages of a task took; nobody here knows.
  struct StageWatch {
    /// Never any: no session collects metrics.
    var timings: StageTimings? { nil }

    /// Watches nothing.
    func watch(_ task: URLSessionTask) {}
  }
#endif
