/// Two conversations of a call for the same, the second of which was begun when the first was lost.
package struct Reconnection: Sendable {
  /// The places of the two among the attempts.
  package var before: Int
  package var after: Int
  /// The time at which the first was lost.
  package var lost: Duration
  /// The time at which the client asked for another, which may have been refused.
  package var tried: Duration?
  /// The time at which the handshake of the second was answered.
  package var opened: Duration
  /// The time of the first message of the second that asks for something; `nil`: there was none.
  package var asked: Duration?

  /// The time that it took to connect again.
  package var wait: Duration { opened - lost }
  /// The time that it took to ask again.
  package var waitToAsk: Duration? { asked.map { $0 - lost } }
}

extension Observation {
  /// The reconnections of the call, in order.
  package var reconnections: [Reconnection] {
    var found: [Reconnection] = []
    for place in attempts.indices {
      guard let lost = attempts[place].lostAt else { continue }
      let later = attempts.indices.filter { other in
        guard other > place, let start = attempts[other].start else { return false }
        return start >= lost && attempts[other].line.hasKey(of: attempts[place].line)
      }
      guard let next = later.first(where: { attempts[$0].conversation != nil }),
        // One conversation takes the place of one.
        !found.contains(where: { $0.after == next }), let opened = attempts[next].end
      else { continue }
      let asked = attempts[next].conversation?.messages.first(where: \.asks)
      found.append(
        Reconnection(
          before: place,
          after: next,
          lost: lost,
          tried: later.first.flatMap { attempts[$0].start },
          opened: opened,
          asked: asked.map { opened + $0.at }
        )
      )
    }
    return found
  }
}

extension Observation.Attempt {
  /// The time at which a conversation was lost: its server had ended it, or had fallen silent;
  /// `nil` where it has none, or its client ended it.
  package var lostAt: Duration? {
    guard status == 101, let conversation, let end else { return nil }
    if let silent = conversation.silentSince { return end + silent }
    switch conversation.ending {
    case .server, .serverLeft: return conversation.end.map { end + $0 }
    case .client, .clientLeft, .stopped, nil: return nil
    }
  }
}
