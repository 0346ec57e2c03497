extension Trigger {
  init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    let ordinals = 1...1_000_000_000
    request = try object.requestPattern("request")
    header = try HeaderCondition(reading: &object)
    isCritical = try object.bool("critical")
    first = try object.int("first", in: ordinals)
    attempt = try object.int("attempt", in: ordinals)
    every = try object.int("every", in: ordinals)
    probability = try object.double("probability", in: 0...1)
    if let chain = try object.object("burst") { burst = try Burst(reading: chain) }
    window = try TimeWindow(reading: &object)
    untilHeaderChanges = try object.fieldName("untilHeaderChanges")
    try object.refuseUnknownKeys()
    try refuseNever(object)
  }

  /// Refuses what no request can ever be.
  private func refuseNever(_ object: ObjectReader) throws(FormatError) {
    if let first, let attempt, attempt > first {
      throw object.error(
        "attempt",
        "request \(attempt) is none of the first \(first), so this never fires",
        remedy: "What does: 1 to \(first)."
      )
    }
    if let every, let attempt, !attempt.isMultiple(of: every) {
      throw object.error(
        "every",
        "\(attempt) is no multiple of \(every), so this never fires",
        remedy: "Write one of the two."
      )
    }
    if let every, let first, every > first {
      throw object.error(
        "every",
        "none of the first \(first) is a multiple of \(every), so this never fires",
        remedy: "What does: 1 to \(first)."
      )
    }
  }

  var json: JSON {
    var members: [JSON.Member] = []
    if let request { members.append(JSON.Member("request", .text(request.description))) }
    if let header { members.append(header.member) }
    if let isCritical { members.append(JSON.Member("critical", .bool(isCritical))) }
    if let first { members.append(JSON.Member("first", .number(first))) }
    if let attempt { members.append(JSON.Member("attempt", .number(attempt))) }
    if let every { members.append(JSON.Member("every", .number(every))) }
    if let probability {
      members.append(JSON.Member("probability", .exactly(probability)))
    }
    if let burst {
      members.append(
        JSON.Member(
          "burst",
          ["goodToBad": .exactly(burst.goodToBad), "badToGood": .exactly(burst.badToGood)]
        )
      )
    }
    if let window { members += window.members }
    if let untilHeaderChanges {
      members.append(JSON.Member("untilHeaderChanges", .text(untilHeaderChanges)))
    }
    return .object(members)
  }
}

extension HeaderCondition {
  /// `"header": "Name"`, `"header": "Name: value"` or `"withoutHeader": "Name"`.
  fileprivate init?(reading object: inout ObjectReader) throws(FormatError) {
    let text = try object.string("header")
    let absent = try object.fieldName("withoutHeader")
    switch (text, absent) {
    case (nil, nil): return nil
    case (_?, _?):
      throw object.error(
        "withoutHeader",
        "this stands beside \"header\"",
        remedy: "Write one of the two; a second rule can ask for the other."
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
        throw object.error("header", "a field's value has no line breaks and no NUL")
      }
      self = .equal(name, to: value)
    }
  }

  fileprivate var member: JSON.Member {
    switch self {
    case .present(let name): JSON.Member("header", .text(name))
    case .equal(let name, let value): JSON.Member("header", .text("\(name): \(value)"))
    case .absent(let name): JSON.Member("withoutHeader", .text(name))
    }
  }
}

extension Burst {
  fileprivate init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    let goodToBad = try object.double("goodToBad", in: 0...1)
    let badToGood = try object.double("badToGood", in: 0...1)
    try object.refuseUnknownKeys()
    guard let goodToBad, let badToGood else {
      let missing = goodToBad == nil ? "goodToBad" : "badToGood"
      throw object.error(missing, "a burst needs this probability, from 0 to 1")
    }
    guard goodToBad + badToGood > 0 else {
      throw object.error("goodToBad", "a chain that goes neither way never moves")
    }
    self.init(goodToBad: goodToBad, badToGood: badToGood)
  }
}

extension TimeWindow {
  fileprivate init?(reading object: inout ObjectReader) throws(FormatError) {
    let range = 0.0...86_400_000
    let start = try object.double("fromMilliseconds", in: range)
    let end = try object.double("untilMilliseconds", in: range)
    guard start != nil || end != nil else { return nil }
    self.init(
      from: Duration(milliseconds: start ?? 0),
      until: end.map { Duration(milliseconds: $0) }
    )
    if let end = self.end, end <= self.start {
      throw object.error(
        "untilMilliseconds",
        "this is not after \"fromMilliseconds\", so the time is over before it begins"
      )
    }
  }

  fileprivate var members: [JSON.Member] {
    let start = JSON.Member("fromMilliseconds", .number(start.inMilliseconds, places: 3))
    guard let end else { return [start] }
    return [start, JSON.Member("untilMilliseconds", .number(end.inMilliseconds, places: 3))]
  }
}

extension ObjectReader {
  /// The name of a header field (RFC 9110 §5.1).
  fileprivate mutating func fieldName(_ key: String) throws(FormatError) -> String? {
    guard let name = try string(key) else { return nil }
    guard name.isHTTPToken else { throw noFieldName(key, name) }
    return name
  }

  fileprivate func noFieldName(_ key: String, _ name: String) -> FormatError {
    error(key, "\"\(name)\" is no name of a header field such as Authorization")
  }
}

extension ObjectReader {
  fileprivate mutating func requestPattern(_ name: String) throws(FormatError) -> RequestPattern? {
    guard let text = try string(name) else { return nil }
    if let wrong = RequestPattern.problem(with: text) {
      throw error(name, wrong.problem, remedy: wrong.remedy)
    }
    return RequestPattern(text)
  }
}
