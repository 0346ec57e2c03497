/// The functions that are used of libcrypto, by the names and types of its manual pages.
///
/// Macros of the headers are no symbols, and variadic functions cannot be called: neither is here.
struct CryptoFunctions: @unchecked Sendable {
  typealias P = OpaquePointer?

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

  init(_ library: SharedLibrary) throws(ServerError) {
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
