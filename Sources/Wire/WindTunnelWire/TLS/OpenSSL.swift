internal import CWindTunnelSystem
internal import Foundation

/// OpenSSL 3, opened at run time: whoever builds this package needs no headers, and whoever runs it
/// without OpenSSL misses nothing but TLS.
///
/// Its objects are opaque pointers, and each has one holder here that frees it. The error queue is
/// the thread's: it is emptied before a call and read after it, with nothing between.
package struct OpenSSL: Sendable {
  let crypto: CryptoFunctions
  let ssl: SSLFunctions

  /// Returns the library of this process; opened at the first call.
  package static func shared() throws(ServerError) -> OpenSSL { try opened.get() }

  private static let opened: Result<OpenSSL, ServerError> = {
    let folder = String(cString: wt_openssl_folder())
    let folders = folder.isEmpty ? OpenSSLNames.folders : ["\(folder)/"]
    do throws(ServerError) { return .success(try OpenSSL(in: folders)) } catch {
      return .failure(error)
    }
  }()

  /// Opens both libraries in the first folder that has them; an empty one stands for wherever the
  /// system looks.
  package init(in folders: [String]) throws(ServerError) {
    for folder in folders {
      guard let crypto = wt_openssl_open(folder, OpenSSLNames.crypto),
        let ssl = wt_openssl_open(folder, OpenSSLNames.ssl)
      else { continue }
      self.crypto = try CryptoFunctions(SharedLibrary(handle: crypto, name: OpenSSLNames.crypto))
      self.ssl = try SSLFunctions(SharedLibrary(handle: ssl, name: OpenSSLNames.ssl))
      return
    }
    let places = folders.map { folder in
      folder.isEmpty
        ? "where the system keeps libraries"
        : folder.hasSuffix("/") ? "in \(folder.dropLast())" : folder
    }
    throw .tlsUnavailable(
      "OpenSSL 3 was not found: there is no \(OpenSSLNames.ssl) \(places.joined(separator: " or "))"
    )
  }

  /// Removes what the thread's error queue holds, the oldest first; the queue is empty after it.
  func popError() -> (code: UInt, text: String)? {
    let code = crypto.ERR_get_error()
    guard code != 0 else { return nil }
    let text = crypto.ERR_reason_error_string(code).map { String(cString: $0) }
    crypto.ERR_clear_error()
    return (code, text ?? "error \(code)")
  }

  /// Returns the failed call's name and the reason, for what cannot fail but for a lack of memory.
  package func failure(of call: String) -> ServerError {
    .tlsUnavailable("OpenSSL's \(call) failed: \(popError()?.text ?? "it does not say why")")
  }
}

/// A library and its functions by name.
private struct SharedLibrary {
  let handle: UnsafeMutableRawPointer
  let name: String

  /// Returns a function, of the type that its manual page gives; nothing checks that.
  func function<Function>(_ symbol: String) throws(ServerError) -> Function {
    guard let address = dlsym(handle, symbol) else {
      throw .tlsUnavailable("\(name) has no \(symbol), so it is not OpenSSL 3")
    }
    return unsafeBitCast(address, to: Function.self)
  }
}

/// The functions that are used of libcrypto, by the names and types of its manual pages.
///
/// Macros of the headers are no symbols, and variadic functions cannot be called: neither is here.
struct CryptoFunctions: @unchecked Sendable {
  package typealias P = OpaquePointer?

