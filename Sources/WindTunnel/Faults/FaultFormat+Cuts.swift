// { "reset": "afterRequest" | "inStatusLine" | "inHeaders" | "inChunk" }
// { "resetAfterBytes": 40 }                of the whole answer
// { "resetAfterBodyBytes": 10 }            { "resetInChunkAfterBodyBytes": 10 }
// and the same with "close", "halfClose" and "stall", but for { "truncateAfterBodyBytes": 10 }. A
// stall may say for how long: { "stallAfterBodyBytes": 4096, "forMilliseconds": 2000 }.

extension Fault {
  fileprivate enum Verb: String, CaseIterable {
    case reset, close, halfClose, stall

    var bodyKey: String {
      self == .close ? "truncateAfterBodyBytes" : "\(rawValue)AfterBodyBytes"
    }
    var byteKey: String { "\(rawValue)AfterBytes" }
    var chunkKey: String { "\(rawValue)InChunkAfterBodyBytes" }
  }

  fileprivate enum Word: String, CaseIterable {
    case afterRequest, inStatusLine, inHeaders, inChunk

    var point: Point {
      switch self {
      case .afterRequest: .afterRequest
      case .inStatusLine: .inStatusLine
      case .inHeaders: .inHeaders
      case .inChunk: .inChunk(nil)
      }
    }
  }

  static func cuts(reading object: inout ObjectReader) throws(FormatError) -> [Fault] {
    let length = try object.double("forMilliseconds", in: 0...86_400_000)
    var found: [Fault] = []
    var hasStall = false
    for verb in Verb.allCases {
      var points: [Point] = []
      if let word = try object.choice(verb.rawValue, Word.self) { points.append(word.point) }
      if let count = try object.int(verb.byteKey, in: bytes) { points.append(.byte(count)) }
      if let count = try object.int(verb.bodyKey, in: bytes) { points.append(.body(count)) }
      if let count = try object.int(verb.chunkKey, in: bytes) { points.append(.inChunk(count)) }
      hasStall = hasStall || verb == .stall && !points.isEmpty
      found += points.map { point in
        switch verb {
        case .reset: .reset(point)
        case .close: .close(point)
        case .halfClose: .halfClose(point)
        case .stall:
          length.map { .stall(point, for: Duration(milliseconds: $0)) } ?? .stall(point)
        }
      }
    }
    guard length == nil || hasStall else {
      throw object.error("forMilliseconds", "this belongs to a \"stall\"")
    }
    return found
  }
}

extension Fault.Cut {
  var json: JSON {
    let verb: Fault.Verb
    var length: Duration?
    switch ending {
    case .reset: verb = .reset
    case .close: verb = .close
    case .halfClose: verb = .halfClose
    case .stall(let wanted): (verb, length) = (.stall, wanted)
    }
    let place: JSON.Member
    func word(_ word: Fault.Word) -> JSON.Member {
      JSON.Member(JSON.Text(verb.rawValue), .text(word.rawValue))
    }
    switch point {
    case .afterRequest: place = word(.afterRequest)
    case .inStatusLine: place = word(.inStatusLine)
    case .inHeaders: place = word(.inHeaders)
    case .inChunk(nil): place = word(.inChunk)
    case .inChunk(let count?): place = JSON.Member(JSON.Text(verb.chunkKey), .number(count))
    case .body(let count): place = JSON.Member(JSON.Text(verb.bodyKey), .number(count))
    case .byte(let count): place = JSON.Member(JSON.Text(verb.byteKey), .number(count))
    }
    guard let length else { return .object([place]) }
    return .object([
      place, JSON.Member("forMilliseconds", .number(length.inMilliseconds, places: 3)),
    ])
  }
}
