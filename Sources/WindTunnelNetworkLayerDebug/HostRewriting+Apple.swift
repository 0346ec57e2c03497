#if canImport(Darwin)
  public import Foundation

  /// A `URLProtocol` that sends requests of code without middleware to another host, for the
  /// `protocolClasses` of a configuration.
  ///
  /// It carries them by a session without itself, so redirects and challenges are that session's.
  public final class HostRewriting: URLProtocol {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var hosts: [String: String] = [:]
    private static let session = URLSession(configuration: .ephemeral)
    private var carried: URLSessionDataTask?

    /// Redirects the requests for one host to another; `nil` ends that.
    public static func rewrite(_ host: String, to other: String?) {
      lock.withLock { hosts[host] = other }
    }

    /// Tells whether the request's host is rewritten.
    override public class func canInit(with request: URLRequest) -> Bool {
      target(of: request) != nil
    }

    /// Returns the request unchanged.
    override public class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Sends the request to the other host.
    override public func startLoading() {
      // A host may have been let go since `canInit` was asked.
      guard let url = request.url, let host = Self.target(of: request),
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
      else { return client?.urlProtocol(self, didFailWithError: URLError(.badURL)) ?? () }
      parts.host = host
      var sent = request
      sent.url = parts.url
      // The client is told on the thread that the protocol was started on, by its run loop.
      nonisolated(unsafe) let (me, runLoop) = (self, RunLoop.current)
      let task = Self.session.dataTask(with: sent) { data, response, error in
        runLoop.perform(inModes: [.common]) { me.finish(data, response, error) }
        CFRunLoopWakeUp(runLoop.getCFRunLoop())
      }
      carried = task
      task.resume()
    }

    /// Cancels the request to the other host.
    override public func stopLoading() {
      carried?.cancel()
      carried = nil
    }

    private func finish(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
      // Whoever was stopped hears no more.
      guard carried != nil else { return }
      if let response {
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      }
      if let data { client?.urlProtocol(self, didLoad: data) }
      if let error {
        client?.urlProtocol(self, didFailWithError: error)
      } else {
        client?.urlProtocolDidFinishLoading(self)
      }
    }

    private static func target(of request: URLRequest) -> String? {
      guard let host = request.url?.host else { return nil }
      return lock.withLock { hosts[host] }
    }
  }

  // The mark of this module in programs, by which `check-release` finds it; the number is its own.
  #if objectFormat(ELF)
    @section("wt_modules")
  #elseif objectFormat(MachO)
    @section("__DATA_CONST,__wt_modules")
  #endif
  @used private let linkMark: (UInt64, UInt64, UInt64) =
    (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 13)
#endif
