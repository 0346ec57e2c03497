public import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// A certificate authority that issues certificates to servers on demand.
///
/// ```swift
/// let authority = try CertificateAuthority()
/// try authority.write(to: file)
/// var options = ReplayServer.Options()
/// options.tls = ServerTLS(authority: authority)
/// let server = try await ReplayServer(deck, options)
/// ```
///
/// The key is generated with the authority and only exists in memory. After the process has ended,
/// trusting the certificate has no effect. All keys are on the curve P-256.
public final class CertificateAuthority: Sendable {
  /// The certificate as text (RFC 7468), for clients that must trust it.
  public var pem: String { root.certificate.pem }
  /// The certificate in DER, as phones and keychains import it.
  public var der: Data { root.certificate.der }
  /// The name of the authority, such as `WindTunnel CA 1F4A92`. It is new each time, so that
  /// installed ones can be distinguished.
  public let name: String

  /// The maximum number of stored certificates, because a client can request any name.
  static let cachedMax = 512

  private struct IdentityCache: Sendable {
    var identities: [Leaf: Identity] = [:]
    var order: [Leaf] = []
    /// The authorities other than the root, by the kind of issuer.
    var authorities: [Leaf.Issuer: Identity] = [:]
  }

  package let openSSL: OpenSSL
  private let root: Identity
  /// One key for all servers, because generating keys takes most of the time and different keys
  /// have no benefit.
  private let serverKey: PrivateKey
  private let shelf = Locked(IdentityCache())

  /// Creates an authority with a new key.
  ///
  /// - Throws: `ServerError.tlsUnavailable` if OpenSSL 3 is missing.
  public convenience init() throws(ServerError) { try self.init(OpenSSL.shared()) }

  package init(_ openSSL: OpenSSL) throws(ServerError) {
    self.openSSL = openSSL
    name = "WindTunnel CA \(Self.mark())"
    serverKey = try PrivateKey(openSSL)
    root = try Self.authority(name, by: nil, openSSL)
  }

  private static func mark() -> String {
    String(format: "%06X", UInt32.random(in: 0..<1 << 24))
  }

  private static func authority(
    _ name: String,
    by signer: Identity?,
    _ openSSL: OpenSSL
  ) throws(ServerError) -> Identity {
    let key = try PrivateKey(openSSL)
    let draft = CertificateDraft.authority(name, signsAuthorities: signer == nil)
    let signer = signer.map { ($0.certificate, $0.key) }
    return Identity(
      certificate: try draft.signed(for: key, by: signer, openSSL),
      key: key,
      chain: []
    )
  }

  /// Returns the certificate for a host, stored or created now (a tenth of a millisecond).
  package func identity(_ leaf: Leaf, for host: HostName?) throws(ServerError) -> Identity {
    var leaf = leaf
    if leaf.names.isEmpty {
      // The certificate contains all names of this machine, so that any of them is valid.
      let isOwn = host.map { HostName.own.contains($0) } ?? true
      leaf.names = isOwn ? HostName.own : [host].compactMap { $0 }
    }
    let order = leaf
    return try shelf.withLock { shelf throws(ServerError) in
      if let identity = shelf.identities[order] { return identity }
      let identity = try make(order, &shelf)
      if shelf.order.count == Self.cachedMax { shelf.identities[shelf.order.removeFirst()] = nil }
      shelf.identities[order] = identity
      shelf.order.append(order)
      return identity
    }
  }

  private func make(_ leaf: Leaf, _ shelf: inout IdentityCache) throws(ServerError) -> Identity {
    let signer: Identity?
    var chain: [Certificate] = []
    switch leaf.issuer {
    case .authority: signer = root
    case .itself: signer = nil
    case .intermediate, .stranger:
      let isLink = leaf.issuer == .intermediate
      let authority: Identity =
        if let made = shelf.authorities[leaf.issuer] { made } else {
          try Self.authority(
            isLink ? "\(name) Link" : "Stranger CA \(Self.mark())",
            by: isLink ? root : nil,
            openSSL
          )
        }
      shelf.authorities[leaf.issuer] = authority
      (signer, chain) = (authority, [authority.certificate])
    }
    var draft = CertificateDraft.server(leaf.names, leaf.validity)
    draft.isWeaklySigned = leaf.isWeaklySigned
    return Identity(
      certificate: try draft.signed(
        for: serverKey,
        by: signer.map { ($0.certificate, $0.key) },
        openSSL
      ),
      key: serverKey,
      chain: leaf.sendsChain ? chain : []
    )
  }
}

/// A certificate before it is signed (RFC 5280 §4.1).
private struct CertificateDraft {
  /// The owner's name, such as `localhost`, truncated to the 64 bytes of a common name.
  var commonName: String
  var validity: Leaf.Validity
  /// The extensions by number, with values in the format of OpenSSL's configuration files.
  var extensions: [(nid: Int32, value: String)]
  /// Whether it is signed with SHA-1, which clients reject.
  var isWeaklySigned = false

