internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelServer

/// `--admin-port`, as `serve`, `record` and `proxy` take it.
enum AdminFlag {
  static let name = "--admin-port"

  static let flag = Flag(
    name,
    "N",
    "One more port, to ask what came and to change the weather; 0 for any."
  )

  /// `nil` where no such port is wanted. `refusal` says why a scenario cannot be flown by the command.
  static func admin(
    _ arguments: Arguments,
    refusing refusal: @escaping @Sendable (Scenario) -> Refusal?
  ) throws -> Admin? {
    guard let port = try arguments.int(name, in: 0...65535) else { return nil }
    var admin = Admin()
    admin.port = port
    admin.scenarios = try Shipped.scenarios()
    admin.refusal = { refusal($0)?.sentence }
    return admin
  }
}

extension ReplayServer {
  /// What the command prints when the server is ready: its URL, then that of its admin port.
  var addresses: String { [url, adminURL].compactMap { $0.map { "\($0)\n" } }.joined() }
}
