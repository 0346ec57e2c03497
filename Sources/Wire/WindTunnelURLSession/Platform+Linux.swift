#if !canImport(Darwin)
  @_spi(WindTunnel) internal import WindTunnelCore
  internal import Foundation
  internal import WindTunnel

  /// The differences between the platforms' own protocols.
  enum Platform {
    /// Returns the effective idle timeout: libcurl's timer truncates it to whole seconds.
    ///
    /// 1.9 fires after 1.0 s, and 0.5 at once.
    static func idleTimeout(_ interval: TimeInterval) -> TimeInterval { interval.rounded(.down) }

    /// Returns whether a request lacks the stored cookies; on this platform they are already set.
    static func leavesCookies(to request: URLRequest) -> Bool { false }
  }

  /// The creation of the platform's responses.
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

  /// A 401 response whose Basic challenge the platform does not handle.
  ///
  /// While a task finishes, swift-corelibs-foundation 6.3 creates a protection space from the
  /// response's URL. It then waits indefinitely for a credential, or sends a request to the network
  /// without this protocol. Without a URL there is no protection space, and the caller receives the
  /// 401. Therefore the URL is hidden from the finishing thread, and from no other, during that
  /// call.
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
