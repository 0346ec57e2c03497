// { "dribbleBytes": 1, "everyMilliseconds": 600 }
// { "malformed": NAME }   { "answer": NAME }   { "body": NAME }   { "contentEncoding": NAME }
// { "contentType": "text/html" }   { "staleSeconds": 86400 }
// { "headerFields": 5000 }   { "headerFieldBytes": 600000 }   { "interimResponses": 100 }
// { "keepAlive": "closeAfterIdle" | "resetAfterIdle", "idleMilliseconds": 500 }
// { "keepAlive": "closeOnNextRequest" | "resetOnNextRequest" }

extension Fault {
  private static let milliseconds = 0.0...86_400_000

  static func http(reading object: inout ObjectReader) throws(FormatError) -> [Fault] {
    var found: [Fault] = []
    if let dribble = try dribble(reading: &object) { found.append(dribble) }
    if let kind = try object.choice("malformed", Malformation.self) {
      found.append(.malformed(kind))
    }
    if let kind = try object.choice("answer", Substitute.self) { found.append(.answer(kind)) }
    if let content = try object.choice("body", Alteration.Content.self) {
      found.append(.alter(.body(content)))
    }
    if let type = try object.string("contentType") {
      guard !type.breaksFieldLine else {
        throw object.error("contentType", "a field's value has no line breaks and no NUL")
      }
      found.append(.alter(.contentType(type)))
    }
    if let coding = try object.choice("contentEncoding", Alteration.Coding.self) {
      found.append(.alter(.contentEncoding(coding)))
    }
    if let seconds = try object.int("staleSeconds", in: 0...1_000_000_000) {
      found.append(.alter(.stale(seconds: seconds)))
    }
    if let count = try object.int("headerFields", in: 1...Alteration.fieldsMax) {
      found.append(.alter(.moreFields(count)))
    }
    if let count = try object.int("headerFieldBytes", in: 1...Alteration.fieldBytesMax) {
      found.append(.alter(.longField(bytes: count)))
    }
    if let count = try object.int("interimResponses", in: 1...Alteration.interimResponsesMax) {
      found.append(.alter(.interimResponses(count)))
    }
    if let end = try IdleEnd(reading: &object) { found.append(.idle(end)) }
    return found
  }

  private static func dribble(reading object: inout ObjectReader) throws(FormatError) -> Fault? {
    let count = try object.int("dribbleBytes", in: 1...(1 << 30))
    let interval = try object.double("everyMilliseconds", in: milliseconds)
    switch (count, interval) {
    case (nil, nil): return nil
    case (let count?, let interval?):
      return .dribble(bytes: count, every: Duration(milliseconds: interval))
    case (_?, nil):
      throw object.error("everyMilliseconds", "a dribble needs this time, 0 to 86400000")
    case (nil, _?): throw object.error("everyMilliseconds", "this belongs to \"dribbleBytes\"")
    }
  }

  static func status(reading object: inout ObjectReader) throws(FormatError) -> Fault? {
    let seconds = try object.int("retryAfterSeconds", in: 0...1_000_000_000).map { Int64($0) }
    let spelling = try object.choice("retryAfter", RetryAfter.Spelling.self)
    guard let status = try object.int("status", in: statuses) else {
      if seconds == nil, spelling == nil { return nil }
      throw object.error(
        seconds == nil ? "retryAfter" : "retryAfterSeconds",
        "a Retry-After needs a status to stand with"
      )
    }
    guard seconds == nil || spelling == nil || spelling == .date else {
      throw object.error("retryAfterSeconds", "of the spellings only \"date\" goes with seconds")
    }
    let retryAfter: RetryAfter? =
      switch spelling {
      case nil: seconds.map { .seconds($0) }
      case .date?: .date(inSeconds: seconds ?? 1)
      case .pastDate?: .pastDate
      case .huge?: .huge
      case .garbage?: .garbage
      case .negative?: .negative
      case .twoFields?: .twoFields
      }
    return .status(status, retryAfter: retryAfter)
  }
}

extension RetryAfter {
  fileprivate enum Spelling: String, CaseIterable {
    case date, pastDate, huge, garbage, negative, twoFields
  }

  var members: [JSON.Member] {
    func spelled(_ spelling: Spelling) -> JSON.Member {
      JSON.Member("retryAfter", .text(spelling.rawValue))
    }
    return switch self {
    case .seconds(let count): [JSON.Member("retryAfterSeconds", .number(count))]
    case .date(let count):
      [spelled(.date), JSON.Member("retryAfterSeconds", .number(count))]
    case .pastDate: [spelled(.pastDate)]
    case .huge: [spelled(.huge)]
    case .garbage: [spelled(.garbage)]
    case .negative: [spelled(.negative)]
    case .twoFields: [spelled(.twoFields)]
    }
  }
}

extension Alteration {
  var json: JSON {
    switch self {
    case .body(let content): ["body": .text(content.rawValue)]
    case .contentType(let type): ["contentType": .text(type)]
    case .contentEncoding(let coding): ["contentEncoding": .text(coding.rawValue)]
    case .stale(let seconds): ["staleSeconds": .number(seconds)]
    case .moreFields(let count): ["headerFields": .number(count)]
    case .longField(let count): ["headerFieldBytes": .number(count)]
    case .interimResponses(let count): ["interimResponses": .number(count)]
    }
  }
}

extension IdleEnd {
  private enum Word: String, CaseIterable {
    case closeAfterIdle, resetAfterIdle, closeOnNextRequest, resetOnNextRequest
  }

  fileprivate init?(reading object: inout ObjectReader) throws(FormatError) {
    let word = try object.choice("keepAlive", Word.self)
    let idle = try object.double("idleMilliseconds", in: 0...86_400_000)
    guard let word else {
      if idle != nil { throw object.error("idleMilliseconds", "this belongs to a \"keepAlive\"") }
      return nil
    }
    let isIdle = word == .closeAfterIdle || word == .resetAfterIdle
    guard isIdle == (idle != nil) else {
      throw object.error(
        "idleMilliseconds",
        isIdle
          ? "\(word.rawValue) needs this time, 0 to 86400000"
          : "this does not go with \"\(word.rawValue)\""
      )
    }
    self.init(
      word == .closeAfterIdle || word == .closeOnNextRequest ? .close : .reset,
      idle.map { .idle(Duration(milliseconds: $0)) } ?? .nextRequest
    )
  }

  var json: JSON {
    switch (ending, moment) {
    case (.close, .nextRequest): ["keepAlive": .text(Word.closeOnNextRequest.rawValue)]
    case (.reset, .nextRequest): ["keepAlive": .text(Word.resetOnNextRequest.rawValue)]
    case (let ending, .idle(let length)):
      [
        "keepAlive": .text((ending == .close ? Word.closeAfterIdle : .resetAfterIdle).rawValue),
        "idleMilliseconds": .number(length.inMilliseconds, places: 3),
      ]
    }
  }
}
