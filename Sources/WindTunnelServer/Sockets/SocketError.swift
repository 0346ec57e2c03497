internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// What the system or TLS refused, and how to go on.
struct SocketError: Error, Sendable, Hashable {
  enum Operation: String, Sendable, Hashable {
    case listen, connect, accept, read, write
    case open = "open a socket"
    case resolve = "find the address"
    case secure = "speak TLS"
  }

  /// The reasons that somebody acts on.
  enum Kind: Sendable, Hashable {
    case portInUse, notAllowed, noSuchAddress
    case refused, reset, unreachable, timedOut
    case tooManyOpenFiles
    case hostNotFound
    case insecure(TLSFailure)
    case other
  }

  var operation: Operation
  /// The system's number for it.
  var code: Int32
  var address: SocketAddress?
  /// What TLS refused, where it was not the system.
  private(set) var failure: TLSFailure?

  init(_ operation: Operation, _ code: Int32, _ address: SocketAddress? = nil) {
    self.operation = operation
    self.code = code
    self.address = address
  }

  init(_ failure: TLSFailure, _ address: SocketAddress?) {
    self.init(.secure, 0, address)
    self.failure = failure
  }

  /// Tells whether this process, or its machine, has run out of something: no peer is to blame.
  var isOwn: Bool {
    guard failure == nil, operation != .resolve else { return false }
    switch code {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return true
    // Every port of ours is taken by a connection to that peer.
    case EADDRNOTAVAIL: return operation == .connect
    default: return false
    }
  }

  var kind: Kind {
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
}

extension SocketError: CustomStringConvertible {
  var description: String {
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
}

extension SocketError {
  /// What a client that connects by itself would have seen.
  var symptom: Symptom {
    switch kind {
    case .refused: .connectionRefused
    case .timedOut: .timedOut
    case .unreachable: .offline
    case .hostNotFound: .hostNotFound
    default: .connectionLost
    }
  }
}
