internal import Foundation

/// A part of a representation that a `Range` field asks for, counted in bytes (RFC 9110 §14.1.2).
enum ByteRange: Sendable, Hashable {
  /// From one byte to another, both of them included, or to the end.
  case from(Int, through: Int?)
  /// The last so many bytes.
  case last(Int)

  /// Reads `bytes=a-b`, `bytes=a-` or `bytes=-n`.
  ///
  /// `nil` for everything that a server may take for no range at all: several ranges, another unit,
  /// and what the grammar does not have (RFC 9110 §14.2).
  init?(_ field: String) {
    let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, String(parts[0]).equalsIgnoringASCIICase("bytes") else { return nil }
    let ends = parts[1].trimmingOptionalWhitespace()
      .split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    switch (ends[0].isEmpty, ends[1].isEmpty) {
    case (true, true): return nil
    case (true, false):
      guard let count = Self.number(ends[1]) else { return nil }
      self = .last(count)
    case (false, true):
      guard let first = Self.number(ends[0]) else { return nil }
      self = .from(first, through: nil)
    case (false, false):
      guard let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last
      else { return nil }
      self = .from(first, through: last)
    }
  }

  /// Digits; what is too large to hold is beyond every end.
  private static func number(_ text: Substring) -> Int? {
    guard text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    return Int(text) ?? .max
  }

  /// Returns the bytes of a representation of this length; `nil` where it has none of them, which
  /// is 416.
  func bytes(of length: Int) -> Range<Int>? {
    switch self {
    case .from(let first, let last):
      guard first < length else { return nil }
      return first..<min(last ?? .max, length - 1) + 1
    case .last(let count):
      guard count > 0, length > 0 else { return nil }
      return max(0, length - count)..<length
    }
  }
}

extension Request {
  /// The first byte of the rest that it asks for, where it takes up what broke off.
  package var resumesAt: Int? {
    let fields = headers.values("Range")
    guard method == "GET", fields.count == 1,
      case .from(let first, through: nil)? = ByteRange(fields[0]), first > 0
    else { return nil }
    return first
  }
}

extension Response {
  /// Returns the part of a recorded answer that a request asks for by `Range`, by RFC 9110 §14.
  ///
  /// Only where the recording says that its server takes ranges (`Accept-Ranges: bytes`), the
  /// request is a GET with one range, and its `If-Range` names what was recorded: else the whole
  /// answer, as it was recorded. A range beyond the end is 416.
  func part(for request: Request) -> Response {
    guard status == 200, request.method == "GET",
      headers.contains(token: "bytes", in: "Accept-Ranges")
    else { return self }
    let fields = request.headers.values("Range")
    guard fields.count == 1, let range = ByteRange(fields[0]), meets(request.headers["If-Range"])
    else { return self }
    let length = body.count
    guard let bytes = range.bytes(of: length) else { return unsatisfiable(length) }
    let data = body.data
    let first = data.startIndex + bytes.lowerBound
    var part = Response(
      status: 206,
      headers: headers,
      body: Body(data.subdata(in: first..<first + bytes.count))
    )
    part.head.headers.remove("Transfer-Encoding")
    part.head.headers["Content-Length"] = String(bytes.count)
    part.head.headers["Content-Range"] =
      "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(length)"
    return part
  }

  /// Tells whether an `If-Range` is there no more than the recorded validators allow (RFC 9110
  /// §13.1.5): a strong entity tag or a date that is the very one.
  private func meets(_ condition: String?) -> Bool {
    guard let condition else { return true }
    if condition.hasPrefix("\"") { return condition == headers["ETag"] }
    // A weak tag never says that the bytes are the same.
    guard !condition.hasPrefix("W/"), let modified = headers["Last-Modified"] else { return false }
    // What changed in the second in which it was sent may have changed again (RFC 9110 §8.8.2.2).
    return condition == modified && headers["Date"] != modified
  }

  /// Returns a 416 for a range beyond the end (RFC 9110 §15.5.17).
  private func unsatisfiable(_ length: Int) -> Response {
    var kept = HeaderFields(
      headers.filter { field in
        ["Date", "Server", "ETag", "Last-Modified", "Accept-Ranges"].contains { field.isNamed($0) }
      }
    )
    kept.append("Content-Range", "bytes */\(length)")
    kept.append("Content-Length", "0")
    return Response(status: 416, headers: kept)
  }

  /// Returns what a client gets of a stream of events that it has seen up to one (WHATWG HTML
  /// §9.2.4, `Last-Event-ID`), and the times of it: what comes behind that event, at its distances.
  /// A stream that does not have the event comes whole, as one that is new.
  ///
  /// Where nothing comes behind it, the stream is over: 204, which tells the client not to connect
  /// again (§9.2.3). An empty stream would bring it back for ever. One that broke off breaks off
  /// again instead, since what would have followed is not known.
  ///
  /// The standard's own client sends `GET` alone. A `POST` is sent again by libraries that have the
  /// field from the standard, and says the same by it.
  func resumed(
    for request: Request,
    _ timing: Timing?,
    isWhole: Bool
  ) -> (response: Response, timing: Timing?) {
    guard status == 200, ["GET", "POST"].contains(request.method),
      EventStream.Format(of: headers) == .serverSent,
      let id = request.headers["Last-Event-ID"], !id.isEmpty,
      let end = EventStream(body.data, .serverSent).end(of: id)
    else { return (self, timing) }
    let left = Data(body.data.dropFirst(end))
    var rest = self
    guard !isWhole || !EventStream(left, .serverSent).events.isEmpty else {
      rest = Response(status: 204, headers: headers)
      for name in ["Content-Type", "Content-Length", "Transfer-Encoding"] {
        rest.head.headers.remove(name)
      }
      return (rest, timing.map { Timing(firstByte: $0.firstByte, lastByte: $0.firstByte) })
    }
    rest.body = Body(left)
    return (rest, timing?.droppingFirst(bytes: end))
  }
}
