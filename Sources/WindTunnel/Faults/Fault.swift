public import Symptoms

/// A way for an exchange to go wrong. Several compose in the order they stand in.
public enum Fault: Sendable, Hashable {
  /// Nothing is sent for a while before the answer.
  case delay(Spread)
  /// This status instead of the recorded answer, with `Retry-After` where it is given
  /// (RFC 9110 §10.2.3).
  case status(Int, retryAfter: Duration? = nil)
  /// The connection is reset (TCP RST) after this many bytes of the body; `nil`: instead of an
  /// answer.
  case reset(afterBodyBytes: Int? = nil)
  /// The connection is closed (TCP FIN) once the request has been read, without an answer.
  case close
  /// Nothing more is sent after this many bytes of the body, and the connection stays open; `nil`:
  /// no answer at all.
  case stall(afterBodyBytes: Int? = nil)
  /// The connection is closed after this many bytes of the body, though more were announced.
  case truncate(afterBodyBytes: Int)
  /// The connection attempt fails.
  case connection(ConnectionFault)
  /// The answer comes whole and in good form, and is not the recorded one.
  case mutate(Mutation)

  /// A length of time, fixed or drawn evenly from a range.
  public struct Spread: Sendable, Hashable {
    /// The least.
    public var least: Duration
    /// The most; the same as the least where nothing is drawn.
    public var most: Duration

    /// Makes a range; `most` is raised to `least` where it is less.
    public init(_ least: Duration, through most: Duration) {
      self.least = least
      self.most = max(least, most)
    }

    /// One length.
    public static func exactly(_ length: Duration) -> Spread { Spread(length, through: length) }

    /// A length and how far it strays to both sides.
    public static func around(_ length: Duration, jitter: Duration) -> Spread {
      Spread(max(.zero, length - jitter), through: length + jitter)
    }

    func resolved(_ draw: Double) -> Spread {
      let span = Double((most - least).inNanoseconds) / 1000
      return .exactly(least + .microseconds(Int64((span * draw).rounded())))
    }
  }
}

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

/// A way for a TLS handshake to go wrong.
public enum TLSFault: String, Sendable, Hashable, CaseIterable {
  /// A fatal `handshake_failure` alert answers the ClientHello (RFC 8446 §6.2).
  case handshakeFailure
  /// Plain HTTP answers the ClientHello.
  case plaintext
  /// The connection closes after the ClientHello.
  case closeAfterClientHello
  /// The certificate is self-signed or another host's.
  case untrusted
  /// The certificate has expired.
  case expired
  /// The certificate is not valid yet.
  case notYetValid
  /// The certificate's issuer is not known.
  case unknownRoot

  /// Whether it takes a handshake that gets as far as a certificate, and so a TLS library.
  public var needsCertificate: Bool {
    switch self {
    case .handshakeFailure, .plaintext, .closeAfterClientHello: false
    case .untrusted, .expired, .notYetValid, .unknownRoot: true
    }
  }

  /// What a client sees.
  public var symptom: Symptom {
    switch self {
    case .handshakeFailure, .plaintext, .closeAfterClientHello: .secureConnectionFailed
    case .untrusted: .serverCertificateUntrusted
    case .expired: .serverCertificateHasBadDate
    case .notYetValid: .serverCertificateNotYetValid
    case .unknownRoot: .serverCertificateHasUnknownRoot
    }
  }
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

extension Fault {
  /// Whether the recorded answer does not reach the client whole and as it is, so that it is dealt
  /// without being used up and a retry gets it.
  public var replacesOrCuts: Bool {
    switch self {
    case .delay: false
    case .status, .reset, .close, .stall, .truncate, .connection, .mutate: true
    }
  }

  /// Whether it takes the place of an answer that nobody has seen yet, so that a live origin need
  /// not be asked. A mutation wants an answer, and a live one passes before it is known whole.
  var forestallsOrigin: Bool {
    if case .mutate = self { false } else { replacesOrCuts }
  }

  /// With everything random in it drawn.
  func resolved(_ draw: () -> Double) -> Fault {
    switch self {
    case .delay(let spread) where spread.least < spread.most: .delay(spread.resolved(draw()))
    case .mutate(let mutation): .mutate(mutation.resolved(draw))
    case .delay, .status, .reset, .close, .stall, .truncate, .connection: self
    }
  }
}
