internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The decision which requests to a console's port are answered: this machine's, and those of one
/// device of the local network that has given the code.
final class ConsoleGate: Sendable {
  /// The reasons why a request is not answered.
  enum Refusal: Sendable, Hashable {
    /// It is asked by another name or from a page of elsewhere; a sentence.
    case stranger(String)
    /// It has to give the code first; false where none is taken any more.
    case unpaired(takesCode: Bool)
  }

  private struct State: Sendable {
    /// The cookie's value by which the paired device is known.
    var token: String?
    var codes: PeerAuthorizer
  }

  /// The greatest size of what a page says, in bytes.
  static let bodyBytesMax = Scenario.fileBytesMax

  /// The fields of every answer: nothing is kept, nothing comes from elsewhere, nobody frames it.
  static let fields: HeaderFields = [
    "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
      + "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ]

  /// The limits of a peer.
  static let limits: Limits = {
    var limits = Limits()
    limits.bodyBytesMax = bodyBytesMax
    limits.connectionsMax = 64
    return limits
  }()

  /// The name of the cookie by which the device is known.
  private static let cookie = "windtunnel-console"

  private let lan: (host: String, code: String)?
  private let state: Locked<State>

  init(_ lan: (host: String, code: String)?) {
    self.lan = lan
    let admission = lan.map { Admission.code($0.code) } ?? .only("127.0.0.1")
    state = Locked(State(codes: PeerAuthorizer(admission, own: lan?.host ?? "127.0.0.1")))
  }

  /// Returns the reason why a request is not answered; `nil` for one that is.
  func refusal(of head: RequestHead, from peer: String) -> Refusal? {
    switch OriginPolicy.strangerAtOwnPort(head.url, head.headers, own: lan?.host) {
    case .host(let host)?:
      return .stranger(
        "This console is asked by 127.0.0.1, [::1] or localhost, and not by \"\(host)\"."
      )
    case .page(let origin)?:
      return .stranger("This console does not answer pages of \"\(origin)\".")
    case nil: break
    }
    if PrivateAddress.isLoopback(peer) { return nil }
    guard lan != nil else { return .stranger("This console answers this machine alone.") }
    let token = state.withLock { $0.token }
    if let token, Self.cookie(in: head.headers) == token { return nil }
    return .unpaired(takesCode: token == nil)
  }

  /// Returns the kind of a peer. Another address of the paired device counts as an unpaired one.
  func kind(of peer: String) -> PeerKind {
    PrivateAddress.isLoopback(peer) ? .owner : state.withLock { $0.codes.kind(of: peer) }
  }

  /// Pairs the device that gives the right code, the first one alone.
  ///
  /// - Returns: The field that the device is known by from then on; `nil` where it is not let in.
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
