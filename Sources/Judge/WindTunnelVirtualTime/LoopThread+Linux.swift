#if os(Linux)
  internal import Dispatch
  internal import CWindTunnelSystem
  internal import Foundation
  @_spi(WindTunnel) internal import WindTunnelCore

  /// A thread for runs, which waits for the next run when one has ended. Starting a thread takes as
  /// long as a short run.
  final class LoopThread: Sendable {
    private static let idle = Locked<[LoopThread]>([])

    private let next = Locked<(@Sendable () -> Void)?>(nil)
    private let wake = DispatchSemaphore(value: 0)

    /// Runs work on a thread that is used for nothing else in the meantime.
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
