import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerSockets

/// Content codings and TLS of the transport on sockets.
@Suite struct SocketCodingTests {
  /// "sunshine ", twenty times.
  static let text = Data(repeatElement("sunshine ", count: 20).joined().utf8)

  static let coded: [(coding: String, base64: String)] = [
    ("gzip", "H4sIAAAAAAACAysuzSvOyMxLVSgeOgwAzWSp87QAAAA="),
    ("X-GZIP", "H4sIAAAAAAACAysuzSvOyMxLVSgeOgwAzWSp87QAAAA="),
    // Two members (RFC 1952 §2.2).
    (
      "gzip",
      "H4sIAAAAAAACAysuzSvOyMxLVSimNgMAmZ6G6loAAAAfiwgAAAAAAAIDKy7NK87IzEtVKKY2AwCZnobqWgAAAA=="
    ),
    ("deflate", "eJwrLs0rzsjMS1UoHjoMADuNRwU="),
    // Without the form that RFC 9110 §8.4.1.2 wants.
    ("deflate", "Ky7NK87IzEtVKB46DAA="),
    ("gzip, identity, deflate", "eJyT7+ZgAAEmZm29s9rnTpzxDtWQs+JhOJuy8vMWoDgAfYUJGA=="),
  ]

  /// An answer in chunks of so many bytes.
  static func chunked(_ coding: String, _ body: Data, by size: Int) -> Data {
    var wire = answer("200 OK\nTransfer-Encoding: chunked\nContent-Encoding: \(coding)")
    var rest = body[...]
    while !rest.isEmpty {
      let piece = rest.prefix(size)
      wire += Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8)
      rest = rest.dropFirst(size)
    }
    return wire + Data("0\r\n\r\n".utf8)
  }

  @Test(arguments: coded.indices, [1, 2, 1000])
  func `coded content comes decoded, however it is cut`(row: Int, size: Int) async throws {
    let (coding, base64) = Self.coded[row]
    let body = try #require(Data(base64Encoded: base64))
    let wire = Self.chunked(coding, body, by: size)
    try await SocketTransportTests.run({ _ in [.send(wire)] }) { origin, transport in
      let request = try SocketTransportTests.request(origin.url)
      let whole = try await transport.send(request)
      expectEqual(whole.body, Self.text)
      expectEqual(whole.headers["Content-Encoding"], coding)
      let streamed = try await transport.open(request, Upload())
      let pieces = try await streamed.pieces.reduce(into: []) { $0.append($1) }
      expectEqual(Data(pieces.joined()), Self.text)
      #expect(pieces.allSatisfy { !$0.isEmpty })
      expectEqual(origin.connections, 1)
    }
  }

  /// How a request fails, whole and streamed.
  private static func errors(
    of origin: KeptOrigin,
    by transport: SocketTransport
  ) async throws -> (whole: TransportError?, streamed: TransportError?) {
    let request = try SocketTransportTests.request(origin.url)
    let whole = await SocketTransportTests.error { try await transport.send(request) }
    let streamed = await SocketTransportTests.error {
      for try await _ in try await transport.open(request, Upload()).pieces {}
    }
    return (whole, streamed)
  }

  @Test func `content that is not in its coding fails, whole and streamed`() async throws {
    let gzip = try #require(Data(base64Encoded: Self.coded[0].base64))
    let rows: [(coding: String, body: Data)] = [
      ("gzip", Data("plain text".utf8)), ("gzip", gzip.dropLast(9)), ("gzip", gzip.prefix(1)),
      ("gzip", gzip + Data("rubbish".utf8)), ("br", gzip), ("snappy", Data("x".utf8)),
      ("deflate", Data([0x78, 0x9C, 0xFF, 0xFF])),
      ("gzip, gzip, gzip, gzip, gzip, gzip", gzip),
    ]
    for (coding, body) in rows {
      let wire = Self.chunked(coding, body, by: 1000)
      try await SocketTransportTests.run({ _ in [.send(wire)] }) { origin, transport in
        let (whole, streamed) = try await Self.errors(of: origin, by: transport)
        expectEqual(SocketTransportTests.symptom(whole), .undecodableBody, "\(coding)")
        expectEqual(streamed, whole, "\(coding)")
      }
    }
  }

  @Test func `content that is small on the wire is large only up to the limit`() async throws {
    var limits = SocketTransport.Limits()
    limits.contentBytesMax = Self.text.count - 1
    let body = try #require(Data(base64Encoded: Self.coded[0].base64))
    let wire = Self.chunked("gzip", body, by: 1000)
    try await SocketTransportTests.run({ _ in [.send(wire)] }, limits: limits) {
      origin,
      transport in
      let request = try SocketTransportTests.request(origin.url)
      await expectEqual(
        SocketTransportTests.error { try await transport.send(request) },
        .failed(.undecodableBody, text: "The decoded content is larger than the transport's limit.")
      )
    }
  }

  /// 200 MiB of zeros, packed twice.
  private static let bomb = """
    H4sIAAAAAAACA+3cPS5EURzG4TMfkomIj0KlYBkaiYlES4J6MguwAoWbTFQaC7AHlQWIxg58VBYgCoVKXO5d
    xnmfpzr1v3xz8tu+npTOcPTxMBj8P5qb37vPyXIBAAAAKte8LkbdGFB22ufD4zMAAACgdvO11XE/CvzMtqbO
    AQAAANW72ttd738IfF2ej50DAAAAqrf5/b7fbwFP7f3GqXsAAABA9V4EAwAAACCKYAAAAABkEQwAAACALIIB
    AAAAEEYwAAAAALIIBgAAAEAWwQAAAADIIhgAAAAAYQQDAAAAIItgAAAAAGQRDAAAAIAsggEAAAAQRjAAAAAA
    sggGAAAAQBbBAAAAAMgiGAAAAABhBAMAAAAgi2AAAAAAZBEMAAAAgCyCAQAAABBGMAAAAACyCAYAAABAFsEA
    AAAAyCIYAAAAAGEEAwAAACCLYAAAAABkEQwAAACALIIBAAAAEEYwAAAAALIIBgAAAEAWwQAAAADIIhgAAAAA
    YQQDAAAAIItgAAAAAGQRDAAAAIAsggEAAAAQRjAAAAAAsggGAAAAQBbBAAAAAMgiGAAAAABhBAMAAAAgi2AA
    AAAAZBEMAAAAgCyCAQAAABDmbXEw7LaAaTu7eCwAAFTidmk+OToppVn5A22ESVhUHAMA
    """

  @Test func `no piece of a stream fills the memory`() async throws {
    let text = Self.bomb.filter { !$0.isWhitespace }
    let body = try #require(Data(base64Encoded: text))
    try await SocketTransportTests.run({ _ in [.send(Self.chunked("gzip, gzip", body, by: 1000))] })
    {
      origin,
      transport in
      let request = try SocketTransportTests.request(origin.url)
      let error = await SocketTransportTests.error {
        for try await _ in try await transport.open(request, Upload()).pieces {}
      }
      expectEqual(SocketTransportTests.symptom(error), .undecodableBody)
    }
  }

  @Test(arguments: ["br", "gzip"])
  func `an answer that cannot be decoded is read no further`(coding: String) async throws {
    let head = answer("200 OK\nTransfer-Encoding: chunked\nContent-Encoding: \(coding)")
    // A member of gzip by a method that there is none of.
    let piece = Data("4\r\n".utf8) + Data([0x1F, 0x8B, 0xFF, 0x00]) + Data("\r\n".utf8)
    try await SocketTransportTests.run({ _ in [.send(head + piece), .silence] }) {
      origin,
      transport in
      let (whole, streamed) = try await Self.errors(of: origin, by: transport)
      expectEqual(SocketTransportTests.symptom(whole), .undecodableBody)
      expectEqual(SocketTransportTests.symptom(streamed), .undecodableBody)
      // The server hears that nobody waits for the rest.
      while origin.left < 2 { await Task.yield() }
    }
  }

  @Test(arguments: [("HEAD", 200), ("GET", 304), ("GET", 204)])
  func `an answer without content is in no coding`(method: String, status: Int) async throws {
    let wire = answer("\(status) Fine\nContent-Encoding: br")
    try await SocketTransportTests.run({ _ in [.send(wire)] }) { origin, transport in
      let request = try SocketTransportTests.request(origin.url, method)
      try await expectEqual(transport.send(request).status, status)
    }
  }

  private static let hasTLS = (try? ServerTLS()) != nil

  @Test(
    .enabled(if: hasTLS, "There is no OpenSSL 3."),
    arguments: [
      ("127.0.0.1", true, nil), ("localhost", true, nil),
      ("127.0.0.1", false, .serverCertificateHasUnknownRoot),
    ] as [(String, Bool, Symptom?)]
  )
  func `a server by https has to prove its name, and its connection is kept`(
    host: String,
    trusts: Bool,
    symptom: Symptom?
  ) async throws {
    let authority = try CertificateAuthority()
    var options = ReplayServer.Options.patient
    options.tls = ServerTLS(authority: authority)
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
    try authority.write(to: file)
    // It is in a directory that nobody keeps.
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try await ReplayServer(Deck([.get("/a") { _ in .text(Body("sealed")) }]), options)
    var limits = SocketTransport.Limits()
    // However long a busy machine takes from one to the next.
    limits.idleTime = .seconds(3600)
    let transport = SocketTransport(trusting: trusts ? file : nil, limits: limits)
    var bodies: [Data] = []
    var error: TransportError?
    let request = try SocketTransportTests.request("https://\(host):\(server.port)/a")
    do throws(TransportError) {
      for _ in 1...3 {
        bodies.append(try await transport.send(request).body)
      }
    } catch let failure {
      error = failure
    }
    let accepted = server.connections.accepted
    await server.stop(grace: .zero)
    expectEqual(SocketTransportTests.symptom(error), symptom)
    expectEqual(bodies, Array(repeating: Data("sealed".utf8), count: symptom == nil ? 3 : 0))
    expectEqual(accepted, 1)
  }
}
