#if canImport(os)
  internal import Foundation
  internal import os

  /// Writes each attempt and each call that is over to the system's log.
  public struct LoggerObserver: Observer {
    private let lines: JSONLines

    /// Logs under a subsystem, in a category of its own.
    public init(subsystem: String, category: String = "network") {
      let logger = Logger(subsystem: subsystem, category: category)
      lines = JSONLines { line in
        // The lines hold no addresses, fields or content, so they may be read by anybody.
        logger.log("\(String(decoding: line.dropLast(), as: UTF8.self), privacy: .public)")
      }
    }

    /// Logs where the event ends something.
    public func observe(_ event: CallEvent) { lines.observe(event) }
  }
#endif
