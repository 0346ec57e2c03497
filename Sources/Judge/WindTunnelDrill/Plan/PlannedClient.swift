/// A client that a plan can name, with the facts about it that its calls depend on.
struct PlannedClient: Sendable, Hashable {
  /// The name in the plan and in reports.
  let name: String
  /// The stages on which the client holds WebSocket conversations.
  let conversationStages: Set<Stage>
  /// Whether the client sends by sockets of its own, so that no session directs it to the cassette.
  let hasOwnSockets: Bool
}
