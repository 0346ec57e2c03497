#if canImport(os)
  internal import Foundation
  internal import os

  /// An observer that writes each finished attempt and each finished call to the system's log.
  public struct LoggerObserver: Observer {
    private let lines: JSONLines

    /// Creates an observer that logs with a subsystem and a category.
    public init(subsystem: String, category: String = "network") {
      let logger = Logger(subsystem: subsystem, category: category)
      lines = JSONLines { line in
        // The lines contain no addresses, fields or content, so they may be public.
        logger.log("\(String(decoding: line.dropLast(), as: UTF8.self), privacy: .public)")
      }
    }

    /// Logs the event if it ends an attempt or a call.
    public func observe(_ event: CallEvent) { lines.observe(event) }

    /// Logs an event of the app's start.
    public func observeStartup(_ event: StartupEvent) { lines.observeStartup(event) }
  }
#endif
