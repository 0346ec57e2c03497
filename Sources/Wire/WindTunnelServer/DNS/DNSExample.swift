public import WindTunnel
internal import WindTunnelSymptoms

/// An example of a look-up failure, as a script.
public struct DNSExample: Sendable, Hashable {
  /// The name, such as `firstPacketLost`.
  public var name: String
  /// The script, which fails for every name. Its reachable addresses belong to this machine.
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

  /// One example of each kind: every fault, and combinations of faults, types, turns and addresses.
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
      // No server listens at this address, but it belongs to this machine.
      DNSExample("wrongAddress", [address("127.0.0.2")]),
      // The discard prefix (RFC 6666), whose traffic is dropped.
      DNSExample("unroutableAddress", [address("100::1")]),
      DNSExample("ipv6Only", [address("::1")]),
    ]

  /// The fault's name in a list, such as `dns-first-packet-lost`.
  public var faultName: String { "dns-\(FaultKind.dashed(name))" }

  /// The effects on clients that only use the script's name server. A server at 127.0.0.1 responds
  /// with 200; no other address has one.
  public var expected: FaultExpectation {
    switch name {
    case "truncated", "firstPacketLost", "firstServfail", "aaaaBlackhole", "slow":
      FaultExpectation(200)
    case "wrongAddress": FaultExpectation(.connectionRefused, apple: .connectionRefused, 7)
    // On a machine without IPv6, such an address is unusable.
    case "ipv6Only": FaultExpectation(.connectionRefused, apple: .connectionRefused, 7, 6)
    case "unroutableAddress": FaultExpectation(.unknown, apple: .offline, 7, 6)
    default: FaultExpectation(.hostNotFound, apple: .hostNotFound, 6)
    }
  }

  /// The result of the C library's `getaddrinfo`, as measured with glibc: addresses, or the name of
  /// its error (RFC 3493 §6.1).
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

  /// Returns the script for one name and all names below it, so that several examples can be
  /// combined.
  package func entries(below name: String) -> [DNSEntry] {
    script.entries.map { entry in
      var entry = entry
      entry.name = "*.\(name)"
      return entry
    }
  }
}
