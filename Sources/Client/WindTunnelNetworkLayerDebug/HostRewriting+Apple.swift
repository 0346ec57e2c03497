#if canImport(Darwin)
  public import Foundation

  /// A `URLProtocol` that sends requests of code without middleware to another host.
  ///
  /// The other host can have its own scheme, port and path. Add the type to the `protocolClasses`
  /// of a configuration. A session without this protocol carries the requests, and handles
  /// redirects and challenges.
  public final class HostRewriting: URLProtocol {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var bases = RewrittenBases()
    private static let session = URLSession(configuration: .ephemeral)
    private var carried: URLSessionDataTask?

    /// Sends the requests under a base URL, such as `https://api.example.test`, to another one.
    ///
    /// `nil` ends that.
    public static func rewrite(_ base: URL, to other: URL?) {
      lock.withLock { bases.rewrite(base, to: other) }
    }

    /// Returns whether the request is under a base URL that is rewritten.
    override public class func canInit(with request: URLRequest) -> Bool {
      moved(request) != nil
    }

    /// Returns the request unchanged.
    override public class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Sends the request to the other host.
    override public func startLoading() {
      // The base may have been removed after `canInit` was called.
      guard let sent = Self.moved(request) else {
        return client?.urlProtocol(self, didFailWithError: URLError(.badURL)) ?? ()
      }
      // The client must be called on the thread on which the protocol was started, through its run
      // loop.
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
      // A stopped protocol must not call its client.
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

    private static func moved(_ request: URLRequest) -> URLRequest? {
      lock.withLock { bases.moved(request) }
    }
  }

  // The mark of this module in programs, by which `check-release` finds it; the number is its own.
  @section("__DATA_CONST,__wt_modules")
  @used private let linkMark: (UInt64, UInt64, UInt64) =
    (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 13)
#endif
