#if os(Linux)
  internal import CWindTunnelClock
  internal import CWindTunnelSystem
  internal import Foundation

  /// The thread that receives crashes, and continues loops without the threads that crashed.
  enum CrashWatch {
    /// Starts the watch, once per process.
    static func begin() { _ = isUnderWay }

    private static let isUnderWay: Bool = {
      guard wt_clock_open_crashes() else { return false }
      Thread {
        while true {
          let crash = wt_clock_next_crash()
          // The loop still exists: the crashed thread refers to it, and never returns.
          VirtualLoop.at(crash.keeper).goOn(after: crash)
        }
      }.start()
      wt_crash_contain(wt_clock_contain_crash)
      return true
    }()
  }
#endif
