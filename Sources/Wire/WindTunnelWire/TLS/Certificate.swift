package import Foundation

/// An OpenSSL certificate, which is immutable after its creation and freed with its last reference.
package final class Certificate: @unchecked Sendable {
  package let pointer: OpaquePointer
  private let openSSL: OpenSSL

  /// Takes ownership of a pointer.
  package init(_ pointer: OpaquePointer, _ openSSL: OpenSSL) {
    (self.pointer, self.openSSL) = (pointer, openSSL)
  }

  deinit { openSSL.crypto.X509_free(pointer) }

  /// The certificate in DER.
  package var der: Data {
    let count = openSSL.crypto.i2d_X509(pointer, nil)
    guard count > 0 else { return Data() }
    var bytes = Data(count: Int(count))
    bytes.withUnsafeMutableBytes { buffer in
      // OpenSSL advances the given pointer, so a copy is passed.
      var place = buffer.bindMemory(to: UInt8.self).baseAddress
      _ = openSSL.crypto.i2d_X509(pointer, &place)
    }
    return bytes
  }

  /// The certificate as text (RFC 7468).
  package var pem: String {
    let lines = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
  }
}

/// An OpenSSL private key, which is generated here, kept in memory, and freed with its last
/// reference.
package final class PrivateKey: @unchecked Sendable {
  package let pointer: OpaquePointer
  private let openSSL: OpenSSL

  /// Generates a key on the curve P-256.
  package init(_ openSSL: OpenSSL) throws(ServerError) {
    let crypto = openSSL.crypto
    crypto.ERR_clear_error()
    // EVP_PKEY_EC and NID_X9_62_prime256v1.
    let context = crypto.EVP_PKEY_CTX_new_id(408, nil)
    defer { crypto.EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard context != nil, crypto.EVP_PKEY_keygen_init(context) == 1,
      crypto.EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, 415) == 1,
      crypto.EVP_PKEY_keygen(context, &key) == 1, let key
    else { throw openSSL.failure(of: "EVP_PKEY_keygen") }
    (pointer, self.openSSL) = (key, openSSL)
  }

  deinit { openSSL.crypto.EVP_PKEY_free(pointer) }
}

/// The identity of a server: a certificate, its key, and the intermediate certificates to send.
package struct Identity: Sendable {
  package let certificate: Certificate
  package let key: PrivateKey
  package let chain: [Certificate]
}

/// The properties of a server's certificate, which may be flawed on purpose.
package struct Leaf: Sendable, Hashable {
  /// The names in the certificate; if empty, the host that the client requests.
  package var names: [HostName] = []
  package var validity = Validity.current
  package var issuer = Issuer.authority
  /// Whether the issuing certificates are sent.
  package var sendsChain = true
  /// Whether it is signed with SHA-1.
  package var isWeaklySigned = false

  /// The properties of a valid certificate.
  package static let good = Leaf()

  /// The validity period, in days from the creation.
  package struct Validity: Sendable, Hashable {
    var fromDays: Int
    var untilDays: Int

    /// A year and a month: Apple's platforms accept at most 398 days for a server.
    package static let current = Validity(fromDays: -1, untilDays: 396)
    package static let expired = Validity(fromDays: -90, untilDays: -1)
    package static let notYet = Validity(fromDays: 1, untilDays: 90)
  }

  /// The issuer of the certificate.
  package enum Issuer: Sendable, Hashable {
    case authority
    /// An intermediate authority. If the chain is not sent, it is incomplete.
    case intermediate
    /// The certificate itself, which is then self-signed.
    case itself
    /// An authority that no client trusts.
    case stranger
  }
}

/// A name for a certificate: a DNS name or an address.
///
/// Clients may send any bytes as a server name (RFC 6066 §3). The extensions of a certificate are
/// built from a text with commas and colons, so only names of this type are used in it.
package struct HostName: Sendable, Hashable {
  /// The name in lower case, without a final dot; an IPv6 address without brackets.
  package let text: String
  let isAddress: Bool

  private static let bytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Parses a name or an address literal; `nil` if the text is neither.
  ///
  /// A name consists of letters, digits, hyphens and underscores, in labels of at most 63 bytes and
  /// 253 bytes in total (RFC 1035 §2.3.4).
  package init?(_ text: String) {
    if let address = SocketAddress(text, port: 0) {
      (self.text, isAddress) = (address.host, true)
      return
    }
    let name = text.lowercased()
    let bytes = name.utf8.last == UInt8(ascii: ".") ? name.utf8.dropLast() : name.utf8[...]
    guard (1...253).contains(bytes.count) else { return nil }
    let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isName = labels.allSatisfy { label in
      (1...63).contains(label.count) && label.allSatisfy { Self.bytes.contains($0) }
    }
    guard isName else { return nil }
    (self.text, isAddress) = (String(Substring(bytes)), false)
  }

  /// The names by which this machine calls itself.
  package static let own = ["localhost", "127.0.0.1", "::1"].compactMap { HostName($0) }

  /// The name as an entry of the `subjectAltName` extension (RFC 5280 §4.2.1.6).
  var alternativeName: String { "\(isAddress ? "IP" : "DNS"):\(text)" }
}
