internal import Foundation
internal import WindTunnelNetworkLayer

extension RecordedDialogue {
  /// Says and hears all of it, over as many connections as that takes.
  ///
  /// - Parameters:
  ///   - conversation: The conversation that is held.
  ///   - limit: The time that it may take.
  ///   - time: The clock of that.
  ///   - hear: Told of each message, as it comes.
  /// - Returns: All that was heard, a line each.
  /// - Throws: `NetworkError` where the conversation fails, or not all has come within the limit.
  func hold(
    by conversation: WindTunnelNetworkLayer.Conversation,
    within limit: Duration,
    on time: SystemTime,
    _ hear: @escaping @Sendable (Data) -> Void
  ) async throws -> Data {
    try await withThrowingTaskGroup(of: Data?.self) { group in
      group.addTask { try await exchange(by: conversation, hear) }
      group.addTask {
        try await time.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      guard let heard = try await group.next() ?? nil else {
        throw NetworkError.deadlinePassed(limit)
      }
      return heard
    }
  }

  private func exchange(
    by conversation: WindTunnelNetworkLayer.Conversation,
    _ hear: @Sendable (Data) -> Void
  ) async throws -> Data {
    var missing = answers.reduce(into: [Data: Int]()) { $0[$1, default: 0] += 1 }
    var unsaid = utterances[...]
    var shown = Data()
    var count = 0
    let messages = conversation.makeAsyncIterator()
    while true {
      while let next = unsaid.first, next.behind <= count {
        unsaid.removeFirst()
        try await conversation.send(next.message, next.repetition)
      }
      if missing.isEmpty, unsaid.isEmpty { return shown }
      guard let message = try await messages.next() else {
        throw NetworkError.closed(code: 1000, reason: "")
      }
      let content = message.content
      hear(content)
      shown += content + Data("\n".utf8)
      // A connection that follows another brings what had come before once more.
      guard let left = missing[content] else { continue }
      missing[content] = left > 1 ? left - 1 : nil
      count += 1
    }
  }
}

extension RecordedDialogue.Utterance {
  fileprivate var message: ConversationMessage {
    isText ? .text(String(decoding: content, as: UTF8.self)) : .data(content)
  }

  fileprivate var repetition: WindTunnelNetworkLayer.Conversation.Repetition {
    switch kind {
    case .statement: .never
    case .question(let answer): .until { $0.content == answer }
    case .subscription: .onEachConnection
    }
  }
}

extension ConversationMessage {
  fileprivate var content: Data {
    switch self {
    case .text(let text): Data(text.utf8)
    case .data(let data): data
    }
  }
}
