#if canImport(Darwin)
  /// What OpenSSL's libraries are called here, and where Homebrew and MacPorts put them.
  ///
  /// The system has none that others may use.
  enum OpenSSLNames {
    static let crypto = "libcrypto.3.dylib"
    static let ssl = "libssl.3.dylib"
    static let folders = [
      "/opt/homebrew/opt/openssl@3/lib/", "/usr/local/opt/openssl@3/lib/",
      "/opt/local/libexec/openssl3/lib/",
    ]
    static let advice = "install it (brew install openssl@3)"
  }
#endif
