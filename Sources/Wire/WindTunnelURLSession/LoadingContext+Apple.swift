#if canImport(Darwin)
  internal import Foundation
  internal import WindTunnel

  /// A protocol's task, as far as it is shown, and the thread to speak on: the one that
  /// `startLoading` was called on, by way of its run loop.
  final class LoadingContext {
    private let task: URLSessionTask?
    private let runLoop = RunLoop.current

    /// The one that the class was put into: a protocol is not shown its session.
    let configuration: URLSessionConfiguration?

    init(of interceptor: Interceptor, for registration: ProtocolRegistration) {
      task = interceptor.task
      configuration = registration.configuration
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
    ///
    /// A session's delegate is not asked: a protocol is shown no session. The way of the system,
    /// `urlProtocol(_:wasRedirectedTo:redirectResponse:)`, asks it, but now and then hands out the
    /// answer that leads in place of the one that it leads to.
    func ask(
      about next: URLRequest,
      _ head: ResponseHead,
      from request: URLRequest,
      _ answer: @escaping (URLRequest?) -> Void
    ) { answer(next) }
  }
#endif
