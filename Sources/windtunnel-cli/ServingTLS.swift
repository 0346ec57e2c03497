internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

/// `--tls` and what belongs to it, as `serve` and `record` take it.
struct ServingTLS {
  static let flag = Flag(
    "--tls",
    nil,
    "Speak TLS, by an authority of certificates made for this run."
  )
  static let fileFlag = Flag("--ca-out", "FILE", "Write that authority's certificate for clients.")

  private let file: URL?
  private let isWanted: Bool

  init(_ arguments: Arguments) throws(Refusal) {
    isWanted = arguments.has("--tls")
    file = try arguments.value("--ca-out").map { URL(filePath: $0) }
    guard isWanted || file == nil else {
      throw .usage("--ca-out belongs to --tls: without it there is no authority to trust.")
    }
  }

  /// Makes the authority and writes its certificate; `nil` where plain HTTP is spoken.
  func begin() throws -> ServerTLS? {
    guard isWanted else { return nil }
    let tls = try ServerTLS()
    if let file { try tls.authority.write(to: file) }
    return tls
  }
}
