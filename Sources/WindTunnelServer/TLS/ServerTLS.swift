public import Foundation

/// The manner in which a server speaks TLS: the issuer of its certificates, and the versions that
/// it takes.
public struct ServerTLS: Sendable {
  /// Issues a certificate for each host that a client names (SNI, RFC 6066 §3); a client that names
  /// none gets one for this machine.
  public let authority: CertificateAuthority
  /// The versions that are spoken.
  public var versions: ClosedRange<TLSVersion> = .v1_2 ... .v1_3

  /// With an authority of somebody's own.
  public init(authority: CertificateAuthority) { self.authority = authority }

  /// With an authority made for it.
  ///
  /// - Throws: `ServerError.tlsUnavailable` where there is no OpenSSL 3.
  public init() throws(ServerError) { authority = try CertificateAuthority() }
}

/// The authorities that a client believes about a server.
public enum Trust: Sendable, Hashable {
  /// Whoever the machine trusts.
  case system
  /// Nobody but the certificates of a file in PEM.
  case certificates(URL)
}

/// A version of TLS that is spoken here; what is older is refused everywhere by now (RFC 8996).
public enum TLSVersion: String, Sendable, Hashable, CaseIterable, Comparable {
  /// TLS 1.2, by RFC 5246.
  case v1_2 = "1.2"
  /// TLS 1.3, by RFC 8446.
  case v1_3 = "1.3"

  /// The number that travels.
  var number: Int { self == .v1_2 ? 0x0303 : 0x0304 }

  /// The older is the lesser.
  public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.number < right.number }
}
