internal import WindTunnel

#if canImport(FoundationNetworking)
  internal import Foundation
  package import FoundationNetworking
#else
  package import Foundation
#endif

extension URLSessionConfiguration {
  /// A configuration whose tasks all fail.
  ///
  /// - Parameter reason: What each task is told, until another such configuration is made.
  /// - Returns: A configuration to make sessions with.
  package static func leadingNowhere(_ reason: String) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    Nowhere.reason.withLock { $0 = reason }
    configuration.protocolClasses = [Nowhere.self]
    configuration.urlCache = nil
    return configuration
  }
}

/// The interceptor of sessions that lead nowhere.
private final class Nowhere: Interceptor {
  static let reason = Locked("")

  override var boarding: Result<Seat, HarnessError> {
    .failure(HarnessError(Self.reason.withLock { $0 }))
  }
}
