/// A server's conduct of a TLS handshake: what it shows, speaks and demands.
public struct Handshake: Sendable, Hashable {
  /// The time in which the certificate is valid.
  public enum Validity: Sendable, Hashable {
    /// Now.
    case current
    /// It was.
    case expired
    /// It will be.
    case notYet
  }

  /// The signer of the certificate.
  public enum Issuer: Sendable, Hashable {
    /// The authority that clients are told to trust.
    case authority
    /// Somebody whom that authority has signed, and whose certificate is not sent along.
    case unsentIntermediate
    /// Nobody but itself.
    case itself
    /// An authority that no client knows.
    case stranger
  }

  /// The time in which the certificate is valid.
  public var validity = Validity.current
  /// The signer of the certificate.
  public var issuer = Issuer.authority
  /// Tells whether it is made out to a host that nobody asks for.
  public var isForAnotherHost = false
  /// Tells whether it is signed with SHA-1.
  public var isWeaklySigned = false
  /// Tells whether nothing newer than TLS 1.1 is spoken.
  public var isOld = false
  /// Tells whether a certificate of the client's is demanded.
  public var demandsCertificate = false

  /// One that is as it should be.
  public init() {}
}
