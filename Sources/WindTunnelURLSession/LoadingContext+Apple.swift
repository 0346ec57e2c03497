#if canImport(Darwin)
  internal import Foundation
  internal import WindTunnel

  /// What a protocol has to know of its task, and the thread it has to speak on: the one that
  /// `startLoading` was called on, by way of its run loop.
  final class LoadingContext {
    private let task: URLSessionTask?
    private let runLoop = RunLoop.current

    /// The one that the seat was put into: a protocol is not shown its session.
    let configuration: URLSessionConfiguration?

    init(of interceptor: Interceptor, configuration: URLSessionConfiguration?) {
      task = interceptor.task
      self.configuration = configuration
    }

    /// Every kind of task that reaches a protocol can be carried.
    let refusal: (any Error)? = nil

    /// Pieces of a body are joined by the platform where the caller wants one.
    let takesPieces = true

    /// An upload's body is the request's stream.
    let uploadBody: UploadBody? = nil

    /// Runs something later on the protocol's thread.
    func after(_ delay: Duration, _ body: @escaping () -> Void) {
      nonisolated(unsafe) let body = body
      let seconds = max(.zero, delay).inMilliseconds / 1000
      let timer = Timer(timeInterval: seconds, repeats: false) { _ in body() }
      runLoop.add(timer, forMode: .common)
    }

    /// Does work on another queue and goes on with its result on the protocol's thread.
    func elsewhere<Value>(_ work: @escaping () -> Value, _ next: @escaping (Value) -> Void) {
      nonisolated(unsafe) let work = work
      nonisolated(unsafe) let next = next
      nonisolated(unsafe) let me = self
      DispatchQueue.global().async {
        nonisolated(unsafe) let value = work()
        me.hop { next(value) }
      }
    }

    /// Goes on on the protocol's thread, from any other.
    func hop(_ body: @escaping () -> Void) {
      nonisolated(unsafe) let body = body
      runLoop.perform(inModes: [.common]) { body() }
      CFRunLoopWakeUp(runLoop.getCFRunLoop())
    }

    /// Redirects are followed here as on Linux, so that both platforms ask the deck hop by hop.
    func ask(
      about next: URLRequest,
      _ head: ResponseHead,
      from request: URLRequest,
      _ answer: @escaping (URLRequest?) -> Void
    ) { answer(next) }

    private var cookies: HTTPCookieStorage? {
      guard let configuration, configuration.httpShouldSetCookies,
        configuration.httpCookieAcceptPolicy != .never
      else { return nil }
      return configuration.httpCookieStorage
    }

    /// Stores cookies for the next hop and the next request.
    func storeCookies(_ values: [String], at url: URL) {
      for value in values {
        let parsed = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
        cookies?.setCookies(parsed, for: url, mainDocumentURL: nil)
      }
    }

    /// Puts the stored cookies into a request that the platform has not made.
    func addCookies(to request: inout URLRequest) {
      guard let url = request.url, let stored = cookies?.cookies(for: url), !stored.isEmpty else {
        return
      }
      for (name, value) in HTTPCookie.requestHeaderFields(with: stored) {
        request.setValue(value, forHTTPHeaderField: name)
      }
    }
  }
#endif
