import Programs
import TestSupport

@testable import WindTunnelServer
@testable import WindTunnelWire

/// What tests of TLS share.
enum TLSKit {
  /// Whether this machine has OpenSSL 3.
  static let isThere: Bool = {
    do {
      _ = try OpenSSL.shared()
      return true
    } catch { return false }
  }()
  static let isMissing: Comment = "OpenSSL 3 is not on this machine."

  /// One authority for all tests.
  static let authority = Result { try CertificateAuthority() }

  static func server(_ versions: ClosedRange<TLSVersion> = .v1_2 ... .v1_3) throws -> TLSContext {
    var tls = ServerTLS(authority: try authority.get())
    tls.versions = versions
    return try TLSContext(tls)
  }

  /// A client's context that trusts an authority alone.
  static func client(
    _ versions: ClosedRange<TLSVersion> = .v1_2 ... .v1_3,
    trusting authority: CertificateAuthority? = nil
  ) throws -> TLSContext {
    let file = try authorityFile(authority)
    defer { file.remove() }
    return try TLSContext(
      trusting: .certificates(file.url),
      versions: versions,
      try OpenSSL.shared()
    )
  }

  static func authorityFile(_ authority: CertificateAuthority? = nil) throws -> TemporaryFile {
    let file = TemporaryFile("ca.pem")
    try (authority ?? (try Self.authority.get())).write(to: file.url)
    return file
  }
}

/// A file that a test removes.
struct TemporaryFile: Sendable {
  let url: URL

  init(_ name: String) {
    url = FileManager.default.temporaryDirectory
      .appending(path: "windtunnel-\(UUID().uuidString)-\(name)")
  }

  var path: String { url.path }

  func remove() {
    // One that is not there is gone already.
    try? FileManager.default.removeItem(at: url)
  }
}

/// Two ends in memory, and all that happened to them.
struct TLSPair {
  let client: TLSEngine
  let server: TLSEngine
  /// What each end has heard.
  private(set) var heardByClient: [UInt8] = []
  private(set) var heardByServer: [UInt8] = []

  init(_ client: TLSContext, _ server: TLSContext, host: String, leaf: Leaf = Leaf()) throws {
    self.client = try TLSEngine(client, host: HostName(host))
    self.server = try TLSEngine(server, leaf: leaf)
  }

  /// Carries in pieces of so many bytes what each says to the other, until both are silent.
  mutating func talk(by step: Int = .max) {
    client.start()
    while true {
      let out = Self.taken(from: client)
      let back = Self.taken(from: server)
      if out.isEmpty, back.isEmpty { return }
      heardByServer += Self.fed(out, to: server, by: step)
      heardByClient += Self.fed(back, to: client, by: step)
    }
  }

  static func taken(from engine: TLSEngine) -> [UInt8] {
    var bytes: [UInt8] = []
    engine.drainOutput { bytes += $0 }
    return bytes
  }

  static func fed(_ bytes: [UInt8], to engine: TLSEngine, by step: Int = .max) -> [UInt8] {
    var heard: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(step))
      rest = rest.dropFirst(piece.count)
      piece.withUnsafeBytes { engine.feed($0) }
      heard += Self.heard(by: engine)
    }
    return heard
  }

  static func heard(by engine: TLSEngine) -> [UInt8] {
    var heard: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 20_000)
    while true {
      let count = buffer.withUnsafeMutableBytes { engine.read(into: $0) }
      if count == 0 { return heard }
      heard += buffer[..<count]
    }
  }
}

extension TLSEngine {
  func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }
}

/// A program of the machine's, run to its end.
enum RealClient {
  static func path(of name: String) -> String? { StartedProgram.path(of: name) }

  static func run(_ words: String...) async throws -> ProgramRun { try await run(words) }

  static func run(_ words: [String]) async throws -> ProgramRun {
    try await StartedProgram.run(words)
  }

  /// Runs curl without a proxy, and with an authority's file.
  static func curl(trusting authority: String, _ words: String...) async throws -> ProgramRun {
    try await run(["curl", "-sS", "--noproxy", "*", "--cacert", authority] + words)
  }
}
