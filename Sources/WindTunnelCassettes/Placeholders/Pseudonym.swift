internal import Foundation

/// A pseudonym as it stands on a cassette: `REDACTED-token-1`.
package struct Pseudonym: Hashable, Comparable {
  package var name: String
  package var ordinal: Int

  package init(name: String, ordinal: Int) {
    (self.name, self.ordinal) = (name, ordinal)
  }

  package static func < (left: Pseudonym, right: Pseudonym) -> Bool {
    (left.name, left.ordinal) < (right.name, right.ordinal)
  }
}

extension Interaction {
  /// The pseudonyms that stand in it.
  package var pseudonyms: Set<Pseudonym> {
    var found: Set<Pseudonym> = []
    _ = renumbered { pseudonym in
      found.insert(pseudonym)
      return pseudonym.ordinal
    }
    return found
  }

  /// Returns the same with other ordinals, in texts and in what base64 spells; lengths follow.
  package func renumbered(_ ordinal: (Pseudonym) -> Int) -> Interaction {
    var copy = self
    func text(_ text: String) -> String {
      String(decoding: Self.renumbered(Array(text.utf8), ordinal), as: UTF8.self)
    }
    let url = request.url.description
    var request = request
    if RedactedText.mayBeIn(url.utf8) { request.url = RequestURL(text(url)) }
    var untimed: Timing?
    Self.renumber(&request.headers, &request.body, &untimed, ordinal)
    copy.request = request
    if var response {
      Self.renumber(&response.head.headers, &response.body, &copy.timing, ordinal)
      switch answer {
      case .response: copy.answer = .response(response)
      case .cut(_, let failure): copy.answer = .cut(response, failure)
      case .failure: break
      }
    }
    if let failure {
      let failure = Failure(failure.symptom, text: failure.text.map { text($0) })
      switch copy.answer {
      case .cut(let response, _): copy.answer = .cut(response, failure)
      case .failure: copy.answer = .failure(failure)
      case .response: break
      }
    }
    for index in messages.indices {
      let bytes = Array(messages[index].body.data)
      let new = Self.renumbered(bytes, ordinal)
      if new != bytes { copy.messages[index].body = Body(Data(new)) }
    }
    copy.notes = Self.renumbered(notes, ordinal)
    copy.innerNotes = innerNotes.mapValues { Self.renumbered($0, ordinal) }
    return copy
  }

  private static func renumber(
    _ headers: inout HeaderFields,
    _ body: inout Body,
    _ timing: inout Timing?,
    _ ordinal: (Pseudonym) -> Int
  ) {
    headers = HeaderFields(
      headers.map { field in
        let value = renumbered(Array(field.value.utf8), ordinal)
        return HeaderField(field.name, String(decoding: value, as: UTF8.self))
      }
    )
    var rewriting = BodyRewriting(body, timing)
    if let batches = EventBatches(large: body, of: headers) {
      for batch in batches {
        rewriting.replace(batch, by: Data(renumbered(Array(body.bytes(batch)), ordinal)))
      }
    } else {
      let new = renumbered(Array(body.data), ordinal)
      rewriting.replace(0..<body.count, by: Data(new))
    }
    guard let new = rewriting.finish(&timing) else { return }
    if let length = headers["Content-Length"].flatMap({ Int($0) }) {
      headers["Content-Length"] = String(max(0, length + new.count - body.count))
    }
    body = new
  }

  private static func renumbered(_ notes: [JSON.Member], _ ordinal: (Pseudonym) -> Int)
    -> [JSON.Member]
  {
    guard !notes.isEmpty else { return notes }
    let bytes = JSON.object(notes).bytes()
    let new = renumbered(bytes, ordinal)
    // It was written here a moment ago.
    guard new != bytes, let json = try? JSONParser.parse(new), case .object(let members) = json
    else {
      return notes
    }
    return members
  }

  private static func renumbered(_ bytes: [UInt8], _ ordinal: (Pseudonym) -> Int) -> [UInt8] {
    guard RedactedText.mayBeIn(bytes), let text = String(utf8: bytes) else { return bytes }
    var new = ""
    var place = text.startIndex
    for (range, _) in RedactedText.packed(in: text) {
      new += Self.renumbered(text[place..<range.lowerBound], ordinal)
      let spelled = Array(text[range].utf8)
      if let inner = EncodedText.decoded(spelled) {
        new += EncodedText.encoded(renumbered(inner, ordinal), like: spelled)
      } else {
        new += text[range]
      }
      place = range.upperBound
    }
    return Array((new + Self.renumbered(text[place...], ordinal)).utf8)
  }

  /// Returns a text with other ordinals, but for what stands packed in it.
  package static func renumbered(_ text: Substring, _ ordinal: (Pseudonym) -> Int) -> String {
    String(text).replacing(/REDACTED-([a-z0-9-]+)-([0-9]+)/) { match in
      guard let number = Int(match.output.2) else { return String(match.output.0) }
      let name = String(match.output.1)
      return "REDACTED-\(name)-\(ordinal(Pseudonym(name: name, ordinal: number)))"
    }
  }
}

/// A scanner for placeholders such as `REDACTED-token-1`, without regular expressions, since every
/// body is scanned.
package enum PseudonymText {
  private static let mark = Array("REDACTED-".utf8)
  private static let mailEnd = Array("@example.test".utf8)

  /// Returns the names and ordinals that stand in a text, in their order.
  package static func found(in bytes: [UInt8]) -> [(name: String, ordinal: Int)] {
    starts(in: bytes).compactMap { start in
      let run = run(from: start, in: bytes)
      // The last hyphen with a digit behind it ends the name.
      guard
        let hyphen = run.indices.dropFirst().last(where: { index in
          run[index] == UInt8(ascii: "-") && index + 1 < run.endIndex && isDigit(run[index + 1])
        }),
        let ordinal = Int(
          String(decoding: run[(hyphen + 1)...].prefix(while: isDigit), as: UTF8.self)
        )
      else { return nil }
      return (String(decoding: run[..<hyphen], as: UTF8.self), ordinal)
    }
  }

  /// Tells whether a text is one of these and nothing else, be it an e-mail address of one.
  package static func isWhole(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: mark) else { return false }
    let run = run(from: mark.count, in: bytes)
    let end = bytes[run.endIndex...]
    guard end.isEmpty || end.elementsEqual(mailEnd),
      let hyphen = run.lastIndex(of: UInt8(ascii: "-")), hyphen > run.startIndex
    else { return false }
    let digits = run[(hyphen + 1)...]
    return !digits.isEmpty && digits.allSatisfy(isDigit)
  }

  /// Tells whether any may stand in a text, as it is, in base64 or in hexadecimal digits.
  package static func mayBeIn(_ bytes: [UInt8]) -> Bool {
    // The first two bytes of what ``RedactedText/mayBeIn(_:)`` looks for.
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

  /// Returns the places at which the names begin.
  private static func starts(in bytes: [UInt8]) -> [Int] {
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

  private static func run(from start: Int, in bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes[start...].prefix { 0x61...0x7A ~= $0 || isDigit($0) || $0 == UInt8(ascii: "-") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
