public import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelHTTP

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
/// The key is generated with the authority and exists in memory alone: once the process has ended,
/// a client that trusts the certificate trusts nothing by it. All keys are on the curve P-256.
public final class CertificateAuthority: Sendable {
  /// The certificate as text (RFC 7468), for clients that are to trust it.
  public var pem: String { root.certificate.pem }
  /// The certificate in DER, as phones and keychains import it.
  public var der: Data { root.certificate.der }
  /// The name of the authority, such as `WindTunnel CA 1F4A92`: a new one each time, so that an
  /// installed one can be told from the next.
  public let name: String

  /// As many certificates are kept; a client can ask for any name it likes.
  static let cachedMax = 512

  private struct Shelf: Sendable {
    var identities: [Leaf: Identity] = [:]
    var order: [Leaf] = []
    /// The authorities that are not the root, by the issuer that they are.
    var authorities: [Leaf.Issuer: Identity] = [:]
  }

  package let openSSL: OpenSSL
  private let root: Identity
  /// One key for all servers: making keys is most of the work, and nobody gains by their
  /// difference.
  private let serverKey: PrivateKey
  private let shelf = Locked(Shelf())

  /// Makes an authority with a new key.
  ///
  /// - Throws: `ServerError.tlsUnavailable` where there is no OpenSSL 3.
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

  /// Returns the certificate of a kind for a host, from the shelf or made now (a tenth of a
  /// millisecond).
  package func identity(_ leaf: Leaf, for host: HostName?) throws(ServerError) -> Identity {
    var leaf = leaf
    if leaf.names.isEmpty {
      // However a client calls this machine, it finds the name that it used.
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

  private func make(_ leaf: Leaf, _ shelf: inout Shelf) throws(ServerError) -> Identity {
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
  /// The owner's name, such as `localhost`; cut to the 64 bytes that a common name has room for.
  var commonName: String
  var validity: Leaf.Validity
  /// Object, by number, and value, as OpenSSL's configuration files write them.
  var extensions: [(nid: Int32, value: String)]
  /// Tells whether it is signed with SHA-1, which nobody takes any more.
  var isWeaklySigned = false

  // The numbers of `obj_mac.h`.
  private static let subjectKeyID: Int32 = 82
  private static let keyUsage: Int32 = 83
  private static let alternativeNames: Int32 = 85
  private static let basicConstraints: Int32 = 87
  private static let authorityKeyID: Int32 = 90
  private static let extendedKeyUsage: Int32 = 126

  /// One that may sign others.
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

  /// One of a server.
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

  /// Signs it; without an issuer it signs itself.
  func signed(
    for key: PrivateKey,
    by issuer: (certificate: Certificate, key: PrivateKey)?,
    _ openSSL: OpenSSL
  ) throws(ServerError) -> Certificate {
    let crypto = openSSL.crypto
    crypto.ERR_clear_error()
    guard let pointer = crypto.X509_new() else { throw openSSL.failure(of: "X509_new") }
    let certificate = Certificate(pointer, openSSL)
    // The number counts from 0: 2 is version 3. Two certificates of one issuer must not share a
    // serial number, and the issuer outlives no process.
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
      // MBSTRING_UTF8; at the end, and as a set of its own.
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
    // An `X509V3_CTX` has eight words in OpenSSL 3; the rest is room for it to grow.
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 16) { context in
      context.initializeMemory(as: UInt8.self, repeating: 0)
      guard let base = context.baseAddress else { return false }
      crypto.X509V3_set_ctx(base, issuer, pointer, nil, nil, 0)
      // RFC 5280 §4.2.1.1: who signs itself need not say by which key.
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
