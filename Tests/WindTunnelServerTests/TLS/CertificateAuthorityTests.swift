import Programs
import TestSupport

@testable import WindTunnel
@testable import WindTunnelLink
@testable import WindTunnelServer
@testable import WindTunnelWire

@Suite(.timeLimit(.minutes(5))) struct HostNameTests {
  @Test(arguments: [
    ("API.example.Test", "api.example.test", false),
    ("api.example.test.", "api.example.test", false),
    ("a_b-c.test", "a_b-c.test", false), ("127.0.0.1", "127.0.0.1", true), ("::1", "::1", true),
    ("[::1]", "::1", true), ("0:0::1", "::1", true),
  ])
  func `a name or an address is taken in one spelling`(text: String, name: String, isAddress: Bool)
  {
    let host = HostName(text)
    #expect(host?.text == name && host?.isAddress == isAddress)
  }

  @Test(arguments: [
    "", ".", "..", "a..b", "a b", "a,IP:1.2.3.4", "a\nb", "a:b", "*.a.test", "bücher.example",
    "a\u{0}b",
    "dirName:x", "email:copy", "DNS:a", String(repeating: "a", count: 64),
    Array(repeating: String(repeating: "a", count: 60), count: 5).joined(separator: "."),
  ])
  func `what could say more than a name is none`(text: String) { expectNil(HostName(text)) }
}

@Suite(.timeLimit(.minutes(5)), .enabled(if: TLSKit.isThere, TLSKit.isMissing))
struct CertificateAuthorityTests {
  @Test func `the authority's file has its certificate and no key, at the given path`() throws {
    let authority = try CertificateAuthority()
    let file = try TLSKit.authorityFile(authority)
    defer { file.remove() }
    let text = try String(contentsOf: file.url, encoding: .utf8)
    expectEqual(text, authority.pem)
    #expect(text.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
    #expect(text.hasSuffix("\n-----END CERTIFICATE-----\n"))
    #expect(text.count(of: "-----BEGIN") == 1 && !text.contains("KEY"))
    let lines = text.split(separator: "\n").dropFirst().dropLast()
    #expect(lines.allSatisfy { $0.count <= 64 })
    expectEqual(Data(base64Encoded: lines.joined()), authority.der)
    #expect(throws: FileError.self) { try authority.write(to: URL(filePath: "/proc/no/ca.pem")) }
  }

  @Test func `no two authorities share a name`() throws {
    let names = try (0..<3).map { _ in try CertificateAuthority().name }
    expectEqual(Set(names).count, 3)
  }

  @Test func `a certificate is made once for a host, and the shelf is bounded`() throws {
    let authority = try CertificateAuthority()
    func certificate(_ host: String) throws -> Certificate {
      try authority.identity(Leaf(), for: HostName(host)).certificate
    }
    let first = try certificate("a.test")
    #expect(try certificate("A.test.") === first)
    #expect(try certificate("localhost") === certificate("127.0.0.1"))
    #expect(try certificate("b.test") !== first)
    for number in 0..<CertificateAuthority.cachedMax { _ = try certificate("\(number).test") }
    #expect(try certificate("a.test") !== first)
  }

  @Test(.enabled(if: RealClient.path(of: "openssl") != nil, "There is no openssl to ask."))
  func `others read in the certificates what phones ask for`() async throws {
    let authority = try TLSKit.authority.get()
    let root = try TLSKit.authorityFile()
    let leaf = TemporaryFile("leaf.pem")
    defer {
      root.remove()
      leaf.remove()
    }
    let identity = try authority.identity(Leaf(), for: HostName("api.example.test"))
    try Data(identity.certificate.pem.utf8).write(to: leaf.url)
    let verified = try await RealClient.run(
      "openssl",
      "verify",
      "-x509_strict",
      "-purpose",
      "sslserver",
      "-verify_hostname",
      "api.example.test",
      "-CAfile",
      root.path,
      leaf.path
    )
    expectEqual(verified.code, 0, "\(verified.out)\(verified.err)")
    let shown = try await RealClient.run("openssl", "x509", "-in", leaf.path, "-noout", "-text")
    for line in [
      "Version: 3 (0x2)", "X509v3 Basic Constraints: critical", "CA:FALSE", "Digital Signature",
      "TLS Web Server Authentication", "DNS:api.example.test", "X509v3 Subject Key Identifier",
      "X509v3 Authority Key Identifier", "ecdsa-with-SHA256", "prime256v1",
    ] {
      #expect(shown.out.contains(line), "\(shown.out)")
    }
    let top = try await RealClient.run("openssl", "x509", "-in", root.path, "-noout", "-text")
    for line in ["CA:TRUE", "Certificate Sign", "X509v3 Subject Key Identifier", authority.name] {
      #expect(top.out.contains(line), "\(top.out)")
    }
    #expect(Leaf.Validity.current.untilDays - Leaf.Validity.current.fromDays <= 398)
  }

  @Test func `without OpenSSL one sentence says so and what to do`() {
    #expect {
      try OpenSSL(in: ["/nowhere/at/all/"])
    } throws: { error in
      "\(error)".hasPrefix(
        "TLS is not available: OpenSSL 3 was not found: there is no \(OpenSSLNames.ssl) in "
          + "/nowhere/at/all. To use it, \(OpenSSLNames.advice)"
      )
    }
  }
}
