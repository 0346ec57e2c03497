public import WindTunnel
internal import WindTunnelSymptoms

/// An example of a failure of look-ups, as a script.
public struct DNSExample: Sendable, Hashable {
  /// The name, such as `firstPacketLost`.
  public var name: String
  /// The script, which fails for every name; addresses that lead anywhere are this machine's.
  public var script: DNSScript

  private init(_ name: String, _ entries: [DNSEntry]) {
    (self.name, script) = (name, DNSScript(entries))
  }

  private static func address(_ text: String = "127.0.0.1") -> DNSEntry {
    DNSEntry("*", addresses: [DNSAddress(text)].compactMap(\.self))
  }

  private static func failing(_ fault: DNSFault) -> DNSEntry {
    var entry = fault.bearsAddresses ? address() : DNSEntry("*")
    entry.fault = fault
    return entry
  }

  /// One example of each kind: every fault, and the combinations of faults, types, turns and
  /// addresses.
  public static let all: [DNSExample] =
    DNSFault.allCases.map { DNSExample($0.rawValue, [failing($0)]) } + [
      DNSExample(
        "firstPacketLost",
        [DNSEntry("*", turn: .init(first: 1), fault: .drop), address()]
      ),
      DNSExample(
        "firstServfail",
        [DNSEntry("*", turn: .init(first: 1), fault: .servfail), address()]
      ),
      DNSExample("aaaaBlackhole", [DNSEntry("*", type: .aaaa, fault: .drop), address()]),
      DNSExample("slow", [DNSEntry("*", addresses: address().addresses, delay: .seconds(2))]),
      // Nobody has a server there; the network is this machine's all the same.
      DNSExample("wrongAddress", [address("127.0.0.2")]),
      // RFC 6666: what goes there is thrown away.
      DNSExample("unroutableAddress", [address("100::1")]),
      DNSExample("ipv6Only", [address("::1")]),
    ]

  /// The fault's name in a list, such as `dns-first-packet-lost`.
  public var faultName: String { "dns-\(FaultKind.dashed(name))" }

  /// The effects on clients that ask only the script's name server, with a server that answers 200
  /// at 127.0.0.1 and nowhere else.
  public var expected: FaultExpectation {
    switch name {
    case "truncated", "firstPacketLost", "firstServfail", "aaaaBlackhole", "slow":
      FaultExpectation(200)
    case "wrongAddress": FaultExpectation(.connectionRefused, apple: .connectionRefused, 7)
    // Where the machine knows no IPv6, such an address is none.
    case "ipv6Only": FaultExpectation(.connectionRefused, apple: .connectionRefused, 7, 6)
    case "unroutableAddress": FaultExpectation(.unknown, apple: .offline, 7, 6)
    default: FaultExpectation(.hostNotFound, apple: .hostNotFound, 6)
    }
  }

  /// The result of the C library's `getaddrinfo`: addresses, or the name of its error (RFC 3493
  /// §6.1), as measured with glibc.
  public var expectedLookUp: [String] {
    switch name {
    case "nxdomain", "formerr", "cnameLoop", "cutPacket": ["EAI_NONAME"]
    case "nodata": ["EAI_NODATA"]
    case "wrongAddress": ["127.0.0.2"]
    case "ipv6Only": ["::1"]
    case "unroutableAddress": ["100::1"]
    default: expected.curl == [0] ? ["127.0.0.1"] : ["EAI_AGAIN"]
    }
  }

  /// Returns the script for one name and all below it, so that several can stand in one.
  package func entries(below name: String) -> [DNSEntry] {
    script.entries.map { entry in
      var entry = entry
      entry.name = "*.\(name)"
      return entry
    }
  }
}
