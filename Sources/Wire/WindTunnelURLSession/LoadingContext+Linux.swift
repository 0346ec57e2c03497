#if !canImport(Darwin)
  internal import Dispatch
  internal import Foundation
  internal import FoundationNetworking
  internal import WindTunnel

  /// A protocol's task, as far as it has to be known, and the queue to speak on.
  ///
  /// swift-corelibs-foundation shows a protocol neither its session nor an upload's body nor the
  /// task's queue; reflection does. The labels are those of 6.3 and unchanged on its main branch. A
  /// label that is missing costs the feature, not the process: without the queue nothing is timed.
  final class LoadingContext {
    private let task: URLSessionTask?
    private let queue: DispatchQueue?
    private let session: URLSession?
    /// A registration's in place of the session's.
    private let own: URLSessionConfiguration?

    private static let workQueue = StoredReference<URLSessionTask, DispatchQueue>("workQueue")
    private static let owner = StoredReference<URLSessionTask, URLSession>("session")

    init(of interceptor: Interceptor, for registration: ProtocolRegistration) {
      task = interceptor.task
      own = registration.isShared ? registration.configuration : nil
      queue = task.flatMap { Self.workQueue.find(in: $0) }
      session = task.flatMap { Self.owner.find(in: $0) }
    }

    /// The session's own; on Linux `session.configuration` is the object itself.
    var configuration: URLSessionConfiguration? { own ?? session?.configuration }

    /// The reason, in words, why this task cannot be carried in process.
    var refusal: (any Error)? {
      guard task is URLSessionDownloadTask else { return nil }
      return HarnessError(
        """
        A download task cannot be answered in process on Linux: the platform ends the process. \
        Use a data task, or play the same deck on a loopback server.
        """
      )
    }

    /// Runs something later on the task's queue.
    func after(_ delay: Duration, _ body: @escaping () -> Void) {
      nonisolated(unsafe) let body = body
      let nanoseconds = Int(clamping: max(.zero, delay).inNanoseconds)
      queue?.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { body() }
    }

    /// Does work on another queue and goes on with its result on the task's.
    func elsewhere<Value>(_ work: @escaping () -> Value, _ next: @escaping (Value) -> Void) {
      nonisolated(unsafe) let work = work
      nonisolated(unsafe) let next = next
      guard let queue else { return next(work()) }
      DispatchQueue.global().async {
        nonisolated(unsafe) let value = work()
        queue.async { next(value) }
      }
    }

    /// Goes on on the task's queue, from any thread.
    func hop(_ body: @escaping () -> Void) {
      nonisolated(unsafe) let body = body
      queue?.async { body() }
    }

    /// Tells whether several pieces of a body reach the caller: handlers and async callers get only
    /// the last piece, delegates all of them.
    private(set) lazy var takesPieces: Bool = {
      guard let task, let session, session.delegate != nil else { return false }
      // With a session delegate all kinds of tasks look alike but for the registry's entry.
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

    /// The body that an upload task was given; `URLRequest` does not show it.
    var uploadBody: UploadBody? {
      // What other tasks send stands in their request.
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

    /// Asks the task's delegate, if there is one, whether to follow a redirect; answers on the
    /// task's queue. The platform itself must not be told: it ends the process.
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
