internal import WindTunnel

/// The qualities of a server's certificate, good or bad in a chosen way.
struct Leaf: Sendable, Hashable {
  /// The names that it is made out to; none stands for the host that the client asks for.
  var names: [HostName] = []
  var validity = Validity.current
  var issuer = Issuer.authority
  /// Tells whether the certificates above it are sent along.
  var sendsChain = true
  /// Tells whether it is signed with SHA-1.
  var isWeaklySigned = false

  /// The time that it holds for, in days from the making.
  struct Validity: Sendable, Hashable {
    var fromDays: Int
    var untilDays: Int

    /// A year and a month: Apple's platforms take no more than 398 days of a server.
    static let current = Validity(fromDays: -1, untilDays: 396)
    static let expired = Validity(fromDays: -90, untilDays: -1)
    static let notYet = Validity(fromDays: 1, untilDays: 90)
  }

  /// The signer of the certificate.
  enum Issuer: Sendable, Hashable {
    case authority
    /// A link between it and the authority; a chain that is not sent is then incomplete.
    case intermediate
    /// Nobody but itself.
    case itself
    /// An authority that no client knows.
    case stranger
  }
}

extension Leaf {
  /// Makes the certificate that is shown in a handshake.
  init(_ handshake: Handshake) {
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
