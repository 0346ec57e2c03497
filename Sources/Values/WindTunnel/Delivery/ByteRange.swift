internal import Foundation

/// A part of a representation that a `Range` field requests, counted in bytes (RFC 9110 §14.1.2).
enum ByteRange: Sendable, Hashable {
  /// From one byte through another, or to the end.
  case from(Int, through: Int?)
  /// A number of bytes at the end.
  case last(Int)

  /// Parses `bytes=a-b`, `bytes=a-` or `bytes=-n`.
  ///
  /// `nil` for any value that a server may ignore: several ranges, another unit, and invalid syntax
  /// (RFC 9110 §14.2).
  init?(_ field: String) {
    let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, String(parts[0]).equalsIgnoringASCIICase("bytes") else { return nil }
    let ends = parts[1].trimmingOptionalWhitespace()
      .split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) }) else {
      return nil
    }
    // A number that is too large for an integer is after every end.
    let numbers = ends.map { $0.isEmpty ? nil : Int($0) ?? .max }
    switch (numbers[0], numbers[1]) {
    case (nil, nil): return nil
    case (nil, let count?): self = .last(count)
    case (let first?, let last):
      guard first <= last ?? .max else { return nil }
      self = .from(first, through: last)
    }
  }

  /// Returns the bytes of a representation with this length; `nil` if it has none of them, which
  /// means a 416.
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
  /// The first byte of the requested rest, if the request resumes a response; otherwise `nil`.
  package var resumesAt: Int? {
    let fields = headers.values("Range")
    guard method == "GET", fields.count == 1,
      case .from(let first, through: nil)? = ByteRange(fields[0]), first > 0
    else { return nil }
    return first
  }
}

extension Response {
  /// Returns the part of a recorded response that a request's `Range` selects, by RFC 9110 §14.
  ///
  /// Three conditions must be met. The recording's server accepts ranges (`Accept-Ranges: bytes`),
  /// the request is a GET with one range, and its `If-Range` matches the recorded response.
  /// Otherwise it returns the whole recorded response. A range after the end leads to a 416.
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

  /// Returns whether an `If-Range` matches the recorded validators, or is missing (RFC 9110
  /// §13.1.5): an equal strong entity tag or an equal date.
  private func meets(_ condition: String?) -> Bool {
    guard let condition else { return true }
    if condition.hasPrefix("\"") { return condition == headers["ETag"] }
    // A weak tag never means that the bytes are equal.
    guard !condition.hasPrefix("W/"), let modified = headers["Last-Modified"] else { return false }
    // A response that was sent in the second of its change may have changed again (RFC 9110
    // §8.8.2.2).
    return condition == modified && headers["Date"] != modified
  }

  /// Returns a 416 for a range after the end (RFC 9110 §15.5.17).
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

  /// Returns the events after a client's last one, with their times (WHATWG HTML §9.2.4,
  /// `Last-Event-ID`).
  ///
  /// The times between the events are kept. If the stream does not have the event, the whole stream
  /// is returned.
  ///
  /// If no event follows, the stream is over, and the response is a 204: the client must not
  /// connect again (§9.2.3). With an empty stream it would reconnect indefinitely. If the recorded
  /// stream was cut, the response is cut again instead, because later events are unknown.
  ///
  /// The client of the standard sends only `GET`. Some libraries send a `POST` again with the same
  /// field and the same meaning.
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
