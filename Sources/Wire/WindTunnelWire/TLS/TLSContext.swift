public import Foundation

/// The settings that connections of one end share: versions, protocols, and trust.
///
/// OpenSSL lets any thread make connections of it. It has no sessions to resume, so that every
/// connection shows its certificate and a fault of a certificate is met by each.
package final class TLSContext: @unchecked Sendable {
  package let pointer: OpaquePointer
  package let openSSL: OpenSSL
  package let role: TLSRole
  /// The issuer of a server's certificates.
  package let authority: CertificateAuthority?

  /// Makes a server's context: it allows the versions of TLS that are set, and of the protocols
  /// that a client offers by ALPN (RFC 7301) it accepts HTTP/1.1 alone.
  package convenience init(_ tls: ServerTLS) throws(ServerError) {
    let openSSL = tls.authority.openSSL
    try self.init(.server, openSSL, openSSL.ssl.TLS_server_method(), tls.authority)
    limit(to: tls.versions)
    // The client's list is all that is asked; a client without one gets HTTP/1.1 as it always has.
    openSSL.ssl.SSL_CTX_set_alpn_select_cb(
      pointer,
      { _, chosen, length, offered, count, _ in
        guard let chosen, let length, let offered else { return 2 }
        var place = 0
        while place < Int(count) {
          let name = UnsafeBufferPointer(
            start: offered + place + 1,
            count: min(Int(offered[place]), Int(count) - place - 1)
          )
          if name.elementsEqual(TLSContext.protocolName) {
            (chosen.pointee, length.pointee) = (name.baseAddress, UInt8(name.count))
            // SSL_TLSEXT_ERR_OK.
            return 0
          }
          place += 1 + name.count
        }
        // SSL_TLSEXT_ERR_ALERT_FATAL, which is sent as no_application_protocol (RFC 7301 §3.2).
        return 2
      },
      nil
    )
  }

  /// Makes a context for clients, which accepts only certificates that lead to a trusted one.
  ///
  /// - Throws: `ServerError.upstream` for a file that holds no certificate.
  package convenience init(
    trusting trust: Trust,
    versions: ClosedRange<TLSVersion> = .v1_2 ... .v1_3,
    _ openSSL: OpenSSL
  ) throws(ServerError) {
    try self.init(.client, openSSL, openSSL.ssl.TLS_client_method(), nil)
    limit(to: versions)
    let ssl = openSSL.ssl
    openSSL.crypto.ERR_clear_error()
    // SSL_VERIFY_PEER; the name is each connection's.
    ssl.SSL_CTX_set_verify(pointer, 1, nil)
    let offer = [UInt8(Self.protocolName.count)] + Self.protocolName
    _ = ssl.SSL_CTX_set_alpn_protos(pointer, offer, UInt32(offer.count))
    switch trust {
    case .system: _ = ssl.SSL_CTX_set_default_verify_paths(pointer)
    case .certificates(let file):
      guard ssl.SSL_CTX_load_verify_locations(pointer, file.path, nil) == 1 else {
        let reason = openSSL.popError()?.text ?? "it says no more"
        throw .upstream("\(file.relativePath) holds no certificate to trust (\(reason))")
      }
      // Whatever is in the file is trusted, also a server's own certificate.
      // X509_V_FLAG_PARTIAL_CHAIN.
      _ = openSSL.crypto.X509_VERIFY_PARAM_set_flags(ssl.SSL_CTX_get0_param(pointer), 0x80000)
    }
  }

  private init(
    _ role: TLSRole,
    _ openSSL: OpenSSL,
    _ method: OpaquePointer?,
    _ authority: CertificateAuthority?
  ) throws(ServerError) {
    openSSL.crypto.ERR_clear_error()
    guard let pointer = openSSL.ssl.SSL_CTX_new(method) else {
      throw openSSL.failure(of: "SSL_CTX_new")
    }
    (self.pointer, self.openSSL, self.role, self.authority) = (pointer, openSSL, role, authority)
    let ssl = openSSL.ssl
    // SSL_OP_NO_RENEGOTIATION and SSL_OP_NO_TICKET.
    _ = ssl.SSL_CTX_set_options(pointer, 1 << 30 | 1 << 14)
    _ = ssl.SSL_CTX_set_num_tickets(pointer, 0)
    // SSL_CTRL_SET_SESS_CACHE_MODE: off.
    _ = ssl.SSL_CTX_ctrl(pointer, 44, 0, nil)
    // SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS: an idle connection keeps no 32 KiB.
    _ = ssl.SSL_CTX_ctrl(pointer, 33, 0x10, nil)
  }

  deinit { openSSL.ssl.SSL_CTX_free(pointer) }

  private static let protocolName = Array("http/1.1".utf8)

  /// SSL_CTRL_SET_MIN_PROTO_VERSION and its twin.
  private func limit(to versions: ClosedRange<TLSVersion>) {
    _ = openSSL.ssl.SSL_CTX_ctrl(pointer, 123, versions.lowerBound.number, nil)
    _ = openSSL.ssl.SSL_CTX_ctrl(pointer, 124, versions.upperBound.number, nil)
  }
}

/// The TLS settings of a server: the issuer of its certificates, and the versions that it accepts.
public struct ServerTLS: Sendable {
  /// The authority that issues a certificate for each host that a client names (SNI, RFC 6066 §3);
  /// a client that names none gets one for this machine.
  public let authority: CertificateAuthority
  /// The versions that the server accepts.
  public var versions: ClosedRange<TLSVersion> = .v1_2 ... .v1_3

  /// Makes settings with a given authority.
  public init(authority: CertificateAuthority) { self.authority = authority }

  /// Makes settings with a new authority.
  ///
  /// - Throws: `ServerError.tlsUnavailable` where there is no OpenSSL 3.
  public init() throws(ServerError) { authority = try CertificateAuthority() }
}

/// The authorities that a client trusts.
public enum Trust: Sendable, Hashable {
  /// The authorities that the system trusts.
  case system
  /// The certificates of a file in PEM, and no others.
  case certificates(URL)
}

/// A supported version of TLS; clients refuse older ones by now (RFC 8996).
public enum TLSVersion: String, Sendable, Hashable, CaseIterable, Comparable {
  /// TLS 1.2, by RFC 5246.
  case v1_2 = "1.2"
  /// TLS 1.3, by RFC 8446.
  case v1_3 = "1.3"

  /// The number that travels.
  fileprivate var number: Int { self == .v1_2 ? 0x0303 : 0x0304 }

  /// Tells whether one version is older than another.
  public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.number < right.number }
}
