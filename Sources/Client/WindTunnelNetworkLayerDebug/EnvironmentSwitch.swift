public import Foundation
public import WindTunnelNetworkLayer

/// A middleware that sends a running app's requests to another environment.
///
/// ```swift
/// let environments = EnvironmentSwitch(from: production, to: ["test": test])
/// let client = NetworkClient(
///   builder: RequestBuilder(baseURL: production),
///   middleware: [environments],
///   transport: URLSessionTransport(session: session)
/// )
/// let isKnown = environments.change(to: "test")
/// ```
///
/// A client is always built for production. This middleware, which only debug builds can link,
/// rewrites the URL of each attempt. An attempt in flight is not affected.
public final class EnvironmentSwitch: Middleware {
  /// The name of the environment that the app was built for.
  public static let production = "production"

  private let base: URL
  private let environments: [String: URL]
  private let current = Locked(EnvironmentSwitch.production)

  /// Creates a switch between named environments.
  ///
  /// - Parameters:
  ///   - production: The base URL that the client is built with.
  ///   - others: The base URLs of the other environments by name.
  public init(from production: URL, to others: [String: URL]) {
    base = production
    environments = others.merging([Self.production: production]) { $1 }
  }

  /// The names of the environments, sorted.
  public var names: [String] { environments.keys.sorted() }

  /// The name of the current environment.
  public var environment: String? { current.withLock { $0 } }

  /// Switches to an environment; `false`, and without effect, if the name is unknown.
  public func change(to name: String) -> Bool {
    guard environments[name] != nil else { return false }
    current.withLock { $0 = name }
    return true
  }

  /// Moves a request from the production base URL to the current one.
  public func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    guard let target = environments[current.withLock { $0 }], target != base else {
      return request
    }
    guard let moved = request.moved(from: base, to: target) else {
      throw MiddlewareError(
        "\(request.url?.absoluteString ?? "") is not below \(base), so it cannot be switched."
      )
    }
    return moved
  }
}

/// The base URLs whose requests are redirected to another scheme, host, port or path.
///
/// It serves code without middleware.
struct RewrittenBases {
  private var targets: [URL: URL] = [:]

  /// Redirects requests under a base URL to another one; `nil` ends that.
  mutating func rewrite(_ base: URL, to other: URL?) { targets[base] = other }

  /// Returns a request under the URL that replaces its base; `nil` if it is under no base.
  ///
  /// If it is under several bases, the longest is used.
  func moved(_ request: URLRequest) -> URLRequest? {
    targets.sorted { $0.key.absoluteString.count > $1.key.absoluteString.count }.lazy
      .compactMap { request.moved(from: $0.key, to: $0.value) }.first
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 13)
