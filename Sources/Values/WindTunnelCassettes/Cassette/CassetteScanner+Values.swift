internal import Foundation

// Strings, numbers, header fields and bodies of a cassette.

extension CassetteScanner {
  /// Returns a string, and whether its text contains escapes.
  mutating func string() throws(Failure) -> (value: String, hasEscapes: Bool) {
    guard try parser.kind() == .string else { throw Self.unusual }
    let start = parser.position
    let span = try parser.skipString()
    guard span.hasEscapes else {
      return (pool.string(UnsafeBufferPointer(rebasing: parser.bytes[span.range])), false)
    }
    parser.position = start
    return (try parser.string().value, true)
  }

  mutating func choice<Choice: RawRepresentable>(_: Choice.Type) throws(Failure) -> Choice
  where Choice.RawValue == String {
    guard let choice = Choice(rawValue: try string().value) else { throw Self.unusual }
    return choice
  }

  mutating func int(in range: ClosedRange<Int>) throws(Failure) -> Int {
    guard try parser.kind() == .number, let number = Int(parser.text(try parser.skipNumber())),
      range.contains(number)
    else { throw Self.unusual }
    return number
  }

  mutating func milliseconds() throws(Failure) -> Double {
    guard try parser.kind() == .number, let number = Double(parser.text(try parser.skipNumber())),
      InteractionReader.millisecondsRange.contains(number)
    else { throw Self.unusual }
    return number
  }

  /// Returns the fields of a request or a response. If its bytes equal the previous list, the
  /// storage is shared.
  mutating func headers(like kind: Int) throws(Failure) -> HeaderFields {
    _ = try parser.kind()
    let start = parser.position
    if let (place, fields) = lastHeaders[kind], parser.repeats(place) {
      parser.position += place.count
      return fields
    }
    let fields = try headers()
    lastHeaders[kind] = (start..<parser.position, fields)
    return fields
  }

  /// Reads header fields from a list of pairs or an object.
  private mutating func headers() throws(Failure) -> HeaderFields {
    fields.removeAll(keepingCapacity: true)
    switch try parser.kind() {
    case .array:
      guard try parser.enterList() else { return [:] }
      repeat { try pair() } while try parser.goesOnInList()
    case .object:
      guard try parser.enterObject() else { return [:] }
      repeat {
        try parser.beginKey()
        let name = try string().value
        try parser.endKey()
        try field(name)
      } while try parser.goesOnInObject()
    case .string, .number, .null, .true, .false: throw Self.unusual
    }
    return HeaderFields(Array(fields))
  }

  private mutating func pair() throws(Failure) {
    guard try parser.kind() == .array, try parser.enterList() else { throw Self.unusual }
    let name = try string().value
    guard try parser.goesOnInList() else { throw Self.unusual }
    try field(name)
    guard try !parser.goesOnInList() else { throw Self.unusual }
  }

  /// Reads the value of a field. Only an escape can put a line break into it.
  private mutating func field(_ name: String) throws(Failure) {
    let (value, hasEscapes) = try string()
    guard name.isHTTPToken, !(hasEscapes && value.breaksFieldLine) else { throw Self.unusual }
    fields.append(HeaderField(name, value))
  }

  // Bodies.
  /// The keys of a body that an object had.
  struct BodyKeys {
    fileprivate var found: (place: Range<Int>, form: StoredBody.Form)?
    fileprivate var layout: JSON.Layout?
    fileprivate var gzip: GzipForm?

    /// Whether the default content type of the body is text.
    var isText: Bool {
      switch found?.form {
      case .json, .text: true
      case .base64, .gzip, nil: false
      }
    }
  }

  /// Validates the body at the current position without decoding it.
  mutating func body(_ key: Key, _ keys: inout BodyKeys) throws(Failure) {
    if key == .layout {
      keys.layout = JSON.Layout(name: try string().value)
      if keys.layout == nil { throw Self.unusual }
      return
    }
    if key == .gzip {
      keys.gzip = GzipForm(try lengths())
      if keys.gzip == nil { throw Self.unusual }
      return
    }
    let kind = try parser.kind()
    guard keys.found == nil else { throw Self.unusual }
    let start = parser.position
    if key == .json {
      try parser.skipValue()
      keys.found = (start..<parser.position, .json(.compact))
      return
    }
    guard kind == .string else { throw Self.unusual }
    let span = try parser.skipString()
    if key == .text {
      keys.found = (start..<parser.position, .text(hasEscapes: span.hasEscapes))
    } else if key == .base64, !span.hasEscapes,
      Base64Text.isCanonical(UnsafeBufferPointer(rebasing: parser.bytes[span.range]))
    {
      keys.found = (span.range, .base64)
    } else {
      throw Self.unusual
    }
  }

  /// Returns the body of an object after it was read, and the default content type.
  func body(_ keys: BodyKeys) throws(Failure) -> (body: Body, contentType: String)? {
    guard let (place, form) = keys.found else {
      if keys.layout != nil || keys.gzip != nil { throw Self.unusual }
      return nil
    }
    let source = text[(text.startIndex + place.lowerBound)..<(text.startIndex + place.upperBound)]
    let whole = { (form: StoredBody.Form) in
      Body(StoredBody(source, keys.gzip.map { .gzip($0, form) } ?? form))
    }
    switch form {
    case .json: return (whole(.json(keys.layout ?? .compact)), InteractionReader.jsonType)
    case .text, .base64, .gzip:
      let isText = form != .base64
      if keys.layout != nil || keys.gzip != nil && !isText { throw Self.unusual }
      return (whole(form), isText ? InteractionReader.textType : InteractionReader.binaryType)
    }
  }
}
