internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelServer

/// `--bind`: where a server listens that is asked by others than this machine, such as from outside a
/// container.
enum BindFlag {
  static let flag = Flag("--bind", "ADDR", "The address to listen at (default: 127.0.0.1).")

  /// The address; one that others can reach is told to whoever started it.
  static func host(_ arguments: Arguments) throws -> String? {
    guard let host = try arguments.value("--bind") else { return nil }
    guard let isAny = PrivateAddress.isAnyAddress(host) else {
      throw Refusal.value("--bind", host, shouldBe: "an address such as 127.0.0.1, 0.0.0.0 or ::1")
    }
    if !PrivateAddress.isLoopback(host) {
      let place = isAny ? "at every address of this machine" : "at \(host)"
      Terminal.complain("Listening \(place): whoever can reach it is answered.\n")
    }
    return host
  }
}
