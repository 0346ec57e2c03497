#if canImport(Darwin)
  /// A separate network for a program, which only Linux supports.
  package final class PrivateNetwork: Sendable {
    /// The reason why there is no such network, as half a sentence.
    package struct Unavailable: Error, Sendable, Hashable, CustomStringConvertible {
      package let description: String
    }

    /// Throws, because there is no such network.
    package init() throws(Unavailable) { throw Unavailable(description: Self.obstacle ?? "") }

    /// The reason why programs on this machine cannot be in such a network.
    package static let obstacle: String? = "only Linux has namespaces"

    /// Returns no socket, since there is no such network.
    package func socket() -> Int32 { -1 }

    /// Returns no ports, since there is no such network.
    package func claimPorts() -> (datagrams: Int32, listener: Int32)? { nil }
  }
#endif
