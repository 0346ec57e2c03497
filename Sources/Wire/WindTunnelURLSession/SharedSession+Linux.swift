#if !canImport(Darwin)
  internal import Dispatch
  @_spi(WindTunnel) internal import WindTunnelCore
  internal import Foundation

  // A request belongs to the test whose task resumes it. swift-corelibs-foundation calls `canInit`
  // of a protocol class within `resume()` on the caller's thread. Without a cache it also creates
  // the class's instance there. Only there the caller's task-local values are visible. Therefore
  // one class handles the requests of all tests, and any number of tests run at once. If that
  // changes, a request belongs to no test and is refused, not sent.
  //
  // The class stays before the platform's own permanently, because the list must not change while a
  // request reads it. It ignores requests while no test uses the session.

  extension SharedSession {
    private struct State: Sendable {
      /// The number of tests that use the session.
      var tests = 0
      /// The session's cache before the first of them.
      var cache: URLCache?
      /// The parts of the session, once a test has used it.
      var parts: Parts?
    }

    /// The session's own configuration, and the queue on which requests read it.
    ///
    /// On this platform the configuration is the object itself and has no lock.
    private struct Parts: @unchecked Sendable {
      let configuration: URLSessionConfiguration
      let queue: DispatchQueue

      init?() {
        let queue = StoredProperty("workQueue", of: URLSession.shared)?.value as? DispatchQueue
        guard let queue else { return nil }
        (configuration, self.queue) = (URLSession.shared.configuration, queue)
      }
    }

    private static let state = Locked(State())

    /// Lends the session to a test, and to the tasks that it starts.
    package static func lend(to destination: Destination, _ body: () async throws -> Void)
      async throws
    {
      onItsQueue { begin() }
      defer { onItsQueue { end() } }
      try await $destination.withValue(destination) { try await body() }
    }

    private static func begin() {
      let configuration = URLSession.shared.configuration
      let parts = Parts()
      state.withLock { state in
        state.tests += 1
        if state.tests == 1 { state.cache = configuration.urlCache }
        state.parts = parts
      }
      configuration.urlCache = nil
      let classes = configuration.protocolClasses ?? []
      guard classes.first != SharedInterceptor.self else { return }
      configuration.protocolClasses =
        [SharedInterceptor.self] + classes.filter { $0 != SharedInterceptor.self }
    }

    private static func end() {
      let (isLast, cache) = state.withLock { state -> (Bool, URLCache?) in
        state.tests -= 1
        guard state.tests == 0 else { return (false, nil) }
        return (true, state.cache.take())
      }
      if isLast { URLSession.shared.configuration.urlCache = cache }
    }

    private static func onItsQueue(_ body: () -> Void) {
      if let parts = Parts() { parts.queue.sync(execute: body) } else { body() }
    }

    /// Removes the cache during a request of a task that outlives the last test.
    ///
    /// The platform reads the cache after this returns. With a cache it would create the protocol's
    /// instance without access to task-local values. The queue's next work item restores the cache.
    private static func withholdCache() {
      let parts = state.withLock { $0.tests == 0 ? $0.parts : nil }
      guard let parts, let cache = parts.configuration.urlCache else { return }
      parts.configuration.urlCache = nil
      parts.queue.async {
        let isFree = state.withLock { state in
          if state.tests > 0 { state.cache = cache }
          return state.tests == 0
        }
        if isFree { parts.configuration.urlCache = cache }
      }
    }

    /// Returns whether a request is handled by a deck or refused.
    ///
    /// The platform holds its own locks during this call. It must not call `URLSession`, and takes
    /// no other lock than its own.
    fileprivate static func takes(_ request: URLRequest) -> Bool {
      guard reachesTheNetwork(request) else { return false }
      if let destination {
        guard !destination.letsThrough(request) else { return false }
        withholdCache()
        return true
      }
      return state.withLock { $0.tests } > 0
    }

    fileprivate static func strangerRefusal(_ request: URLRequest) -> HarnessError {
      let count = state.withLock { $0.tests }
      let url = request.url?.absoluteString ?? "a request without a URL"
      return HarnessError(
        """
        \(url) was requested with URLSession.shared outside a test's own tasks, while \
        \(count == 1 ? "a test uses" : "\(count) tests use") that session with sharedSession: true. \
        The request cannot be assigned to a test and was not sent. Send it in the test or in a Task \
        it starts (not Task.detached, a dispatch queue or a completion handler), or pass \
        URLSession.windTunnel to the code.
        """
      )
    }
  }

  /// The interceptor of `URLSession.shared`.
  private final class SharedInterceptor: Interceptor {
    /// Read when the task is resumed, while the task-local value is visible.
    private let destination = SharedSession.destination

    override class func canInit(with request: URLRequest) -> Bool { SharedSession.takes(request) }

    override var registration: Result<ProtocolRegistration, HarnessError> {
      destination?.registration(for: request)
        ?? .failure(SharedSession.strangerRefusal(request))
    }
  }
#endif
