// A comparison in a report's text. It is of two files, so a reader takes it as it stands.

extension BaselineComparison {
  var json: JSON {
    let members: JSON = [
      "pairs": .number(pairs), "unpaired": .number(unpaired),
      "successRateBefore": .share(beforeRate), "successRate": .share(nowRate),
      "p95Ratio": p95Ratio?.json ?? .null, "medianRatio": medianRatio?.json ?? .null,
      "lostCalls": .count(flips?.lost), "wonCalls": .count(flips?.won),
      "flipProbability": .share(flips?.probability),
      "latencyProbability": .share(latencyProbability),
    ]
    guard hasOtherLatencies, case .object(let all) = members else { return members }
    return .object(all + [JSON.Member("latencies", "not comparable")])
  }

  init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    let counts = 0...Int.max
    guard let pairs = try object.int("pairs", in: counts),
      let unpaired = try object.int("unpaired", in: counts)
    else { throw object.error("pairs", "a comparison needs its pairs and unpaired calls") }
    (self.pairs, self.unpaired) = (pairs, unpaired)
    beforeRate = object.take("successRateBefore")?.doubleValue
    nowRate = object.take("successRate")?.doubleValue
    p95Ratio = try Ratio(object.take("p95Ratio"), in: object)
    medianRatio = try Ratio(object.take("medianRatio"), in: object)
    if let lost = object.take("lostCalls")?.intValue, let won = object.take("wonCalls")?.intValue,
      let probability = object.take("flipProbability")?.doubleValue
    {
      flips = Flips(lost: lost, won: won, probability: probability)
    }
    latencyProbability = object.take("latencyProbability")?.doubleValue
    hasOtherLatencies = object.take("latencies") == "not comparable"
    // Where there are none they are null, and no key is unknown.
    for key in ["lostCalls", "wonCalls", "flipProbability"] { _ = object.take(key) }
    try object.refuseUnknownKeys()
  }
}

extension BaselineComparison.Ratio {
  fileprivate var json: JSON {
    ["value": .share(value), "lower": .share(lower), "upper": .share(upper)]
  }

  fileprivate init?(_ json: JSON?, in parent: ObjectReader) throws(FormatError) {
    guard let json, json != .null else { return nil }
    guard let value = json["value"]?.doubleValue else {
      throw parent.error("p95Ratio", "a ratio needs its value")
    }
    self.init(value: value, lower: json["lower"]?.doubleValue, upper: json["upper"]?.doubleValue)
  }
}
