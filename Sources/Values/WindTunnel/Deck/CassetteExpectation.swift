/// The conditions that a cassette and a scenario must meet after a test has used them.
public struct CassetteExpectation: OptionSet, Sendable, Hashable {
  /// The conditions as a bit mask.
  public let rawValue: Int

  /// Creates a set of conditions from its bit mask.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Every interaction was played. An interaction that a fault replaced counts as not played.
  public static let everyInteraction = CassetteExpectation(rawValue: 1 << 0)

  /// The interactions were played in the order in which they were recorded.
  ///
  /// An interaction that was never played, or that was played again, does not break the order.
  public static let inOrder = CassetteExpectation(rawValue: 1 << 1)

  /// Every rule of the scenario has matched a request, even if it did not fire.
  public static let everyRule = CassetteExpectation(rawValue: 1 << 2)

  /// Returns the conditions that are not met.
  ///
  /// - Parameters:
  ///   - journal: The journal of the deck's decisions.
  ///   - recordings: The interactions by their indices; `nil` for a function.
  /// - Returns: The conditions that are not met.
  func unmet(by journal: Journal, of recordings: [Interaction?]) -> [UnmetExpectation] {
    guard !isDisjoint(with: [.everyInteraction, .inOrder]) else { return [] }
    guard journal.dropped == 0 else { return [.forgotten(requests: journal.dropped)] }
    let plays = journal.plays
    var unmet: [UnmetExpectation] = []
    if contains(.everyInteraction) {
      let played = Set(plays)
      let left = recordings.indices.filter { !played.contains($0) }
        .compactMap { place in recordings[place].map { NumberedInteraction(place + 1, $0.request) }
        }
      if !left.isEmpty { unmet.append(.unplayed(left, of: recordings.count { $0 != nil })) }
    }
    if contains(.inOrder), let (early, late) = Self.firstOutOfOrder(plays),
      let before = recordings[early], let after = recordings[late]
    {
      unmet.append(
        .outOfOrder(
          NumberedInteraction(early + 1, before.request),
          before: NumberedInteraction(late + 1, after.request)
        )
      )
    }
    return unmet
  }

  /// Returns the first index that was first played after a later index, with that later index;
  /// `nil` if the order was kept.
  private static func firstOutOfOrder(_ plays: [Int]) -> (early: Int, late: Int)? {
    var played: Set<Int> = []
    var furthest = -1
    for place in plays where played.insert(place).inserted {
      if place < furthest { return (furthest, place) }
      furthest = place
    }
    return nil
  }
}

/// An interaction with its number on the cassette, counted from 1.
public struct NumberedInteraction: Sendable, Hashable, CustomStringConvertible {
  /// The interaction's number on the cassette, from 1.
  public let number: Int
  /// The method of its request, such as `GET`.
  public let method: String
  /// The URL of its request.
  public let url: RequestURL

  init(_ number: Int, _ request: Request) {
    (self.number, method, url) = (number, request.method, request.url)
  }

  /// The number, the method and the URL: `2 GET https://api.example.com/home`.
  public var description: String { "\(number) \(method) \(url)" }
}

/// A condition on a cassette or a scenario that was not met.
public enum UnmetExpectation: Sendable, Hashable, CustomStringConvertible {
  /// The interactions that were not played, and the total number on the cassette.
  case unplayed([NumberedInteraction], of: Int)
  /// The first interaction out of order, and the earlier recording that was played after it.
  case outOfOrder(NumberedInteraction, before: NumberedInteraction)
  /// A rule that matched no request.
  case unmetRule(UnmetRule)
  /// The deck received more requests than its journal keeps, so the condition cannot be checked.
  case forgotten(requests: Int)

  /// The maximum number of interactions that are listed; the others are counted.
  static let namesMax = 10

  /// One or two sentences: the condition, the actual use, and the fix.
  public var description: String {
    switch self {
    case .unplayed(let left, let count):
      let names = left.prefix(Self.namesMax).map { "\n  \($0)" }.joined()
      let more = left.count - Self.namesMax
      return """
        Every interaction must be played, but \(left.count) of \(count) \
        \(left.count == 1 ? "was" : "were") not:\(names)\(more > 0 ? "\n  and \(more) more" : "")
        Remove these interactions from the cassette, or request them.
        """
    case .outOfOrder(let early, let late):
      return """
        The interactions must be played in recorded order, but this one\n  \(early)
        was played before\n  \(late)
        Request them in that order, or record the cassette again.
        """
    case .unmetRule(let rule): return "Every rule must match a request, but \(rule)."
    case .forgotten(let requests):
      return """
        Cannot check usage: the journal keeps \(Journal.entriesMax) requests, and the first \
        \(requests) were dropped. Split the test.
        """
    }
  }
}

extension Deck {
  /// Returns the number of requests so far that match a pattern, such as `GET /users/7` or
  /// `* /users/**`.
  public func attempts(_ pattern: RequestPattern) -> Int {
    journal.count { entry in
      guard entry.take != .connection else { return false }
      let words = entry.decision.key.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count >= 2 else { return false }
      return pattern.matches(Request(words[0], RequestURL(words[1], askedBy: words[0])))
    }
  }

  /// The interactions that were not played, in recorded order, without functions.
  public var unused: [Interaction] {
    let taken = Set(journal.plays)
    return recordings.enumerated().filter { !taken.contains($0.offset) }.compactMap(\.element)
  }

  /// Whether a recording with trailers was played.
  package var playedTrailers: Bool {
    let played = Set(journal.plays)
    return recordings.enumerated().contains { place, recording in
      recording?.response?.trailers.isEmpty == false && played.contains(place)
    }
  }

  /// Returns the conditions of an expectation that are not met so far.
  ///
  /// A deck that records everything again plays nothing, so no conditions on its cassette are
  /// tested.
  public func unmet(_ expectation: CassetteExpectation) -> [UnmetExpectation] {
    let rules = expectation.contains(.everyRule) ? unmetRules : []
    return (recordsAnew ? [] : expectation.unmet(by: journal, of: recordings))
      + rules.map { .unmetRule($0) }
  }

  /// The rules of the current and of earlier scenarios that have matched no request so far: each is
  /// misspelt or no longer needed.
  public var unmetRules: [UnmetRule] { activeScenario.ruleUse.unmet(seen: journal.requests) }
}

extension Journal {
  /// The distinct requests that were received, in the order of their first arrival: `GET /get`.
  fileprivate var requests: [String] {
    var known: Set<String> = []
    return all.compactMap { entry in
      guard entry.take != .connection else { return nil }
      let words = entry.decision.key.split(separator: " ", maxSplits: 2).prefix(2)
      let request = words.joined(separator: " ")
      return known.insert(request).inserted ? request : nil
    }
  }

  /// The indices of the recordings that were played, in order.
  package var plays: [Int] {
    all.compactMap { entry in
      guard case .recording(let place) = entry.take else { return nil }
      return place
    }
  }
}
