internal import Foundation

/// A placeholder on a cassette, such as `REDACTED-token-1`.
package struct Pseudonym: Hashable, Comparable {
  package var name: String
  package var ordinal: Int

  package init(name: String, ordinal: Int) { (self.name, self.ordinal) = (name, ordinal) }

  package static func < (left: Pseudonym, right: Pseudonym) -> Bool {
    (left.name, left.ordinal) < (right.name, right.ordinal)
  }
}

extension Interaction {
  /// The pseudonyms that the interaction contains.
  package var pseudonyms: Set<Pseudonym> { Set(orderedPseudonyms) }

  /// Returns the interaction with other ordinals, in plain text and in base64; lengths are updated.
  package func renumbered(_ ordinal: (Pseudonym) -> Int) -> Interaction {
    var copy = self
    func text(_ text: String) -> String {
      String(decoding: Self.renumbered(Bytes(text.utf8), ordinal), as: UTF8.self)
    }
    let url = request.url.description
    var request = request
    if RedactedText.mayBeIn(url.utf8) { request.url = RequestURL(text(url)) }
    var (untimed, timing): (Timing?, Timing?) = (nil, timing)
    Self.renumber(&request.headers, &request.body, &untimed, ordinal)
    copy.request = request
    copy.editResponse { response in
      Self.renumber(&response.head.headers, &response.body, &timing, ordinal)
      if !response.trailers.isEmpty {
        response.head.trailers = Self.renumbered(response.trailers, ordinal)
      }
      for index in response.head.informational.indices {
        let fields = response.head.informational[index].headers
        response.head.informational[index].headers = Self.renumbered(fields, ordinal)
      }
    }
    copy.timing = timing
    if var failure {
      failure.text = failure.text.map { text($0) }
      copy.result = RecordedResult(copy.response, failure) ?? result
    }
    for index in messages.indices {
      let bytes = Bytes(messages[index].body.data)
      let new = Self.renumbered(bytes, ordinal)
      if new != bytes { copy.messages[index].body = Body(Data(new)) }
    }
    copy.notes = Self.renumbered(notes, ordinal)
    copy.innerNotes = innerNotes.mapValues { Self.renumbered($0, ordinal) }
    return copy
  }

  /// The pseudonyms in order, with repetitions.
  var orderedPseudonyms: [Pseudonym] {
    var found: [Pseudonym] = []
    _ = renumbered { pseudonym in
      found.append(pseudonym)
      return pseudonym.ordinal
    }
    return found
  }

  private static func renumber(
    _ headers: inout HeaderFields,
    _ body: inout Body,
    _ timing: inout Timing?,
    _ ordinal: (Pseudonym) -> Int
  ) {
    headers = renumbered(headers, ordinal)
    var rewriting = BodyRewriting(body, timing)
    if let batches = EventBatches(large: body, of: headers) {
      for batch in batches {
        rewriting.replace(batch, by: Data(renumbered(Bytes(body.bytes(batch)), ordinal)))
      }
    } else {
      let new = renumbered(Bytes(body.data), ordinal)
      rewriting.replace(0..<body.count, by: Data(new))
    }
    guard let new = rewriting.finish(&timing) else { return }
    if max(body.count, new.count) > Body.openedBytesMax {
      headers.follow(bodyGrowth: new.count - body.count)
    } else {
      headers.follow(BodyChange(from: body.data, body.data, to: new.data))
    }
    body = new
  }

  private static func renumbered(
    _ fields: HeaderFields,
    _ ordinal: (Pseudonym) -> Int
  ) -> HeaderFields {
    HeaderFields(
      fields.map { field in
        let value = renumbered(Bytes(field.value.utf8), ordinal)
        return HeaderField(field.name, String(decoding: value, as: UTF8.self))
      }
    )
  }

  private static func renumbered(_ notes: [JSON.Member], _ ordinal: (Pseudonym) -> Int)
    -> [JSON.Member]
  {
    guard !notes.isEmpty else { return notes }
    let bytes = Bytes(JSON.object(notes).bytes())
    let new = renumbered(bytes, ordinal)
    // The text was just written as JSON, so it can be parsed.
    guard new != bytes, let json = try? JSONParser.parse(new), case .object(let members) = json
    else { return notes }
    return members
  }

