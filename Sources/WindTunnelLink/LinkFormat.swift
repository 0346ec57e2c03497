extension Link {
  package init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    var link = Link(up: Direction(), down: Direction())
    if let name = try object.string("preset") {
      guard let preset = LinkPreset.named(name) else { throw Self.unknownPreset(name, object) }
      link = preset.link
    }
    let dns = try object.double("dnsDelayMilliseconds", in: LinkOverrides.delays)
    link.dnsDelay = dns.map { Duration(milliseconds: $0) } ?? link.dnsDelay
    link.isShared = try object.bool("shared") ?? link.isShared
    let both = try LinkOverrides("", &object)
    let (up, down) = (try LinkOverrides("up", &object), try LinkOverrides("down", &object))
    try object.refuseUnknownKeys()
    link.up = try up.applied(to: try both.applied(to: link.up, object, isLast: false), object)
    link.down = try down.applied(to: try both.applied(to: link.down, object, isLast: false), object)
    if link.isShared, link.up.bitsPerSecond == nil, link.down.bitsPerSecond == nil {
      throw object.error("shared", "there is no rate to share", fix: "Give \"bitsPerSecond\".")
    }
    self = link
  }

  private static func unknownPreset(_ name: String, _ object: ObjectReader) -> FormatError {
    object.error(
      "preset",
      "there is no preset \"\(name)\"",
      fix: LinkPreset.suggestion(for: name)
    )
  }

  package var json: [JSON.Member] {
    var members = Self.members(up, "up") + Self.members(down, "down")
    if dnsDelay > .zero { members.add("dnsDelayMilliseconds", dnsDelay) }
    if isShared { members.append(JSON.Member("shared", .bool(true))) }
    return members
  }

  private static func members(_ direction: Direction, _ prefix: String) -> [JSON.Member] {
    var members: [JSON.Member] = []
    func add(_ name: String, _ value: JSON?) {
      guard let value else { return }
      members.append(JSON.Member(JSON.Text(prefix + name), value))
    }
    add("DelayMilliseconds", .number(direction.delay.inMilliseconds, places: 3))
    if let jitter = direction.jitter {
      add("JitterMilliseconds", .number(jitter.length.inMilliseconds, places: 3))
      if jitter.distribution != .even {
        add("JitterDistribution", .text(jitter.distribution.rawValue))
      }
      if jitter.correlation > 0 { add("JitterCorrelation", .exactly(jitter.correlation)) }
    }
    add("BitsPerSecond", direction.bitsPerSecond.map { .exactly($0) })
    add("QueueBytes", direction.queueBytes.map { .number($0) })
    add("QueuePackets", direction.queuePackets.map { .number($0) })
    switch direction.loss {
    case .none: break
    case .bernoulli(let probability): add("LossProbability", .exactly(probability))
    case .gilbertElliott(let chain):
      add("Loss", .object([JSON.Member("gilbertElliott", chain.json)]))
    case .script(let script): add("Loss", .object([JSON.Member("script", script.json)]))
    }
    return members
  }
}

/// The statements of a link's text about one direction or both; what it does not say stays as it
/// is.
private struct LinkOverrides {
  static let delays = 0.0...3_600_000

  private let prefix: String
  private var delay: Double?
  private var jitter: Double?
  private var distribution: Jitter.Distribution?
  private var correlation: Double?
  private var rate: Double?
  private var queueBytes: Int?
  private var queuePackets: Int?
  private var loss: LossModel?

