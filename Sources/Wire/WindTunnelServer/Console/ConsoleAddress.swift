package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The address of a request as a console shows it, worked out when somebody looks for the first
/// time; copies share it.
package final class ConsoleAddress: Sendable {
  private let shown = Locked<String?>(nil)

  package init() {}

  /// Returns the address without the secrets of its request.
  package func text(of request: Request, by rules: RedactionRules) -> String {
    shown.withLock { shown in
      if let shown { return shown }
      let text =
        ConsoleDetail.address(of: request, by: rules).map { "\($0)" }
        ?? "an address that repeats a secret"
      shown = text
      return text
    }
  }
}
