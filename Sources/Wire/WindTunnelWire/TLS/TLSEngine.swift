/// One end of a TLS connection, without a socket. It converts received bytes to plain text, and
/// plain text to bytes to send. It never waits.
///
/// Its owner can delay, cut or damage the bytes between the engine and the socket. Used by one
/// thread at a time.
package final class TLSEngine {
  private let context: TLSContext
  private let pointer: OpaquePointer
  /// The server's default host name, and the properties of its certificate.
  private let host: HostName?
  private let leaf: Leaf
  private let input: OpaquePointer
  private let output: OpaquePointer

  private(set) var isHandshaking = true
  /// Whether the peer has announced the end of its data (close_notify).
  package private(set) var inputEnded = false
  /// Whether this end has announced the end of its data.
  private var outputEnded = false
  /// The failure that ended the connection; `nil` if there is none. The output may still contain an
  /// alert.
  package private(set) var failure: TLSFailure?

  private var ssl: SSLFunctions { context.openSSL.ssl }
  private var crypto: CryptoFunctions { context.openSSL.crypto }
  package var role: TLSRole { context.role }

  /// Creates one end of a connection.
  ///
  /// - Parameters:
  ///   - context: The role of this end, and the settings that its connections share.
  ///   - host: For a client, the server to which it connects and whose certificate it verifies. For
  ///     a server, the name in its certificate if the client names none.
  ///   - leaf: The properties of a server's certificate.
  /// - Throws: `ServerError.tlsUnavailable` if OpenSSL has no memory.
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
    // From here on, `SSL_free` frees them.
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

  /// Sets the course of the handshake. Called before the first byte, for a server.
  package func conduct(isOld: Bool, isWeaklySigned: Bool, demandsCertificate: Bool) {
    if isOld {
      // SSL_CTRL_SET_MIN_PROTO_VERSION and SSL_CTRL_SET_MAX_PROTO_VERSION: TLS 1.0 and TLS 1.1.
      _ = ssl.SSL_ctrl(pointer, 123, 0x0301, nil)
      _ = ssl.SSL_ctrl(pointer, 124, 0x0302, nil)
    }
    // Both use SHA-1, which OpenSSL allows only at security level 0.
    if isOld || isWeaklySigned { ssl.SSL_set_security_level(pointer, 0) }
    if demandsCertificate {
      // SSL_VERIFY_PEER and SSL_VERIFY_FAIL_IF_NO_PEER_CERT. Any client certificate is accepted.
      ssl.SSL_set_verify(pointer, 3) { _, _ in 1 }
    }
  }

  /// Sets the name of the server, for SNI and for the verification.
  private func expect(_ host: HostName) {
    let isTaken =
      host.isAddress
      ? crypto.X509_VERIFY_PARAM_set1_ip_asc(ssl.SSL_get0_param(pointer), host.text)
      : ssl.SSL_set1_host(pointer, host.text)
    guard isTaken == 1 else { return fail(.unusable, "there is no memory for the name to verify") }
    // RFC 6066 §3: an IP address is not a server name.
    if host.isAddress { return }
    var name = Array(host.text.utf8CString)
    // SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name. It copies the name.
    _ = name.withUnsafeMutableBytes { ssl.SSL_ctrl(pointer, 55, 0, $0.baseAddress) }
  }

  /// Sets the server's certificate. Called during the handshake, after the client's hello.
  private func showCertificate() -> Bool {
    guard let authority = context.authority else { return false }
    let name = serverName.flatMap { HostName($0) } ?? host
    do throws(ServerError) {
      let identity = try authority.identity(leaf, for: name)
      return ssl.SSL_use_certificate(pointer, identity.certificate.pointer) == 1
        && ssl.SSL_use_PrivateKey(pointer, identity.key.pointer) == 1
        // SSL_CTRL_CHAIN_CERT: adds a certificate of the chain, and a reference to it.
        && identity.chain.allSatisfy {
          ssl.SSL_ctrl(pointer, 89, 1, UnsafeMutableRawPointer($0.pointer)) == 1
        }
    } catch {
      return false
    }
  }

  /// The host that the client named (SNI); `nil` before its hello, or if it named none.
  var serverName: String? {
    ssl.SSL_get_servername(pointer, 0).flatMap { String(validatingCString: $0) }
  }

  /// The negotiated version, in OpenSSL's spelling: `TLSv1.3`.
  package var version: String { ssl.SSL_get_version(pointer).map { String(cString: $0) } ?? "" }

  /// The negotiated protocol (ALPN); `nil` if the client offered none.
  var applicationProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    ssl.SSL_get0_alpn_selected(pointer, &name, &count)
    return name.map {
      String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self)
    }
  }

  // MARK: Input

  /// Starts the handshake of a client. A server waits for the client.
  package func start() { if role == .client { shakeHands() } }

  /// Processes received bytes, in pieces of any size.
  package func feed(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil, !inputEnded, let base = bytes.baseAddress, !bytes.isEmpty else { return }
    var place = 0
    while place < bytes.count {
      let count = min(bytes.count - place, 1 << 24)
      guard crypto.BIO_write(input, base + place, Int32(count)) == Int32(count) else {
        return fail(.unusable, "there is no memory for the received bytes")
      }
      place += count
    }
    if isHandshaking { shakeHands() }
  }

  /// Processes the end of the connection below TLS.
  ///
  /// True if the peer announced the end. Otherwise the data may have been truncated by an attacker
  /// (RFC 8446 §6.1).
  package func feedEnd() -> Bool {
    if isHandshaking { fail(.brokenOff, "the connection ended within the TLS handshake") }
    return inputEnded
  }

  private func shakeHands() {
    crypto.ERR_clear_error()
    let result = ssl.SSL_do_handshake(pointer)
    if result == 1 { isHandshaking = false } else { judge(result) }
  }

  /// Reads available plain text of the peer into a buffer, and returns the number of bytes.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard !isHandshaking, failure == nil, let base = buffer.baseAddress else { return 0 }
    return move(buffer.count) { ssl.SSL_read(pointer, base + $0, $1) }
  }

  /// Calls a function of OpenSSL with the number of bytes so far and the rest, until all bytes are
  /// moved or it moves none. Returns the number of moved bytes.
  private func move(_ total: Int, _ step: (_ done: Int, _ rest: Int32) -> Int32) -> Int {
    var count = 0
    while count < total {
      crypto.ERR_clear_error()
      let result = step(count, Int32(clamping: total - count))
      if result <= 0 {
        judge(result)
        break
      }
      count += Int(result)
    }
    return count
  }

  // MARK: Output

  /// Encrypts plain text. Possible only after the handshake, and before ``endOutput()``.
  package func write(_ bytes: UnsafeRawBufferPointer) {
    guard !isHandshaking, !outputEnded, failure == nil, let base = bytes.baseAddress else { return }
    _ = move(bytes.count) { ssl.SSL_write(pointer, base + $0, $1) }
  }

  /// Announces the end of this end's data (close_notify). The peer's data is still read.
  func endOutput() {
    guard !isHandshaking, !outputEnded, failure == nil else { return }
    outputEnded = true
    crypto.ERR_clear_error()
    _ = ssl.SSL_shutdown(pointer)
    crypto.ERR_clear_error()
  }

  /// The number of bytes to send.
  var pendingOutput: Int { crypto.BIO_ctrl_pending(output) }

  /// Removes the bytes to send, and passes them to `body` in pieces.
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

  /// Handles the result of a call that made no progress.
  private func judge(_ result: Int32) {
    switch ssl.SSL_get_error(pointer, result) {
    // SSL_ERROR_WANT_READ and SSL_ERROR_WANT_WRITE: more bytes are needed.
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
      fail(.certificate(number), "its certificate is invalid: \(text ?? "reason \(number)")")
    // SSL_R_NO_APPLICATION_PROTOCOL.
    case 235 where isOwn && role == .server:
      fail(.unusable, "it offers only protocols (ALPN) that are not spoken here")
    // The alert no_application_protocol (RFC 7301 §3.2).
    case 1120 where isOwn && role == .client:
      fail(.alert(120), "it does not speak HTTP/1.1 (alert 120), which is all that is spoken here")
    // The reason of a peer's alert is 1000 plus the alert's number.
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
