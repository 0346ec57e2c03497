internal import WindTunnel

extension TLSEngine {
  /// Conducts the handshake so; before the first byte, and on a server's end.
  func conduct(_ handshake: Handshake) {
    if handshake.isOld {
      // SSL_CTRL_SET_MIN_PROTO_VERSION and its twin: TLS 1.0 and TLS 1.1.
      _ = ssl.SSL_ctrl(pointer, 123, 0x0301, nil)
      _ = ssl.SSL_ctrl(pointer, 124, 0x0302, nil)
    }
    // Both are sealed or signed with SHA-1, which OpenSSL leaves to those who ask for it.
    if handshake.isOld || handshake.isWeaklySigned { ssl.SSL_set_security_level(pointer, 0) }
    if handshake.demandsCertificate {
      // SSL_VERIFY_PEER and SSL_VERIFY_FAIL_IF_NO_PEER_CERT; whichever is shown is taken.
      ssl.SSL_set_verify(pointer, 3) { _, _ in 1 }
    }
  }
}
