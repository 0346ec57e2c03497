#if canImport(Darwin)
  import Darwin

  /// What the process has on its heap.
  enum AllocatedBytes {
    /// Bytes in use, over all zones.
    static var now: Int {
      var statistics = malloc_statistics_t()
      malloc_zone_statistics(nil, &statistics)
      return statistics.size_in_use
    }
  }
#endif