  let ERR_clear_error: @convention(c) () -> Void
  let ERR_get_error: @convention(c) () -> UInt
  let ERR_reason_error_string: @convention(c) (UInt) -> UnsafePointer<CChar>?
  let EVP_PKEY_CTX_new_id: @convention(c) (Int32, P) -> P
  let EVP_PKEY_keygen_init: @convention(c) (P) -> Int32
  let EVP_PKEY_CTX_set_ec_paramgen_curve_nid: @convention(c) (P, Int32) -> Int32
  let EVP_PKEY_keygen: @convention(c) (P, UnsafeMutablePointer<P>) -> Int32
  let EVP_PKEY_CTX_free: @convention(c) (P) -> Void
  let EVP_PKEY_free: @convention(c) (P) -> Void
  let EVP_sha1: @convention(c) () -> P
  let EVP_sha256: @convention(c) () -> P
  let X509_new: @convention(c) () -> P
  let X509_free: @convention(c) (P) -> Void
  let X509_set_version: @convention(c) (P, Int) -> Int32
  let X509_get_serialNumber: @convention(c) (P) -> P
  let ASN1_INTEGER_set_uint64: @convention(c) (P, UInt64) -> Int32
  let X509_getm_notBefore: @convention(c) (P) -> P
  let X509_getm_notAfter: @convention(c) (P) -> P
  let ASN1_TIME_set: @convention(c) (P, Int) -> P
  let X509_set_pubkey: @convention(c) (P, P) -> Int32
  let X509_get_subject_name: @convention(c) (P) -> P
  let X509_NAME_add_entry_by_txt:
    @convention(c) (P, UnsafePointer<CChar>, Int32, UnsafePointer<UInt8>, Int32, Int32, Int32) ->
      Int32
  let X509_set_issuer_name: @convention(c) (P, P) -> Int32
  let X509V3_set_ctx: @convention(c) (UnsafeMutableRawPointer, P, P, P, P, Int32) -> Void
  let X509V3_EXT_conf_nid:
    @convention(c) (P, UnsafeMutableRawPointer, Int32, UnsafePointer<CChar>) -> P
  let X509_add_ext: @convention(c) (P, P, Int32) -> Int32
  let X509_EXTENSION_free: @convention(c) (P) -> Void
  let X509_sign: @convention(c) (P, P, P) -> Int32
  let i2d_X509: @convention(c) (P, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
  let X509_verify_cert_error_string: @convention(c) (Int) -> UnsafePointer<CChar>?
  let X509_VERIFY_PARAM_set_flags: @convention(c) (P, UInt) -> Int32
  let X509_VERIFY_PARAM_set1_ip_asc: @convention(c) (P, UnsafePointer<CChar>) -> Int32
  let BIO_s_mem: @convention(c) () -> P
  let BIO_new: @convention(c) (P) -> P
  let BIO_read: @convention(c) (P, UnsafeMutableRawPointer, Int32) -> Int32
  let BIO_write: @convention(c) (P, UnsafeRawPointer, Int32) -> Int32
  let BIO_ctrl_pending: @convention(c) (P) -> Int

  fileprivate init(_ library: SharedLibrary) throws(ServerError) {
    ERR_clear_error = try library.function("ERR_clear_error")
    ERR_get_error = try library.function("ERR_get_error")
    ERR_reason_error_string = try library.function("ERR_reason_error_string")
    EVP_PKEY_CTX_new_id = try library.function("EVP_PKEY_CTX_new_id")
    EVP_PKEY_keygen_init = try library.function("EVP_PKEY_keygen_init")
    EVP_PKEY_CTX_set_ec_paramgen_curve_nid = try library.function(
      "EVP_PKEY_CTX_set_ec_paramgen_curve_nid"
    )
    EVP_PKEY_keygen = try library.function("EVP_PKEY_keygen")
    EVP_PKEY_CTX_free = try library.function("EVP_PKEY_CTX_free")
    EVP_PKEY_free = try library.function("EVP_PKEY_free")
    EVP_sha1 = try library.function("EVP_sha1")
    EVP_sha256 = try library.function("EVP_sha256")
    X509_new = try library.function("X509_new")
    X509_free = try library.function("X509_free")
    X509_set_version = try library.function("X509_set_version")
    X509_get_serialNumber = try library.function("X509_get_serialNumber")
    ASN1_INTEGER_set_uint64 = try library.function("ASN1_INTEGER_set_uint64")
    X509_getm_notBefore = try library.function("X509_getm_notBefore")
    X509_getm_notAfter = try library.function("X509_getm_notAfter")
    ASN1_TIME_set = try library.function("ASN1_TIME_set")
    X509_set_pubkey = try library.function("X509_set_pubkey")
    X509_get_subject_name = try library.function("X509_get_subject_name")
    X509_NAME_add_entry_by_txt = try library.function("X509_NAME_add_entry_by_txt")
    X509_set_issuer_name = try library.function("X509_set_issuer_name")
    X509V3_set_ctx = try library.function("X509V3_set_ctx")
    X509V3_EXT_conf_nid = try library.function("X509V3_EXT_conf_nid")
    X509_add_ext = try library.function("X509_add_ext")
    X509_EXTENSION_free = try library.function("X509_EXTENSION_free")
    X509_sign = try library.function("X509_sign")
    i2d_X509 = try library.function("i2d_X509")
    X509_verify_cert_error_string = try library.function("X509_verify_cert_error_string")
    X509_VERIFY_PARAM_set_flags = try library.function("X509_VERIFY_PARAM_set_flags")
    X509_VERIFY_PARAM_set1_ip_asc = try library.function("X509_VERIFY_PARAM_set1_ip_asc")
    BIO_s_mem = try library.function("BIO_s_mem")
    BIO_new = try library.function("BIO_new")
    BIO_read = try library.function("BIO_read")
    BIO_write = try library.function("BIO_write")
    BIO_ctrl_pending = try library.function("BIO_ctrl_pending")
  }
}

/// The functions that are used of libssl, by the names and types of its manual pages.
struct SSLFunctions: @unchecked Sendable {
  package typealias P = OpaquePointer?