  private static func renumbered(_ bytes: Bytes, _ ordinal: (Pseudonym) -> Int) -> Bytes {
    guard RedactedText.mayBeIn(bytes), let text = String(utf8: bytes) else { return bytes }
    var new = ""
    var place = text.startIndex
    for (range, _) in RedactedText.packed(in: text) {
      new += Self.renumbered(text[place..<range.lowerBound], ordinal)
      let spelled = Bytes(text[range].utf8)
      if let inner = EncodedText.decoded(spelled) {
        new += EncodedText.encoded(renumbered(inner, ordinal), like: spelled)
      } else {
        new += text[range]
      }
      place = range.upperBound
    }
    return Bytes((new + Self.renumbered(text[place...], ordinal)).utf8)
  }

  /// Returns a text with other ordinals, except within base64.
  package static func renumbered(_ text: Substring, _ ordinal: (Pseudonym) -> Int) -> String {
    let bytes = Bytes(text.utf8)
    let edits = PseudonymText.found(in: bytes).map { range, pseudonym in
      Edit(range, "REDACTED-\(pseudonym.name)-\(ordinal(pseudonym))".utf8)
    }
    return String(decoding: Edit.applied(edits, to: bytes), as: UTF8.self)
  }
}

/// A scanner for placeholders such as `REDACTED-token-1`. It uses no regular expressions, because
/// it scans every body.
package enum PseudonymText {
  private static let mark = Bytes("REDACTED-".utf8)
  private static let mailEnd = Bytes("@example.test".utf8)

  /// Returns the pseudonyms in a text with their ranges, in order.
  package static func found(in bytes: Bytes) -> [(range: Range<Int>, pseudonym: Pseudonym)] {
    starts(in: bytes).compactMap { start in
      let run = run(from: start, in: bytes)
      // The last hyphen before a digit ends the name.
      guard
        let hyphen = run.indices.dropFirst().last(where: { index in
          run[index] == UInt8(ascii: "-") && index + 1 < run.endIndex && run[index + 1].isASCIIDigit
        })
      else { return nil }
      let digits = run[(hyphen + 1)...].prefix(while: \.isASCIIDigit)
      let name = String(decoding: run[..<hyphen], as: UTF8.self)
      guard let ordinal = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
      return (start - mark.count..<digits.endIndex, Pseudonym(name: name, ordinal: ordinal))
    }
  }

  /// Whether a text consists of one pseudonym only, or of an e-mail address with one.
  package static func isWhole(_ bytes: Bytes) -> Bool {
    guard bytes.starts(with: mark) else { return false }
    let run = run(from: mark.count, in: bytes)
    let end = bytes[run.endIndex...]
    guard end.isEmpty || end.elementsEqual(mailEnd),
      let hyphen = run.lastIndex(of: UInt8(ascii: "-")), hyphen > run.startIndex
    else { return false }
    let digits = run[(hyphen + 1)...]
    return !digits.isEmpty && digits.allSatisfy(\.isASCIIDigit)
  }

  /// Whether a text may contain pseudonyms: in plain text, base64 or hexadecimal digits.
  package static func mayBeIn(_ bytes: Bytes) -> Bool {
    // The first two bytes of the marks in ``RedactedText/mayBeIn(_:)``.
    bytes.withUnsafeBufferPointer { bytes in
      for place in bytes.indices.dropLast() {
        let next = bytes[place + 1]
        switch bytes[place] {
        case UInt8(ascii: "R"): if next == UInt8(ascii: "E") { return true }
        case UInt8(ascii: "U"): if next == UInt8(ascii: "k") { return true }
        case UInt8(ascii: "J"): if next == UInt8(ascii: "F") { return true }
        case UInt8(ascii: "S"): if next == UInt8(ascii: "R") { return true }
        case UInt8(ascii: "5"): if next == UInt8(ascii: "2") { return true }
        default: break
        }
      }
      return false
    } && RedactedText.mayBeIn(bytes)
  }

  /// Returns the positions at which the names begin.
  private static func starts(in bytes: Bytes) -> [Int] {
    bytes.withUnsafeBufferPointer { bytes in
      var starts: [Int] = []
      var place = 0
      while place + mark.count < bytes.count {
        if bytes[place] == mark[0], bytes[place...].starts(with: mark) {
          starts.append(place + mark.count)
          place += mark.count
        } else {
          place += 1
        }
      }
      return starts
    }
  }

  private static func run(from start: Int, in bytes: Bytes) -> ByteSlice {
    bytes[start...].prefix { 0x61...0x7A ~= $0 || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
  }
}
