public import Foundation

/// The settings that connections of one end share: versions, protocols, and trust.
///
/// Any thread may create connections with it. Sessions are not resumed, so that every handshake
/// shows the certificate and its faults.
package final class TLSContext: @unchecked Sendable {
  package let pointer: OpaquePointer
  package let openSSL: OpenSSL
  package let role: TLSRole
  /// The issuer of a server's certificates.
  package let authority: CertificateAuthority?
  /// The names in ALPN, the preferred one first.
  private let protocolNames: [[UInt8]]

  /// Creates a server's context. It allows the given versions of TLS, and chooses the first of its
  /// protocols that a client offers by ALPN (RFC 7301).
  package convenience init(
    _ tls: ServerTLS,
    speaking versions: HTTPVersions = .http1
  ) throws(ServerError) {
    let openSSL = tls.authority.openSSL
    try self.init(
      .server,
      openSSL,
      openSSL.ssl.TLS_server_method(),
      tls.authority,
      versions.protocolNames
    )
    limit(to: tls.versions)
    // Not called if the client offers no protocols: the first bytes then decide. The context
    // outlives its handshakes.
    openSSL.ssl.SSL_CTX_set_alpn_select_cb(
      pointer,
      { _, chosen, length, offered, count, context in
        guard let chosen, let length, let offered, let context else { return 2 }
        let names = Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().protocolNames
        let list = UnsafeBufferPointer(start: offered, count: Int(count))
        guard let name = TLSContext.choice(of: names, in: list) else {
          // SSL_TLSEXT_ERR_ALERT_FATAL, which is sent as no_application_protocol (RFC 7301 §3.2).
          return 2
        }
        (chosen.pointee, length.pointee) = (name.baseAddress, UInt8(name.count))
        // SSL_TLSEXT_ERR_OK.
        return 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Returns the first name that is in a client's list, which has a length before each name; `nil`
  /// if none is.
  private static func choice(
    of names: [[UInt8]],
    in list: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8>? {
    for name in names {
      var place = 0
      while place < list.count {
        let end = min(place + 1 + Int(list[place]), list.count)
        let offered = UnsafeBufferPointer(rebasing: list[place + 1..<end])
        if offered.elementsEqual(name) { return offered }
        place = end
      }
    }
    return nil
  }

  /// Creates a context for clients, which accepts only certificates with a chain to a trusted one.
  ///
  /// - Throws: `ServerError.upstream` if the file contains no certificate.
  package convenience init(
    trusting trust: Trust,
    versions: ClosedRange<TLSVersion> = .v1_2 ... .v1_3,
    _ openSSL: OpenSSL
  ) throws(ServerError) {
    let names = HTTPVersions.http1.protocolNames
    try self.init(.client, openSSL, openSSL.ssl.TLS_client_method(), nil, names)
    limit(to: versions)
    let ssl = openSSL.ssl
    openSSL.crypto.ERR_clear_error()
    // SSL_VERIFY_PEER. Each connection sets its own name.
    ssl.SSL_CTX_set_verify(pointer, 1, nil)
    let offer = protocolNames.flatMap { [UInt8($0.count)] + $0 }
    _ = ssl.SSL_CTX_set_alpn_protos(pointer, offer, UInt32(offer.count))
    switch trust {
    case .system: _ = ssl.SSL_CTX_set_default_verify_paths(pointer)
    case .certificates(let file):
      guard ssl.SSL_CTX_load_verify_locations(pointer, file.path, nil) == 1 else {
        let reason = openSSL.popError()?.text ?? "it says no more"
        throw .upstream("\(file.relativePath) holds no certificate to trust (\(reason))")
      }
      // X509_V_FLAG_PARTIAL_CHAIN: every certificate in the file is trusted, even a server's own.
      _ = openSSL.crypto.X509_VERIFY_PARAM_set_flags(ssl.SSL_CTX_get0_param(pointer), 0x80000)
    }
  }

  private init(
    _ role: TLSRole,
    _ openSSL: OpenSSL,
    _ method: OpaquePointer?,
    _ authority: CertificateAuthority?,
    _ protocolNames: [String]
  ) throws(ServerError) {
    openSSL.crypto.ERR_clear_error()
    guard let pointer = openSSL.ssl.SSL_CTX_new(method) else {
      throw openSSL.failure(of: "SSL_CTX_new")
    }
    (self.pointer, self.openSSL, self.role, self.authority) = (pointer, openSSL, role, authority)
    self.protocolNames = protocolNames.map { Array($0.utf8) }
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

  /// Sets the versions: SSL_CTRL_SET_MIN_PROTO_VERSION and SSL_CTRL_SET_MAX_PROTO_VERSION.
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

  /// Creates settings with a given authority.
  public init(authority: CertificateAuthority) { self.authority = authority }

  /// Creates settings with a new authority.
  ///
  /// - Throws: `ServerError.tlsUnavailable` if OpenSSL 3 is missing.
  public init() throws(ServerError) { authority = try CertificateAuthority() }
}

/// The authorities that a client trusts.
public enum Trust: Sendable, Hashable {
  /// The authorities that the system trusts.
  case system
  /// The certificates of a file in PEM, and no others.
  case certificates(URL)
}

/// A supported version of TLS. Older versions are deprecated (RFC 8996).
public enum TLSVersion: String, Sendable, Hashable, CaseIterable, Comparable {
  /// TLS 1.2, by RFC 5246.
  case v1_2 = "1.2"
  /// TLS 1.3, by RFC 8446.
  case v1_3 = "1.3"

  /// The version's number on the wire.
  fileprivate var number: Int { self == .v1_2 ? 0x0303 : 0x0304 }

  /// Whether one version is older than another.
  public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.number < right.number }
}
