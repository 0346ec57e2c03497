internal import Dispatch

/// Has answers written into a journal while the loop goes on: looking for the secrets of a large
/// one takes its time, which nobody but its own client is to wait for.
final class JournalWriter: Sendable {
  typealias Post = @Sendable (@escaping @Sendable (Reactor) -> Void) -> Void

  /// The threads that write; shared by the loops of a port.
  struct Queues: Sendable {
    fileprivate let small = DispatchQueue(label: "windtunnel.journal")
    /// Large ones wait for each other, and no small one for them.
    fileprivate let large = DispatchQueue(label: "windtunnel.journal.large", qos: .utility)
    /// Large parts wait for each other, and nothing that has ended for them.
    fileprivate let parts = DispatchQueue(label: "windtunnel.journal.parts", qos: .utility)
  }

  /// Answers with larger bodies are large.
  private static let smallBytesMax = 64 << 10

  /// The action for when something is written; it is run on the loop alone, and so released there,
  /// too.
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

  /// `post` is how another thread gets a job to the loop.
  init(_ queues: Queues, _ post: @escaping Post) { (self.queues, self.post) = (queues, post) }

  /// Writes a whole exchange or a part of one, and continues when that is done. On the loop's
  /// thread only.
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
