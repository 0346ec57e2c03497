#if os(Linux)
  internal import CWindTunnelClock
  internal import CWindTunnelSystem
  internal import Foundation

  /// The thread that hears of crashes, and has loops go on without the threads that had them.
  enum CrashWatch {
    /// Begins, once for all.
    static func begin() { _ = isUnderWay }

    private static let isUnderWay: Bool = {
      guard wt_clock_open_crashes() else { return false }
      Thread {
        while true {
          let crash = wt_clock_next_crash()
          // It lasts: the thread that crashed has it, and never comes back.
          VirtualLoop.at(crash.keeper).goOn(after: crash)
        }
      }.start()
      wt_crash_contain(wt_clock_contain_crash)
      return true
    }()
  }
#endif
