import Programs
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelServer

/// Handshakes that fail on purpose, met by a client of ours, by curl, and byte by byte.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TLSKit.isThere, TLSKit.isMissing))
struct TLSFaultTests {
  static let withCertificate = TLSFault.allCases.filter(\.needsCertificate)
  static let raw = TLSFault.allCases.filter { !$0.needsCertificate }

  private static func serving<Result>(
    _ fault: TLSFault,
    _ trigger: Trigger = .always,
    _ body: (ReplayServer, String) async throws -> Result
  ) async throws -> Result {
    let deck = Deck(
      [.get("/n", json: ["n": 1], then: .repeat)],
      scenario: [.always(trigger, .connection(.tls(fault)))]
    )
    return try await TLSServerTests.serving(deck, body)
  }

  @Test(arguments: withCertificate, [TLSVersion.v1_2, .v1_3])
  func `a client that trusts the authority finds the one thing that is wrong`(
    fault: TLSFault,
    version: TLSVersion
  ) throws {
    let handshake = try #require(fault.handshake)
    var pair = try TLSPair(
      TLSKit.client(version...version),
      TLSKit.server(),
      host: "api.example.test",
      leaf: Leaf(handshake)
    )
    pair.server.conduct(handshake)
    pair.talk()
    let failure = try #require(pair.client.failure ?? pair.server.failure)
    // Before TLS 1.3 no alert says that a certificate is wanted (RFC 5246 §7.4.6).
    let isUnsaid = fault == .clientCertificateRequired && version == .v1_2
    let expected = isUnsaid ? .secureConnectionFailed : fault.symptom
    expectEqual(failure.symptom, expected, "\(failure)")
    #expect(pair.client.failure != nil)
  }

  @Test func `what is wrong is in the certificate, by its own words`() throws {
    func text(_ fault: TLSFault) throws -> String {
      let handshake = try #require(fault.handshake)
      var pair = try TLSPair(
        TLSKit.client(),
        TLSKit.server(),
        host: "localhost",
        leaf: Leaf(handshake)
      )
      pair.server.conduct(handshake)
      pair.talk()
      return try #require(pair.client.failure).text
    }
    let words: [(TLSFault, String)] = [
      (.expired, "certificate has expired"), (.notYetValid, "certificate is not yet valid"),
      (.wrongHost, "mismatch"), (.selfSigned, "self-signed certificate"),
      (.unknownRoot, "self-signed certificate in certificate chain"),
      (.incompleteChain, "unable to get local issuer certificate"),
      (.weakSignature, "too weak"), (.oldProtocol, "alert protocol version"),
    ]
    for (fault, words) in words {
      let text = try text(fault)
      #expect(text.contains(words), "\(fault): \(text)")
    }
  }

  @Test(.enabled(if: RealClient.path(of: "openssl") != nil, "openssl is not here."))
  func `a client that shows a certificate is let in where one is demanded`() async throws {
    let (key, certificate) = (TemporaryFile("key.pem"), TemporaryFile("client.pem"))
    defer {
      key.remove()
      certificate.remove()
    }
    let made = try await RealClient.run(
      "openssl",
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-keyout",
      key.path,
      "-out",
      certificate.path,
      "-subj",
      "/CN=client"
    )
    expectEqual(made.code, 0, "\(made.err)")
    try await Self.serving(.clientCertificateRequired) { server, authority async throws in
      let run = try await RealClient.run(
        ["curl", "-sS", "--noproxy", "*", "--cacert", authority]
          + ["--cert", certificate.path, "--key", key.path, "\(server.url)/n"]
      )
      #expect(run.code == 0 && run.out == #"{"n":1}"#, "\(run)")
    }
  }

  /// What libcurl makes of each with OpenSSL 3.
  private static func curlCodes(_ fault: TLSFault) -> [Int32] {
    switch fault {
    case .expired, .notYetValid, .wrongHost, .selfSigned, .untrusted, .unknownRoot,
      .incompleteChain, .weakSignature, .alert(.certificateExpired):
      [60]
    // TLS 1.3 tells after the handshake (RFC 8446 §4.4.2.4): the client writes or reads by then.
    case .clientCertificateRequired: [55, 56, 98]
    case .alert(.certificateRequired): [98]
    case .stallAfterClientHello: [28]
    default: [35]
    }
  }

  @Test(.enabled(if: TLSServerTests.hasCurl, TLSServerTests.noCurl), arguments: TLSFault.allCases)
  func `curl ends as it should on the first connection, and is served on the second`(
    fault: TLSFault
  ) async throws {
    try await Self.serving(fault, .first(1)) { server, authority async throws in
      let url = "\(server.url)/n"
      let limit = fault == .stallAfterClientHello ? "1" : "60"
      let failed = try await RealClient.curl(trusting: authority, "--max-time", limit, url)
      #expect(Self.curlCodes(fault).contains(failed.code), "\(failed)")
      #expect(failed.out.isEmpty)
      let served = try await RealClient.curl(trusting: authority, url)
      #expect(served.code == 0 && served.out == #"{"n":1}"#, "\(served)")
    }
  }

  /// A ClientHello as far as it is looked at: type, version, length, that many bytes.
  private static let hello: [UInt8] = [22, 3, 1, 0, 3, 1, 0, 0]

  /// What a raw socket sees after its ClientHello.
  private static func expected(_ fault: TLSFault) -> ([UInt8], RawClient.End) {
    var bytes: [UInt8] = []
    for case .bytes(.data(let data)) in Delivery(handshake: fault).steps { bytes += data }
    return (bytes, fault == .resetAfterClientHello ? .reset : .finished)
  }

  private static func look(_ client: RawClient, _ fault: TLSFault) async {
    await client.send(Self.hello)
    if fault == .stallAfterClientHello {
      var request = pollfd(fd: client.socket.descriptor, events: Int16(POLLIN), revents: 0)
      let code = await blocking { [request] in
        var request = request
        return poll(&request, 1, 300)
      }
      request.revents = 0
      expectEqual(code, 0)
    } else {
      let (bytes, end) = await client.receiveAll()
      let expected = expected(fault)
      #expect(bytes == expected.0 && end == expected.1, "\(fault): \(bytes) \(end)")
    }
    client.close()
  }

  @Test(arguments: raw) func `the bytes are those on a plain port, by TLS, and in a tunnel`(
    fault: TLSFault
  ) async throws {
    try await Self.serving(fault) { server, _ async throws in
      await Self.look(try server.client(), fault)
    }
    let scenario: Scenario = [.always(.always, .connection(.tls(fault)))]
    try await ReplayServer.serving(Deck([], scenario: scenario)) { server async throws in
      await Self.look(try server.client(), fault)
    }
    try await ReplayServer.proxying(scenario) { server, _, _ async throws in
      let address = try #require(SocketAddress("127.0.0.1", port: 1))
      await Self.look(try await server.tunnel(to: address), fault)
    }
  }
}
