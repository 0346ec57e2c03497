/// Two conversations of a call with the same request. The second was begun after the first was
/// lost.
package struct Reconnection: Sendable {
  /// The indices of the two among the attempts.
  package var before: Int
  package var after: Int
  /// The time at which the first was lost.
  package var lost: Duration
  /// The time at which the client tried to reconnect, even if it was rejected.
  package var tried: Duration?
  /// The time at which the second handshake was completed.
  package var opened: Duration
  /// The time of the first message of the second conversation that requests something, or `nil` if
  /// there was none.
  package var asked: Duration?

  /// The time from the loss to the new connection.
  package var wait: Duration { opened - lost }
  /// The time from the loss to the repeated request.
  package var waitToAsk: Duration? { asked.map { $0 - lost } }
}

extension Observation {
  /// The reconnections of the call, in order.
  package var reconnections: [Reconnection] {
    guard attempts.indices.contains(where: { attempts[$0].lostAt != nil }) else { return [] }
    var places: [String: [Int]] = [:]
    for place in attempts.indices where attempts[place].start != nil {
      places[attempts[place].key, default: []].append(place)
    }
    // Each conversation replaces only one other. Attempts before these indices are already used.
    var free: [String: Int] = [:]
    var found: [Reconnection] = []
    for place in attempts.indices {
      let key = attempts[place].key
      guard let lost = attempts[place].lostAt, let same = places[key] else { continue }
      var next = free[key] ?? 0
      while next < same.count, same[next] <= place || attempts[same[next]].start ?? .zero < lost {
        next += 1
      }
      let tried = next < same.count ? attempts[same[next]].start : nil
      while next < same.count, attempts[same[next]].conversation == nil { next += 1 }
      guard next < same.count, let opened = attempts[same[next]].end else { continue }
      free[key] = next + 1
      let asked = attempts[same[next]].conversation?.messages.first(where: \.asks)
      found.append(
        Reconnection(
          before: place,
          after: same[next],
          lost: lost,
          tried: tried,
          opened: opened,
          asked: asked.map { opened + $0.at }
        )
      )
    }
    return found
  }
}

extension Observation.Attempt {
  /// The time at which a conversation was lost because its server ended it or fell silent. `nil` if
  /// there is no conversation, or if its client ended it.
  package var lostAt: Duration? {
    guard status == 101, let conversation, let end else { return nil }
    if let silent = conversation.silentSince { return end + silent }
    switch conversation.ending {
    // A recorded end is not a loss, and neither is an end that the client caused by a protocol
    // error.
    case .server(1000...1003), .server(1007...1010):
      return decision.metNothing ? nil : conversation.end.map { end + $0 }
    case .server, .serverLeft: return conversation.end.map { end + $0 }
    case .client, .clientLeft, .stopped, nil: return nil
    }
  }
}
