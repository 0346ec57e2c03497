internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The decision which requests to a console's port are answered: from this machine, and from one
/// device of the local network that entered the code.
final class ConsoleGate: Sendable {
  /// The reasons why a request is rejected.
  enum RejectionReason: Sendable, Hashable {
    /// It addresses another name or is from a foreign page, with a sentence about it.
    case stranger(String)
    /// The code is required first; `false` if no code is accepted any more.
    case unpaired(takesCode: Bool)
  }

  private struct State: Sendable {
    /// The cookie's value that identifies the paired device.
    var token: String?
    var codes: PeerAuthorizer
  }

  /// The maximum size of a request's body in bytes.
  static let bodyBytesMax = Scenario.fileBytesMax

  /// The fields of every response: no caching, no external content, no framing.
  static let fields: HeaderFields = [
    "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
      + "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ]

  /// The name of the cookie that identifies the device.
  private static let cookie = "windtunnel-console"

  private let lan: (host: String, code: String)?
  private let state: Locked<State>

  init(_ lan: (host: String, code: String)?) {
    self.lan = lan
    let admission = lan.map { Admission.code($0.code) } ?? .only("127.0.0.1")
    state = Locked(State(codes: PeerAuthorizer(admission, own: lan?.host ?? "127.0.0.1")))
  }

  /// Returns why a request is rejected; `nil` if it is answered.
  func refusal(of head: RequestHead, from peer: String) -> RejectionReason? {
    switch OriginPolicy.strangerAtOwnPort(head.url, head.headers, own: lan?.host) {
    case .host(let host)?:
      return .stranger(
        "This console accepts the hosts 127.0.0.1, [::1] and localhost, not \"\(host)\"."
      )
    case .page(let origin)?:
      return .stranger("This console refuses requests of pages from \"\(origin)\".")
    case nil: break
    }
    if PrivateAddress.isLoopback(peer) { return nil }
    guard lan != nil else { return .stranger("This console serves only this machine.") }
    let token = state.withLock { $0.token }
    if let token, Self.cookie(in: head.headers) == token { return nil }
    return .unpaired(takesCode: token == nil)
  }

  /// Returns the kind of a peer. Another address of the paired device counts as unpaired.
  func kind(of peer: String) -> PeerKind {
    PrivateAddress.isLoopback(peer) ? .owner : state.withLock { $0.codes.kind(of: peer) }
  }

  /// Pairs the first device that enters the right code.
  ///
  /// - Returns: The cookie that identifies the device; `nil` if it was rejected.
  func pair(_ code: String, from peer: String) -> String? {
    state.withLock { state in
      guard state.token == nil, state.codes.check(code, from: peer) == .right else { return nil }
      let token = UUID().uuidString + UUID().uuidString
      state.token = token
      return "\(Self.cookie)=\(token); Path=/; HttpOnly; SameSite=Strict"
    }
  }

  private static func cookie(in headers: HeaderFields) -> String? {
    let pairs = headers.values("Cookie").flatMap { $0.split(separator: ";") }
    return pairs.lazy.map { $0.trimmingCharacters(in: .whitespaces) }
      .first { $0.hasPrefix("\(cookie)=") }
      .map { String($0.dropFirst(cookie.count + 1)) }
  }
}
