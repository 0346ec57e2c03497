internal import Foundation

/// The lines that are written to a program which lives from call to call: a JSON object each.
enum ServiceLine {
  /// Returns the line that asks for a call: `call`, `method`, `url`, the `endpoint`, which is the
  /// same in each call, the headers that a client sets, the `origins` of the servers of a start,
  /// the file with the state that the app `kept`, and the body if there is one and it is text.
  static func asking(for call: DrillCall) -> Data {
    let origins = call.servers.isEmpty ? nil : call.origins.map { JSON.text($0.absoluteString) }
    let url = call.url.absoluteString
    return line(asking(call.index, call.request, at: url, origins, kept: call.kept?.path))
  }

  /// Returns the object of a line that asks for a call.
  static func asking(
    _ call: Int,
    _ request: Request,
    at url: String,
    _ origins: [JSON]? = nil,
    kept: String? = nil
  ) -> JSON {
    var headers: [JSON.Member] = []
    for field in request.fieldsOfClient {
      // An object has a name once; a field that comes twice is one with both values (RFC 9110
      // §5.3).
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

  /// Tells that the caller of a call has given it up.
  static func cancelling(_ call: Int) -> Data { line(["cancel": .number(call)]) }

  private static func line(_ json: JSON) -> Data { Data(json.bytes() + [UInt8(ascii: "\n")]) }
}

/// The answer of such a program to one call, as it stands in a line.
struct ServiceAnswer: Sendable, Hashable {
  /// The program's word on what the user saw.
  enum Shown: Sendable, Hashable {
    /// Something, or nothing at all.
    case something(Bool)
    /// A copy from before.
    case copy
    /// The text that was seen.
    case text(String)
  }

  /// The number of the call.
  var call: Int
  /// The way in which it ended.
  var ending: Observation.CallResult
  /// The word on what was seen; `nil` where the program says nothing about it.
  var shown: Shown?
  /// Tells whether that was a copy from before, where the program says so.
  var isStale: Bool?
  /// The program's own count of its requests.
  var attempts: Int?
  /// The part of it that is not what it was asked for, which is left out: in words that go on from
  /// the program's name.
  var complaint: String?

  /// The longest text of an error that goes into a report.
  private static let scalarsMax = 200
  /// The most requests that one call is taken to have sent: no client does, and what is beyond it
  /// is no count.
  private static let attemptsMax = 1_000_000
  /// No more is shown of what stands there in place of a count.
  private static let shownMax = 40

  /// Reads a line; `nil` where it is no object with a whole number `call` and a truth value `ok`.
  init?(line: String) {
    // Why it is none is in the line for everybody to see.
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

  /// Returns the sentence about a count of requests that is none.
  private static func complaint(of call: Int, _ told: JSON) -> String {
    "answered call \(call) with \"attempts\", which is a whole number from 0 to \(attemptsMax), as "
      + "\("\(told)".told(atMost: shownMax)); it is left out"
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

  /// Returns a body, which is its text or the JSON itself.
  private static func body(_ json: JSON) -> Shown? {
    switch json {
    case .string(let text): .text(text.value)
    case .object, .array: .text("\(json)")
    case .bool, .null, .number: nil
    }
  }

  /// Returns the result of its call, which is told what else the program says.
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
      // After an error it is the word that counts: nothing is compared.
      if ending != .succeeded { call.showed(!text.isEmpty) }
    }
    if let isStale { call.servedStale(isStale) }
    return result
  }
}
