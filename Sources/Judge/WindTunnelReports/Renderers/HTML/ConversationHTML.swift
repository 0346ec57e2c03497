/// A picture of a call's conversations over time, in two lanes: sent and received messages.
struct ConversationLanes {
  private let conversations: [(opened: Duration, log: ConversationLog)]
  private let start: Duration

  /// Creates the picture of the conversations of attempts, beginning at a time of the scenario.
  init(of attempts: [Observation.Attempt], since start: Duration?) {
    conversations = attempts.compactMap { attempt in
      guard let log = attempt.conversation, let opened = attempt.end else { return nil }
      return (opened, log)
    }
    self.start = start ?? conversations.first?.opened ?? .zero
  }

  private static let (left, width) = (46.0, 304.0)
  private static let lanes: [(sender: WebSocketMessage.Sender, y: Int)] = [
    (.client, 14), (.server, 34),
  ]

  /// The last observed time.
  private var last: Duration {
    conversations.reduce(start + .milliseconds(1)) { last, conversation in
      let log = conversation.log
      let moments = [log.end, log.silentSince, log.messages.last?.at].compactMap { $0 }
      return max(last, conversation.opened + (moments.max() ?? .zero))
    }
  }

  /// The picture with its caption; empty if there was no conversation.
  var svg: String {
    guard !conversations.isEmpty else { return "" }
    let last = last
    func x(_ moment: Duration) -> String {
      let share = min(1, max(0, (moment - start) / (last - start)))
      return Figures.fixed(Self.left + Self.width * share, places: 1)
    }
    var shapes = ""
    for (sender, y) in Self.lanes {
      shapes += "<text x=\"0\" y=\"\(y + 3)\">\(sender.rawValue)</text>"
      for (opened, log) in conversations {
        let end = log.end.map { opened + $0 } ?? last
        let silent = log.silentSince.map { opened + $0 } ?? end
        shapes += Self.line("axis", x(opened), x(silent), y)
        if silent < end { shapes += Self.line("mark", x(silent), x(end), y) }
        for message in log.messages where message.sender == sender {
          let size = message.asks ? "3" : "2"
          shapes +=
            "<circle class=\"ok\" cx=\"\(x(opened + message.at))\" cy=\"\(y)\" r=\"\(size)\"/>"
        }
        if log.ender == sender {
          shapes += "<circle class=\"ko\" cx=\"\(x(end))\" cy=\"\(y)\" r=\"3\"/>"
        }
      }
    }
    shapes += "<text x=\"\(Figures.fixed(Self.left, places: 1))\" y=\"54\">0</text>"
    shapes += "<text x=\"350\" y=\"54\" text-anchor=\"end\">\(Figures.time(last - start))</text>"
    let count = conversations.count.counted("conversation")
    return """
      <figure><figcaption>Messages of each side: larger dots are requests, dashes are silence, red \
      is the end</figcaption>
      <svg class="lanes" viewBox="0 0 360 60" role="img" aria-label="\(count) over \
      \(Figures.time(last - start))">\(shapes)</svg></figure>

      """
  }

  private static func line(_ kind: String, _ from: String, _ to: String, _ y: Int) -> String {
    "<line class=\"\(kind)\" x1=\"\(from)\" x2=\"\(to)\" y1=\"\(y)\" y2=\"\(y)\"/>"
  }
}

extension ConversationLog {
  /// The side that ended the conversation. `nil` if it has not ended, or if the server was stopped.
  fileprivate var ender: WebSocketMessage.Sender? {
    switch ending {
    case .client, .clientLeft: .client
    case .server, .serverLeft: .server
    case .stopped, nil: nil
    }
  }
}
