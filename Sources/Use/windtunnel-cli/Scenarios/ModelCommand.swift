/// Runs the loss model without sending anything.
enum ModelCommand: Command {
  static let name = "model"
  static let summary = "Calculate when the bytes of an exchange arrive over a link."
  static let synopsis = "[--preset NAME | --scenario NAME|FILE] [--rtt MS] [--loss P] [--drop …]"
  static let example = "windtunnel model --rtt 100 --loss 0.05 --response 14480 --draws 200"
  static let flags = [
    Flag("--preset", "NAME", "Start from a preset's link.", choices: LinkPreset.all.map(\.name)),
    Flag("--scenario", "NAME|FILE", choices: Shipped.preRelease)
      .help("Start from a scenario's link."),
    Flag("--rtt", "MS", "Round-trip time in milliseconds, half of it in each direction."),
    Flag("--loss", "P", "Probability that a packet is lost, in each direction."),
    Flag("--burst", "P,R[,H,K]")
      .help("Gilbert-Elliott: good to bad, bad to good, loss in bad, loss in good."),
    Flag("--drop", "WAY:KIND:N,…")
      .help("Lose only these: up or down; syn, data, ack or packet; numbers."),
    Flag("--request", "BYTES", "Size of the request (default: 300)."),
    Flag("--response", "BYTES", "Size of the response (default: 14480)."),
    Flag("--tls", nil, "Use TLS 1.3."),
    Flag("--think", "TIME", "Time until the server responds, such as 500ms (default: 0ms)."),
    Flag("--seed", "N", "Seed of all random draws (default: 1)."),
    Flag("--draws", "N", "Connections to draw, one line of JSON each (default: 1)."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let link = try link(arguments)
    let request = try arguments.int("--request", in: 1...(1 << 30)) ?? 300
    let response = try arguments.int("--response", in: 1...(1 << 30)) ?? 14_480
    let seed = try arguments.seed()
    let think = try arguments.duration("--think") ?? .zero
    for ordinal in 1...(try arguments.int("--draws", in: 1...1_000_000) ?? 1) {
      let draws = ConnectionDraws(
        seed: seed,
        scenario: "model",
        lane: .deck,
        key: "model",
        ordinal: ordinal
      )
      let timeline = ExchangeTimeline(
        link,
        requestBytes: request,
        responseBytes: response,
        isSecure: arguments.has("--tls"),
        think: think,
        draws: draws
      )
      let line = String(decoding: timeline.json.bytes(.init(.compact)), as: UTF8.self)
      Terminal.answer("\(line)\n")
    }
    return .done
  }

  /// Returns the link that a command line describes.
  private static func link(_ arguments: Arguments) throws -> Link {
    var link = Link(up: .init(), down: .init())
    if let name = try arguments.value("--preset") { link = try PresetText.find(name).link }
    if let name = try arguments.value("--scenario") {
      link = try Scenarios.find(name, in: Shipped.scenarios()).link ?? link
    }
    if let rtt = try arguments.number("--rtt", in: 0...3_600_000) {
      link.up.delay = Duration(milliseconds: rtt / 2)
      link.down.delay = link.up.delay
    }
    if let loss = try arguments.number("--loss", in: 0...1) {
      (link.up.lossProbability, link.down.lossProbability) = (loss, loss)
    }
    if let text = try arguments.value("--burst") {
      let chain = try chain(text)
      (link.up.loss, link.down.loss) = (.gilbertElliott(chain), .gilbertElliott(chain))
    }
    let drops = arguments.all("--drop")
    guard !drops.isEmpty else { return link }
    var (up, down) = (LossScript(), LossScript())
    for drop in drops { try add(drop, &up, &down) }
    (link.up.loss, link.down.loss) = (.script(up), .script(down))
    return link
  }

  private static func chain(_ text: String) throws(CommandError) -> GilbertElliott {
    let numbers = text.split(separator: ",").compactMap { Double($0) }
    guard numbers.count == 2 || numbers.count == 4, numbers.allSatisfy({ 0...1 ~= $0 }),
      numbers[0] + numbers[1] > 0
    else { throw .value("--burst", text, shouldBe: "two or four probabilities such as 0.02,0.25") }
    return GilbertElliott(
      goodToBad: numbers[0],
      badToGood: numbers[1],
      lossInGood: numbers.count == 4 ? numbers[3] : 0,
      lossInBad: numbers.count == 4 ? numbers[2] : 1
    )
  }

  private static func add(
    _ text: String,
    _ up: inout LossScript,
    _ down: inout LossScript
  ) throws(CommandError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let list = (parts.last ?? "").split(separator: ",")
    let numbers = Set(list.compactMap { Int($0) }.filter { $0 > 0 })
    let kinds: [String: WritableKeyPath<LossScript, Set<Int>>] = [
      "packet": \.packets, "syn": \.handshake, "data": \.data, "ack": \.acknowledgements,
    ]
    let kind = parts.count == 3 ? kinds[String(parts[1])] : parts.count == 2 ? \.data : nil
    guard let kind, parts[0] == "up" || parts[0] == "down", !numbers.isEmpty,
      numbers.count == list.count
    else {
      throw .value("--drop", text, shouldBe: "a loss such as up:syn:1 or down:data:8,9,10")
    }
    if parts[0] == "up" { up[keyPath: kind].formUnion(numbers) }
    if parts[0] == "down" { down[keyPath: kind].formUnion(numbers) }
  }
}

extension ExchangeTimeline {
  /// The moment of every stage; `transferMilliseconds` does not include connecting.
  fileprivate var json: JSON {
    [
      "resolvedMilliseconds": .orNull(resolved), "connectedMilliseconds": .orNull(connected),
      "tlsMilliseconds": .orNull(secured),
      "requestDeliveredMilliseconds": .orNull(requestDelivered),
      "firstByteMilliseconds": .orNull(firstByte), "doneMilliseconds": .orNull(done),
      "transferMilliseconds": .orNull(transfer),
      "failure": .orNull(failure?.rawValue),
      "failedMilliseconds": .orNull(failedAt),
    ]
  }
}
