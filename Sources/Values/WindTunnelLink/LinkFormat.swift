extension Link: JSONObject {
  package static let blank = Link(up: Direction(), down: Direction())

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    var (ups, downs) = (LinkOverrides(up), LinkOverrides(down))
    guard fields.isReading else {
      try ups.list("up", &fields)
      try downs.list("down", &fields)
      return try listBoth(&fields)
    }
    if let name = try fields.object.string("preset") {
      guard let preset = LinkPreset.named(name) else {
        let (problem, fix) = ("there is no preset \"\(name)\"", LinkPreset.suggestion(for: name))
        throw fields.object.error("preset", problem, fix: fix)
      }
      self = preset.link
    }
    try listBoth(&fields)
    var both = LinkOverrides(Direction())
    try both.list("", &fields)
    try ups.list("up", &fields)
    try downs.list("down", &fields)
    try fields.refuseUnknownKeys()
    up = ups.applied(to: both.applied(to: up))
    try ups.check(up, fields)
    down = downs.applied(to: both.applied(to: down))
    try downs.check(down, fields)
    let hasRate = up.bitsPerSecond != nil || down.bitsPerSecond != nil
    let fix = "Give \"bitsPerSecond\"."
    try fields.refuse(isShared && !hasRate, "shared", "there is no rate to share", fix: fix)
  }

  /// Reads or writes the members for both directions together.
  private mutating func listBoth(_ fields: inout JSONFields) throws(FormatError) {
    var delay = dnsDelay > .zero ? dnsDelay : nil
    var shared = isShared ? true : nil
    try fields.time("dnsDelayMilliseconds", &delay, in: LinkOverrides.delays)
    try fields.bool("shared", &shared)
    (dnsDelay, isShared) = (delay ?? dnsDelay, shared ?? isShared)
  }
}

/// The conditions of a link's text for one direction or both; missing ones stay unchanged.
private struct LinkOverrides {
  static let delays = 0.0...3_600_000

  private var prefix = ""
  private var delay: Duration?
  private var jitter: Duration?
  private var distribution: Jitter.Distribution?
  private var correlation: Double?
  private var rate: Double?
  private var queueBytes: Int?
  private var queuePackets: Int?
  private var loss: LossModel?

  /// Creates the conditions of a direction.
  init(_ direction: Link.Direction) {
    (delay, rate, loss) = (direction.delay, direction.bitsPerSecond, direction.loss)
    (queueBytes, queuePackets) = (direction.queueBytes, direction.queuePackets)
    guard let jitter = direction.jitter else { return }
    self.jitter = jitter.length
    distribution = jitter.distribution == .even ? nil : jitter.distribution
    correlation = jitter.correlation > 0 ? jitter.correlation : nil
  }

  /// Reads or writes the conditions under keys with a direction as prefix.
  mutating func list(_ prefix: String, _ fields: inout JSONFields) throws(FormatError) {
    self.prefix = prefix
    try fields.time(key("delayMilliseconds"), &delay, in: Self.delays)
    try fields.time(key("jitterMilliseconds"), &jitter, in: Self.delays)
    try fields.choice(key("jitterDistribution"), &distribution)
    try fields.double(key("jitterCorrelation"), &correlation, in: 0...1)
    try fields.double(key("bitsPerSecond"), &rate, in: 1...1e15)
    try fields.int(key("queueBytes"), &queueBytes, in: 1...(1 << 40))
    try fields.int(key("queuePackets"), &queuePackets, in: 1...1_000_000)
    var probability: Double? = if case .bernoulli(let share)? = loss { share } else { nil }
    try fields.double(key("lossProbability"), &probability, in: 0...1)
    guard fields.isReading else { return fields.write(key("loss"), loss?.json) }
    loss = probability.map { $0 > 0 ? .bernoulli($0) : .none }
    guard let model = try fields.object.object(key("loss")) else { return }
    let problem = "\"\(key("lossProbability"))\" excludes it"
    try fields.refuse(probability != nil, key("loss"), problem, fix: "Set only one of them.")
    loss = try LossModel(reading: model)
  }

  private func key(_ name: String) -> String {
    prefix.isEmpty ? name : prefix + name.prefix(1).uppercased() + name.dropFirst()
  }

