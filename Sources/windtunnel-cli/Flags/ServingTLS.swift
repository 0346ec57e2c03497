internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelServer

/// `--tls` and what belongs to it, as `serve` and `record` take it, and `--open-tls`, as `proxy` does.
struct ServingTLS {
  static let flag = Flag(
    "--tls",
    nil,
    "Speak TLS, by an authority of certificates made for this run."
  )
  static let openFlag = Flag(
    "--open-tls",
    nil,
    "Look into HTTPS tunnels, by an authority made for this run."
  )
  static let fileFlag = Flag("--ca-out", "FILE", "Write that authority's certificate for clients.")

  let isWanted: Bool
  private let file: URL?

  init(_ arguments: Arguments, by flag: Flag = Self.flag) throws(Refusal) {
    isWanted = arguments.has(flag.name)
    file = try arguments.value("--ca-out").map { URL(filePath: $0) }
    guard isWanted || file == nil else {
      throw .usage("--ca-out belongs to \(flag.name): without it there is no authority to trust.")
    }
  }

  /// Makes the authority and writes its certificate; `nil` where it is not wanted.
  func begin() throws -> ServerTLS? {
    guard isWanted else { return nil }
    let tls = try ServerTLS()
    if let file { try tls.authority.write(to: file) }
    return tls
  }
}
