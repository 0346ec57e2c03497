internal import Foundation
internal import WindTunnelCore
internal import WindTunnelHTTP
package import WindTunnelSymptoms

/// A refusal of the system or of TLS, and the way to go on.
package struct SocketError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Operation: String, Sendable, Hashable {
    case listen, connect, accept, read, write
    case open = "open a socket"
    case resolve = "find the address"
    case secure = "speak TLS"
  }

  /// The reasons that somebody acts on.
  package enum Kind: Sendable, Hashable {
    case portInUse, notAllowed, noSuchAddress
    case refused, reset, unreachable, timedOut
    case tooManyOpenFiles
    case hostNotFound
    case insecure(TLSFailure)
    case other
  }

  package var operation: Operation
  /// The system's number for it.
  package var code: Int32
  package var address: SocketAddress?
  /// The refusal of TLS, where it was not the system's.
  package private(set) var failure: TLSFailure?

  package init(_ operation: Operation, _ code: Int32, _ address: SocketAddress? = nil) {
    (self.operation, self.code, self.address) = (operation, code, address)
  }

  package init(_ failure: TLSFailure, _ address: SocketAddress?) {
    self.init(.secure, 0, address)
    self.failure = failure
  }

  /// TLS cannot be spoken to a server, for this reason.
  package static func unusable(_ text: String, _ address: SocketAddress? = nil) -> SocketError {
    SocketError(TLSFailure(kind: .unusable, text: text, role: .client), address)
  }

  /// Tells whether this process, or its machine, has run out of something: no peer is to blame.
  package var isOwn: Bool {
    guard failure == nil, operation != .resolve else { return false }
    switch code {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return true
    // Every port of ours is taken by a connection to that peer.
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
    case .portInUse: return "\(port) is in use; choose another, or 0 for any that is free"
    case .notAllowed where operation == .listen:
      return "\(port) is not for this user; choose one above 1023, or 0 for any that is free"
    case .noSuchAddress where operation == .listen:
      return "\(address?.host ?? "the address") is no address of this machine; try 127.0.0.1"
    case .refused: return "nobody listens at \(place)"
    case .reset: return "\(place) reset the connection"
    case .unreachable: return "there is no way to \(place)"
    case .timedOut: return "\(place) did not answer in time"
    case .tooManyOpenFiles: return "\(FileShortage.words); see ulimit -n"
    case .insecure(let failure): return failure.text
    case .hostNotFound: return "no address was found (\(String(cString: gai_strerror(code))))"
    case .notAllowed, .noSuchAddress, .other:
      let reason = String(cString: strerror(code))
      return "could not \(operation.rawValue)\(address.map { " \($0)" } ?? ""): \(reason)"
    }
  }

  /// The symptom that a client which connects by itself would have seen.
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

/// The reason why a TLS connection ended otherwise than by agreement, as one of its ends saw it.
package struct TLSFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds that mean different things to a client.
  package enum Kind: Sendable, Hashable {
    /// The server's certificate does not hold; OpenSSL's number for the reason (`X509_V_ERR_…`).
    case certificate(Int)
    /// The peer ended it, by the number of an alert (RFC 8446 §6).
    case alert(UInt8)
    /// The bytes that came are no TLS, is damaged, or offers nothing that both ends speak.
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
  /// The end that saw it.
  package let role: TLSRole

  package var description: String { text }

  /// The symptom for the client of the connection, whichever end tells of it.
  package var symptom: Symptom {
    switch kind {
    case .certificate(let number): Self.symptom(ofCertificate: number)
    case .alert(let number):
      role == .client ? Self.symptom(fromServer: number) : Self.symptom(fromClient: number)
    case .unusable, .brokenOff, .tooLarge: .secureConnectionFailed
    case .tooSlow: .timedOut
    }
  }

  /// Returns the numbers of `x509_vfy.h`.
  private static func symptom(ofCertificate number: Int) -> Symptom {
    switch number {
    case 10: .serverCertificateHasBadDate
    case 9: .serverCertificateNotYetValid
    // Some certificate above it is missing or is nobody's whom this end trusts.
    case 2, 19, 20, 21: .serverCertificateHasUnknownRoot
    // Self-signed (18), another host's (62, 64), and what is rare.
    default: .serverCertificateUntrusted
    }
  }

  /// Returns the symptom that a server's alert is to a client that has shown a certificate or none.
  private static func symptom(fromServer number: UInt8) -> Symptom {
    switch number {
    case 116: .clientCertificateRequired
    // bad, unsupported, revoked, expired and unknown certificate; unknown authority.
    case 42...46, 48: .clientCertificateRejected
    default: .secureConnectionFailed
    }
  }

  /// Returns the symptom that a client's alert says it has seen in the server's certificate.
  private static func symptom(fromClient number: UInt8) -> Symptom {
    switch number {
    case 45: .serverCertificateHasBadDate
    case 48: .serverCertificateHasUnknownRoot
    case 42...44, 46: .serverCertificateUntrusted
    default: .secureConnectionFailed
    }
  }
}

/// The two ends of a TLS connection.
package enum TLSRole: Sendable, Hashable { case client, server }

/// The reason why a server cannot start.
public enum ServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The port belongs to another process.
  case portInUse(Int)
  /// The server cannot listen at the address or port.
  case cannotListen(String)
  /// TLS was requested and is not available, for this reason, half a sentence.
  case tlsUnavailable(String)
  /// The upstream's URL is invalid or its host is not known.
  case upstream(String)

  /// The reason in a sentence.
  public var description: String {
    switch self {
    case .portInUse(let port): "Port \(port) is in use; choose another, or 0 for any that is free."
    case .cannotListen(let reason): "Cannot listen: \(reason)."
    case .tlsUnavailable(let reason):
      "TLS is not to be had: \(reason). To have it, \(OpenSSLNames.advice), or name the folder "
        + "that it lies in by \(OpenSSLNames.folderVariable)."
    case .upstream(let reason): "The upstream cannot be used: \(reason)."
    }
  }

  package init(_ error: SocketError, port: Int) {
    self = error.kind == .portInUse ? .portInUse(port) : .cannotListen("\(error)")
  }
}

extension OpenSSLNames {
  /// The variable that names the only folder in which the libraries are looked for.
  static let folderVariable = "WINDTUNNEL_OPENSSL"
}
