/// The recordings on a cassette that match a request, or the reason why none matches.
public struct Explanation: Sendable, CustomStringConvertible {
  /// The request to match.
  public let request: Request
  /// The numbers of the matching recordings in the order in which they are played, from 1; empty if
  /// none matches.
  public let numbers: [Int]
  /// The number of another recording that would match as well; `nil` if there is none.
  ///
  /// It differs only in redacted values, so the first request is played the first recording.
  public let rival: Int?
  /// The changes to the recorded responses for this request, one sentence each, such as
  /// `#1 is played as 304 Not Modified: …`.
  ///
  /// Empty if the responses are played unchanged.
  public let changes: [String]
  /// The reason why no recording matches; `nil` if one does.
  public let mismatch: Mismatch?

  /// Matches a request against a cassette of which nothing has been played.
  public init(_ request: Request, _ cassette: Cassette, matcher: Matcher) {
    self.request = request
    let index = MatchIndex(cassette.interactions, matcher: matcher)
    let sequence = index.played(for: request)
    let places = sequence?.places ?? []
    numbers = places.map { $0 + 1 }
    changes = places.flatMap { place in
      FittedResponse(cassette.interactions[place], to: request).changes
        .map { "#\(place + 1) \($0)." }
    }
    rival = sequence?.rival.map { $0 + 1 }
    mismatch =
      places.isEmpty ? Mismatch(request, among: cassette.interactions, matcher: matcher) : nil
  }

  private var asked: String { Mismatch.shown(request) }

  /// The explanation in sentences.
  public var description: String {
    if let mismatch { return mismatch.description }
    let all = numbers.map { "#\($0)" }
    let first =
      all.count == 1
      ? "\(asked) matches \(all[0])."
      : "\(asked) matches \(all.joined(separator: ", ")), in this order."
    let answer = ([first] + changes).joined(separator: "\n")
    guard let rival else { return answer }
    return """
      \(answer)
      \(all[0]) and #\(rival) are identical except for their redacted values, so \
      the first matching request gets \(all[0]).
      """
  }

  /// The explanation as JSON, for programs: the request, whether it matches, and the matching
  /// recordings or the reason.
  public var json: JSON {
    let head = JSON.members(["matches": .bool(mismatch == nil)])
    guard let mismatch, case .object(let members) = mismatch.json else {
      return .object(
        head
          + JSON.members([
            "asked": .text(asked), "answeredBy": .numbers(numbers),
            "changes": changes.isEmpty ? JSON?.none : .texts(changes),
            "cannotBeToldFrom": rival.map { .number($0) },
          ])
      )
    }
    return .object(head + members)
  }
}

extension RequestURL {
  /// The URL without its user information, which may contain a password.
  var withoutUserInfo: RequestURL {
    var url = self
    url.userInfo = nil
    return url
  }
}
