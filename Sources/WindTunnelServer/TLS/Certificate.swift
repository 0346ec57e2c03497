internal import Foundation

/// A certificate of OpenSSL's; freed with its last holder, and never changed once it is made.
final class Certificate: @unchecked Sendable {
  let pointer: OpaquePointer
  private let openSSL: OpenSSL

  /// Takes a pointer over.
  init(_ pointer: OpaquePointer, _ openSSL: OpenSSL) {
    (self.pointer, self.openSSL) = (pointer, openSSL)
  }

  deinit { openSSL.crypto.X509_free(pointer) }

  /// The certificate in DER.
  var der: Data {
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
  var pem: String {
    let lines = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
  }
}

/// A private key of OpenSSL's: made here, kept in memory, and freed with its last holder.
final class PrivateKey: @unchecked Sendable {
  let pointer: OpaquePointer
  private let openSSL: OpenSSL

  /// Makes a key on the curve P-256.
  init(_ openSSL: OpenSSL) throws(ServerError) {
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
struct Identity: Sendable {
  let certificate: Certificate
  let key: PrivateKey
  let chain: [Certificate]
}
