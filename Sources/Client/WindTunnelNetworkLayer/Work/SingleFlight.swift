/// One piece of work for all who want the same at the same time.
///
/// It runs among the background tasks, so that no caller's cancellation ends it for the others.
/// Where no background tasks are run the first caller does it itself, and if it is cancelled
/// another takes over.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let state = Locked(FlightState<Key, Value>())
  private let background: BackgroundTasks

  init(_ background: BackgroundTasks) { self.background = background }

  /// The number of pieces of work that are under way.
  var count: Int { state.withLock { $0.flights.count } }

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
    let (id, isFirst) = state.withLock { $0.board(key) }
    if isFirst, !background.add({ _ = await self.run(key, work) }) {
      state.withLock { $0.disembark(id, key) }
      return await run(key, work)
    }
    if !isFirst { joined() }
    switch await word(for: id, on: key) {
    case .landed(let value): return value
    case .takeOver: return await run(key, work)
    case .cancelled: return nil
    }
  }

  /// Starts the work for a key among the background tasks, unless it is under way, and waits for
  /// nothing; false where nobody would do it.
  func launch(for key: Key, _ work: @escaping @Sendable () async -> Value) -> Bool {
    guard state.withLock({ $0.open(key) }) else { return true }
    let isTaken = background.add { _ = await self.run(key, work) }
    if !isTaken { _ = state.withLock { $0.handOver(key) } }
    return isTaken
  }

  private func run(_ key: Key, _ work: @Sendable () async -> Value) async -> Value? {
    let value = await work()
    let isCancelled = Task.isCancelled
    let told = state.withLock { isCancelled ? $0.handOver(key) : $0.land(key, value) }
    for (waiter, word) in told { waiter.resume(returning: word) }
    return isCancelled ? nil : value
  }

  private func word(for id: Int, on key: Key) async -> FlightState<Key, Value>.Word {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let word = state.withLock { $0.wait(id, waiter) }
        if let word { waiter.resume(returning: word) }
      }
    } onCancel: {
      state.withLock { $0.giveUp(id, key) }?.resume(returning: .cancelled)
    }
  }
}

/// The waiting tasks of each piece of work.
private struct FlightState<Key: Hashable & Sendable, Value: Sendable> {
  /// The word to one that waits.
  enum Word: Sendable {
    case landed(Value)
    case takeOver
    case cancelled
  }

  typealias Waiter = CheckedContinuation<Word, Never>

  /// The waiting tasks of each key, in order.
  private(set) var flights: [Key: [Int]] = [:]
  private var lastID = 0
  private var waiters: [Int: Waiter] = [:]
  /// Words to those who have not lain down to wait yet.
  private var early: [Int: Word] = [:]

  /// Gives a number; true where the flight has to be flown by whoever asks.
  mutating func board(_ key: Key) -> (id: Int, isFirst: Bool) {
    lastID += 1
    let isFirst = flights[key] == nil
    flights[key, default: []].append(lastID)
    return (lastID, isFirst)
  }

  /// Opens a flight without any caller; returns false where there is one already.
  mutating func open(_ key: Key) -> Bool {
    guard flights[key] == nil else { return false }
    flights[key] = []
    return true
  }

  /// One flies it himself and so waits for nobody.
  mutating func disembark(_ id: Int, _ key: Key) { flights[key]?.removeAll { $0 == id } }

  /// Returns the word for one who lies down to wait, if there is one already.
  mutating func wait(_ id: Int, _ waiter: Waiter) -> Word? {
    if let word = early.removeValue(forKey: id) { return word }
    waiters[id] = waiter
    return nil
  }

  /// One is cancelled. Whoever was told something already keeps his word.
  mutating func giveUp(_ id: Int, _ key: Key) -> Waiter? {
    guard let place = flights[key]?.firstIndex(of: id) else { return nil }
    flights[key]?.remove(at: place)
    return tell(id, .cancelled)?.0
  }

  /// The work is done.
  mutating func land(_ key: Key, _ value: Value) -> [(Waiter, Word)] {
    (flights.removeValue(forKey: key) ?? []).compactMap { tell($0, .landed(value)) }
  }

  /// Passes on work whose task was cancelled: the next goes on with it, and without one it is over.
  mutating func handOver(_ key: Key) -> [(Waiter, Word)] {
    guard let next = flights[key]?.first else {
      flights[key] = nil
      return []
    }
    flights[key]?.removeFirst()
    return tell(next, .takeOver).map { [$0] } ?? []
  }

  private mutating func tell(_ id: Int, _ word: Word) -> (Waiter, Word)? {
    if let waiter = waiters.removeValue(forKey: id) { return (waiter, word) }
    early[id] = word
    return nil
  }
}