  init(_ prefix: String, _ object: inout ObjectReader) throws(FormatError) {
    self.prefix = prefix
    delay = try object.double(key("delayMilliseconds"), in: Self.delays)
    jitter = try object.double(key("jitterMilliseconds"), in: Self.delays)
    distribution = try object.choice(key("jitterDistribution"), Jitter.Distribution.self)
    correlation = try object.double(key("jitterCorrelation"), in: 0...1)
    rate = try object.double(key("bitsPerSecond"), in: 1...1e15)
    queueBytes = try object.int(key("queueBytes"), in: 1...(1 << 40))
    queuePackets = try object.int(key("queuePackets"), in: 1...1_000_000)
    let probability = try object.double(key("lossProbability"), in: 0...1)
    loss = probability.map { $0 > 0 ? .bernoulli($0) : .none }
    guard let model = try object.object(key("loss")) else { return }
    guard probability == nil else {
      throw object.error(
        key("loss"),
        "\"\(key("lossProbability"))\" stands here, too",
        fix: "Give one of them."
      )
    }
    loss = try LossModel(reading: model)
  }

  private func key(_ name: String) -> String {
    prefix.isEmpty ? name : prefix + name.prefix(1).uppercased() + name.dropFirst()
  }

  /// Returns the direction with what is said about it, and refused where that makes no sense.
  func applied(
    to direction: Link.Direction,
    _ object: ObjectReader,
    isLast: Bool = true
  ) throws(FormatError) -> Link.Direction {
    var direction = direction
    if let delay { direction.delay = Duration(milliseconds: delay) }
    if let rate { direction.bitsPerSecond = rate }
    if let queueBytes { direction.queueBytes = queueBytes }
    if let queuePackets { direction.queuePackets = queuePackets }
    if let loss { direction.loss = loss }
    var stray = direction.jitter ?? Jitter(.zero)
    if let jitter { stray.length = Duration(milliseconds: jitter) }
    if let distribution { stray.distribution = distribution }
    if let correlation { stray.correlation = correlation }
    direction.jitter = stray == Jitter(.zero) ? nil : stray
    guard isLast else { return direction }
    // What was said for both directions may be what makes no sense for this one.
    func place(_ name: String, _ isHere: Bool) -> String {
      isHere ? key(name) : name
    }
    if let jitter = direction.jitter {
      if jitter.length == .zero {
        throw object.error(
          place("jitterDistribution", distribution != nil || correlation != nil),
          "there is no jitter that it could shape",
          fix: "Give \"jitterMilliseconds\"."
        )
      }
      if jitter.length > direction.delay {
        throw object.error(
          place("jitterMilliseconds", self.jitter != nil),
          "\(JSON.number(jitter.length.inMilliseconds, places: 3)) ms is more than the delay of "
            + "\(JSON.number(direction.delay.inMilliseconds, places: 3)) ms"
        )
      }
    }
    if direction.queuePackets != nil, direction.bitsPerSecond == nil {
      throw object.error(
        place("queuePackets", queuePackets != nil),
        "nothing waits where there is no rate",
        fix: "Give \"bitsPerSecond\"."
      )
    }
    return direction
  }
}

extension LossModel {
  /// Reads `{"gilbertElliott": {…}}`, `{"bernoulli": 0.05}` or `{"script": {…}}`.
  fileprivate init(reading object: ObjectReader) throws(FormatError) {
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
      throw object.error(
        ofAll: "one of \"bernoulli\", \"gilbertElliott\" and \"script\" should stand here"
      )
    }
  }
}

extension GilbertElliott {
  fileprivate init(reading object: ObjectReader) throws(FormatError) {
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
        fix: "Give \"lossProbability\", or one of \"goodToBad\" and \"badToGood\" above 0."
      )
    }
    self.init(
      goodToBad: goodToBad,
      badToGood: badToGood,
      lossInGood: lossInGood ?? 0,
      lossInBad: lossInBad ?? 1
    )
  }

  fileprivate var json: JSON {
    [
      "goodToBad": .exactly(goodToBad), "badToGood": .exactly(badToGood),
      "lossInGood": .exactly(lossInGood), "lossInBad": .exactly(lossInBad),
    ]
  }
}

extension LossScript {
  /// The greatest number of packets of a kind that can be named.
  private static let numbersMax = 10_000

  fileprivate init(reading object: ObjectReader) throws(FormatError) {
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

  fileprivate var json: JSON {
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