  /// Returns a direction changed by the conditions.
  func applied(to direction: Link.Direction) -> Link.Direction {
    var direction = direction
    if let delay { direction.delay = delay }
    if let rate { direction.bitsPerSecond = rate }
    if let queueBytes { direction.queueBytes = queueBytes }
    if let queuePackets { direction.queuePackets = queuePackets }
    if let loss { direction.loss = loss }
    var stray = direction.jitter ?? Jitter(.zero)
    if let jitter { stray.length = jitter }
    if let distribution { stray.distribution = distribution }
    if let correlation { stray.correlation = correlation }
    direction.jitter = stray == Jitter(.zero) ? nil : stray
    return direction
  }

  /// Throws if a direction contradicts itself, which the conditions for both directions may cause.
  func check(_ direction: Link.Direction, _ fields: JSONFields) throws(FormatError) {
    func place(_ name: String, _ isHere: Bool) -> String { isHere ? key(name) : name }
    let isShaped = distribution != nil || correlation != nil
    try fields.refuse(
      direction.jitter?.length == .zero,
      place("jitterDistribution", isShaped),
      "there is no jitter to shape",
      fix: "Give \"jitterMilliseconds\"."
    )
    let (length, delay) = (direction.jitter?.length ?? .zero, direction.delay)
    try fields.refuse(
      length > delay,
      place("jitterMilliseconds", jitter != nil),
      "\(JSON.milliseconds(length)) ms is more than the delay of \(JSON.milliseconds(delay)) ms"
    )
    try fields.refuse(
      direction.queuePackets != nil && direction.bitsPerSecond == nil,
      place("queuePackets", queuePackets != nil),
      "nothing waits without a rate",
      fix: "Give \"bitsPerSecond\"."
    )
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
        ofAll: "expected \"bernoulli\", \"gilbertElliott\" or \"script\""
      )
    }
  }

  /// The object of a model that is more than a probability; `nil` for other models.
  fileprivate var json: JSON? {
    switch self {
    case .none, .bernoulli: nil
    case .gilbertElliott(let chain): ["gilbertElliott": chain.json]
    case .script(let script): ["script": script.json]
    }
  }
}

extension GilbertElliott: JSONObject {
  package static let blank = Self(goodToBad: 0, badToGood: 0)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let problem = "a probability from 0 to 1 is missing"
    var (toBad, toGood): (Double?, Double?) = (goodToBad, badToGood)
    var (inGood, inBad): (Double?, Double?) = (lossInGood, lossInBad)
    try fields.double("goodToBad", &toBad, in: 0...1)
    goodToBad = try fields.required(toBad, ("goodToBad", problem))
    try fields.double("badToGood", &toGood, in: 0...1)
    badToGood = try fields.required(toGood, ("badToGood", problem))
    try fields.double("lossInGood", &inGood, in: 0...1)
    try fields.double("lossInBad", &inBad, in: 0...1)
    (lossInGood, lossInBad) = (inGood ?? lossInGood, inBad ?? lossInBad)
    try fields.refuseUnknownKeys()
    try fields.refuse(
      goodToBad + badToGood <= 0,
      "goodToBad",
      "a chain that never moves has no bursts",
      fix: "Set \"lossProbability\", or one of \"goodToBad\" and \"badToGood\" above 0."
    )
  }
}

extension LossScript: JSONObject {
  package static let blank = Self()

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.packets("packets", &packets)
    try fields.packets("handshake", &handshake)
    try fields.packets("data", &data)
    try fields.packets("acknowledgements", &acknowledgements)
  }
}

extension JSONFields {
  /// The maximum number of packets of a kind in a script.
  private static let packetsMax = 10_000

  /// Reads or writes packet numbers, in order.
  fileprivate mutating func packets(
    _ name: String,
    _ value: inout Set<Int>
  ) throws(FormatError) {
    guard isReading else {
      return write(name, value.isEmpty ? JSON?.none : .numbers(value.sorted()))
    }
    let list = try object.array(name) ?? []
    guard list.count <= Self.packetsMax else {
      throw object.error(name, "\(list.count) numbers exceed the maximum, \(Self.packetsMax)")
    }
    for (index, json) in list.enumerated() {
      guard let number = json.intValue, 1...1_000_000_000 ~= number else {
        let problem = "\(json) is not a whole number from 1 to 1000000000"
        throw object.error("\(name)[\(index)]", problem)
      }
      value.insert(number)
    }
  }
}
