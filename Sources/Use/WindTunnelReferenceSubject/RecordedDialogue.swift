internal import Foundation
internal import WindTunnel

/// The client's part of a recorded conversation: its messages, their order, and the expected
/// replies.
///
/// Heartbeats and closing messages are omitted, because a client has its own.
struct RecordedDialogue: Sendable {
  /// The kinds of messages that a client sends.
  enum Kind: Sendable, Hashable {
    /// A message without a reply on the cassette.
    case statement
    /// A message with one reply of this content, such as a login or a command.
    case question(answer: Data)
    /// A message with several replies, which is valid for one connection.
    case subscription
  }

  /// A message of the client.
  struct Utterance: Sendable, Hashable {
    var content: Data
    var isText: Bool
    var kind: Kind
    /// The number of the server's messages before it.
    var behind: Int
  }

  /// The messages of the client, in order.
  private(set) var utterances: [Utterance] = []
  /// The contents of the server's messages, in order.
  private(set) var answers: [Data] = []

  /// Creates the dialogue of a recording.
  init(_ recording: Interaction) {
    // A plan contains no paths for correlating messages.
    let conversation = Conversation(recording, correlatedBy: [])
    for (place, message) in conversation.messages.enumerated() where !message.isClose {
      let number = place + 1
      switch message.sender {
      case .server:
        if let cause = message.cause, conversation.heartbeats.contains(cause) { continue }
        answers.append(message.body.data)
      case .client:
        if conversation.heartbeats.contains(number) { continue }
        let effects = (conversation.effects[number] ?? []).map { conversation.messages[$0 - 1] }
          .filter { !$0.isClose }
        let kind: Kind =
          switch effects.count {
          case 0: .statement
          case 1: .question(answer: effects[0].body.data)
          default: .subscription
          }
        utterances.append(
          Utterance(
            content: message.body.data,
            isText: message.isText,
            kind: kind,
            behind: answers.count
          )
        )
      }
    }
  }
}
