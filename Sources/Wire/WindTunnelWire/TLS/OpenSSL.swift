internal import CWindTunnelSystem
internal import Foundation

/// OpenSSL 3, loaded at run time. Building this package needs no headers, and without OpenSSL only
/// TLS is unavailable.
///
/// Its objects are opaque pointers, and each has one owner here that frees it. The error queue
/// belongs to the thread: it is cleared before a call and read directly after it.
package struct OpenSSL: Sendable {
  let crypto: CryptoFunctions
  let ssl: SSLFunctions

  /// Returns the library of this process, which is loaded at the first call.
  package static func shared() throws(ServerError) -> OpenSSL { try opened.get() }

  private static let opened: Result<OpenSSL, ServerError> = {
    let folder = String(cString: wt_openssl_folder())
    let folders = folder.isEmpty ? OpenSSLNames.folders : ["\(folder)/"]
    do throws(ServerError) { return .success(try OpenSSL(in: folders)) } catch {
      return .failure(error)
    }
  }()

  /// Loads both libraries from the first folder that contains them; an empty folder is the system's
  /// search path.
  package init(in folders: [String]) throws(ServerError) {
    for folder in folders {
      guard let crypto = wt_openssl_open(folder, OpenSSLNames.crypto),
        let ssl = wt_openssl_open(folder, OpenSSLNames.ssl)
      else { continue }
      self.crypto = try SharedLibrary(crypto, OpenSSLNames.crypto).functions(CryptoFunctions.init)
      self.ssl = try SharedLibrary(ssl, OpenSSLNames.ssl).functions(SSLFunctions.init)
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

  /// Removes and returns the oldest error of the thread's queue, and clears the queue; `nil` if it
  /// is empty.
  func popError() -> (code: UInt, text: String)? {
    let code = crypto.ERR_get_error()
    guard code != 0 else { return nil }
    let text = crypto.ERR_reason_error_string(code).map { String(cString: $0) }
    crypto.ERR_clear_error()
    return (code, text ?? "error \(code)")
  }

  /// Returns an error with the failed call's name and the reason. Such calls only fail if memory is
  /// exhausted.
  package func failure(of call: String) -> ServerError {
    .tlsUnavailable("OpenSSL's \(call) failed: \(popError()?.text ?? "it does not say why")")
  }
}

/// A library from which a table of functions is created.
private final class SharedLibrary: @unchecked Sendable {
  /// The library of the table that is being created.
  @TaskLocal static var current: SharedLibrary?

  private let handle: UnsafeMutableRawPointer
  private let name: String
  /// The first missing function.
  private var missing: String?

  init(_ handle: UnsafeMutableRawPointer, _ name: String) {
    (self.handle, self.name) = (handle, name)
  }

  /// Creates a table of functions. Throws if the library lacks one of them.
  func functions<Table>(_ create: () -> Table) throws(ServerError) -> Table {
    let table = Self.$current.withValue(self, operation: create)
    guard let missing else { return table }
    throw .tlsUnavailable("\(name) has no \(missing), so it is not OpenSSL 3")
  }

  /// Returns the address of a function. If it is missing, returns an arbitrary address, because the
  /// table is then discarded.
  func address(of symbol: String) -> UnsafeMutableRawPointer {
    if let address = dlsym(handle, symbol) { return address }
    missing = missing ?? symbol
    return handle
  }
}

/// Returns a function of the current library with the type in its manual page, which is not
/// checked.
private func symbol<Function>(_ name: String) -> Function {
  guard let library = SharedLibrary.current else { preconditionFailure("no library is open") }
  return unsafeBitCast(library.address(of: name), to: Function.self)
}

/// The functions of libcrypto in use, with the names and types of the manual pages.
///
/// Macros of the headers are not symbols, and variadic functions cannot be called, so neither is
/// included.
struct CryptoFunctions: @unchecked Sendable {
  package typealias P = OpaquePointer?

  let ERR_clear_error: @convention(c) () -> Void = symbol("ERR_clear_error")
  let ERR_get_error: @convention(c) () -> UInt = symbol("ERR_get_error")
  let ERR_reason_error_string: @convention(c) (UInt) -> UnsafePointer<CChar>? = symbol(
    "ERR_reason_error_string"
  )
  let EVP_PKEY_CTX_new_id: @convention(c) (Int32, P) -> P = symbol("EVP_PKEY_CTX_new_id")
  let EVP_PKEY_keygen_init: @convention(c) (P) -> Int32 = symbol("EVP_PKEY_keygen_init")
  let EVP_PKEY_CTX_set_ec_paramgen_curve_nid: @convention(c) (P, Int32) -> Int32 = symbol(
    "EVP_PKEY_CTX_set_ec_paramgen_curve_nid"
  )
  let EVP_PKEY_keygen: @convention(c) (P, UnsafeMutablePointer<P>) -> Int32 = symbol(
    "EVP_PKEY_keygen"
  )
  let EVP_PKEY_CTX_free: @convention(c) (P) -> Void = symbol("EVP_PKEY_CTX_free")
  let EVP_PKEY_free: @convention(c) (P) -> Void = symbol("EVP_PKEY_free")
  let EVP_sha1: @convention(c) () -> P = symbol("EVP_sha1")
  let EVP_sha256: @convention(c) () -> P = symbol("EVP_sha256")
  let X509_new: @convention(c) () -> P = symbol("X509_new")
  let X509_free: @convention(c) (P) -> Void = symbol("X509_free")
  let X509_set_version: @convention(c) (P, Int) -> Int32 = symbol("X509_set_version")
  let X509_get_serialNumber: @convention(c) (P) -> P = symbol("X509_get_serialNumber")
  let ASN1_INTEGER_set_uint64: @convention(c) (P, UInt64) -> Int32 = symbol(
    "ASN1_INTEGER_set_uint64"
  )
  let X509_getm_notBefore: @convention(c) (P) -> P = symbol("X509_getm_notBefore")
  let X509_getm_notAfter: @convention(c) (P) -> P = symbol("X509_getm_notAfter")
  let ASN1_TIME_set: @convention(c) (P, Int) -> P = symbol("ASN1_TIME_set")
  let X509_set_pubkey: @convention(c) (P, P) -> Int32 = symbol("X509_set_pubkey")
  let X509_get_subject_name: @convention(c) (P) -> P = symbol("X509_get_subject_name")
  let X509_NAME_add_entry_by_txt:
    @convention(c) (P, UnsafePointer<CChar>, Int32, UnsafePointer<UInt8>, Int32, Int32, Int32) ->
      Int32 = symbol("X509_NAME_add_entry_by_txt")
  let X509_set_issuer_name: @convention(c) (P, P) -> Int32 = symbol("X509_set_issuer_name")
  let X509V3_set_ctx: @convention(c) (UnsafeMutableRawPointer, P, P, P, P, Int32) -> Void = symbol(
    "X509V3_set_ctx"
  )
  let X509V3_EXT_conf_nid:
    @convention(c) (P, UnsafeMutableRawPointer, Int32, UnsafePointer<CChar>) -> P = symbol(
      "X509V3_EXT_conf_nid"
    )
  let X509_add_ext: @convention(c) (P, P, Int32) -> Int32 = symbol("X509_add_ext")
  let X509_EXTENSION_free: @convention(c) (P) -> Void = symbol("X509_EXTENSION_free")
  let X509_sign: @convention(c) (P, P, P) -> Int32 = symbol("X509_sign")
  let i2d_X509: @convention(c) (P, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32 =
    symbol("i2d_X509")
  let X509_verify_cert_error_string: @convention(c) (Int) -> UnsafePointer<CChar>? = symbol(
    "X509_verify_cert_error_string"
  )
  let X509_VERIFY_PARAM_set_flags: @convention(c) (P, UInt) -> Int32 = symbol(
    "X509_VERIFY_PARAM_set_flags"
  )
  let X509_VERIFY_PARAM_set1_ip_asc: @convention(c) (P, UnsafePointer<CChar>) -> Int32 = symbol(
    "X509_VERIFY_PARAM_set1_ip_asc"
  )
  let BIO_s_mem: @convention(c) () -> P = symbol("BIO_s_mem")
  let BIO_new: @convention(c) (P) -> P = symbol("BIO_new")
  let BIO_read: @convention(c) (P, UnsafeMutableRawPointer, Int32) -> Int32 = symbol("BIO_read")
  let BIO_write: @convention(c) (P, UnsafeRawPointer, Int32) -> Int32 = symbol("BIO_write")
  let BIO_ctrl_pending: @convention(c) (P) -> Int = symbol("BIO_ctrl_pending")
}

/// The functions of libssl in use, with the names and types of the manual pages.
struct SSLFunctions: @unchecked Sendable {
  package typealias P = OpaquePointer?

  /// Selects one of the client's protocols (`SSL_CTX_set_alpn_select_cb`).
  typealias ALPNChoice =
    @convention(c) (
      P, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
      UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
    ) -> Int32
  /// Selects a certificate after the client has sent the host name (`SSL_set_cert_cb`).
  typealias CertificateChoice = @convention(c) (P, UnsafeMutableRawPointer?) -> Int32

  /// Decides whether a peer's certificate is accepted (`SSL_set_verify`).
  package typealias PeerVerification = @convention(c) (Int32, P) -> Int32

  let TLS_server_method: @convention(c) () -> P = symbol("TLS_server_method")
  let TLS_client_method: @convention(c) () -> P = symbol("TLS_client_method")
  let SSL_CTX_new: @convention(c) (P) -> P = symbol("SSL_CTX_new")
  let SSL_CTX_free: @convention(c) (P) -> Void = symbol("SSL_CTX_free")
  let SSL_CTX_ctrl: @convention(c) (P, Int32, Int, UnsafeMutableRawPointer?) -> Int = symbol(
    "SSL_CTX_ctrl"
  )
  let SSL_CTX_set_options: @convention(c) (P, UInt64) -> UInt64 = symbol("SSL_CTX_set_options")
  let SSL_CTX_set_num_tickets: @convention(c) (P, Int) -> Int32 = symbol("SSL_CTX_set_num_tickets")
  let SSL_CTX_set_alpn_select_cb: @convention(c) (P, ALPNChoice, UnsafeMutableRawPointer?) -> Void =
    symbol("SSL_CTX_set_alpn_select_cb")
  let SSL_CTX_set_alpn_protos: @convention(c) (P, UnsafePointer<UInt8>, UInt32) -> Int32 = symbol(
    "SSL_CTX_set_alpn_protos"
  )
  let SSL_CTX_set_verify: @convention(c) (P, Int32, OpaquePointer?) -> Void = symbol(
    "SSL_CTX_set_verify"
  )
  let SSL_CTX_set_default_verify_paths: @convention(c) (P) -> Int32 = symbol(
    "SSL_CTX_set_default_verify_paths"
  )
  let SSL_CTX_load_verify_locations:
    @convention(c) (P, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Int32 = symbol(
      "SSL_CTX_load_verify_locations"
    )
  let SSL_CTX_get0_param: @convention(c) (P) -> P = symbol("SSL_CTX_get0_param")
  let SSL_new: @convention(c) (P) -> P = symbol("SSL_new")
  let SSL_free: @convention(c) (P) -> Void = symbol("SSL_free")
  let SSL_set_bio: @convention(c) (P, P, P) -> Void = symbol("SSL_set_bio")
  let SSL_set_accept_state: @convention(c) (P) -> Void = symbol("SSL_set_accept_state")
  let SSL_set_connect_state: @convention(c) (P) -> Void = symbol("SSL_set_connect_state")
  let SSL_set_security_level: @convention(c) (P, Int32) -> Void = symbol("SSL_set_security_level")
  let SSL_set_verify: @convention(c) (P, Int32, PeerVerification) -> Void = symbol("SSL_set_verify")
  let SSL_set_cert_cb: @convention(c) (P, CertificateChoice, UnsafeMutableRawPointer?) -> Void =
    symbol("SSL_set_cert_cb")
  let SSL_use_certificate: @convention(c) (P, P) -> Int32 = symbol("SSL_use_certificate")
  let SSL_use_PrivateKey: @convention(c) (P, P) -> Int32 = symbol("SSL_use_PrivateKey")
  let SSL_ctrl: @convention(c) (P, Int32, Int, UnsafeMutableRawPointer?) -> Int = symbol("SSL_ctrl")
  let SSL_set1_host: @convention(c) (P, UnsafePointer<CChar>) -> Int32 = symbol("SSL_set1_host")
  let SSL_get0_param: @convention(c) (P) -> P = symbol("SSL_get0_param")
  let SSL_do_handshake: @convention(c) (P) -> Int32 = symbol("SSL_do_handshake")
  let SSL_read: @convention(c) (P, UnsafeMutableRawPointer, Int32) -> Int32 = symbol("SSL_read")
  let SSL_write: @convention(c) (P, UnsafeRawPointer, Int32) -> Int32 = symbol("SSL_write")
  let SSL_shutdown: @convention(c) (P) -> Int32 = symbol("SSL_shutdown")
  let SSL_get_error: @convention(c) (P, Int32) -> Int32 = symbol("SSL_get_error")
  let SSL_get_verify_result: @convention(c) (P) -> Int = symbol("SSL_get_verify_result")
  let SSL_get_version: @convention(c) (P) -> UnsafePointer<CChar>? = symbol("SSL_get_version")
  let SSL_get_servername: @convention(c) (P, Int32) -> UnsafePointer<CChar>? = symbol(
    "SSL_get_servername"
  )
  let SSL_get0_alpn_selected:
    @convention(c) (P, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>) ->
      Void = symbol("SSL_get0_alpn_selected")
}
