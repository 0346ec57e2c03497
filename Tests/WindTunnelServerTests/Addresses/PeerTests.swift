import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelHAR
@testable import WindTunnelLink
@testable import WindTunnelRedaction
@testable import WindTunnelServer
@testable import WindTunnelWire

@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct PeerTests {
  private typealias Candidate = PrivateAddress.Candidate

  @Test(arguments: [
    ("10.0.0.1", true), ("10.255.255.255", true), ("11.0.0.1", false), ("9.255.0.1", false),
    ("172.15.0.1", false), ("172.16.0.1", true), ("172.31.255.1", true), ("172.32.0.1", false),
    ("192.168.0.1", true), ("192.167.0.1", false), ("192.169.0.1", false), ("127.0.0.1", false),
    ("0.0.0.0", false), ("169.254.1.1", false), ("100.64.0.1", false), ("8.8.8.8", false),
    ("fc00::1", true), ("fd12:3456::1", true), ("fe80::1", false), ("::1", false),
    ("2001:db8::1", false), ("example.com", false), ("", false), ("192.168.1", false),
  ])
  func `private are RFC 1918 and RFC 4193 and nothing else`(host: String, isPrivate: Bool) {
    expectEqual(PrivateAddress.isPrivate(host), isPrivate)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.9.9.9", true), ("128.0.0.1", false), ("::1", true), ("::2", false),
    ("localhost", false),
  ])
  func `loopback is 127 and ::1`(host: String, isLoopback: Bool) {
    expectEqual(PrivateAddress.isLoopback(host), isLoopback)
  }

  @Test func `the only private address is chosen, of IPv4 if there is one`() throws {
    let four = Candidate("192.168.1.5", "en0")
    let six = Candidate("fd00::5", "en0")
    let outside = Candidate("8.8.8.8", "en1")
    try expectEqual(PrivateAddress.choose(from: [six, four, outside]), "192.168.1.5")
    try expectEqual(PrivateAddress.choose(from: [six]), "fd00::5")
    #expect(throws: PrivateAddress.Problem.none) { try PrivateAddress.choose(from: [outside]) }
  }

  @Test func `of several one has to be named, and what is named must be here and private`() throws {
    let choices = [Candidate("192.168.1.5", "en0"), Candidate("10.0.0.3", "bridge0")]
    #expect(throws: PrivateAddress.Problem.several(choices)) {
      try PrivateAddress.choose(from: choices)
    }
    expectEqual(
      PrivateAddress.Problem.several(choices).description,
      "This machine has several private addresses: 192.168.1.5 (en0), 10.0.0.3 (bridge0). "
        + "Choose an address that the phone can reach, such as --bind 192.168.1.5."
    )
    try expectEqual(PrivateAddress.choose(from: choices, asked: "10.0.0.3"), "10.0.0.3")
    try expectEqual(PrivateAddress.choose(from: choices, asked: "127.0.0.1"), "127.0.0.1")
    #expect(throws: PrivateAddress.Problem.notHere("10.0.0.4", choices)) {
      try PrivateAddress.choose(from: choices, asked: "10.0.0.4")
    }
    for open in ["0.0.0.0", "8.8.8.8", "::", "example.com"] {
      #expect(throws: PrivateAddress.Problem.notPrivate(open)) {
        try PrivateAddress.choose(from: choices, asked: open)
      }
    }
  }

  @Test func `only this machine and devices that entered the code are served`() {
    var gate = PeerAuthorizer(.code("482913"), own: "192.168.1.5")
    expectEqual(gate.standing(of: "192.168.1.5"), .served)
    for _ in 0..<2 { expectEqual(gate.standing(of: "192.168.1.20"), .unknown) }
    expectEqual(gate.check("482914", from: "192.168.1.20"), .wrong)
    expectEqual(gate.check("", from: "192.168.1.20"), .none)
    expectEqual(gate.standing(of: "192.168.1.20"), .unknown)
    // As it is read aloud.
    expectEqual(gate.check(" 482-913 ", from: "192.168.1.20"), .right)
    expectEqual(gate.standing(of: "192.168.1.20"), .served)
    expectEqual(gate.standing(of: "192.168.1.21"), .unknown)
    expectEqual(gate.check("482913", from: "192.168.1.21"), .right)
    expectEqual(gate.standing(of: "192.168.1.21"), .served)
  }

  @Test func `an address that guesses is refused for a time, and no other is`() {
    var gate = PeerAuthorizer(.code("482913"), own: "192.168.1.5")
    let pause = Int64(nanosecondsOf: PeerAuthorizer.pauseSeconds)
    // One that is given again, as by a client that is set to it, says nothing new.
    let guesses = (0..<100).map { ("\($0 % 19)", 9, Int64(0), PeerAuthorizer.CodeResult.wrong) }
    let rows =
      guesses + [
        ("19", 9, 0, .wrong), ("482913", 9, 0, .closed), ("7", 9, 1, .closed), ("", 9, 1, .none),
        ("7", 8, 1, .wrong), ("482913", 8, 1, .right), ("482913", 9, pause - 1, .closed),
        ("7", 9, pause, .wrong), ("482913", 9, pause, .right),
      ]
    for (code, peer, time, verdict) in rows {
      let found = gate.check(code, from: "10.0.0.\(peer)", at: Moment(nanoseconds: time))
      #expect(found == verdict, "\(code) from \(peer) at \(time)")
    }
    let peers = ["192.168.1.5", "10.0.0.8", "10.0.0.9", "10.0.0.7"]
    expectEqual(peers.map { gate.kind(of: $0) }, [.owner, .device, .device, .unpaired])
  }

  @Test func `the code is closed to all after the guesses of many addresses`() {
    var gate = PeerAuthorizer(.code("482913"), own: "192.168.1.5")
    for code in 1..<PeerAuthorizer.wrongCodesOfAllMax {
      expectEqual(gate.check("\(code)", from: "10.0.\(code / 19).9"), .wrong)
    }
    expectEqual(gate.check("4829130", from: "10.9.0.9"), .last)
    expectEqual(gate.check("482913", from: "10.0.0.8"), .closed)
  }

  @Test(arguments: ["48291", "4829130", "482914", "０４８２９１３", "482913\u{301}", "a", "*"])
  func `what is not the code to the byte is not the code`(code: String) {
    var gate = PeerAuthorizer(.code("482913"), own: "192.168.1.5")
    expectEqual(gate.check(code, from: "192.168.1.20"), .wrong)
  }

  @Test func `a named device is served and no other`() {
    var gate = PeerAuthorizer(.only("192.168.1.20"), own: "192.168.1.5")
    let refusal = "This proxy serves only 192.168.1.20, but your address is 192.168.1.19."
    expectEqual(gate.standing(of: "192.168.1.19"), .refused(refusal))
    expectEqual(gate.standing(of: "192.168.1.20"), .served)
    expectEqual(gate.check("192.168.1.20", from: "192.168.1.19"), .none)
    expectEqual(PeerAuthorizer(.everyone, own: "127.0.0.1").standing(of: "127.0.0.9"), .served)
  }

  @Test func `one address is one, however it is written`() throws {
    let gate = PeerAuthorizer(.only("FD00:0::20"), own: "[fd00::0:5]")
    expectEqual(gate.standing(of: "fd00::20"), .served)
    expectEqual(gate.standing(of: "fd00::5"), .served)
    let refusal = "This proxy serves only fd00::20, but your address is fd00::21."
    expectEqual(gate.standing(of: "fd00::21"), .refused(refusal))
    let choices = [Candidate("fd00::5", "en0"), Candidate("fd00::6", "en0")]
    try expectEqual(PrivateAddress.choose(from: choices, asked: "FD00:0::5"), "fd00::5")
    try expectEqual(PrivateAddress.choose(from: choices, asked: "0:0::1"), "::1")
  }

  @Test func `a peer that has reset its connection already is not served`() async throws {
    let loop = try EventLoop.ofTheTest()
    let listening = try Socket.listening(at: .loopback(), backlog: 1)
    let client = try RawClient(try #require(listening.localAddress))
    #expect(await client.send("GET http://wind.tunnel/ HTTP/1.1\r\nHost: x\r\n\r\n"))
    let accepted = try #require(try listening.accept())
    client.socket.resetOnClose()
    client.close()
    // Loopback delivers it with the call.
    try #require(accepted.peerAddress == nil)
    let count = ConnectionLimit()
    // As the listener counts it.
    #expect(count.enter(atMost: 1))
    var proxy = Proxying()
    proxy.admission = .only("127.0.0.2")
    let noticed = Locked<[PeerEvent]>([])
    proxy.notice = { event in noticed.withLock { $0.append(event) } }
    var options = ReplayServer.Options.patient
    options.proxy = proxy
    let served = try await loop.run { [proxy, options] reactor in
      let gate = Locked(PeerAuthorizer(proxy.admission, own: "127.0.0.9"))
      let machine = OwnMachine(listeningAt: "127.0.0.9")
      let context = PortContext(
        deck: Deck(Cassette(), options: PlaybackOptions(isProxied: true)),
        owner: .fixed(.deck),
        options: options,
        port: 1,
        proxy: ProxyContext(proxy, gate, machine, loop)
      )
      ConnectionReceiver(context: context, live: LiveConnections(count))
        .receive(accepted, on: reactor)
      return count.count
    }
    expectEqual(served, 0)
    expectEqual(noticed.withLock { $0 }, [])
    listening.close()
  }

  // Linux routes all of 127/8 to itself, so one machine can be several peers.
  #if os(Linux)
    @Test func `another device than the named one gets 403 in words, on the wire`() async throws {
      var proxy = Proxying()
      proxy.admission = .only("127.0.0.2")
      let noticed = Events<PeerEvent>()
      proxy.notice = { noticed($0) }
      try await ReplayServer.proxying(as: proxy) { server, _, _ async throws in
        func ask(from host: String) async throws -> String {
          try await server.answer(to: closing("GET http://wind.tunnel/"), from: host).statusLine
        }
        try await expectEqual(ask(from: "127.0.0.1"), "HTTP/1.1 200 OK")
        try await expectEqual(ask(from: "127.0.0.3"), "HTTP/1.1 403 Forbidden")
        try await expectEqual(ask(from: "127.0.0.2"), "HTTP/1.1 200 OK")
        try await expectEqual(noticed.next(), .turnedAway("127.0.0.3"))
      }
    }
  #endif
}
