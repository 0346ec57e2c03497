/// One end of a TLS connection as a value machine would have it: fed what came, it gives what the
/// other end said and what is to be sent. It knows no socket and never waits.
///
/// Between it and the socket its owner may delay, cut or damage what travels. On one thread at a
/// time.
final class TLSEngine {
  enum Role: Sendable, Hashable { case client, server }

  let context: TLSContext
  let pointer: OpaquePointer
  /// The server's: for whom, and in what way, a certificate is made out.
  private let host: HostName?
  private let leaf: Leaf
  let input: OpaquePointer
  let output: OpaquePointer

  var isHandshaking = true
  /// Whether the peer has said that it sends no more (close_notify).
  var inputEnded = false
  /// Whether this end has said so.
  var outputEnded = false
  /// What ended the connection; an alert may be among what is to be sent.
  var failure: TLSFailure?

  var ssl: SSLFunctions { context.openSSL.ssl }
  var crypto: CryptoFunctions { context.openSSL.crypto }
  var role: Role { context.role }

  /// Makes an end.
  ///
  /// - Parameters:
  ///   - context: The end's role, and what all connections of it share.
  ///   - host: To a client the server that it means and verifies; to a server the name that its
  ///     certificate bears where the client names none.
  ///   - leaf: What a server's certificate is like.
  /// - Throws: `ServerError.tlsUnavailable` where OpenSSL has no memory.
  init(_ context: TLSContext, host: HostName? = nil, leaf: Leaf = Leaf()) throws(ServerError) {
    let (ssl, crypto) = (context.openSSL.ssl, context.openSSL.crypto)
    crypto.ERR_clear_error()
    guard let pointer = ssl.SSL_new(context.pointer) else {
      throw context.openSSL.failure(of: "SSL_new")
    }
    guard let input = crypto.BIO_new(crypto.BIO_s_mem()),
      let output = crypto.BIO_new(crypto.BIO_s_mem())
    else {
      ssl.SSL_free(pointer)
      throw context.openSSL.failure(of: "BIO_new")
    }
    // They are freed with the connection from here on.
    ssl.SSL_set_bio(pointer, input, output)
    (self.context, self.pointer, self.host, self.leaf) = (context, pointer, host, leaf)
    (self.input, self.output) = (input, output)
    switch context.role {
    case .server:
      ssl.SSL_set_accept_state(pointer)
      let choose: SSLFunctions.CertificateChoice = { _, engine in
        guard let engine else { return 0 }
        let own = Unmanaged<TLSEngine>.fromOpaque(engine).takeUnretainedValue()
        return own.showCertificate() ? 1 : 0
      }
      ssl.SSL_set_cert_cb(pointer, choose, Unmanaged.passUnretained(self).toOpaque())
    case .client:
      ssl.SSL_set_connect_state(pointer)
      if let host { expect(host) }
    }
  }

  deinit { ssl.SSL_free(pointer) }

  /// Says who the server should be, to it and to the verification.
  private func expect(_ host: HostName) {
    if host.isAddress {
      // RFC 6066 §3: an address is no server name.
      _ = crypto.X509_VERIFY_PARAM_set1_ip_asc(ssl.SSL_get0_param(pointer), host.text)
    } else {
      _ = ssl.SSL_set1_host(pointer, host.text)
      var name = Array(host.text.utf8CString)
      // SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name; it copies.
      _ = name.withUnsafeMutableBytes { ssl.SSL_ctrl(pointer, 55, 0, $0.baseAddress) }
    }
  }

  /// Called within the handshake, when the client's hello is known.
  private func showCertificate() -> Bool {
    guard let authority = context.authority else { return false }
    let name = serverName.flatMap { HostName($0) } ?? host
    do throws(ServerError) {
      let identity = try authority.identity(leaf, for: name)
      return ssl.SSL_use_certificate(pointer, identity.certificate.pointer) == 1
        && ssl.SSL_use_PrivateKey(pointer, identity.key.pointer) == 1
        // SSL_CTRL_CHAIN_CERT: one more above, which both hold from here on.
        && identity.chain.allSatisfy {
          ssl.SSL_ctrl(pointer, 89, 1, UnsafeMutableRawPointer($0.pointer)) == 1
        }
    } catch {
      return false
    }
  }

  /// The host that the client has named; `nil` before its hello and where it names none.
  var serverName: String? {
    ssl.SSL_get_servername(pointer, 0).flatMap { String(validatingCString: $0) }
  }
}

extension TLSEngine {
  /// The version that was agreed on, as OpenSSL calls it: `TLSv1.3`.
  var version: String { ssl.SSL_get_version(pointer).map { String(cString: $0) } ?? "" }

  /// The protocol that was agreed on (ALPN); `nil` where the client offered none.
  var applicationProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    ssl.SSL_get0_alpn_selected(pointer, &name, &count)
    return name.map {
      String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self)
    }
  }
}