  /// Asked which of the client's protocols is spoken (`SSL_CTX_set_alpn_select_cb`).
  typealias ALPNChoice =
    @convention(c) (
      P, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
      UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
    ) -> Int32
  /// Asked for a certificate once the client has named the host (`SSL_set_cert_cb`).
  typealias CertificateChoice = @convention(c) (P, UnsafeMutableRawPointer?) -> Int32

  /// Asked whether a peer's certificate is taken (`SSL_set_verify`).
  package typealias Verdict = @convention(c) (Int32, P) -> Int32

  let TLS_server_method: @convention(c) () -> P
  let TLS_client_method: @convention(c) () -> P
  let SSL_CTX_new: @convention(c) (P) -> P
  let SSL_CTX_free: @convention(c) (P) -> Void
  let SSL_CTX_ctrl: @convention(c) (P, Int32, Int, UnsafeMutableRawPointer?) -> Int
  let SSL_CTX_set_options: @convention(c) (P, UInt64) -> UInt64
  let SSL_CTX_set_num_tickets: @convention(c) (P, Int) -> Int32
  let SSL_CTX_set_alpn_select_cb: @convention(c) (P, ALPNChoice, UnsafeMutableRawPointer?) -> Void
  let SSL_CTX_set_alpn_protos: @convention(c) (P, UnsafePointer<UInt8>, UInt32) -> Int32
  let SSL_CTX_set_verify: @convention(c) (P, Int32, OpaquePointer?) -> Void
  let SSL_CTX_set_default_verify_paths: @convention(c) (P) -> Int32
  let SSL_CTX_load_verify_locations:
    @convention(c) (P, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Int32
  let SSL_CTX_get0_param: @convention(c) (P) -> P
  let SSL_new: @convention(c) (P) -> P
  let SSL_free: @convention(c) (P) -> Void
  let SSL_set_bio: @convention(c) (P, P, P) -> Void
  let SSL_set_accept_state: @convention(c) (P) -> Void
  let SSL_set_connect_state: @convention(c) (P) -> Void
  let SSL_set_security_level: @convention(c) (P, Int32) -> Void
  let SSL_set_verify: @convention(c) (P, Int32, Verdict) -> Void
  let SSL_set_cert_cb: @convention(c) (P, CertificateChoice, UnsafeMutableRawPointer?) -> Void
  let SSL_use_certificate: @convention(c) (P, P) -> Int32
  let SSL_use_PrivateKey: @convention(c) (P, P) -> Int32
  let SSL_ctrl: @convention(c) (P, Int32, Int, UnsafeMutableRawPointer?) -> Int
  let SSL_set1_host: @convention(c) (P, UnsafePointer<CChar>) -> Int32
  let SSL_get0_param: @convention(c) (P) -> P
  let SSL_do_handshake: @convention(c) (P) -> Int32
  let SSL_read: @convention(c) (P, UnsafeMutableRawPointer, Int32) -> Int32
  let SSL_write: @convention(c) (P, UnsafeRawPointer, Int32) -> Int32
  let SSL_shutdown: @convention(c) (P) -> Int32
  let SSL_get_error: @convention(c) (P, Int32) -> Int32
  let SSL_get_verify_result: @convention(c) (P) -> Int
  let SSL_get_version: @convention(c) (P) -> UnsafePointer<CChar>?
  let SSL_get_servername: @convention(c) (P, Int32) -> UnsafePointer<CChar>?
  let SSL_get0_alpn_selected:
    @convention(c) (P, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>) ->
      Void

  fileprivate init(_ library: SharedLibrary) throws(ServerError) {
    TLS_server_method = try library.function("TLS_server_method")
    TLS_client_method = try library.function("TLS_client_method")
    SSL_CTX_new = try library.function("SSL_CTX_new")
    SSL_CTX_free = try library.function("SSL_CTX_free")
    SSL_CTX_ctrl = try library.function("SSL_CTX_ctrl")
    SSL_CTX_set_options = try library.function("SSL_CTX_set_options")
    SSL_CTX_set_num_tickets = try library.function("SSL_CTX_set_num_tickets")
    SSL_CTX_set_alpn_select_cb = try library.function("SSL_CTX_set_alpn_select_cb")
    SSL_CTX_set_alpn_protos = try library.function("SSL_CTX_set_alpn_protos")
    SSL_CTX_set_verify = try library.function("SSL_CTX_set_verify")
    SSL_CTX_set_default_verify_paths = try library.function("SSL_CTX_set_default_verify_paths")
    SSL_CTX_load_verify_locations = try library.function("SSL_CTX_load_verify_locations")
    SSL_CTX_get0_param = try library.function("SSL_CTX_get0_param")
    SSL_new = try library.function("SSL_new")
    SSL_free = try library.function("SSL_free")
    SSL_set_bio = try library.function("SSL_set_bio")
    SSL_set_accept_state = try library.function("SSL_set_accept_state")
    SSL_set_connect_state = try library.function("SSL_set_connect_state")
    SSL_set_security_level = try library.function("SSL_set_security_level")
    SSL_set_verify = try library.function("SSL_set_verify")
    SSL_set_cert_cb = try library.function("SSL_set_cert_cb")
    SSL_use_certificate = try library.function("SSL_use_certificate")
    SSL_use_PrivateKey = try library.function("SSL_use_PrivateKey")
    SSL_ctrl = try library.function("SSL_ctrl")
    SSL_set1_host = try library.function("SSL_set1_host")
    SSL_get0_param = try library.function("SSL_get0_param")
    SSL_do_handshake = try library.function("SSL_do_handshake")
    SSL_read = try library.function("SSL_read")
    SSL_write = try library.function("SSL_write")
    SSL_shutdown = try library.function("SSL_shutdown")
    SSL_get_error = try library.function("SSL_get_error")
    SSL_get_verify_result = try library.function("SSL_get_verify_result")
    SSL_get_version = try library.function("SSL_get_version")
    SSL_get_servername = try library.function("SSL_get_servername")
    SSL_get0_alpn_selected = try library.function("SSL_get0_alpn_selected")
  }
}
