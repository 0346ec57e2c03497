internal import WindTunnelSymptoms

// The facts about an attempt that rules need to judge a call.

extension Observation.Attempt {
  /// Whether the client received a complete response that is not part of a fault.
  @inline(__always) package var isAnswered: Bool {
    guard error == nil else { return false }
    switch source {
    case .played(.recording): return true
    // The page of a portal is generated as well, and a fault's error status may replace any of
    // these.
    case .played(.computed), .played(.forwarded):
      return (decision.metNothing || (status ?? 0) < 400) && !isOfPortal
    case .played, .other: return false
    }
  }

  /// Whether the attempt got no response or one that reports a failure (RFC 9110 §15.5 and §15.6).
  /// A recorded 404 is a response for which a client may poll.
  @inline(__always) package var isFailed: Bool {
    guard error == nil, isRequest else { return true }
    guard let status, status >= 400 else { return false }
    return status >= 500 || status == 408 || status == 429 || !isAnswered
  }

  /// The time at which the client could read the head of the response, or detect that there is
  /// none.
  package var headCame: Duration? { (end ?? start).map { $0 - (stages.body ?? .zero) } }

  /// Returns whether the attempt began after another had ended, as far as their times are known.
  /// Failed connections within 20 ms count as concurrent, because they cannot be distinguished from
  /// consecutive ones.
  func isAfter(_ other: Self) -> Bool {
    guard let start, let over = other.headCame else { return true }
    return start >= over + (isRequest || other.isRequest ? .zero : .milliseconds(20))
  }

  /// The status of a fault that replaces the response's, or of a response that a fault withheld.
  var injectedStatus: Int? { decision.metNothing || isAnswered ? nil : status }

  /// Whether the server fell silent. A client with a timeout reports this symptom.
  var isSilence: Bool { error == Symptom.timedOut.rawValue }

  /// Whether a captive portal responded in place of the server.
  @inline(__always) var isOfPortal: Bool {
    guard status == 302 || status == 200 else { return false }
    return decision.faults.contains {
      $0 == .answer(.captivePortalRedirect) || $0 == .answer(.captivePortalPage)
    }
  }

  /// The version of the body in its response, if a fault sets one. If several do, the last one
  /// counts.
  var version: Int? { decision.faults.version }

  /// Returns the `ETag` of a version.
  static func tag(_ version: Int) -> String { ResponseEdit.tag(ofVersion: version) }

  /// The request and its result in a line.
  var words: String {
    var parts: [String] = []
    if let status { parts.append("\(status)") }
    if let version, status != nil { parts.append("version \(Self.tag(version))") }
    if asksToWait {
      let date = retryNotBefore.map { _ in "a date" }
      let wait = retryAfter.map(Figures.wait)
      parts.append("Retry-After \([date, wait].compactMap(\.self).joined(separator: " in "))")
    }
    let further = status == nil && (bytes ?? 0) == 0 ? "" : "further "
    if let bytes, error != nil, status != nil { parts.append("\(Figures.bytes(bytes))") }
    if let error { parts.append(isSilence ? "no \(further)bytes arrived" : Figures.symptom(error)) }
    if let conversation { parts.append(conversation.words) }
    if let legalOddity, let last = parts.popLast() { parts.append("\(last) with \(legalOddity)") }
    if parts.isEmpty { parts = faults.isEmpty ? [source.words] : faults }
    return "\(isRequest ? asked : "connecting") → \(parts.joined(separator: ", "))"
  }

  /// The request, with the first byte if it is for the rest of a body.
  private var asked: String {
    guard let first = sent?.resumesAt else { return key }
    let condition = sent?.isResumedConditionally == true ? " with If-Range" : ""
    return "\(key) from byte \(first)\(condition)"
  }

  // MARK: The wait that Retry-After requests

  // A date is a moment. Seconds count from when the client could read the head of the response
  // (RFC 9110 §10.2.3).

  /// Whether the response requested a wait.
  var asksToWait: Bool { retryAfter != nil || retryNotBefore != nil }

  /// The end of the wait that the response requested. `nil` if it requested no wait, or if the time
  /// was not observed.
  var waitEnd: Duration? {
    if let retryNotBefore { return retryNotBefore }
    guard let retryAfter, let headCame else { return nil }
    return headCame + retryAfter
  }

  /// The time from which a retry counts as late enough: timers may be early by 50 ms. `nil` if the
  /// response requested no wait, or if the time was not observed.
  var earliestRetry: Duration? { waitEnd.map { $0 - .milliseconds(50) } }

  // MARK: Responses that are rare and valid

  /// The unusual property of a complete and valid response, as text.
  var legalOddity: String? {
    isAnswered ? faults.lazy.compactMap { Self.oddities[$0] }.first : nil
  }

  /// The faults that leave a response valid, with a description of each.
  private static let oddities = [
    "interimResponses": "interim responses (1xx)",
    "dribbleBytes": "its body in pieces of a few bytes",
    "stall": "a pause", "headerFields": "many fields",
    "fieldNames": "lowercase field names",
  ]
}

extension ConversationLog {
  /// The number of messages of both sides and the end, as text.
  fileprivate var words: String {
    let own = messages.count { $0.sender == .client }
    var words = "sent \(own) and received \(messages.count - own)"
    if further > 0 { words += " and \(further) more, not listed" }
    if let silentSince { words += ", then nothing after \(Figures.time(silentSince))" }
    guard let end else { return words }
    switch ending {
    case .client(let code): words += ", closed by the client (\(code))"
    case .server(let code): words += ", closed by the server (\(code))"
    case .clientLeft: words += ", disconnected by the client"
    case .serverLeft: words += ", disconnected by the server"
    case .stopped, nil: return words
    }
    return words + " after \(Figures.time(end))"
  }
}
