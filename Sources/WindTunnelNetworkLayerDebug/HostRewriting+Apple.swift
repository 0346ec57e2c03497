#if canImport(Darwin)
  public import Foundation

  /// Sends requests of code that knows no middleware to another host: a `URLProtocol` for the
  /// `protocolClasses` of a configuration.
  ///
  /// It carries each request by a session without itself, so redirects and challenges are that
  /// session's.
  public final class HostRewriting: URLProtocol, @unchecked Sendable {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var hosts: [String: String] = [:]
    private var task: URLSessionDataTask?

    /// Sends what is meant for one host to another; `nil` ends that.
    public static func rewrite(_ host: String, to other: String?) {
      lock.withLock { hosts[host] = other }
    }

    /// Takes requests to hosts that are rewritten.
    override public class func canInit(with request: URLRequest) -> Bool {
      target(of: request) != nil
    }

    /// Leaves the request as it is.
    override public class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Sends the request to the other host.
    override public func startLoading() {
      guard let url = request.url, let host = Self.target(of: request),
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
      else { return }
      parts.host = host
      var sent = request
      sent.url = parts.url
      task = URLSession(configuration: .ephemeral).dataTask(with: sent) { data, response, error in
        if let response {
          self.client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        }
        if let data { self.client?.urlProtocol(self, didLoad: data) }
        if let error {
          self.client?.urlProtocol(self, didFailWithError: error)
        } else {
          self.client?.urlProtocolDidFinishLoading(self)
        }
      }
      task?.resume()
    }

    /// Stops.
    override public func stopLoading() { task?.cancel() }

    private static func target(of request: URLRequest) -> String? {
      guard let host = request.url?.host else { return nil }
      return lock.withLock { hosts[host] }
    }
  }
#endif
