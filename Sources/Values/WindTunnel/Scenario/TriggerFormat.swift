extension Trigger: JSONObject {
  package static let blank = Self.always

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let ordinals = 1...1_000_000_000
    try fields.pattern("request", &request)
    if fields.isReading {
      header = try HeaderCondition(reading: &fields.object)
    } else if let header {
      header.write(to: &fields)
    }
    try fields.bool("critical", &isCritical)
    try fields.int("first", &first, in: ordinals)
    try fields.int("attempt", &attempt, in: ordinals)
    try fields.int("every", &every, in: ordinals)
    try fields.double("probability", &probability, in: 0...1)
    try fields.nested("burst", &burst)
    try TimeWindow.list(&window, &fields)
    try fields.fieldName("untilHeaderChanges", &untilHeaderChanges)
    try CallRange.list(&calls, &fields)
    try fields.choice("credential", &credential)
    try fields.int("recording", &recording, in: Fault.recordingNumbers)
    try fields.refuseUnknownKeys()
    try refuseNever(fields)
  }

  /// Throws if the conditions exclude each other, so that no request can ever match.
  private func refuseNever(_ fields: JSONFields) throws(FormatError) {
    if let first, let attempt {
      let problem = "request \(attempt) is not among the first \(first), so this never occurs"
      try fields.refuse(attempt > first, "attempt", problem, fix: "Possible: 1 to \(first).")
    }
    if let every, let attempt {
      let problem = "\(attempt) is not a multiple of \(every), so this never occurs"
      let isNever = !attempt.isMultiple(of: every)
      try fields.refuse(isNever, "every", problem, fix: "Write one of the two.")
    }
    if let every, let first {
      let problem = "no multiple of \(every) is among the first \(first), so this never occurs"
      try fields.refuse(every > first, "every", problem, fix: "Possible: 1 to \(first).")
    }
  }
}

extension HeaderCondition {
  /// Reads `"header": "Name"`, `"header": "Name: value"` or `"withoutHeader": "Name"`.
  fileprivate init?(reading object: inout ObjectReader) throws(FormatError) {
    let text = try object.string("header")
    let absent = try object.fieldName("withoutHeader")
    switch (text, absent) {
    case (nil, nil): return nil
    case (_?, _?):
      throw object.error(
        "withoutHeader",
        "this excludes \"header\"",
        fix: "Write only one; a second rule can have the other."
      )
    case (nil, let name?): self = .absent(name)
    case (let text?, nil):
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard name.isHTTPToken else { throw object.noFieldName("header", name) }
      guard parts.count == 2 else {
        self = .present(name)
        return
      }
      let value = String(parts[1].trimmingOptionalWhitespace())
      guard !value.breaksFieldLine else {
        throw object.error("header", "a field value cannot contain line breaks or NUL")
      }
      self = .equal(name, to: value)
    }
  }

  fileprivate func write(to fields: inout JSONFields) {
    switch self {
    case .present(let name): fields.write("header", .text(name))
    case .equal(let name, let value): fields.write("header", .text("\(name): \(value)"))
    case .absent(let name): fields.write("withoutHeader", .text(name))
    }
  }
}

extension Burst: JSONObject {
  package static let blank = Self(goodToBad: 0, badToGood: 0)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    var (toBad, toGood): (Double?, Double?) = (goodToBad, badToGood)
    try fields.double("goodToBad", &toBad, in: 0...1)
    try fields.double("badToGood", &toGood, in: 0...1)
    try fields.refuseUnknownKeys()
    let problem = "a burst requires this probability, from 0 to 1"
    goodToBad = try fields.required(toBad, ("goodToBad", problem))
    badToGood = try fields.required(toGood, ("badToGood", problem))
    let never = "a chain without transitions never moves"
    try fields.refuse(goodToBad + badToGood <= 0, "goodToBad", never)
  }
}

