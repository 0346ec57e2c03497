#if !canImport(Darwin)
  internal import Dispatch
  @_spi(WindTunnel) internal import WindTunnelCore
  internal import Foundation
  internal import FoundationNetworking

  // A request belongs to the test whose task resumes it. swift-corelibs-foundation asks a protocol
  // class whether it wants a request, and without a cache also makes its instance, within
  // `resume()` on the caller's thread. There the caller's task-local values are in sight, which
  // they are nowhere later. So one class sees the requests of all tests and any number of them runs
  // at once. Were that to change, a request would be no test's and be refused, not sent.
  //
  // The class stays in front of the platform's own for good, since the list must not change while
  // a request reads it. It steps aside while no test has the session.

  extension SharedSession {
    private struct State: Sendable {
      /// The number of tests that have the session.
      var tests = 0
      /// The session's cache as it was before the first of them.
      var cache: URLCache?
      /// The parts of the session, once a test had it.
      var parts: Parts?
    }

    /// The session's own configuration, which here is the object itself and knows no lock, and the
    /// queue on which requests look at it.
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

    /// Keeps the cache from a request of a task that outlives the last test: it is looked at when
    /// this has returned, and with a cache the instance would be made where no task-local value is
    /// in sight. It is back with the queue's next turn.
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

    /// Tells whether a request is answered here, by a deck or by a refusal.
    ///
    /// Called under locks of the platform's: it must not call `URLSession`, and takes no lock but
    /// its own.
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
        \(url) was asked through URLSession.shared from outside a test's own tasks, while \
        \(count == 1 ? "a test has" : "\(count) tests have") that session by sharedSession: true, \
        so nobody can tell whose request it is. It was not sent. Ask from the test or from a Task \
        it starts (not Task.detached, not a dispatch queue, not a completion handler), or hand \
        the code URLSession.windTunnel.
        """
      )
    }
  }

  /// The interceptor of `URLSession.shared`.
  private final class SharedInterceptor: Interceptor {
    /// Taken when the task is resumed, where it is in sight.
    private let destination = SharedSession.destination

    override class func canInit(with request: URLRequest) -> Bool { SharedSession.takes(request) }

    override var registration: Result<ProtocolRegistration, HarnessError> {
      destination?.registration(for: request)
        ?? .failure(SharedSession.strangerRefusal(request))
    }
  }
#endif
