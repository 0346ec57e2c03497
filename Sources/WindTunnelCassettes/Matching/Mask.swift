/// Where values were taken out of a recording, and the recording without them.
struct Mask: Hashable, Sendable {
  /// One text with values taken out.
  struct Slot: Hashable, Sendable {
    var place: RequestParts.Place
    var shape: RedactedText.Shape
  }

  /// The texts, in order.
  private(set) var slots: [Slot] = []

  /// What the values are called, in order.
  var names: [String] { slots.flatMap(\.shape.names) }

  /// Finds what was taken out of a recording; `nil` if nothing was.
  static func make(_ recorded: RequestParts) -> (mask: Mask, ordinals: [Int])? {
    var mask = Mask()
    var ordinals: [Int] = []
    for place in recorded.places {
      guard let text = recorded[place].flatMap({ RedactedText($0) }) else { continue }
      mask.slots.append(Slot(place: place, shape: text.shape))
      ordinals += text.ordinals
    }
    return ordinals.isEmpty ? nil : (mask, ordinals)
  }

  /// The values that a request has where others were taken out, and all else of it; `nil` if it
  /// has no such places.
  func applied(to asked: RequestParts) -> (values: [String], leaf: String)? {
    var values: [String] = []
    var rest = asked
    for slot in slots {
      guard let text = asked[slot.place], let found = slot.shape.values(in: text) else {
        return nil
      }
      values += found
      rest.clear(slot.place)
    }
    return (values, rest.leaf)
  }

  /// Whether it is worth looking for redactions: a quick answer that errs towards yes.
  static func mayBeIn(_ request: Request, _ matcher: Matcher) -> Bool {
    let url = request.url
    if RedactedText.mayBeIn(url.path.utf8) { return true }
    if let query = url.query, RedactedText.mayBeIn(query.utf8) { return true }
    let fields = matcher.headers.flatMap { request.headers.values($0) }
    if fields.contains(where: { RedactedText.mayBeIn($0.utf8) }) { return true }
    guard matcher.comparesBodies, !request.body.data.isEmpty else { return false }
    return request.headers["Content-Encoding"] != nil
      || RedactedText.mayBeIn(request.body.data)
  }
}
