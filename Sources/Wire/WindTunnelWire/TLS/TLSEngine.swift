internal import WindTunnelCore
internal import WindTunnelHTTP

/// One end of a TLS connection as a value machine would have it: fed what came, it gives what the
/// other end said and what is to be sent. It knows no socket and never waits.
///
/// Between it and the socket its owner may delay, cut or damage what travels. On one thread at a
/// time.
package final class TLSEngine {
  private let context: TLSContext
  private let pointer: OpaquePointer
  /// The server's: for whom, and in what way, a certificate is made out.
  private let host: HostName?
  private let leaf: Leaf
  private let input: OpaquePointer
  private let output: OpaquePointer

  private(set) var isHandshaking = true
  /// Tells whether the peer has said that it sends no more (close_notify).
  package private(set) var inputEnded = false
  /// Tells whether this end has said so.
  private var outputEnded = false
  /// The failure that ended the connection; an alert may be among what is to be sent.
  package private(set) var failure: TLSFailure?

  private var ssl: SSLFunctions { context.openSSL.ssl }
  private var crypto: CryptoFunctions { context.openSSL.crypto }
  package var role: TLSRole { context.role }

  /// Makes an end.
  ///
  /// - Parameters:
  ///   - context: The end's role, and what all connections of it share.
  ///   - host: To a client the server that it means and verifies; to a server the name that its
  ///     certificate bears where the client names none.
  ///   - leaf: What a server's certificate is like.
  /// - Throws: `ServerError.tlsUnavailable` where OpenSSL has no memory.
  package init(_ context: TLSContext, host: HostName? = nil, leaf: Leaf = Leaf())
    throws(ServerError)
  {
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

  // MARK: Handshake

  /// Conducts the handshake so; before the first byte, and on a server's end.
  package func conduct(isOld: Bool, isWeaklySigned: Bool, demandsCertificate: Bool) {
    if isOld {
      // SSL_CTRL_SET_MIN_PROTO_VERSION and its twin: TLS 1.0 and TLS 1.1.
      _ = ssl.SSL_ctrl(pointer, 123, 0x0301, nil)
      _ = ssl.SSL_ctrl(pointer, 124, 0x0302, nil)
    }
    // Both are sealed or signed with SHA-1, which OpenSSL leaves to those who ask for it.
    if isOld || isWeaklySigned { ssl.SSL_set_security_level(pointer, 0) }
    if demandsCertificate {
      // SSL_VERIFY_PEER and SSL_VERIFY_FAIL_IF_NO_PEER_CERT; whichever is shown is taken.
      ssl.SSL_set_verify(pointer, 3) { _, _ in 1 }
    }
  }

  /// Says who the server should be, to it and to the verification.
  private func expect(_ host: HostName) {
    let isTaken =
      host.isAddress
      ? crypto.X509_VERIFY_PARAM_set1_ip_asc(ssl.SSL_get0_param(pointer), host.text)
      : ssl.SSL_set1_host(pointer, host.text)
    guard isTaken == 1 else { return fail(.unusable, "there is no memory for the name to verify") }
    // RFC 6066 §3: an address is no server name.
    if host.isAddress { return }
    var name = Array(host.text.utf8CString)
    // SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name; it copies.
    _ = name.withUnsafeMutableBytes { ssl.SSL_ctrl(pointer, 55, 0, $0.baseAddress) }
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

  /// The version that was agreed on, as OpenSSL calls it: `TLSv1.3`.
  package var version: String { ssl.SSL_get_version(pointer).map { String(cString: $0) } ?? "" }

  /// The protocol that was agreed on (ALPN); `nil` where the client offered none.
  var applicationProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    ssl.SSL_get0_alpn_selected(pointer, &name, &count)
    return name.map {
      String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self)
    }
  }

  // MARK: Input

  /// Begins the handshake of a client; a server waits.
  package func start() { if role == .client { shakeHands() } }

  /// Takes what came, in pieces of any size.
  package func feed(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil, !inputEnded, let base = bytes.baseAddress, !bytes.isEmpty else { return }
    var place = 0
    while place < bytes.count {
      let count = min(bytes.count - place, 1 << 24)
      guard crypto.BIO_write(input, base + place, Int32(count)) == Int32(count) else {
        return fail(.unusable, "there is no memory for what came")
      }
      place += count
    }
    if isHandshaking { shakeHands() }
  }

  /// The connection below has ended.
  ///
  /// True if the peer has said so beforehand; otherwise somebody may have cut the rest off (RFC
  /// 8446 §6.1).
  package func feedEnd() -> Bool {
    if isHandshaking { fail(.brokenOff, "the connection ended within the TLS handshake") }
    return inputEnded
  }

  private func shakeHands() {
    crypto.ERR_clear_error()
    let result = ssl.SSL_do_handshake(pointer)
    if result == 1 { isHandshaking = false } else { judge(result) }
  }

  /// Fills a buffer with what the peer said, as far as there is any, and answers how much.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard !isHandshaking, failure == nil, let base = buffer.baseAddress else { return 0 }
    var count = 0
    while count < buffer.count {
      crypto.ERR_clear_error()
      let result = ssl.SSL_read(pointer, base + count, Int32(clamping: buffer.count - count))
      if result <= 0 {
        judge(result)
        break
      }
      count += Int(result)
    }
    return count
  }

  // MARK: Output

  /// Seals what is to be said; only after the handshake, and before the end.
  package func write(_ bytes: UnsafeRawBufferPointer) {
    guard !isHandshaking, !outputEnded, failure == nil, let base = bytes.baseAddress else { return }
    var place = 0
    while place < bytes.count {
      crypto.ERR_clear_error()
      let rest = Int32(clamping: bytes.count - place)
      let result = ssl.SSL_write(pointer, base + place, rest)
      guard result > 0 else { return judge(result) }
      place += Int(result)
    }
  }

  /// Says that nothing more will be said (close_notify); what the peer says is still heard.
  func endOutput() {
    guard !isHandshaking, !outputEnded, failure == nil else { return }
    outputEnded = true
    crypto.ERR_clear_error()
    _ = ssl.SSL_shutdown(pointer)
    crypto.ERR_clear_error()
  }

  /// The count of bytes that are to be sent.
  var pendingOutput: Int { crypto.BIO_ctrl_pending(output) }

  /// Hands over what is to be sent, in pieces; it is gone from here then.
  func drainOutput(_ body: (UnsafeRawBufferPointer) -> Void) {
    guard pendingOutput > 0 else { return }
    withUnsafeTemporaryAllocation(byteCount: 32 * 1024, alignment: 16) { buffer in
      guard let base = buffer.baseAddress else { return }
      while true {
        let count = crypto.BIO_read(output, base, Int32(buffer.count))
        guard count > 0 else { return }
        body(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
      }
    }
  }

  // MARK: Failure

  /// Finds out what a call's result means that is no progress.
  private func judge(_ result: Int32) {
    switch ssl.SSL_get_error(pointer, result) {
    // SSL_ERROR_WANT_READ and SSL_ERROR_WANT_WRITE: the rest has not come.
    case 2, 3: break
    // SSL_ERROR_ZERO_RETURN.
    case 6: inputEnded = true
    default: failed()
    }
  }

  private func failed() {
    let error = context.openSSL.popError()
    let reason = (error?.code ?? 0) & 0x7F_FFFF
    let isOwn = (error?.code ?? 0) >> 23 & 0xFF == 20
    switch reason {
    // SSL_R_CERTIFICATE_VERIFY_FAILED.
    case 134 where isOwn && role == .client:
      let number = ssl.SSL_get_verify_result(pointer)
      let text = crypto.X509_verify_cert_error_string(number).map { String(cString: $0) }
      fail(.certificate(number), "its certificate does not hold: \(text ?? "reason \(number)")")
    // A peer's alert comes as 1000 and its number.
    case 1000...1255 where isOwn:
      let text = error.map { " (\($0.text))" } ?? ""
      fail(.alert(UInt8(reason - 1000)), "it ended TLS with alert \(reason - 1000)\(text)")
    default: fail(.unusable, "TLS failed: \(error?.text ?? "what came makes no sense")")
    }
  }

  package func fail(_ kind: TLSFailure.Kind, _ text: String) {
    guard failure == nil else { return }
    failure = TLSFailure(kind: kind, text: text, role: role)
  }
}
