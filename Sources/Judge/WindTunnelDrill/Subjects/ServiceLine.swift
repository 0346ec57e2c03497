internal import Foundation

/// The lines that are written to a long-running program, each a JSON object.
enum ServiceLine {
  /// Returns the line that requests a call. Its members are `call`, `method`, `url`, the
  /// `endpoint`, which is the same in each call, and the headers that a client sets. It may also
  /// have the `origins` of the servers of a start, the file that the app has `kept`, and the body
  /// if it is text.
  static func asking(for call: DrillCall) -> Data {
    let origins = call.servers.isEmpty ? nil : call.origins.map { JSON.text($0.absoluteString) }
    let url = call.url.absoluteString
    return line(asking(call.index, call.request, at: url, origins, kept: call.kept?.path))
  }

  /// Returns the object of a line that requests a call.
  static func asking(
    _ call: Int,
    _ request: Request,
    at url: String,
    _ origins: [JSON]? = nil,
    kept: String? = nil
  ) -> JSON {
    var headers: [JSON.Member] = []
    for field in request.fieldsOfClient {
      // A JSON object has each name once. A repeated field is combined into one with both values
      // (RFC 9110 §5.3).
      let place = headers.firstIndex { $0.name.value.lowercased() == field.name.lowercased() }
      if let place, let first = headers[place].value.stringValue {
        headers[place].value = .text("\(first), \(field.value)")
      } else {
        headers.append(JSON.Member(JSON.Text(field.name), .text(field.value)))
      }
    }
    return .object(
      JSON.members([
        "call": .number(call), "method": .text(request.method), "url": .text(url),
        "endpoint": .text(request.endpointName),
        "headers": .object(headers), "origins": origins.map { .array($0) },
        "kept": kept.map { .text($0) },
        "body": request.body.data.isEmpty ? JSON?.none : request.body.text.map { .text($0) },
      ])
    )
  }

  /// Returns the line that reports a cancelled call.
  static func cancelling(_ call: Int) -> Data { line(["cancel": .number(call)]) }

  private static func line(_ json: JSON) -> Data { Data(json.bytes() + [UInt8(ascii: "\n")]) }
}

/// The result of one call of a long-running program, read from a line.
struct ServiceAnswer: Sendable, Hashable {
  /// The program's report of the content that the user saw.
  enum Shown: Sendable, Hashable {
    /// Whether any content was shown.
    case something(Bool)
    /// An earlier copy was shown.
    case copy
    /// The text that was shown.
    case text(String)
  }

  /// The number of the call.
  var call: Int
  /// The result of the call.
  var ending: Observation.CallResult
  /// The report of the content that the user saw, or `nil` if the program does not report it.
  var shown: Shown?
  /// Whether the content was an earlier copy, if the program reports it.
  var isStale: Bool?
  /// The number of requests, as the program counts them.
  var attempts: Int?
  /// The description of an invalid part of the line, which is ignored. The text continues after the
  /// program's name.
  var complaint: String?

  /// The maximum length of an error's text in a report.
  private static let scalarsMax = 200
  /// The maximum number of requests of one call. No client sends more, so a larger number is
  /// invalid.
  private static let attemptsMax = 1_000_000
  /// The maximum length of an invalid count in a message.
  private static let shownMax = 40

  /// Reads a line; `nil` if it is not an object with an integer `call` and a Boolean `ok`.
  init?(line: String) {
    // The reason for the error is not needed, because the line itself is printed.
    guard let json = try? JSON(parsing: line.utf8, source: ""),
      let call = json["call"]?.intValue, case .bool(let isFine)? = json["ok"]
    else { return nil }
    self.call = call
    let status = json["status"]?.intValue
    switch (isFine, status) {
    case (true, let status?) where status >= 400: ending = .failed("status \(status)")
    case (true, _): ending = .succeeded
    case (false, let status):
      let told = json["error"]?.stringValue?.told(atMost: Self.scalarsMax) ?? ""
      ending = .failed(!told.isEmpty ? told : status.map { "status \($0)" } ?? "failed")
    }
    shown = json["shown"].flatMap(Self.shown) ?? json["body"].flatMap(Self.body)
    if case .bool(let isStale)? = json["stale"] { self.isStale = isStale }
    switch json["attempts"] {
    case nil, .null: break
    case .some(let told):
      attempts = told.intValue.flatMap { 0...Self.attemptsMax ~= $0 ? $0 : nil }
      if attempts == nil { complaint = Self.complaint(of: call, told) }
    }
  }

  /// Returns the sentence about an invalid count of requests.
  private static func complaint(of call: Int, _ told: JSON) -> String {
    "answered call \(call) with the \"attempts\" \("\(told)".told(atMost: shownMax)); expected a "
      + "whole number from 0 to \(attemptsMax); it is ignored"
  }

  private static func shown(_ json: JSON) -> Shown? {
    switch json {
    case .bool(let isShown): return .something(isShown)
    case .string(let text):
      switch text.value {
      case "fresh": return .something(true)
      case "stale": return .copy
      case "nothing", "none", "blank": return .something(false)
      default: return .text(text.value)
      }
    case .object, .array, .null, .number: return body(json)
    }
  }

  /// Returns a body: its text, or the JSON itself.
  private static func body(_ json: JSON) -> Shown? {
    switch json {
    case .string(let text): .text(text.value)
    case .object, .array: .text("\(json)")
    case .bool, .null, .number: nil
    }
  }

  /// Returns the result of a call, and passes the program's other reports to it.
  func result(of call: DrillCall) -> CallResult {
    var result = CallResult(ending: ending, body: nil)
    result.attempts = attempts
    switch shown {
    case nil: result.isShown = ending == .succeeded
    case .something(let isShown): call.showed(isShown)
    case .copy:
      call.showed(true)
      call.servedStale(true)
    case .text(let text):
      (result.body, result.isPrinted) = (Data(text.utf8), true)
      // After an error, the body is not compared, so its report decides.
      if ending != .succeeded { call.showed(!text.isEmpty) }
    }
    if let isStale { call.servedStale(isStale) }
    return result
  }
}
