extension FindingRule {
  /// Two layers try again, and neither knows of the other.
  static let retriesInLayers = FindingRule(
    id: "retries-in-layers",
    severity: .note,
    title: "Tries again in two layers, so that attempts are multiplied.",
    condition:
      "at least 8 calls tried the same at least four times without success, and no answer said when to",
    cost:
      "Three attempts in each of three layers are 27 requests for one call, just when a server fails.",
    fix: "Retry in one layer alone, and let the others pass its failure on.",
    source:
      "AWS Builders' Library, Timeouts, retries and backoff with jitter; Google SRE Book, ch. 22",
    leastCalls: 8,
    restsOnTime: true
  ).together { rule, troubled, _ in
    var patterns: [Layers?] = []
    var examples: [Layers: JudgedCall] = [:]
    for call in troubled where call.isJudged && call.traits.isSuperset(of: [.many, .repeats]) {
      guard let waits = call.waitsOfItsOwn else { continue }
      let layers = Layers(waits)
      patterns.append(layers)
      if let layers, examples[layers].map({ $0.observation.call > call.observation.call }) ?? true {
        examples[layers] = call
      }
    }
    guard patterns.count >= rule.leastCalls else { return rule.notMet(by: patterns.count) }
    // Waits that are drawn at random look like this now and then, and not all the same.
    let first = patterns.lazy.compactMap(\.self).first
    guard let layers = first, patterns.allSatisfy({ $0 == layers }),
      let example = examples[layers]
    else { return .passed(patterns.count) }
    let seen = Violation(
      "It made \(layers.outer * layers.inner) attempts for a call, \(layers.inner) and \(layers.inner) "
        + "with a longer wait between, \(layers.outer) times."
    )
    return rule.broken(seen, in: example, calls: patterns.count, of: patterns.count)
  }
}

/// The numbers of attempts by which two layers make a call's.
private struct Layers: Hashable {
  let outer: Int
  let inner: Int

  /// A wait of the outer layer is so many times as long as any of the inner one.
  private static let times = 3
  /// A shorter wait is the machine's own.
  private static let shortest = Duration.milliseconds(5)

  /// Finds them in the waits between all attempts of a call; there are none in waits of one scale,
  /// nor where each of the longer ones stands behind another number of shorter ones.
  init?(_ waits: [Duration]) {
    let longest = waits.max() ?? .zero
    // The inner waits and the outer ones may each grow; between the two kinds there is a step.
    let sorted = waits.sorted()
    let steps = zip(sorted, sorted.dropFirst()).filter { shorter, longer in
      longer >= max(shorter, Self.shortest) * Self.times
    }
    guard steps.count == 1, let bound = steps.first?.1, bound <= longest else { return nil }
    let places = waits.indices.filter { waits[$0] >= bound }
    let inner = places[0] + 1
    guard inner >= 2, (waits.count + 1).isMultiple(of: inner),
      places == Array(stride(from: inner - 1, to: waits.count, by: inner))
    else { return nil }
    (outer, self.inner) = ((waits.count + 1) / inner, inner)
  }
}

extension JudgedCall {
  /// The waits between its attempts for the same, where all of them failed, none asked for a wait,
  /// and it made no others.
  fileprivate var waitsOfItsOwn: [Duration]? {
    let row = longestRow
    guard row.count >= 4, row.count == attempts.count, !traits.contains(.hung),
      observation.ending != .succeeded, attempts.last?.isFailed == true,
      attempts.allSatisfy({ $0.start != nil && !$0.asksToWait })
    else { return nil }
    return zip(row, row.dropFirst()).map { gap($0, $1) ?? .zero }
  }
}
