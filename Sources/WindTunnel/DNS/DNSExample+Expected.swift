internal import WindTunnelSymptoms

extension DNSExample {
  /// The name in a list of faults: `dns-first-packet-lost`.
  public var faultName: String { "dns-\(FaultKind.dashed(name))" }

  /// What clients make of it, where nobody but the name server of the script is asked, and a server
  /// that answers 200 listens at 127.0.0.1 and nowhere else.
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

  /// What the C library's `getaddrinfo` makes of it: addresses, or the name of its error (RFC 3493
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

  /// The script for one name and all below it, so that several can stand in one.
  package func entries(below name: String) -> [DNSEntry] {
    script.entries.map { entry in
      var entry = entry
      entry.name = "*.\(name)"
      return entry
    }
  }
}
