internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The timeouts that a `URLProtocol` has to keep itself: on Linux none ever fires for one, on Apple
/// platforms only the resource's.
struct Timeouts {
  /// Restarted by every byte; `nil`: never.
  var idle: Duration?
  /// From the start of the task to its end; `nil`: never.
  var resource: Duration?

  /// The interval of a `URLRequest` for which none was set.
  private static let unset: TimeInterval = 60
  /// Anything longer is meant as "never"; `.infinity` is.
  private static let longest: TimeInterval = 1e9

  init(_ request: URLRequest, _ configuration: URLSessionConfiguration?) {
    let own = request.timeoutInterval
    // A request's own timeout beats the configuration's.
    let wanted = own == Self.unset ? configuration?.timeoutIntervalForRequest ?? own : own
    idle = Self.duration(Platform.idleTimeout(wanted))
    resource = configuration.flatMap { Self.duration($0.timeoutIntervalForResource) }
  }

  private static func duration(_ interval: TimeInterval) -> Duration? {
    guard interval >= 0, interval < longest else { return nil }
    return .milliseconds(Int64(interval * 1000))
  }
}
