#if !canImport(Darwin)
  internal import Dispatch
  internal import Foundation
  internal import WindTunnel

  /// A protocol's task as far as it is required, and the queue on which to call the client.
  ///
  /// swift-corelibs-foundation gives a protocol no access to its session, an upload's body or the
  /// task's queue, but reflection does. The labels are from version 6.3 and unchanged on its main
  /// branch. If a label is missing, only that feature is lost: without the queue, there are no
  /// timers.
  final class LoadingContext {
    private let task: URLSessionTask?
    private let queue: DispatchQueue?
    private let session: URLSession?
    /// The registration's configuration, which replaces the session's.
    private let own: URLSessionConfiguration?

    private static let workQueue = StoredReference<URLSessionTask, DispatchQueue>("workQueue")
    private static let owner = StoredReference<URLSessionTask, URLSession>("session")

    init(of interceptor: Interceptor, for registration: ProtocolRegistration) {
      task = interceptor.task
      own = registration.isShared ? registration.configuration : nil
      queue = task.flatMap { Self.workQueue.find(in: $0) }
      session = task.flatMap { Self.owner.find(in: $0) }
    }

    /// The session's own configuration. On Linux `session.configuration` is the object itself.
    var configuration: URLSessionConfiguration? { own ?? session?.configuration }

    /// The reason why this task cannot be carried in process.
    var refusal: (any Error)? {
      guard task is URLSessionDownloadTask else { return nil }
      return HarnessError(
        """
        A download task is not supported in process on Linux: the platform ends the process. \
        Use a data task, or play the same deck on a loopback server.
        """
      )
    }

    /// Runs a closure later on the task's queue.
    func after(_ delay: Duration, _ body: @escaping () -> Void) {
      nonisolated(unsafe) let body = body
      let nanoseconds = Int(clamping: max(.zero, delay).inNanoseconds)
      queue?.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { body() }
    }

    /// Runs work on another queue, and continues with its result on the task's queue.
    func elsewhere<Value>(_ work: @escaping () -> Value, _ next: @escaping (Value) -> Void) {
      nonisolated(unsafe) let work = work
      nonisolated(unsafe) let next = next
      guard let queue else { return next(work()) }
      DispatchQueue.global().async {
        nonisolated(unsafe) let value = work()
        queue.async { next(value) }
      }
    }

    /// Runs a closure on the task's queue, called from any thread.
    func hop(_ body: @escaping () -> Void) {
      nonisolated(unsafe) let body = body
      queue?.async { body() }
    }

    /// Whether the caller receives all pieces of a body.
    ///
    /// Completion handlers and async callers receive only the last piece, delegates all of them.
    private(set) lazy var takesPieces: Bool = {
      guard let task, let session, session.delegate != nil else { return false }
      // With a session delegate, only the registry's entry distinguishes the kinds of tasks.
      let registry = Mirror(reflecting: session).descendant("taskRegistry")
      let behaviours = registry.flatMap { Mirror(reflecting: $0).descendant("behaviours") }
      guard let behaviours = behaviours.map({ Mirror(reflecting: $0) }) else { return false }
      for child in behaviours.children {
        let pair = Mirror(reflecting: child.value).children.map(\.value)
        guard pair.count == 2, pair[0] as? Int == task.taskIdentifier else { continue }
        return "\(pair[1])".hasPrefix("callDelegate")
      }
      return false
    }()

    /// The body of an upload task, which `URLRequest` does not contain.
    var uploadBody: UploadBody? {
      // Other tasks have their body in the request.
      guard let task = task as? URLSessionUploadTask,
        var value = StoredProperty("knownBody", of: task)?.value
      else { return nil }
      let optional = Mirror(reflecting: value)
      if optional.displayStyle == .optional {
        guard let wrapped = optional.children.first?.value else { return nil }
        value = wrapped
      }
      switch Mirror(reflecting: value).children.first?.value {
      case let data as DispatchData: return .data(Data(data))
      case let url as URL: return .file(url)
      case let stream as InputStream: return .stream(stream)
      default: return nil
      }
    }

    /// Lets the task's delegate, if there is one, decide about a redirect; calls back on the task's
    /// queue.
    ///
    /// The platform itself must not be informed, because it would terminate the process.
    func ask(
      about next: URLRequest,
      _ head: ResponseHead,
      from request: URLRequest,
      _ answer: @escaping (URLRequest?) -> Void
    ) {
      guard let task, let session, let url = request.url,
        let delegate = task.delegate ?? session.delegate as? any URLSessionTaskDelegate,
        let response = HTTPURLResponse(head, at: url)
      else { return answer(next) }
      nonisolated(unsafe) let answer = answer
      nonisolated(unsafe) let me = self
      let reply: @Sendable (URLRequest?) -> Void = { allowed in me.hop { answer(allowed) } }
      session.delegateQueue.addOperation {
        delegate.urlSession(
          session,
          task: task,
          willPerformHTTPRedirection: response,
          newRequest: next,
          completionHandler: reply
        )
      }
    }
  }
#endif
