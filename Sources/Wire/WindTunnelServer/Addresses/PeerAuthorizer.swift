/// The choice of peers that a proxy serves.
public enum Admission: Sendable, Hashable {
  /// Every peer that can connect: on the loopback interface, this machine alone.
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
  /// The code is no longer accepted, after this number of wrong ones from all addresses.
  case codeUsedUp(wrongCodes: Int)
  /// The peer with this address is served, but not connected to the address that it asked for.
  case notConnected(String, AddressRefusal)
}

/// The decision which peers are served, by their addresses and by the code that they enter.
struct PeerAuthorizer: Sendable {
  /// The treatment of a peer that connects.
  enum Standing: Sendable, Hashable {
    case served
    /// The peer may enter the code.
    case unknown
    case refused(String)
  }

  /// The result of a code that was given.
  enum Verdict: Sendable, Hashable {
    /// No code was given.
    case none
    case right
    case wrong
    /// The code was wrong, and the last one that is checked.
    case last
    /// The code was not checked.
    case closed
  }

  /// The number of different wrong codes of one address that are checked before it is refused for
  /// ``pauseSeconds``. A repeated one tells nothing new: a client that is set to it sends it each
  /// time.
  static let wrongCodesMax = 20
  /// The time for which an address is refused.
  static let pauseSeconds = 600.0
  /// The number of wrong codes of all addresses: a peer may have many. Where a code has six digits
  /// they find it in one case of a thousand.
  static let wrongCodesOfAllMax = 1000
  /// More of a code is not kept.
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
        ? .served : .refused("This proxy serves \(address) only, and you are \(peer).")
    }
  }

  /// Returns the kind of a peer.
  func kind(of peer: String) -> PeerKind {
    if machine.isPeer(peer) { return .owner }
    return standing(of: peer) == .served ? .device : .unpaired
  }

  /// Looks at a code that a peer gave.
  mutating func check(_ text: String, from peer: String, at now: Moment = .now()) -> Verdict {
    guard case .code(let code) = admission else { return .none }
    // As it may be typed.
    let given = text.filter { !$0.isWhitespace && $0 != "-" }
    if given.isEmpty { return .none }
    guard wrongCodes < Self.wrongCodesOfAllMax else { return .closed }
    var own = guesses[peer] ?? ([], nil)
    if let end = own.pause, now >= end { own = ([], nil) }
    guard own.pause == nil else { return .closed }
    if given.isSame(as: code) {
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

extension String {
  /// Tells whether two texts are the same, in a time that does not tell how much of them is.
  fileprivate func isSame(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return zip(utf8, other.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
