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
      throw object.error("shared", "there is no rate to share", remedy: "Give \"bitsPerSecond\".")
    }
    self = link
  }

  private static func unknownPreset(_ name: String, _ object: ObjectReader) -> FormatError {
    object.error(
      "preset",
      "there is no preset \"\(name)\"",
      remedy: LinkPreset.suggestion(for: name)
    )
  }

  package var json: [JSON.Member] {
    var members = Self.members(up, "up") + Self.members(down, "down")
    if dnsDelay > .zero {
      members.append(
        JSON.Member("dnsDelayMilliseconds", .number(dnsDelay.inMilliseconds, places: 3))
      )
    }
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
