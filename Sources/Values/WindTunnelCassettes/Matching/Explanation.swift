/// The recordings of a cassette that answer a request, or the reason why none does.
public struct Explanation: Sendable, CustomStringConvertible {
  /// The request that is made.
  public let request: Request
  /// The numbers of the recordings that answer the request, in the order in which they are played,
  /// from 1; empty if none does.
  public let numbers: [Int]
  /// The number of a recording that would answer just as well: it differs only in values that were
  /// redacted, so that the first request gets the first recording. `nil` where the recordings
  /// differ otherwise.
  public let rival: Int?
  /// The changes to the recorded responses so that they suit the request, one sentence each, such
  /// as `#1 is played as 304 Not Modified: …`; empty if they are played as they were recorded.
  public let changes: [String]
  /// The reason why no recording answers.
  public let mismatch: Mismatch?

  /// Matches a request against a cassette from which nothing has been played.
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

  private var asked: String { "\(request.method) \(request.url.withoutUserInfo)" }

  /// The explanation in sentences.
  public var description: String {
    if let mismatch { return mismatch.description }
    let all = numbers.map { "#\($0)" }
    let first =
      all.count == 1
      ? "\(asked) is answered by \(all[0])."
      : "\(asked) is answered by \(all.joined(separator: ", ")), in this order."
    let answer = ([first] + changes).joined(separator: "\n")
    guard let rival else { return answer }
    return """
      \(answer)
      \(all[0]) and #\(rival) cannot be told apart: they differ only in what was taken out of them, so \
      who asks first gets \(all[0]).
      """
  }

  /// The explanation as JSON, for programs: the request, whether it is answered, and by which
  /// recordings or why not.
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
  /// The address without what may hold a password.
  var withoutUserInfo: RequestURL {
    var url = self
    url.userInfo = nil
    return url
  }
}
