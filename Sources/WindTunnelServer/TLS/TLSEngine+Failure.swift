extension TLSEngine {
  /// What a call's result means that is no progress.
  func judge(_ result: Int32) {
    switch ssl.SSL_get_error(pointer, result) {
    // SSL_ERROR_WANT_READ and SSL_ERROR_WANT_WRITE: the rest has not come.
    case 2, 3: break
    // SSL_ERROR_ZERO_RETURN.
    case 6: inputEnded = true
    default: failed()
    }
  }

  private func failed() {
    let error = context.openSSL.takeError()
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

  func fail(_ kind: TLSFailure.Kind, _ text: String) {
    guard failure == nil else { return }
    failure = TLSFailure(kind: kind, text: text, role: role)
  }
}
