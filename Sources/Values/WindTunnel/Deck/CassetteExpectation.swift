/// The conditions that a cassette, and a scenario, must meet once a test has played it.
public struct CassetteExpectation: OptionSet, Sendable, Hashable {
  /// The conditions as bits, one for each.
  public let rawValue: Int

  /// Makes a set of conditions from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Every interaction was played. One that a fault replaced was asked for, but not played.
  public static let everyInteraction = CassetteExpectation(rawValue: 1 << 0)

  /// The interactions were played in the order in which they were recorded. An interaction that was
  /// never played, or that was played again, does not break the order.
  public static let inOrder = CassetteExpectation(rawValue: 1 << 1)

  /// Every rule of the scenario has matched a request, whether or not it fired.
  public static let everyRule = CassetteExpectation(rawValue: 1 << 2)

  /// Returns what of this does not hold.
  ///
  /// - Parameters:
  ///   - journal: What was played, in the order in which it was.
  ///   - recordings: The interactions by their places; `nil` for what cannot be played by its
  ///     place.
  /// - Returns: What does not hold, in words.
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

  /// Returns the first place that was played for the first time after a later one, with the last of
  /// those that came too early.
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

/// An interaction by its number on the cassette, which counts from 1.
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
  /// The interactions that were not played, and the number of all on the cassette.
  case unplayed([NumberedInteraction], of: Int)
  /// The first interaction out of order: it was played before the other one, which was recorded
  /// earlier.
  case outOfOrder(NumberedInteraction, before: NumberedInteraction)
  /// A rule that matched no request.
  case unmetRule(UnmetRule)
  /// More requests came than the deck remembers, so that the condition cannot be checked.
  case forgotten(requests: Int)

  /// The most interactions that are named; the rest are counted.
  static let namesMax = 10

  /// One or two sentences: the condition, what was there, and what to do next.
  public var description: String {
    switch self {
    case .unplayed(let left, let count):
      let names = left.prefix(Self.namesMax).map { "\n  \($0)" }.joined()
      let more = left.count - Self.namesMax
      return """
        Every interaction was to be played, but \(left.count) of \(count) \
        \(left.count == 1 ? "was" : "were") not:\(names)\(more > 0 ? "\n  and \(more) more" : "")
        Take off the tape what is not needed any more, or ask for it.
        """
    case .outOfOrder(let early, let late):
      return """
        The interactions were to be played in recorded order, but this one\n  \(early)
        was played before\n  \(late)
        Ask in that order, or record the tape anew.
        """
    case .unmetRule(let rule): return "Every rule was to meet a request, but \(rule)."
    case .forgotten(let requests):
      return """
        The tape's use cannot be told: of more than \(Journal.entriesMax) requests the first \
        \(requests) are no longer known. Make several tests of this one.
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

  /// The interactions that were not played, in recorded order. Functions are not among them.
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
  /// A deck that records everything anew plays nothing, so of its cassette nothing is expected.
  public func unmet(_ expectation: CassetteExpectation) -> [UnmetExpectation] {
    let rules = expectation.contains(.everyRule) ? unmetRules : []
    return (recordsAnew ? [] : expectation.unmet(by: journal, of: recordings))
      + rules.map { .unmetRule($0) }
  }

  /// The rules of the current scenario, and of those before it, that have matched no request so
  /// far: each is misspelt or no longer needed.
  public var unmetRules: [UnmetRule] { activeScenario.ruleUse.unmet(seen: journal.requests) }
}

extension Journal {
  /// The requests that came, each once, in the order in which they came first: `GET /get`.
  fileprivate var requests: [String] {
    var known: Set<String> = []
    return all.compactMap { entry in
      guard entry.take != .connection else { return nil }
      let words = entry.decision.key.split(separator: " ", maxSplits: 2).prefix(2)
      let request = words.joined(separator: " ")
      return known.insert(request).inserted ? request : nil
    }
  }

  /// The places of what was played, in the order in which it was.
  package var plays: [Int] {
    all.compactMap { entry in
      guard case .recording(let place) = entry.take else { return nil }
      return place
    }
  }
}
