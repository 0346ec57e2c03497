extension Link {
  init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    let both = try Self.direction("", &object, Direction())
    up = try Self.direction("up", &object, both)
    down = try Self.direction("down", &object, both)
    try object.refuseUnknownKeys()
  }

  private static func direction(
    _ prefix: String,
    _ object: inout ObjectReader,
    _ common: Direction
  ) throws(FormatError) -> Direction {
    func key(_ name: String) -> String {
      prefix.isEmpty ? name : prefix + name.prefix(1).uppercased() + name.dropFirst()
    }
    let delay = try object.double(key("delayMilliseconds"), in: 0...3_600_000)
    let rate = try object.double(key("bitsPerSecond"), in: 1...1e15)
    let queue = try object.int(key("queueBytes"), in: 1...(1 << 40))
    let loss = try object.double(key("lossProbability"), in: 0...1)
    return Direction(
      delay: delay.map { Duration(milliseconds: $0) } ?? common.delay,
      bitsPerSecond: rate ?? common.bitsPerSecond,
      queueBytes: queue ?? common.queueBytes,
      lossProbability: loss ?? common.lossProbability
    )
  }

  var json: [JSON.Member] {
    func members(_ direction: Direction, _ prefix: String) -> [JSON.Member] {
      var members = [
        JSON.Member(
          JSON.Text("\(prefix)DelayMilliseconds"),
          .number(direction.delay.inMilliseconds, places: 3)
        )
      ]
      if let rate = direction.bitsPerSecond {
        members.append(
          JSON.Member(JSON.Text("\(prefix)BitsPerSecond"), .exactly(rate))
        )
      }
      if let queue = direction.queueBytes {
        members.append(JSON.Member(JSON.Text("\(prefix)QueueBytes"), .number(queue)))
      }
      if direction.lossProbability > 0 {
        members.append(
          JSON.Member(
            JSON.Text("\(prefix)LossProbability"),
            .exactly(direction.lossProbability)
          )
        )
      }
      return members
    }
    return members(up, "up") + members(down, "down")
  }
}