extension TimeWindow {
  fileprivate static func list(
    _ window: inout Self?,
    _ fields: inout JSONFields
  ) throws(FormatError) {
    var (start, end) = (window?.start, window?.end)
    try fields.time("fromMilliseconds", &start, in: Fault.milliseconds)
    try fields.time("untilMilliseconds", &end, in: Fault.milliseconds)
    window = start == nil && end == nil ? nil : Self(from: start ?? .zero, until: end)
    try fields.refuse(
      end.map { $0 <= start ?? .zero } == true,
      "untilMilliseconds",
      "this is not after \"fromMilliseconds\", so the time is empty"
    )
  }
}

extension CallRange {
  fileprivate static func list(
    _ range: inout Self?,
    _ fields: inout JSONFields
  ) throws(FormatError) {
    var (start, end) = (range?.start, range?.end)
    try fields.int("fromCall", &start, in: 0...1_000_000_000)
    try fields.int("untilCall", &end, in: 0...1_000_000_000)
    range = start == nil && end == nil ? nil : Self(from: start ?? 0, until: end)
    let problem = "this is not after \"fromCall\", so the range is empty"
    try fields.refuse(end.map { $0 <= start ?? 0 } == true, "untilCall", problem)
  }
}

extension JSONFields {
  /// Reads or writes a pattern of requests.
  mutating func pattern(_ name: String, _ value: inout RequestPattern?) throws(FormatError) {
    var text = value?.description
    try string(name, &text)
    guard isReading else { return }
    value = try text.map { text throws(FormatError) in try object.pattern(text, at: name) }
  }

  /// Reads or writes the name of a header field (RFC 9110 §5.1).
  mutating func fieldName(_ name: String, _ value: inout String?) throws(FormatError) {
    guard isReading else { return try string(name, &value) }
    value = try object.fieldName(name)
  }

  /// Reads or writes a duration, and its maximum if it is drawn from a range.
  ///
  /// - Parameters:
  ///   - name: The key of the minimum.
  ///   - value: The duration.
  ///   - missing: The problem with a missing minimum; `nil` if it is optional.
  ///   - start: Describes the minimum in the error about a smaller maximum.
  /// - Throws: An error about a missing minimum, or about a maximum below it.
  package mutating func spread(
    _ name: String,
    _ value: inout Fault.Spread?,
    _ missing: String? = nil,
    _ start: (Double) -> String
  ) throws(FormatError) {
    var least = value?.least.inMilliseconds
    var most = value.flatMap { $0.least < $0.most ? $0.most.inMilliseconds : nil }
    try double(name, &least, in: Fault.milliseconds, places: 3)
    if let missing { least = try required(least, (name, missing)) }
    try double("throughMilliseconds", &most, in: Fault.milliseconds, places: 3)
    guard let least else { return try refuse(most != nil, name, "a range requires a delay") }
    let longest = most ?? least
    try refuse(
      longest < least,
      "throughMilliseconds",
      "\(longest) is less than \(start(least))"
    )
    value = Fault.Spread(Duration(milliseconds: least), through: Duration(milliseconds: longest))
  }
}

extension ObjectReader {
  /// Reads the name of a header field (RFC 9110 §5.1); `nil` if the key is missing.
  mutating func fieldName(_ key: String) throws(FormatError) -> String? {
    guard let name = try string(key) else { return nil }
    guard name.isHTTPToken else { throw noFieldName(key, name) }
    return name
  }

  fileprivate func noFieldName(_ key: String, _ name: String) -> FormatError {
    error(key, "\"\(name)\" is not a header field name such as Authorization")
  }

  /// Parses a pattern of requests; throws if no request could match it.
  package func pattern(_ text: String, at name: String) throws(FormatError) -> RequestPattern {
    if let wrong = RequestPattern.problem(with: text) {
      throw error(name, wrong.problem, fix: wrong.fix)
    }
    return RequestPattern(text)
  }
}
