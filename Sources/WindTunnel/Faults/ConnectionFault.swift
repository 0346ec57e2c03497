public import Symptoms

/// A way for a connection to go wrong before there is a request on it.
public enum ConnectionFault: Sendable, Hashable {
  /// There is no network.
  case offline
  /// Nobody listens.
  case refused
  /// The name has no address.
  case hostNotFound
  /// The TLS handshake fails.
  case tls(TLSFault)
}

extension ConnectionFault {
  /// What a client sees.
  public var symptom: Symptom {
    switch self {
    case .offline: .offline
    case .refused: .connectionRefused
    case .hostNotFound: .hostNotFound
    case .tls(let fault): fault.symptom
    }
  }
}
