internal import Foundation
internal import WindTunnelHTTP
package import WindTunnelSymptoms

/// An error of the system or of TLS, with advice for the user.
package struct SocketError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Operation: String, Sendable, Hashable {
    case listen, connect, accept, read, write
    case open = "open a socket"
    case resolve = "find the address"
    case secure = "use TLS"
  }

  /// The kinds of errors that callers distinguish.
  package enum Kind: Sendable, Hashable {
    case portInUse, notAllowed, noSuchAddress
    case refused, reset, unreachable, timedOut
    case tooManyOpenFiles
    case hostNotFound
    case insecure(TLSFailure)
    case other
  }

  package var operation: Operation
  /// The system's error number.
  package var code: Int32
  package var address: SocketAddress?
  /// The failure of TLS; `nil` if the error is the system's.
  package private(set) var failure: TLSFailure?

  package init(_ operation: Operation, _ code: Int32, _ address: SocketAddress? = nil) {
    (self.operation, self.code, self.address) = (operation, code, address)
  }

  package init(_ failure: TLSFailure, _ address: SocketAddress?) {
    self.init(.secure, 0, address)
    self.failure = failure
  }

  /// Creates the error that TLS to a server is impossible, for this reason.
  package static func unusable(_ text: String, _ address: SocketAddress? = nil) -> SocketError {
    SocketError(TLSFailure(kind: .unusable, text: text, role: .client), address)
  }

  /// Whether this process or its machine has run out of a resource, so that the peer is not
  /// responsible.
  package var isOwn: Bool {
    guard failure == nil, operation != .resolve else { return false }
    switch code {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return true
    // All local ports are used by connections to that peer.
    case EADDRNOTAVAIL: return operation == .connect
    default: return false
    }
  }

  package var kind: Kind {
    if let failure { return .insecure(failure) }
    if operation == .resolve { return .hostNotFound }
    switch code {
    case EADDRINUSE: return .portInUse
    case EACCES, EPERM: return .notAllowed
    case EADDRNOTAVAIL, EAFNOSUPPORT: return .noSuchAddress
    case ECONNREFUSED: return .refused
    case ECONNRESET, EPIPE, ECONNABORTED: return .reset
    case ENETUNREACH, EHOSTUNREACH: return .unreachable
    case ETIMEDOUT: return .timedOut
    case EMFILE, ENFILE: return .tooManyOpenFiles
    default: return .other
    }
  }

  package var description: String {
    let port = address.map { "port \($0.port)" } ?? "the port"
    let place = address.map { "\($0)" } ?? "the peer"
    switch kind {
    case .portInUse: return "\(port) is in use; choose another, or 0 for any free port"
    case .notAllowed where operation == .listen:
      return "\(port) needs more privileges; choose one above 1023, or 0 for any free port"
    case .noSuchAddress where operation == .listen:
      return "\(address?.host ?? "the address") is not an address of this machine; try 127.0.0.1"
    case .refused: return "\(place) refused the connection"
    case .reset: return "\(place) reset the connection"
    case .unreachable: return "there is no route to \(place)"
    case .timedOut: return "\(place) did not respond in time"
    case .tooManyOpenFiles: return "\(FileShortage.words); see ulimit -n"
    case .insecure(let failure): return failure.text
    case .hostNotFound: return "no address was found (\(String(cString: gai_strerror(code))))"
    case .notAllowed, .noSuchAddress, .other:
      let reason = String(cString: strerror(code))
      return "could not \(operation.rawValue)\(address.map { " \($0)" } ?? ""): \(reason)"
    }
  }

  /// The symptom that a client would have observed if it had connected itself.
  package var symptom: Symptom {
    switch kind {
    case .refused: .connectionRefused
    case .timedOut: .timedOut
    case .unreachable: .offline
    case .hostNotFound: .hostNotFound
    case .insecure(let failure): failure.symptom
    default: .connectionLost
    }
  }
}

/// The reason why a TLS connection ended abnormally, as observed by one of its ends.
package struct TLSFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failures, which have different meanings for a client.
  package enum Kind: Sendable, Hashable {
    /// The server's certificate is invalid, with OpenSSL's number for the reason (`X509_V_ERR_…`).
    case certificate(Int)
    /// The peer ended the connection with this alert number (RFC 8446 §6).
    case alert(UInt8)
    /// The received bytes are not TLS or are damaged, or there is no common version or cipher.
    case unusable
    /// The peer ended the connection within the handshake.
    case brokenOff
    /// The handshake took too long.
    case tooSlow
    /// The handshake was larger than allowed.
    case tooLarge
  }

  package let kind: Kind
  /// The reason as half a sentence.
  package let text: String
  /// The end that observed the failure.
  package let role: TLSRole

  package var description: String { text }

  /// The symptom for the client of the connection, regardless of which end reports it.
  package var symptom: Symptom {
    switch kind {
    // `x509_vfy.h` defines the numbers.
    case .certificate(10): .serverCertificateHasBadDate
    case .certificate(9): .serverCertificateNotYetValid
    // An issuing certificate is missing or not trusted.
    case .certificate(2), .certificate(19...21): .serverCertificateHasUnknownRoot
    // Self-signed (18), for another host (62, 64), and rare reasons.
    case .certificate: .serverCertificateUntrusted
    // The client received an alert from the server: bad, unsupported, revoked, expired and unknown
    // certificate; unknown authority.
    case .alert(116) where role == .client: .clientCertificateRequired
    case .alert(42...46) where role == .client, .alert(48) where role == .client:
      .clientCertificateRejected
    // The client observed this in the server's certificate, according to its alert.
    case .alert(45): .serverCertificateHasBadDate
    case .alert(48): .serverCertificateHasUnknownRoot
    case .alert(42...46): .serverCertificateUntrusted
    case .alert, .unusable, .brokenOff, .tooLarge: .secureConnectionFailed
    case .tooSlow: .timedOut
    }
  }
}

/// The two ends of a TLS connection.
package enum TLSRole: Sendable, Hashable { case client, server }

/// The reason why a server cannot start.
public enum ServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The port is used by another process.
  case portInUse(Int)
  /// The server cannot listen at the address or port.
  case cannotListen(String)
  /// TLS was requested but is not available, for this reason, which is half a sentence.
  case tlsUnavailable(String)
  /// The upstream's URL is invalid, or its host is unknown.
  case upstream(String)

  /// The reason in a sentence.
  public var description: String {
    switch self {
    case .portInUse(let port): "Port \(port) is in use; choose another, or 0 for any free port."
    case .cannotListen(let reason): "Cannot listen: \(reason)."
    case .tlsUnavailable(let reason):
      "TLS is not available: \(reason). To use it, \(OpenSSLNames.advice), or set its folder as "
        + "\(OpenSSLNames.folderVariable)."
    case .upstream(let reason): "The upstream cannot be used: \(reason)."
    }
  }

  package init(_ error: SocketError, port: Int) {
    self = error.kind == .portInUse ? .portInUse(port) : .cannotListen("\(error)")
  }
}

extension OpenSSLNames {
  /// The environment variable with the only folder in which the libraries are searched.
  static let folderVariable = "WINDTUNNEL_OPENSSL"
}
