import TestSupport

@testable import WindTunnelServer

/// Where a proxy connects other machines to, as a value: no socket is asked.
@Suite struct AddressPolicyTests {
  /// The proxy listens at 192.168.1.5/24 and has these addresses beside it.
  private static let own = [
    "192.168.1.5", "10.0.0.5", "93.184.216.34", "fd00:1::5", "2600::5", "2002:5db8:d822::1",
  ]
  private static let network = Subnet(four: 192, 168, 1, length: 24)

  private static func localEnd(towards address: SocketAddress) -> LocalEnd {
    let isOwn = own.contains { SocketAddress($0, port: 0)?.addressBytes == address.addressBytes }
    // Any other is spoken to from the first of its family; loopback, too, and 169.254.
    let first = address.family == SocketAddress.loopback().family ? "192.168.1.5" : "fd00:1::5"
    return SocketAddress(isOwn ? address.host : first, port: 9).map { .at($0) } ?? .unknown
  }

  private static func reason(
    _ host: String,
    port: Int = 80,
    for peer: String = "192.168.1.20",
    allowing exceptions: [String] = []
  ) throws -> AddressRefusal.Reason? {
    let policy = AddressPolicy(
      for: SocketAddress(peer, port: 50_000),
      in: network,
      allowing: exceptions.compactMap { AllowedAddress($0) }
    )
    let address = try #require(SocketAddress(host, port: port))
    return policy.refusal(of: address, asking: localEnd)?.reason
  }

  /// Hosts without a reason are on the Internet, or they are the peer itself and its router.
  @Test(arguments: try TestData.rows("hosts-by-reason.json", count: 7) as [(String?, [String])])
  func `another machine gets nowhere that it could not get by itself`(
    reason: String?,
    hosts: [String]
  ) throws {
    for host in hosts { try expectEqual(Self.reason(host).map { "\($0)" }, reason, "\(host)") }
  }

  /// Behind a gateway (64:ff9b::) is another 192.168.1.20.
  @Test(arguments: try TestData.rows("hosts-within-hosts.json", count: 25) as [(String, String?)])
  func `an IPv4 address within another is judged as it is`(host: String, reason: String?) throws {
    try expectEqual(Self.reason(host).map { "\($0)" }, reason)
  }

  @Test func `a peer that came from further away has no private network here`() throws {
    for peer in ["192.168.2.20", "8.8.8.8", "fd00:1::20"] {
      try expectEqual(Self.reason("192.168.1.1", for: peer), .limited)
      try expectNil(Self.reason("8.8.8.8", for: peer))
    }
    try expectNil(Self.reason("192.168.1.1", for: "::ffff:192.168.1.20"))
    let gone = AddressPolicy(for: nil, in: Self.network)
    let near = try #require(SocketAddress("192.168.1.1", port: 80))
    expectEqual(gone.refusal(of: near, asking: Self.localEnd)?.reason, .limited)
  }

  @Test func `an address of unknown ownership is refused`() throws {
    let policy = AddressPolicy(for: SocketAddress("192.168.1.20", port: 1), in: Self.network)
    for host in ["8.8.8.8", "192.168.1.1"] {
      let address = try #require(SocketAddress(host, port: 80))
      expectEqual(policy.refusal(of: address) { _ in .unknown }?.reason, .unknown)
      // Where there is no way the attempt says so.
      expectNil(policy.refusal(of: address) { _ in .nowhere })
    }
  }

