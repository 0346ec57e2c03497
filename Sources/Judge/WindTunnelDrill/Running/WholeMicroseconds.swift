internal import Dispatch

extension DispatchTime {
  /// The time since this moment, in whole microseconds.
  var elapsed: Duration {
    let now = DispatchTime.now().uptimeNanoseconds
    return .microseconds(Int64(now > uptimeNanoseconds ? (now - uptimeNanoseconds) / 1000 : 0))
  }
}

extension ConversationLog {
  /// The log with times in whole microseconds, as in a report.
  var inWholeMicroseconds: ConversationLog {
    var log = self
    for place in log.messages.indices {
      log.messages[place].at = messages[place].at.inWholeMicroseconds
    }
    log.unansweredSince = unansweredSince?.inWholeMicroseconds
    log.silentSince = silentSince?.inWholeMicroseconds
    log.end = end?.inWholeMicroseconds
    return log
  }
}

extension Duration {
  /// The duration in whole microseconds, as in a report.
  var inWholeMicroseconds: Duration { .microseconds(wholeMicroseconds) }
}
