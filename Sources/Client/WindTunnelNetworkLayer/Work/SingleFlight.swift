/// One piece of work for all who want the same at the same time.
///
/// It runs among the background tasks, so that no caller's cancellation ends it for the others.
/// Where no background tasks are run the first caller does it itself, and if it is cancelled
/// another takes over.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The word to one that waits.
  private enum Word: Sendable {
    case landed(Value)
    case takeOver
    case cancelled
  }

  /// The tasks that wait for each key, in order.
  private let flights = Locked<[Key: [Promise<Word>]]>([:])
  private let background: BackgroundTasks

  init(_ background: BackgroundTasks) { self.background = background }

  /// The number of pieces of work that are under way.
  var count: Int { flights.withLock { $0.count } }

  /// Joins the work for a key, or starts it.
  ///
  /// - Parameters:
  ///   - key: What is wanted.
  ///   - joined: Called where others started it.
  ///   - work: Does it; whatever a cancelled task brings is thrown away.
  /// - Returns: What it brought; `nil` where the task was cancelled.
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
      // Whoever does it itself waits for nobody.
      _ = leave(word, key)
      return await run(key, work)
    }
    if !isFirst { joined() }
    let told = await withTaskCancellationHandler {
      await word.value
    } onCancel: {
      // One that was told something already keeps that.
      if leave(word, key) { word.keep(.cancelled) }
    }
    switch told {
    case .landed(let value): return value
    case .takeOver: return await run(key, work)
    case .cancelled: return nil
    }
  }

  /// Starts the work for a key among the background tasks, unless it is under way, and waits for
  /// nothing; false where nobody would do it.
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

  /// Passes on work whose task was cancelled: the next goes on with it, and without one it is over.
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

  /// Returns whether one that waits could be removed.
  private func leave(_ word: Promise<Word>, _ key: Key) -> Bool {
    flights.withLock { flights in
      guard let place = flights[key]?.firstIndex(where: { $0 === word }) else { return false }
      flights[key]?.remove(at: place)
      return true
    }
  }
}
