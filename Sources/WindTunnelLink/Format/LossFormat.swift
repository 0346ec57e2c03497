extension LossModel {
  /// Reads `{"gilbertElliott": {…}}`, `{"bernoulli": 0.05}` or `{"script": {…}}`.
  init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    let bernoulli = try object.double("bernoulli", in: 0...1)
    let chain = try object.object("gilbertElliott")
    let script = try object.object("script")
    try object.refuseUnknownKeys()
    switch (bernoulli, chain, script) {
    case (let probability?, nil, nil): self = probability > 0 ? .bernoulli(probability) : .none
    case (nil, let chain?, nil): self = .gilbertElliott(try GilbertElliott(reading: chain))
    case (nil, nil, let script?): self = .script(try LossScript(reading: script))
    default:
      throw FormatError(
        source: object.source,
        place: object.path,
        problem: "one of \"bernoulli\", \"gilbertElliott\" and \"script\" should stand here"
      )
    }
  }
}

extension GilbertElliott {
  init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    func needed(_ name: String, _ object: inout ObjectReader) throws(FormatError) -> Double {
      guard let value = try object.double(name, in: 0...1) else {
        throw object.error(name, "a probability from 0 to 1 is missing")
      }
      return value
    }
    let goodToBad = try needed("goodToBad", &object)
    let badToGood = try needed("badToGood", &object)
    let lossInGood = try object.double("lossInGood", in: 0...1)
    let lossInBad = try object.double("lossInBad", in: 0...1)
    try object.refuseUnknownKeys()
    guard goodToBad + badToGood > 0 else {
      throw object.error(
        "goodToBad",
        "a chain that never moves has no bursts",
        remedy: "Give \"lossProbability\", or one of \"goodToBad\" and \"badToGood\" above 0."
      )
    }
    self.init(
      goodToBad: goodToBad,
      badToGood: badToGood,
      lossInGood: lossInGood ?? 0,
      lossInBad: lossInBad ?? 1
    )
  }

  var json: JSON {
    [
      "goodToBad": .exactly(goodToBad), "badToGood": .exactly(badToGood),
      "lossInGood": .exactly(lossInGood), "lossInBad": .exactly(lossInBad),
    ]
  }
}

extension LossScript {
  /// So many packets of a kind can be named.
  static let numbersMax = 10_000

  init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    let numbersMax = Self.numbersMax
    func numbers(_ name: String, _ object: inout ObjectReader) throws(FormatError) -> Set<Int> {
      let list = try object.array(name) ?? []
      guard list.count <= numbersMax else {
        throw object.error(name, "\(list.count) numbers are more than \(numbersMax)")
      }
      var numbers: Set<Int> = []
      for (index, value) in list.enumerated() {
        guard let number = value.intValue, 1...1_000_000_000 ~= number else {
          throw object.error(
            "\(name)[\(index)]",
            "\(value) is not a whole number from 1 to 1000000000"
          )
        }
        numbers.insert(number)
      }
      return numbers
    }
    packets = try numbers("packets", &object)
    handshake = try numbers("handshake", &object)
    data = try numbers("data", &object)
    acknowledgements = try numbers("acknowledgements", &object)
    try object.refuseUnknownKeys()
  }

  var json: JSON {
    var members: [JSON.Member] = []
    for (name, numbers) in [
      ("packets", packets), ("handshake", handshake), ("data", data),
      ("acknowledgements", acknowledgements),
    ] where !numbers.isEmpty {
      members.append(JSON.Member(JSON.Text(name), .array(numbers.sorted().map { .number($0) })))
    }
    return .object(members)
  }
}
