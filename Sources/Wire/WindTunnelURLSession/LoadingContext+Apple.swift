#if canImport(Darwin)
  internal import Foundation
  internal import WindTunnel

  /// A protocol's task as far as it is accessible, and the thread on which to call the client.
  ///
  /// That is the thread on which `startLoading` was called, reached by its run loop.
  final class LoadingContext {
    private let task: URLSessionTask?
    private let runLoop = RunLoop.current

    /// The configuration with the class, because a protocol cannot access its session.
    let configuration: URLSessionConfiguration?

    init(of interceptor: Interceptor, for registration: ProtocolRegistration) {
      task = interceptor.task
      configuration = registration.configuration
    }

    /// Always `nil`: every kind of task that reaches a protocol can be carried.
    let refusal: (any Error)? = nil

    /// Always `true`: the platform joins the pieces of a body if the caller requires that.
    let takesPieces = true

    /// Always `nil`: an upload's body is the request's stream.
    let uploadBody: UploadBody? = nil

    /// Runs a closure later on the protocol's thread.
    func after(_ delay: Duration, _ body: @escaping () -> Void) {
      nonisolated(unsafe) let body = body
      let seconds = max(.zero, delay).inMilliseconds / 1000
      let timer = Timer(timeInterval: seconds, repeats: false) { _ in body() }
      runLoop.add(timer, forMode: .common)
    }

    /// Runs work on another queue, and continues with its result on the protocol's thread.
    func elsewhere<Value>(_ work: @escaping () -> Value, _ next: @escaping (Value) -> Void) {
      nonisolated(unsafe) let work = work
      nonisolated(unsafe) let next = next
      nonisolated(unsafe) let me = self
      DispatchQueue.global().async {
        nonisolated(unsafe) let value = work()
        me.hop { next(value) }
      }
    }

    /// Runs a closure on the protocol's thread, called from any thread.
    func hop(_ body: @escaping () -> Void) {
      nonisolated(unsafe) let body = body
      runLoop.perform(inModes: [.common]) { body() }
      CFRunLoopWakeUp(runLoop.getCFRunLoop())
    }

    /// Allows the redirect, which the task follows itself, as on Linux. The deck thus sees each
    /// hop.
    ///
    /// The session's delegate is not called, because a protocol cannot access its session. The
    /// system's method, `urlProtocol(_:wasRedirectedTo:redirectResponse:)`, calls it. However,
    /// sometimes that method delivers the redirect itself instead of the final response.
    func ask(
      about next: URLRequest,
      _ head: ResponseHead,
      from request: URLRequest,
      _ answer: @escaping (URLRequest?) -> Void
    ) { answer(next) }
  }
#endif
