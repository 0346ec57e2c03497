package import Foundation
internal import WindTunnelCore
internal import WindTunnelHTTP

/// A certificate of OpenSSL's; freed with its last holder, and never changed once it is made.
package final class Certificate: @unchecked Sendable {
  package let pointer: OpaquePointer
  private let openSSL: OpenSSL

  /// Takes a pointer over.
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
      // It moves the pointer that it is given, and not the base.
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

/// A private key of OpenSSL's: made here, kept in memory, and freed with its last holder.
package final class PrivateKey: @unchecked Sendable {
  package let pointer: OpaquePointer
  private let openSSL: OpenSSL

  /// Makes a key on the curve P-256.
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

/// The identity that a server shows: a certificate, its key, and the certificates that are sent
/// along.
package struct Identity: Sendable {
  package let certificate: Certificate
  package let key: PrivateKey
  package let chain: [Certificate]
}

/// The qualities of a server's certificate, good or bad in a chosen way.
package struct Leaf: Sendable, Hashable {
  /// The names that it is made out to; none stands for the host that the client asks for.
  package var names: [HostName] = []
  package var validity = Validity.current
  package var issuer = Issuer.authority
  /// Tells whether the certificates above it are sent along.
  package var sendsChain = true
  /// Tells whether it is signed with SHA-1.
  package var isWeaklySigned = false

  /// The qualities of a good certificate.
  package static let good = Leaf()

  /// The time that it holds for, in days from the making.
  package struct Validity: Sendable, Hashable {
    var fromDays: Int
    var untilDays: Int

    /// A year and a month: Apple's platforms take no more than 398 days of a server.
    package static let current = Validity(fromDays: -1, untilDays: 396)
    package static let expired = Validity(fromDays: -90, untilDays: -1)
    package static let notYet = Validity(fromDays: 1, untilDays: 90)
  }

  /// The signer of the certificate.
  package enum Issuer: Sendable, Hashable {
    case authority
    /// A link between it and the authority; a chain that is not sent is then incomplete.
    case intermediate
    /// The certificate itself, which is then self-signed.
    case itself
    /// An authority that no client knows.
    case stranger
  }
}

/// A name that a certificate can be made out to: a DNS name or an address.
///
/// Clients send any bytes as a server name (RFC 6066 §3), and a certificate's extensions are made
/// from a text with commas and colons in it: nothing gets there that has not passed here.
package struct HostName: Sendable, Hashable {
  /// In lower case, without a final dot; an IPv6 address without brackets.
  package let text: String
  let isAddress: Bool

  private static let bytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// A name of letters, digits, hyphens and underscores in labels of at most 63 bytes and 253 in
  /// all (RFC 1035 §2.3.4), or an address literal; `nil` for anything else.
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

  /// The names of this machine for itself.
  package static let own = ["localhost", "127.0.0.1", "::1"].compactMap { HostName($0) }

  /// As an entry of a subject's alternative names (RFC 5280 §4.2.1.6).
  var alternativeName: String { "\(isAddress ? "IP" : "DNS"):\(text)" }
}
