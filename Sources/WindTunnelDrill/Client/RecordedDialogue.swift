internal import Foundation

/// A recorded conversation as its client has to hold it: what it says, when, and what it waits for.
///
/// Heartbeats are left out, since a client has its own, and so is all that is behind an end.
struct RecordedDialogue: Sendable {
  /// The kinds of what a client says.
  enum Kind: Sendable, Hashable {
    /// A message that nothing on the cassette answers.
    case statement
    /// A message with one answer, whose content this is: a login, a command.
    case question(answer: Data)
    /// A message with several answers, which lasts as long as a connection: a subscription.
    case subscription
  }

  /// A message of the client's.
  struct Utterance: Sendable, Hashable {
    var content: Data
    var isText: Bool
    var kind: Kind
    /// The number of the server's messages that stand in front of it.
    var behind: Int
  }

  /// The messages of the client, in order.
  private(set) var utterances: [Utterance] = []
  /// The contents of the server's messages, in order.
  private(set) var answers: [Data] = []

  /// Takes what a recording has of both sides.
  init(_ recording: Interaction) {
    // A plan names no paths by which messages belong together.
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
