internal import Foundation
internal import WindTunnel
internal import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The reference client's token: an invented one, and another where a server no longer takes it. All
/// calls of a drill have the same, as the calls of an app do.
final class DrillCredential: Authenticator {
  private let number = Locked(1)

  private static func value(_ number: Int) -> String { "Bearer wind-tunnel-\(number)" }

  func authorize(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    var request = request
    request.setValue(Self.value(number.withLock { $0 }), forHTTPHeaderField: "Authorization")
    return request
  }

  func renew(after request: URLRequest) async -> Bool {
    let refused = request.value(forHTTPHeaderField: "Authorization")
    // Another call may have renewed it meanwhile.
    number.withLock { if refused == Self.value($0) { $0 += 1 } }
    return true
  }
}
