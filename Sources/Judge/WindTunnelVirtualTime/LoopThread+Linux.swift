#if os(Linux)
  internal import Dispatch
  internal import CWindTunnelSystem
  internal import Foundation
  @_spi(WindTunnel) internal import WindTunnelCore

  /// A thread for runs, which waits for the next one when its own is over: to start one takes as
  /// long as a short run.
  final class LoopThread: Sendable {
    private static let idle = Locked<[LoopThread]>([])

    private let next = Locked<(@Sendable () -> Void)?>(nil)
    private let wake = DispatchSemaphore(value: 0)

    /// Does the work of a run on a thread that does nothing else meanwhile.
    static func run(_ work: @escaping @Sendable () -> Void) {
      if let idle = idle.withLock({ $0.popLast() }) { return idle.take(work) }
      let thread = LoopThread()
      thread.take(work)
      Thread { thread.loop() }.start()
    }

    private func take(_ work: @escaping @Sendable () -> Void) {
      next.withLock { $0 = work }
      wake.signal()
    }

    private func loop() {
      wt_crash_use_own_stack()
      while true {
        wake.wait()
        next.exchange(nil)?()
        Self.idle.withLock { $0.append(self) }
      }
    }
  }
#endif
