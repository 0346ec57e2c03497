/// The peers that a proxy serves.
public enum Admission: Sendable, Hashable {
  /// Every peer that can connect; on the loopback interface, only this machine.
  case everyone
  /// The machine of the proxy, and each device that enters this code.
  case code(String)
  /// The machine of the proxy, and the device with this address.
  case only(String)
}

/// An event about a peer of a proxy.
public enum PeerEvent: Sendable, Hashable {
  /// The peer with this address is not admitted.
  case turnedAway(String)
  /// The peer with this address entered the code.
  case admitted(String)
  /// The code is no longer accepted, after this number of wrong codes from all addresses.
  case codeUsedUp(wrongCodes: Int)
  /// The peer with this address is served but was not connected to the requested address.
  case notConnected(String, AddressRefusal)
}

/// The decision which peers are served, by their addresses and the codes that they enter.
struct PeerAuthorizer: Sendable {
  /// The treatment of a peer that connects.
  enum Standing: Sendable, Hashable {
    case served
    /// The peer may enter the code.
    case unknown
    case refused(String)
  }

  /// The result of checking a code.
  enum CodeResult: Sendable, Hashable {
    /// There was no code.
    case none
    case right
    case wrong
    /// The code was wrong, and no further code is checked.
    case last
    /// The code was not checked.
    case closed
  }

  /// The number of different wrong codes of one address after which it is refused for
  /// ``pauseSeconds``.
  ///
  /// Repeated codes do not count, because a configured client sends the same code each time.
  static let wrongCodesMax = 20
  /// The time for which an address is refused.
  static let pauseSeconds = 600.0
  /// The maximum number of wrong codes of all addresses, because a peer may have many addresses.
  /// With a six-digit code, guessing then succeeds in one of a thousand cases.
  static let wrongCodesOfAllMax = 1000
  /// The maximum number of stored characters of a code.
  private static let codeCharactersMax = 64

  private let admission: Admission
  private let machine: OwnMachine
  private var admitted: Set<String> = []
  /// The wrong codes of each address, and the end of its pause.
  private var guesses: [String: (codes: Set<String>, pause: Moment?)] = [:]
  private var wrongCodes = 0

  init(_ admission: Admission, own: String) {
    self.admission =
      if case .only(let address) = admission { .only(SocketAddress.spelled(address)) } else {
        admission
      }
    machine = OwnMachine(listeningAt: own)
  }

  func standing(of peer: String) -> Standing {
    if machine.isPeer(peer) { return .served }
    switch admission {
    case .everyone: return .served
    case .code: return admitted.contains(peer) ? .served : .unknown
    case .only(let address):
      return peer == address
        ? .served : .refused("This proxy serves only \(address), but your address is \(peer).")
    }
  }

  /// Returns the kind of a peer.
  func kind(of peer: String) -> PeerKind {
    if machine.isPeer(peer) { return .owner }
    return standing(of: peer) == .served ? .device : .unpaired
  }

  /// Checks a code from a peer.
  mutating func check(_ text: String, from peer: String, at now: Moment = .now()) -> CodeResult {
    guard case .code(let code) = admission else { return .none }
    // Spaces and hyphens are ignored.
    let given = text.filter { !$0.isWhitespace && $0 != "-" }
    if given.isEmpty { return .none }
    guard wrongCodes < Self.wrongCodesOfAllMax else { return .closed }
    var own = guesses[peer] ?? ([], nil)
    if let end = own.pause, now >= end { own = ([], nil) }
    guard own.pause == nil else { return .closed }
    // The time does not reveal the number of equal characters.
    let isSame =
      given.utf8.count == code.utf8.count
      && zip(given.utf8, code.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    if isSame {
      admitted.insert(peer)
      return .right
    }
    if own.codes.insert(String(given.prefix(Self.codeCharactersMax))).inserted { wrongCodes += 1 }
    if own.codes.count == Self.wrongCodesMax {
      own.pause = now + Int64(nanosecondsOf: Self.pauseSeconds)
    }
    guesses[peer] = own
    return wrongCodes == Self.wrongCodesOfAllMax ? .last : .wrong
  }
}
