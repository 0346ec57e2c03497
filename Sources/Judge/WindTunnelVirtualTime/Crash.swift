internal import Foundation

/// A crash of work that was contained: a trap such as an index out of range, a stack that is too
/// deep, an `abort()`.
package struct Crash: Error, Sendable, Hashable, CustomStringConvertible {
  /// The signal by which the process would have ended (signal(7)).
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
