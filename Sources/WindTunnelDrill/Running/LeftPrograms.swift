internal import Foundation
internal import WindTunnel

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// The programs of a subject's process, as that tells of them: where it is killed, nobody else can end
/// them.
final class LeftPrograms: Sendable {
  private let groups = Locked<Set<Int32>>([])

  /// Takes a message that is about a program; false for any other.
  func take(_ message: WorkerMessage) -> Bool {
    guard case .program(let number, let runs) = message else { return false }
    groups.withLock { groups in
      if runs { groups.insert(number) } else { groups.remove(number) }
    }
    return true
  }

  /// Kills those that run, with what they have started. Their process has ended by then.
  func end() {
    // 0 and 1 would be everybody.
    for group in groups.withLock({ $0 }) where group > 1 { kill(-group, SIGKILL) }
  }
}
