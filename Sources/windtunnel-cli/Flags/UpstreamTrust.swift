internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelServer

/// `--upstream-ca`: whom to trust where a real server is spoken to by `https`.
struct UpstreamTrust {
  static let name = "--upstream-ca"

  let trust: Trust
  /// Whether the flag was given.
  var isGiven: Bool { trust != .system }

  init(_ arguments: Arguments) throws(Refusal) {
    trust = try arguments.value(Self.name).map { .certificates(URL(filePath: $0)) } ?? .system
  }

  /// Looks whether there is such a file.
  func probe() throws {
    guard case .certificates(let file) = trust else { return }
    _ = try FileError.reading(file, bytesMax: Self.authoritiesBytesMax)
  }

  /// A machine's whole list of authorities has a quarter of a megabyte.
  private static let authoritiesBytesMax = 16 << 20
}
