#if !canImport(Darwin)
  @_spi(WindTunnel) internal import WindTunnelCore
  internal import Foundation
  internal import FoundationNetworking
  internal import WindTunnel

  /// The differences between the platforms' own protocols.
  enum Platform {
    /// libcurl's timer is told whole seconds, the rest is cut off: 1.9 fires after 1.0 s and 0.5 at
    /// once.
    static func idleTimeout(_ interval: TimeInterval) -> TimeInterval { interval.rounded(.down) }

    /// Tells whether a protocol finds no stored cookies in its request: here they are already set.
    static func leavesCookies(to request: URLRequest) -> Bool { false }
  }

  /// The construction of the platform's responses.
  enum Responses {
    static func response(_ head: ResponseHead, at url: URL) -> HTTPURLResponse? {
      let isChallenge =
        head.status == 401
        && head.headers.values("WWW-Authenticate").contains { value in
          value.lowercased().contains("basic")
        }
      return isChallenge ? ChallengeResponse(head, at: url) : HTTPURLResponse(head, at: url)
    }

    /// Runs the terminal call of a response.
    static func finishing(_ response: HTTPURLResponse, _ body: () -> Void) {
      guard let challenge = response as? ChallengeResponse else { return body() }
      challenge.hiding(body)
    }
  }

  /// A 401 with a Basic challenge that the platform does not take up.
  ///
  /// While a task finishes, swift-corelibs-foundation 6.3 makes a protection space of the
  /// response's URL and then waits for ever for a credential, or goes to the network past this
  /// protocol. Without a URL it finds no space and hands the 401 to the caller. So the URL is
  /// hidden from the finishing thread, and from no other, for the length of that call.
  private final class ChallengeResponse: HTTPURLResponse, @unchecked Sendable {
    private let hiddenFrom = Locked<UInt>(0)

    override var url: URL? {
      hiddenFrom.withLock { $0 } == UInt(pthread_self()) ? nil : super.url
    }

    func hiding(_ body: () -> Void) {
      hiddenFrom.withLock { $0 = UInt(pthread_self()) }
      defer { hiddenFrom.withLock { $0 = 0 } }
      body()
    }
  }
#endif