  // The numbers of `obj_mac.h`.
  private static let subjectKeyID: Int32 = 82
  private static let keyUsage: Int32 = 83
  private static let alternativeNames: Int32 = 85
  private static let basicConstraints: Int32 = 87
  private static let authorityKeyID: Int32 = 90
  private static let extendedKeyUsage: Int32 = 126

  /// Returns a draft for an authority.
  static func authority(_ name: String, signsAuthorities: Bool) -> CertificateDraft {
    CertificateDraft(
      commonName: name,
      validity: Leaf.Validity(fromDays: -1, untilDays: 3650),
      extensions: [
        (basicConstraints, signsAuthorities ? "critical,CA:TRUE" : "critical,CA:TRUE,pathlen:0"),
        (keyUsage, "critical,keyCertSign,cRLSign"), (subjectKeyID, "hash"),
      ]
    )
  }

  /// Returns a draft for a server.
  static func server(_ names: [HostName], _ validity: Leaf.Validity) -> CertificateDraft {
    CertificateDraft(
      commonName: names.first?.text ?? "",
      validity: validity,
      extensions: [
        (basicConstraints, "critical,CA:FALSE"), (keyUsage, "critical,digitalSignature"),
        (extendedKeyUsage, "serverAuth"),
        (alternativeNames, names.map(\.alternativeName).joined(separator: ",")),
        (subjectKeyID, "hash"),
      ]
    )
  }

  /// Signs the certificate; without an issuer, it is self-signed.
  func signed(
    for key: PrivateKey,
    by issuer: (certificate: Certificate, key: PrivateKey)?,
    _ openSSL: OpenSSL
  ) throws(ServerError) -> Certificate {
    let crypto = openSSL.crypto
    crypto.ERR_clear_error()
    guard let pointer = crypto.X509_new() else { throw openSSL.failure(of: "X509_new") }
    let certificate = Certificate(pointer, openSSL)
    // The version counts from 0, so 2 is version 3. An issuer must not use a serial number twice,
    // and it exists only as long as the process.
    var isWhole = crypto.X509_set_version(pointer, 2) == 1
    let serial = UInt64.random(in: 1...UInt64(Int64.max))
    let number = crypto.X509_get_serialNumber(pointer)
    isWhole = crypto.ASN1_INTEGER_set_uint64(number, serial) == 1 && isWhole
    let now = Int(Date().timeIntervalSince1970)
    let (from, until) = (now + validity.fromDays * 86400, now + validity.untilDays * 86400)
    isWhole = crypto.ASN1_TIME_set(crypto.X509_getm_notBefore(pointer), from) != nil && isWhole
    isWhole = crypto.ASN1_TIME_set(crypto.X509_getm_notAfter(pointer), until) != nil && isWhole
    isWhole = crypto.X509_set_pubkey(pointer, key.pointer) == 1 && isWhole
    let subject = crypto.X509_get_subject_name(pointer)
    let isNamed = name(subject, crypto)
    let above = issuer?.certificate.pointer ?? pointer
    let isIssued = crypto.X509_set_issuer_name(pointer, crypto.X509_get_subject_name(above)) == 1
    let isExtended = extend(pointer, by: above, crypto)
    let signer = issuer?.key ?? key
    let digest = isWeaklySigned ? crypto.EVP_sha1() : crypto.EVP_sha256()
    guard isWhole, isNamed, isIssued, isExtended,
      crypto.X509_sign(pointer, signer.pointer, digest) > 0
    else { throw openSSL.failure(of: "X509_sign") }
    return certificate
  }

  private func name(_ subject: OpaquePointer?, _ crypto: CryptoFunctions) -> Bool {
    [("O", "WindTunnel"), ("CN", commonName)].allSatisfy { field, text in
      let bytes = Array(text.utf8.prefix(64))
      // MBSTRING_UTF8; appended as a separate set.
      return crypto.X509_NAME_add_entry_by_txt(
        subject,
        field,
        0x1000,
        bytes,
        Int32(bytes.count),
        -1,
        0
      ) == 1
    }
  }

  private func extend(
    _ pointer: OpaquePointer,
    by issuer: OpaquePointer,
    _ crypto: CryptoFunctions
  ) -> Bool {
    // An `X509V3_CTX` has eight words in OpenSSL 3; the rest is reserved for growth.
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 16) { context in
      context.initializeMemory(as: UInt8.self, repeating: 0)
      guard let base = context.baseAddress else { return false }
      crypto.X509V3_set_ctx(base, issuer, pointer, nil, nil, 0)
      // A self-signed certificate need not contain the key identifier of its issuer (RFC 5280
      // §4.2.1.1).
      let isIssued = issuer != pointer
      let above = isIssued ? [(Self.authorityKeyID, "keyid:always")] : []
      return (extensions + above).allSatisfy { nid, value in
        guard let item = crypto.X509V3_EXT_conf_nid(nil, base, nid, value) else { return false }
        defer { crypto.X509_EXTENSION_free(item) }
        return crypto.X509_add_ext(pointer, item, -1) == 1
      }
    }
  }
}
