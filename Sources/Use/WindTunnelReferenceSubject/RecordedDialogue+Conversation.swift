internal import Foundation
internal import WindTunnelNetworkLayer

extension RecordedDialogue {
  /// Sends and receives all messages, over several connections if necessary.
  ///
  /// - Parameters:
  ///   - conversation: The open conversation.
  ///   - limit: The maximum duration.
  ///   - time: The clock of the limit.
  ///   - receive: Called with each message of the server.
  /// - Returns: The messages of the server, one per line.
  /// - Throws: `NetworkError` if the conversation fails, or a message is missing after the limit.
  func hold(
    by conversation: WindTunnelNetworkLayer.Conversation,
    within limit: Duration,
    on time: SystemTime,
    _ receive: @escaping @Sendable (Data) -> Void
  ) async throws -> Data {
    try await withThrowingTaskGroup(of: Data?.self) { group in
      group.addTask { try await exchange(by: conversation, receive) }
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
    _ receive: @Sendable (Data) -> Void
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
      receive(content)
      shown += content + Data("\n".utf8)
      // A later connection repeats earlier messages.
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
