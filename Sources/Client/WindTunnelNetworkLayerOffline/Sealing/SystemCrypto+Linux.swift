#if !canImport(Darwin)

  internal import CWindTunnelSystem
  internal import Foundation
  internal import WindTunnelNetworkLayer

  /// The cryptography of the system: OpenSSL's libcrypto, loaded at run time.
  enum SystemCrypto {
    private static let opened = Result { () throws(SealingError) in try LibCrypto() }

    /// Throws if the library is unavailable.
    static func check() throws(SealingError) { _ = try opened.get() }

    static func sealAESGCM(
      _ text: Data,
      key: Data,
      nonce: Data,
      context: Data
    ) throws(SealingError) -> Data {
      var tag = [UInt8](repeating: 0, count: AES256GCM.tagBytes)
      let sealed = try aesGCM(text, &tag, key, nonce, context, isSealing: true)
      return sealed + tag
    }

    static func openAESGCM(
      _ text: Data,
      tag: Data,
      key: Data,
      nonce: Data,
      context: Data
    ) throws(SealingError) -> Data {
      var tag = [UInt8](tag)
      return try aesGCM(text, &tag, key, nonce, context, isSealing: false)
    }

    /// Encrypts a text and writes its tag, or decrypts a text and verifies its tag.
    private static func aesGCM(
      _ text: Data,
      _ tag: inout [UInt8],
      _ key: Data,
      _ nonce: Data,
      _ context: Data,
      isSealing: Bool
    ) throws(SealingError) -> Data {
      let crypto = try opened.get()
      let cipher = crypto.EVP_CIPHER_CTX_new()
      defer { crypto.EVP_CIPHER_CTX_free(cipher) }
      // One extra byte, so that the buffer exists even if the text is empty.
      var output = [UInt8](repeating: 0, count: text.count + 1)
      // The last step writes nothing, but requires a buffer.
      var end = [UInt8](repeating: 0, count: AES256GCM.tagBytes)
      var count: Int32 = 0
      let (key, nonce) = ([UInt8](key), [UInt8](nonce))
      let (context, bytes) = ([UInt8](context), [UInt8](text))
      guard cipher != nil,
        crypto.EVP_CipherInit_ex(
          cipher,
          crypto.EVP_aes_256_gcm(),
          nil,
          key,
          nonce,
          isSealing ? 1 : 0
        ) == 1,
        crypto.EVP_CipherUpdate(cipher, nil, &count, context, Int32(context.count)) == 1,
        crypto.EVP_CipherUpdate(cipher, &output, &count, bytes, Int32(bytes.count)) == 1,
        isSealing
          || crypto.EVP_CIPHER_CTX_ctrl(cipher, LibCrypto.setTag, Int32(tag.count), &tag) == 1
      else { throw crypto.failure(of: "AES-256-GCM") }
      let isWhole = crypto.EVP_CipherFinal_ex(cipher, &end, &count) == 1
      guard isWhole || isSealing else {
        crypto.ERR_clear_error()
        throw .tampered
      }
      guard isWhole,
        !isSealing
          || crypto.EVP_CIPHER_CTX_ctrl(cipher, LibCrypto.getTag, Int32(tag.count), &tag) == 1
      else { throw crypto.failure(of: "AES-256-GCM") }
      return Data(output.prefix(text.count))
    }

    static func isEd25519(_ signature: Data, of message: Data, by key: Data) -> Bool {
      // A key exists only if the library was found.
      guard let crypto = try? opened.get() else { return false }
      defer { crypto.ERR_clear_error() }
      let key = [UInt8](key)
      let publicKey = crypto.EVP_PKEY_new_raw_public_key(LibCrypto.ed25519, nil, key, key.count)
      guard publicKey != nil else { return false }
      defer { crypto.EVP_PKEY_free(publicKey) }
      let digest = crypto.EVP_MD_CTX_new()
      defer { crypto.EVP_MD_CTX_free(digest) }
      let (signature, message) = ([UInt8](signature), [UInt8](message))
      return digest != nil && crypto.EVP_DigestVerifyInit(digest, nil, nil, nil, publicKey) == 1
        && crypto.EVP_DigestVerify(digest, signature, signature.count, message, message.count) == 1
    }
  }

  /// The functions of libcrypto that are used, with the names and types of its manual pages.
  ///
  /// They are the same in OpenSSL 3 and 1.1.1. Building an app requires no OpenSSL headers. Without
  /// the library, ciphers are unavailable at run time, and an error explains that.
  struct LibCrypto: @unchecked Sendable {
    typealias P = OpaquePointer?
    typealias Bytes = UnsafePointer<UInt8>
    typealias Output = UnsafeMutablePointer<UInt8>

    /// `EVP_CTRL_AEAD_GET_TAG` of OpenSSL's evp.h.
    static let getTag: Int32 = 0x10
    /// `EVP_CTRL_AEAD_SET_TAG` of OpenSSL's evp.h.
    static let setTag: Int32 = 0x11
    /// `EVP_PKEY_ED25519` of OpenSSL's evp.h.
    static let ed25519: Int32 = 1087

    let ERR_clear_error: @convention(c) () -> Void
    let ERR_get_error: @convention(c) () -> UInt
    let ERR_reason_error_string: @convention(c) (UInt) -> UnsafePointer<CChar>?
    let EVP_CIPHER_CTX_new: @convention(c) () -> P
    let EVP_CIPHER_CTX_free: @convention(c) (P) -> Void
    let EVP_CIPHER_CTX_ctrl: @convention(c) (P, Int32, Int32, UnsafeMutableRawPointer?) -> Int32
    let EVP_aes_256_gcm: @convention(c) () -> P
    let EVP_CipherInit_ex: @convention(c) (P, P, P, Bytes?, Bytes?, Int32) -> Int32
    let EVP_CipherUpdate:
      @convention(c) (P, Output?, UnsafeMutablePointer<Int32>, Bytes?, Int32) -> Int32
    let EVP_CipherFinal_ex: @convention(c) (P, Output?, UnsafeMutablePointer<Int32>) -> Int32
    let EVP_PKEY_new_raw_public_key: @convention(c) (Int32, P, Bytes?, Int) -> P
    let EVP_PKEY_free: @convention(c) (P) -> Void
    let EVP_MD_CTX_new: @convention(c) () -> P
    let EVP_MD_CTX_free: @convention(c) (P) -> Void
    let EVP_DigestVerifyInit: @convention(c) (P, UnsafeMutablePointer<P>?, P, P, P) -> Int32
    let EVP_DigestVerify: @convention(c) (P, Bytes?, Int, Bytes?, Int) -> Int32

    /// The names of the library; the first one that is found is used.
    static let names = ["libcrypto.so.3", "libcrypto.so.1.1"]

    /// Opens the first library with one of these names.
    init(names: [String] = LibCrypto.names) throws(SealingError) {
      let folder = String(cString: wt_openssl_folder())
      guard let (name, handle) = Self.open(names, in: folder) else {
        let place =
          folder.isEmpty
          ? "where the system keeps libraries" : "in \(folder), which WINDTUNNEL_OPENSSL names"
        throw .unavailable(
          "There is no \(names.joined(separator: " and no ")) \(place), so data cannot be sealed or "
            + "verified; install OpenSSL (apt install libssl3, dnf install openssl-libs)."
        )
      }
      func function<Function>(_ symbol: String) throws(SealingError) -> Function {
        guard let address = dlsym(handle, symbol) else {
          throw .unavailable("\(name) has no \(symbol); install OpenSSL 3 or 1.1.1.")
        }
        return unsafeBitCast(address, to: Function.self)
      }
      ERR_clear_error = try function("ERR_clear_error")
      ERR_get_error = try function("ERR_get_error")
      ERR_reason_error_string = try function("ERR_reason_error_string")
      EVP_CIPHER_CTX_new = try function("EVP_CIPHER_CTX_new")
      EVP_CIPHER_CTX_free = try function("EVP_CIPHER_CTX_free")
      EVP_CIPHER_CTX_ctrl = try function("EVP_CIPHER_CTX_ctrl")
      EVP_aes_256_gcm = try function("EVP_aes_256_gcm")
      EVP_CipherInit_ex = try function("EVP_CipherInit_ex")
      EVP_CipherUpdate = try function("EVP_CipherUpdate")
      EVP_CipherFinal_ex = try function("EVP_CipherFinal_ex")
      EVP_PKEY_new_raw_public_key = try function("EVP_PKEY_new_raw_public_key")
      EVP_PKEY_free = try function("EVP_PKEY_free")
      EVP_MD_CTX_new = try function("EVP_MD_CTX_new")
      EVP_MD_CTX_free = try function("EVP_MD_CTX_free")
      EVP_DigestVerifyInit = try function("EVP_DigestVerifyInit")
      EVP_DigestVerify = try function("EVP_DigestVerify")
    }

    private static func open(
      _ names: [String],
      in folder: String
    ) -> (String, UnsafeMutableRawPointer)? {
      for name in names {
        if let handle = wt_openssl_open(folder, name) { return (name, handle) }
      }
      return nil
    }

    /// Returns the error of a function that fails only if memory is exhausted.
    func failure(of step: String) -> SealingError {
      let text = ERR_reason_error_string(ERR_get_error()).map { String(cString: $0) }
      ERR_clear_error()
      return .unavailable("OpenSSL's \(step) failed: \(text ?? "it does not say why").")
    }
  }
#endif
