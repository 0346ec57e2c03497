#if canImport(Darwin)
  internal import Foundation
  internal import WindTunnelServer

  /// Name servers of one's own for the whole system need its configuration changed there.
  package enum ResolverStand {
    static func reports(
      _ examples: [DNSExample],
      by executable: URL,
      _ word: String
    ) async throws -> [LookUpReport] {
      throw DrillError.plan("The system's name server is replaced on Linux alone")
    }

    /// Returns the inside of the process that has a name server of its own.
    package static func main(_ words: [String], lookingWith word: String) async -> Never {
      _exit(64)
    }
  }
#endif
