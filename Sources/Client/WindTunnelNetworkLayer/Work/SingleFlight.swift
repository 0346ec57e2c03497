/// Shares one piece of work among all concurrent callers with the same key.
///
/// The work runs as a background task, so that no caller's cancellation ends it for the others.
/// Without background tasks the first caller performs it. If that caller is cancelled, another one
/// takes over.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The message to a waiting caller.
  private enum Word: Sendable {
    case landed(Value)
    case takeOver
    case cancelled
  }

  /// The waiting callers of each key, in order.
  private let flights = Locked<[Key: [Promise<Word>]]>([:])
  private let background: BackgroundTasks

  init(_ background: BackgroundTasks) { self.background = background }

  /// The number of pieces of work in progress.
  var count: Int { flights.withLock { $0.count } }

  /// Joins the work for a key, or starts it.
  ///
  /// - Parameters:
  ///   - key: The key of the work.
  ///   - joined: Called if another caller has started the work.
  ///   - work: Performs the work. The result of a cancelled task is discarded.
  /// - Returns: The result of the work; `nil` if the task was cancelled.
  func value(
    for key: Key,
    joined: () -> Void = {},
    _ work: @escaping @Sendable () async -> Value
  ) async -> Value? {
    let word = Promise<Word>()
    let isFirst = flights.withLock { flights in
      defer { flights[key, default: []].append(word) }
      return flights[key] == nil
    }
    if isFirst, !background.add({ _ = await self.run(key, work) }) {
      // A caller that performs the work itself does not wait for a message.
      _ = leave(word, key)
      return await run(key, work)
    }
    if !isFirst { joined() }
    let told = await withTaskCancellationHandler {
      await word.value
    } onCancel: {
      // A caller that already has a message keeps it.
      if leave(word, key) { word.keep(.cancelled) }
    }
    switch told {
    case .landed(let value): return value
    case .takeOver: return await run(key, work)
    case .cancelled: return nil
    }
  }

  /// Starts the work for a key in the background, unless it is in progress, and does not wait for
  /// it.
  ///
  /// `false` if background tasks are not running.
  func launch(for key: Key, _ work: @escaping @Sendable () async -> Value) -> Bool {
    let isFirst = flights.withLock { flights in
      guard flights[key] == nil else { return false }
      flights[key] = []
      return true
    }
    guard isFirst else { return true }
    let isTaken = background.add { _ = await self.run(key, work) }
    if !isTaken { handOver(key) }
    return isTaken
  }

  private func run(_ key: Key, _ work: @Sendable () async -> Value) async -> Value? {
    let value = await work()
    guard !Task.isCancelled else {
      handOver(key)
      return nil
    }
    for word in flights.withLock({ $0.removeValue(forKey: key) }) ?? [] {
      word.keep(.landed(value))
    }
    return value
  }

  /// Passes the work of a cancelled task to the next caller. Without one the work ends.
  private func handOver(_ key: Key) {
    let next = flights.withLock { flights -> Promise<Word>? in
      guard let next = flights[key]?.first else {
        flights[key] = nil
        return nil
      }
      flights[key]?.removeFirst()
      return next
    }
    next?.keep(.takeOver)
  }

  /// Removes a waiting caller, and returns whether it was still waiting.
  private func leave(_ word: Promise<Word>, _ key: Key) -> Bool {
    flights.withLock { flights in
      guard let place = flights[key]?.firstIndex(where: { $0 === word }) else { return false }
      flights[key]?.remove(at: place)
      return true
    }
  }
}
