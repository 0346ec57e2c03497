package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The redacted address of a request in a console. It is computed on first access and shared by
/// copies.
package final class ConsoleAddress: Sendable {
  private let shown = Locked<String?>(nil)

  package init() {}

  /// Returns the address without the secrets of its request.
  package func text(of request: Request, by rules: RedactionRules) -> String {
    shown.withLock { shown in
      if let shown { return shown }
      let text =
        ConsoleDetail.address(of: request, by: rules).map { "\($0)" }
        ?? "an address that contains a secret"
      shown = text
      return text
    }
  }
}
