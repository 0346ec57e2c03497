/// The functions that are used of libssl, by the names and types of its manual pages.
struct SSLFunctions: @unchecked Sendable {
  typealias P = OpaquePointer?

  /// Asked which of the client's protocols is spoken (`SSL_CTX_set_alpn_select_cb`).
  typealias ALPNChoice =
    @convention(c) (
      P, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
      UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
    ) -> Int32
  /// Asked for a certificate once the client has named the host (`SSL_set_cert_cb`).
  typealias CertificateChoice = @convention(c) (P, UnsafeMutableRawPointer?) -> Int32

  /// Asked whether a peer's certificate is taken (`SSL_set_verify`).
  typealias Verdict = @convention(c) (Int32, P) -> Int32

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

  init(_ library: SharedLibrary) throws(ServerError) {
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
