internal import Foundation

/// A crash of contained work: a trap such as an index out of range, a stack overflow, or an
/// `abort()`.
package struct Crash: Error, Sendable, Hashable, CustomStringConvertible {
  /// The signal that would have ended the process (signal(7)).
  package let signal: Int32

  /// The signal's name, such as `SIGTRAP`.
  package var description: String {
    switch signal {
    case SIGILL: "SIGILL"
    case SIGTRAP: "SIGTRAP"
    case SIGABRT: "SIGABRT"
    case SIGBUS: "SIGBUS"
    case SIGFPE: "SIGFPE"
    case SIGSEGV: "SIGSEGV"
    default: "signal \(signal)"
    }
  }
}
