/// One way for a look-up to go wrong, as a script would have it.
public struct DNSExample: Sendable, Hashable {
  /// What it is called, such as `firstPacketLost`.
  public var name: String
  /// The entries that make it for every name; addresses are this machine's where they lead anywhere.
  public var script: DNSScript

  private init(_ name: String, _ entries: [DNSEntry]) {
    (self.name, script) = (name, DNSScript(entries))
  }

  private static let own = [DNSAddress("127.0.0.1")].compactMap(\.self)

  private static func failing(_ fault: DNSFault) -> [DNSEntry] {
    [DNSEntry("*", addresses: fault.bearsAddresses ? own : [], fault: fault)]
  }

  /// One of each kind: every fault, and what faults, types, turns and addresses make together.
  public static let all: [DNSExample] =
    DNSFault.allCases.map { DNSExample($0.rawValue, failing($0)) } + [
      DNSExample(
        "firstPacketLost",
        [DNSEntry("*", turn: .init(first: 1), fault: .drop), DNSEntry("*", addresses: own)]
      ),
      DNSExample(
        "firstServfail",
        [DNSEntry("*", turn: .init(first: 1), fault: .servfail), DNSEntry("*", addresses: own)]
      ),
      DNSExample(
        "aaaaBlackhole",
        [DNSEntry("*", type: .aaaa, fault: .drop), DNSEntry("*", addresses: own)]
      ),
      DNSExample(
        "slow",
        [DNSEntry("*", addresses: own, delay: .exactly(.seconds(2)))]
      ),
      // Nobody has a server there; the network is this machine's all the same.
      DNSExample(
        "wrongAddress",
        [DNSEntry("*", addresses: [DNSAddress("127.0.0.2")].compactMap(\.self))]
      ),
      // RFC 6666: what goes there is thrown away.
      DNSExample(
        "unroutableAddress",
        [DNSEntry("*", addresses: [DNSAddress("100::1")].compactMap(\.self))]
      ),
      DNSExample(
        "ipv6Only",
        [DNSEntry("*", addresses: [DNSAddress("::1")].compactMap(\.self))]
      ),
    ]
}