  @Test func `what is let in by name is, at its port or at every one, however it is spelled`()
    throws
  {
    func isRefused(_ host: String, _ port: Int, _ exception: String) throws -> Bool {
      try Self.reason(host, port: port, allowing: [exception]) != nil
    }
    for host in ["10.0.0.6", "::ffff:10.0.0.6"] {
      #expect(try !isRefused(host, 80, "10.0.0.6"))
      #expect(try !isRefused(host, 8080, "10.0.0.6:8080"))
      #expect(try !isRefused(host, 8080, "[::ffff:10.0.0.6]:8080"))
      #expect(try isRefused(host, 8081, "10.0.0.6:8080"))
      #expect(try isRefused(host, 8080, "10.0.0.7:8080"))
    }
    #expect(try !isRefused("127.0.0.1", 8000, "127.0.0.1:8000"))
    #expect(try isRefused("127.0.0.1", 8001, "127.0.0.1:8000"))
    #expect(try isRefused("127.0.0.2", 8000, "127.0.0.1:8000"))
    #expect(try isRefused("64:ff9b::10.0.0.6", 8080, "10.0.0.6:8080"))
    #expect(try !isRefused("fd00:1::5", 80, "FD00:1:0::5"))
    #expect(try !isRefused("fd00:1::6", 80, "[fd00:1::6]:80"))
  }

  @Test(arguments: [
    "", "localhost", "10.0.0", "10.0.0.6:", "10.0.0.6:0", "10.0.0.6:65536", "10.0.0.6:x",
    "10.0.0.0/8",
    "127.0.0.1", "127.9.9.9", "::1", "[::1]", "::ffff:127.0.0.1", "0.0.0.0", "0.0.0.0:80",
    "[::]:80",
    "224.0.0.1:80", "[ff02::1]:80", "fd00::1:99999", "http://10.0.0.6",
  ])
  func `what is no address of one machine is not let in by name`(text: String) {
    expectNil(AllowedAddress(text))
  }

  @Test func `a refusal says what the address is and how it is allowed`() throws {
    let policy = AddressPolicy(for: SocketAddress("192.168.1.20", port: 1), in: Self.network)
    func sentence(_ host: String) throws -> String? {
      let address = try #require(SocketAddress(host, port: 8000))
      return policy.refusal(of: address, asking: Self.localEnd)?.description
    }
    try expectEqual(
      sentence("::ffff:127.0.0.1"),
      "127.0.0.1:8000 is the machine of the proxy itself, so the proxy does not connect "
        + "other machines to it. To allow it, start the proxy with --allow-private 127.0.0.1:8000"
    )
    try expectEqual(
      sentence("0.0.0.0"),
      "0.0.0.0:8000 is not the address of one machine, so the proxy does not connect other "
        + "machines to it."
    )
    try expectEqual(
      sentence("fd00:9::1"),
      "[fd00:9::1]:8000 is neither on the Internet nor in the device's own network, so the "
        + "proxy does not connect other machines to it. To allow it, start the proxy with "
        + "--allow-private [fd00:9::1]:8000"
    )
  }

  @Test(
    arguments: try TestData.rows("subnets.json", count: 6) as [(String, Int, [String], [String])]
  )
  func `a subnet is the addresses that begin alike`(
    host: String,
    length: Int,
    within: [String],
    outside: [String]
  ) throws {
    let bytes = try #require(SocketAddress(host, port: 0)).addressBytes
    let subnet = Subnet(bytes, length: length)
    for (hosts, isWithin) in [(within, true), (outside, false)] {
      for host in hosts {
        let address = try #require(SocketAddress(host, port: 1))
        expectEqual(subnet.contains(address), isWithin, "\(host)")
      }
    }
  }

  @Test func `the system tells of an address of its own that it speaks from it`() throws {
    let mask = try #require(SocketAddress("127.0.0.1", port: 0))
    expectEqual(Subnet.ofInterface(at: mask), Subnet(four: 127, length: 8))
    let loopback = try #require(SocketAddress("127.0.0.1", port: 80))
    guard case .at(let end) = OwnMachine.localEnd(towards: loopback) else {
      Issue.record("no way to oneself")
      return
    }
    expectEqual(end.host, "127.0.0.1")
    for candidate in PrivateAddress.ofThisMachine {
      let own = try #require(SocketAddress(candidate.host, port: 80))
      guard case .at(let end) = OwnMachine.localEnd(towards: own) else {
        Issue.record("no way to \(own)")
        continue
      }
      expectEqual(end.host, candidate.host)
    }
  }
}
