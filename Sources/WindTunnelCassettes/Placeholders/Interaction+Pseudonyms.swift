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
  var pseudonyms: Set<Pseudonym> {
    var found: Set<Pseudonym> = []
    _ = renumbered { pseudonym in
      found.insert(pseudonym)
      return pseudonym.ordinal
    }
    return found
  }

  /// The same with other ordinals, in texts and in what base64 spells; lengths follow.
  package func renumbered(_ ordinal: (Pseudonym) -> Int) -> Interaction {
    var copy = self
    func text(_ text: String) -> String {
      String(decoding: Self.renumbered(Array(text.utf8), ordinal), as: UTF8.self)
    }
    let url = request.url.description
    var request = request
    if RedactedText.mayBeIn(url.utf8) { request.url = RequestURL(text(url)) }
    Self.renumber(&request.headers, &request.body, ordinal)
    copy.request = request
    if var response {
      let before = response.body.data
      Self.renumber(&response.head.headers, &response.body, ordinal)
      if before != response.body.data { copy.timing?.refit(from: before, to: response.body.data) }
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
    _ ordinal: (Pseudonym) -> Int
  ) {
    headers = HeaderFields(
      headers.map { field in
        let value = renumbered(Array(field.value.utf8), ordinal)
        return HeaderField(field.name, String(decoding: value, as: UTF8.self))
      }
    )
    let bytes = Array(body.data)
    let new = renumbered(bytes, ordinal)
    guard new != bytes else { return }
    body = Body(Data(new))
    if let length = headers["Content-Length"].flatMap({ Int($0) }) {
      headers["Content-Length"] = String(max(0, length + new.count - bytes.count))
    }
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

  /// A text with other ordinals, but for what stands packed in it.
  package static func renumbered(_ text: Substring, _ ordinal: (Pseudonym) -> Int) -> String {
    String(text).replacing(/REDACTED-([a-z0-9-]+)-([0-9]+)/) { match in
      guard let number = Int(match.output.2) else { return String(match.output.0) }
      let name = String(match.output.1)
      return "REDACTED-\(name)-\(ordinal(Pseudonym(name: name, ordinal: number)))"
    }
  }
}
