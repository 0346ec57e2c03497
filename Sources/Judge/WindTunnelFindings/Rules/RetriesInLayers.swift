extension FindingRule {
  /// Finds clients in which two independent layers retry.
  static let retriesInLayers = FindingRule(
    id: "retries-in-layers",
    severity: .note,
    title: "Retries in two layers, so that attempts multiply.",
    condition:
      "at least 8 calls made the same request four times or more, without success or Retry-After",
    cost: "Three attempts in each of three layers are 27 requests for one call.",
    fix: "Retry in one layer only, and let the others return its failure.",
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
    // Random waits sometimes have such a pattern, but not the same one in all calls.
    let first = patterns.lazy.compactMap(\.self).first
    guard let layers = first, patterns.allSatisfy({ $0 == layers }),
      let example = examples[layers]
    else { return .passed(patterns.count) }
    let seen = Violation(
      "It made \(layers.outer * layers.inner) attempts: \(layers.outer) groups of \(layers.inner) "
        + "with a longer wait between."
    )
    return rule.broken(seen, in: example, calls: patterns.count, of: patterns.count)
  }
}

/// The numbers of attempts of two layers, whose product is the number of a call's attempts.
private struct Layers: Hashable {
  let outer: Int
  let inner: Int

  /// The minimum ratio of an outer layer's wait to the inner waits.
  private static let times = 3
  /// The minimum wait. Shorter waits are caused by the machine.
  private static let shortest = Duration.milliseconds(5)

  /// Finds two layers in the waits between all attempts of a call. Returns `nil` if all waits have
  /// a similar length, or if the numbers of short waits between long ones differ.
  init?(_ waits: [Duration]) {
    let longest = waits.max() ?? .zero
    // The inner and the outer waits may each grow, but there is a step between the two kinds.
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
  /// The waits between its attempts, if all have the same request and failed, and no response
  /// requested a wait.
  fileprivate var waitsOfItsOwn: [Duration]? {
    let row = longestRow
    guard row.count >= 4, row.count == attempts.count, !traits.contains(.hung),
      observation.ending != .succeeded, attempts.last?.isFailed == true,
      attempts.allSatisfy({ $0.start != nil && !$0.asksToWait })
    else { return nil }
    return zip(row, row.dropFirst()).map { gap($0, $1) ?? .zero }
  }
}
