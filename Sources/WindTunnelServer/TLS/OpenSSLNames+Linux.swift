#if !canImport(Darwin)
  /// What OpenSSL's libraries are called here.
  enum OpenSSLNames {
    static let crypto = "libcrypto.so.3"
    static let ssl = "libssl.so.3"
    static let folders = [""]
    static let advice = "install it (apt install libssl3, dnf install openssl-libs)"
  }
#endif
