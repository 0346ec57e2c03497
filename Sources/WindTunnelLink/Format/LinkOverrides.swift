/// What a link's text says about one direction or both; what it does not say stays as it is.
struct LinkOverrides {
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
        remedy: "Give one of them."
      )
    }
    loss = try LossModel(reading: model)
  }

  private func key(_ name: String) -> String {
    prefix.isEmpty ? name : prefix + name.prefix(1).uppercased() + name.dropFirst()
  }

  /// The direction with what is said about it, and refused where that makes no sense.
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
          remedy: "Give \"jitterMilliseconds\"."
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
        remedy: "Give \"bitsPerSecond\"."
      )
    }
    return direction
  }

}
