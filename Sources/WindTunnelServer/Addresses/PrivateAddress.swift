/// Which of a machine's addresses a device nearby can reach and the rest of the world cannot.
public enum PrivateAddress {
  /// An address of this machine and the network interface that has it.
  public struct Candidate: Sendable, Hashable {
    /// Such as `192.168.1.5`.
    public var host: String
    /// Such as `en0`.
    public var interface: String

    /// Makes a candidate.
    public init(_ host: String, _ interface: String) {
      self.host = host
      self.interface = interface
    }
  }

  /// Why there is no address to listen at.
  public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is none.
    case none
    /// There are several.
    case several([Candidate])
    /// What was asked for is no address of this machine.
    case notHere(String, [Candidate])
    /// What was asked for can be reached from outside.
    case notPrivate(String)

    /// The sentence for a person.
    public var description: String {
      switch self {
      case .none:
        "This machine has no private address (10.x, 172.16.x to 172.31.x, 192.168.x or fc00::/7); "
          + "join the network that the phone is in."
      case .several(let candidates):
        "This machine has several private addresses: \(Self.list(candidates)). Choose the one that "
          + "the phone can reach, such as --bind \(candidates.first?.host ?? "ADDR")."
      case .notHere(let host, let candidates):
        candidates.isEmpty
          ? "\(host) is no address of this machine, which has no private one."
          : "\(host) is no address of this machine; there are \(Self.list(candidates))."
      case .notPrivate(let host):
        "\(host) can be reached from outside the local network; a proxy there would be open to all. "
          + "Choose a private address of this machine."
      }
    }

    private static func list(_ candidates: [Candidate]) -> String {
      candidates.map { "\($0.host) (\($0.interface))" }.joined(separator: ", ")
    }
  }

  /// Chooses the address to listen at: the one that was asked for, else the only private one, of
  /// IPv4 if there is any, since that is what a phone's proxy settings are typed with.
  public static func choose(
    from candidates: [Candidate],
    asked: String? = nil
  ) throws(Problem) -> String {
    let usable = candidates.filter { isPrivate($0.host) }
    if let asked = asked.map(SocketAddress.spelled) {
      if isLoopback(asked) { return asked }
      guard isPrivate(asked) else { throw .notPrivate(asked) }
      guard usable.contains(where: { $0.host == asked }) else { throw .notHere(asked, usable) }
      return asked
    }
    let four = usable.filter { !$0.host.contains(":") }
    let choices = four.isEmpty ? usable : four
    guard let only = choices.first else { throw .none }
    guard choices.count == 1 else { throw .several(choices) }
    return only.host
  }

  /// Whether an address literal is of a private network: 10/8, 172.16/12 and 192.168/16
  /// (RFC 1918 §3), fc00::/7 (RFC 4193 §3.1).
  public static func isPrivate(_ host: String) -> Bool {
    guard let bytes = SocketAddress(host, port: 0)?.addressBytes else { return false }
    guard bytes.count == 4 else { return bytes.first.map { $0 & 0xFE == 0xFC } ?? false }
    switch (bytes[0], bytes[1]) {
    case (10, _), (172, 16...31), (192, 168): return true
    default: return false
    }
  }

  /// Whether an address literal is this machine by itself: 127/8 (RFC 1122 §3.2.1.3) or ::1.
  public static func isLoopback(_ host: String) -> Bool {
    guard let bytes = SocketAddress(host, port: 0)?.addressBytes else { return false }
    return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// Whether an address literal stands for every address of this machine, `0.0.0.0` or `::`; `nil` for
  /// what is no literal.
  public static func isAnyAddress(_ host: String) -> Bool? {
    SocketAddress(host, port: 0)?.addressBytes.allSatisfy { $0 == 0 }
  }
}
