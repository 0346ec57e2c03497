internal import WindTunnelSymptoms

// The facts about an attempt by which rules judge a call.

extension Observation.Attempt {
  /// Tells whether the client got all of an answer that was no fault's.
  @inline(__always) package var isAnswered: Bool {
    guard error == nil else { return false }
    switch source {
    case .played(.recording): return true
    // A portal's page is made up, too, and an error status may stand in place of any of these.
    case .played(.computed), .played(.forwarded):
      return (decision.metNothing || (status ?? 0) < 400) && !isOfPortal
    case .played, .other: return false
    }
  }

  /// Tells whether it brought no answer, or one that says that it failed (RFC 9110 §15.5 and
  /// §15.6). A recorded 404 is an answer, for which a client may well poll.
  @inline(__always) package var isFailed: Bool {
    guard error == nil, isRequest else { return true }
    guard let status, status >= 400 else { return false }
    return status >= 500 || status == 408 || status == 429 || !isAnswered
  }

  /// The time at which the client could read the answer's head, or saw that none came.
  package var headCame: Duration? { (end ?? start).map { $0 - (stages.body ?? .zero) } }

  /// Tells whether it began when another was over, as far as their times are known. Connections
  /// that fail beside each other cannot be told from ones that follow at once.
  func isAfter(_ other: Self) -> Bool {
    guard let start, let over = other.headCame else { return true }
    return start >= over + (isRequest || other.isRequest ? .zero : .milliseconds(20))
  }

  /// The status that a fault put in place of the answer's, or that of an answer that a fault kept.
  var injectedStatus: Int? { decision.metNothing || isAnswered ? nil : status }

  /// Tells whether the server fell silent: the symptom is what a client with a limit has of it.
  var isSilence: Bool { error == Symptom.timedOut.rawValue }

  /// Tells whether a captive portal answered in the server's place.
  @inline(__always) var isOfPortal: Bool {
    guard status == 302 || status == 200 else { return false }
    return decision.faults.contains {
      $0 == .answer(.captivePortalRedirect) || $0 == .answer(.captivePortalPage)
    }
  }

  /// The version of the body that it was answered with, where faults say one; of several the last.
  var version: Int? { decision.faults.version }

  /// The `ETag` of a version.
  static func tag(_ version: Int) -> String { ResponseEdit.tag(ofVersion: version) }

  /// The request and what came of it, in a line.
  var words: String {
    var parts: [String] = []
    if let status { parts.append("\(status)") }
    if let version, status != nil { parts.append("version \(Self.tag(version))") }
    if let retryAfter { parts.append("Retry-After \(Figures.wait(retryAfter))") }
    if let bytes, error != nil, status != nil { parts.append("\(Figures.bytes(bytes))") }
    if let error { parts.append(isSilence ? "nothing more came" : Figures.symptom(error)) }
    if let conversation { parts.append(conversation.words) }
    if let legalOddity, let last = parts.popLast() { parts.append("\(last) with \(legalOddity)") }
    if parts.isEmpty { parts = faults.isEmpty ? [source.words] : faults }
    return "\(isRequest ? asked : "connecting") → \(parts.joined(separator: ", "))"
  }

  /// The request, with the part that it asks for where that is the rest.
  private var asked: String {
    guard let first = sent?.resumesAt else { return key }
    let condition = sent?.isResumedConditionally == true ? " with If-Range" : ""
    return "\(key) from byte \(first)\(condition)"
  }

  // MARK: The wait that Retry-After requests

  // A date is a moment. Seconds count from when the client could read the head of the response
  // (RFC 9110 §10.2.3).

  /// Whether the response asked to wait.
  var asksToWait: Bool { retryAfter != nil || retryNotBefore != nil }

  /// The moment until which the response asked to wait; `nil` if it asked for no wait, or if the
  /// moment was not seen.
  var waitEnd: Duration? {
    if let retryNotBefore { return retryNotBefore }
    guard let retryAfter, let headCame else { return nil }
    return headCame + retryAfter
  }

  /// The moment from which a retry counts as late enough: timers may be early by 50 ms. `nil` if
  /// the response asked for no wait, or if the moment was not seen.
  var earliestRetry: Duration? { waitEnd.map { $0 - .milliseconds(50) } }

  // MARK: Responses that are rare and valid

  /// The seldom thing about an answer that came whole and within the rules, in words.
  var legalOddity: String? {
    isAnswered ? faults.lazy.compactMap { Self.oddities[$0] }.first : nil
  }

  /// The faults after which an answer is still as the standard has it, in words.
  private static let oddities = [
    "interimResponses": "interim responses (1xx)",
    "dribbleBytes": "its body in pieces of some bytes",
    "stall": "a pause", "headerFields": "many fields",
    "fieldNames": "names of fields in small letters",
  ]
}

extension ConversationLog {
  /// The messages of both sides and the end, in words.
  fileprivate var words: String {
    let own = messages.count { $0.sender == .client }
    var words = "said \(own) and was sent \(messages.count - own)"
    if further > 0 { words += " and \(further) more of either" }
    if let silentSince { words += ", then nothing from \(Figures.time(silentSince)) on" }
    guard let end else { return words }
    switch ending {
    case .client(let code): words += ", closed by the client (\(code))"
    case .server(let code): words += ", closed by the server (\(code))"
    case .clientLeft: words += ", left by the client"
    case .serverLeft: words += ", broken off by the server"
    case .stopped, nil: return words
    }
    return words + " after \(Figures.time(end))"
  }
}
