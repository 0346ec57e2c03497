#if canImport(Darwin)
  /// A network of a program's own, which there is on Linux alone.
  package final class PrivateNetwork: Sendable {
    /// The reason why there is no such network: half a sentence.
    package struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
      package let description: String
    }

    /// Refuses to make one.
    package init() throws(Refusal) { throw Refusal(description: Self.obstacle ?? "") }

    /// The reason why programs of this machine cannot be in such a network.
    package static let obstacle: String? = "Linux alone has namespaces"

    /// Returns no socket, since there is no such network.
    package func socket() -> Int32 { -1 }

    /// Returns no ports, since there is no such network.
    package func claimPorts() -> (datagrams: Int32, listener: Int32)? { nil }
  }
#endif
