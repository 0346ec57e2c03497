internal import WindTunnel

extension Leaf {
  /// Creates the certificate that is shown in a handshake.
  init(_ handshake: Handshake) {
    self = .good
    if handshake.isForAnotherHost { names = [HostName("another.invalid")].compactMap(\.self) }
    validity =
      switch handshake.validity {
      case .current: .current
      case .expired: .expired
      case .notYet: .notYet
      }
    switch handshake.issuer {
    case .authority: issuer = .authority
    case .unsentIntermediate: (issuer, sendsChain) = (.intermediate, false)
    case .itself: issuer = .itself
    case .stranger: issuer = .stranger
    }
    isWeaklySigned = handshake.isWeaklySigned
  }
}

extension TLSEngine {
  /// Sets the kind of handshake. Call it before the first byte, on the server's end.
  func conduct(_ handshake: Handshake) {
    conduct(
      isOld: handshake.isOld,
      isWeaklySigned: handshake.isWeaklySigned,
      demandsCertificate: handshake.demandsCertificate
    )
  }
}
