internal import Dispatch

/// A writer of responses to a journal that does not block the loop. The search for secrets in a
/// large response takes time, and only its own client should wait for it.
final class JournalWriter: Sendable {
  typealias Post = @Sendable (@escaping @Sendable (Reactor) -> Void) -> Void

  /// The threads that write; the loops of a port share them.
  struct Queues: Sendable {
    fileprivate let small = DispatchQueue(label: "windtunnel.journal")
    /// Large responses wait for each other, and small ones do not wait for them.
    fileprivate let large = DispatchQueue(label: "windtunnel.journal.large", qos: .utility)
    /// Large parts wait for each other, and finished exchanges do not wait for them.
    fileprivate let parts = DispatchQueue(label: "windtunnel.journal.parts", qos: .utility)
  }

  /// Responses with larger bodies are large.
  private static let smallBytesMax = 64 << 10

  /// The action after a write. It runs on the loop only, so that it is also released there.
  private final class Waiting: @unchecked Sendable {
    private var proceed: (() -> Void)?

    init(_ proceed: @escaping () -> Void) { self.proceed = proceed }

    func end() {
      let proceed = proceed
      self.proceed = nil
      proceed?()
    }
  }

  private let queues: Queues
  private let post: Post

  /// Creates a writer; `post` schedules a job on the loop from another thread.
  init(_ queues: Queues, _ post: @escaping Post) { (self.queues, self.post) = (queues, post) }

  /// Writes an exchange or a part of one, then continues. Call it on the loop's thread only.
  func write(
    _ bytes: Int,
    isPart: Bool = false,
    _ write: @escaping @Sendable () -> Void,
    then proceed: @escaping () -> Void
  ) {
    let large = isPart ? queues.parts : queues.large
    let queue = bytes > Self.smallBytesMax ? large : queues.small
    let waiting = Waiting(proceed)
    queue.async { [post] in
      write()
      post { _ in waiting.end() }
    }
  }
}
