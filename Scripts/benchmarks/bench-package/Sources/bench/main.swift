internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

/// Prints a row: median, smallest and largest ratio.
func report(_ what: String, _ ratios: [Double]) {
  print(
    "\(what): ratio \(ratios.median.shown()) "
      + "(\(ratios.min().shownOrNone)–\(ratios.max().shownOrNone))"
  )
}

func usage() -> Never {
  let text =
    "usage: bench session|deck|load|record|recording URL|layer URL|main-actor|crowd-client layer|alone|bare URL URL [WAVES]|brown-out|serve [COUNT]|distinct|dribble|latency|forward URL|tunnel [link]|fold|virtual\n"
  FileHandle.standardError.write(Data(text.utf8))
  exit(64)
}

/// Says where a server is and lets it serve until the end of the input: whoever started it closes
/// that.
func hold(_ server: ReplayServer) async throws {
  OpenFiles.raise()
  print(server.url)
  fflush(nil)
  while readLine() != nil {}
  await server.stop()
}

let words = CommandLine.arguments.dropFirst()
switch words.first {
case "session":
  let few = SessionBench(interactions: 10)
  report("session      10, all", try few.ratios(rounds: 401, requests: 50))
  let many = SessionBench(interactions: 10_000)
  report("session  10,000, all", try many.ratios(rounds: 401, requests: 50))
  report("session  10,000, last 10", try many.ratios(rounds: 401, requests: 50, last: 10))
case "session-profile":
  let arguments = Array(words.dropFirst())
  try SessionBench(interactions: 10_000).run(
    arguments.first.flatMap { Int($0) } ?? 20_000,
    isStub: arguments.dropFirst().first == "stub"
  )
case "layer":
  guard let origin = words.dropFirst().first.flatMap({ URL(string: $0) }) else { usage() }
  for way in LayerBench.Way.allCases where way != .bare {
    report(
      "layer    \(way.rawValue) : bare URLSession, healthy",
      try await LayerBench(origin).ratios(way, rounds: 21, requests: 200)
    )
  }
case "layer-profile":
  let arguments = Array(words.dropFirst())
  guard let origin = arguments.first.flatMap({ URL(string: $0) }),
    let way = LayerBench.Way(rawValue: arguments.dropFirst(2).first ?? "layer")
  else { usage() }
  try await LayerBench(origin).run(
    way,
    arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
  )
case "main-actor": try await MainActorBench().run()
case "brown-out": try await BrownOut.hold()
case "crowd-client":
  let arguments = Array(words.dropFirst())
  guard arguments.count >= 3, let way = CrowdClientBench.Way(rawValue: arguments[0]) else {
    usage()
  }
  let origins = arguments[1...2].compactMap { URL(string: $0) }
  let waves = arguments.dropFirst(3).first.flatMap { Int($0) } ?? 10
  try await CrowdClientBench(way, origins, waves: waves).run()
case "record":
  for isFresh in [false, true] {
    let what = isFresh ? "a secret each" : "one secret"
    let ratios = try RecordBench.ratios(rounds: 7, count: 400, freshSecrets: isFresh)
    report("record   400 : 200 of 4 KiB, \(what)", ratios)
    let milliseconds = try (0..<5).map { _ in try RecordBench.milliseconds(400, isFresh) }.median
    print("record   400 of 4 KiB, \(what): \(milliseconds.shown()) ms")
  }
case "record-profile":
  try RecordBench.keep(words.dropFirst().first.flatMap { Int($0) } ?? 2_000)
case "recording":
  guard let origin = words.dropFirst().first.flatMap({ URL(string: $0) }) else { usage() }
  for keeping in LiveBench.Keeping.allCases {
    let bench = try LiveBench(origin, bytes: Tape.body.count, keeping)
    report(
      "recording through URLSession, \(keeping.rawValue)",
      try bench.ratios(rounds: 101, requests: 20)
    )
  }
case "virtual": try await VirtualBench.run()
case "fold":
  FoldBench.run()
  FoldBench.runFindings()
case "load":
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  // Nobody misses a folder that stays behind in the system's temporary one.
  defer { try? FileManager.default.removeItem(at: folder) }
  for bodies in LoadTape.Bodies.allCases {
    let bench = try LoadBench(5_000, bodies, in: folder)
    let times = try bench.times(rounds: 15)
    let megabytes = (Double(bench.bytes) / 1e6).shown(1)
    report("load   5,000, \(megabytes) MB, \(bodies) bodies", times.map { $0.ours / $0.plain })
    print(
      "load   5,000, \(bodies) bodies: median \(times.map(\.ours).median.shown(1)) ms; "
        + "JSONDecoder \(times.map(\.plain).median.shown(1)) ms"
    )
  }
case "load-profile":
  let folder = FileManager.default.temporaryDirectory
  let bench = try LoadBench(5_000, .mixed, in: folder)
  for _ in 0..<(words.dropFirst().first.flatMap { Int($0) } ?? 20) { try bench.open() }
case "tape":
  guard words.count == 4, let megabytes = Int(words[words.startIndex + 2]),
    let each = Int(words[words.startIndex + 3])
  else { exit(64) }
  let file = URL(filePath: words[words.startIndex + 1])
  try LoadTape.data(megabytes * 1_000_000 / each, .mixed, bytesEach: each).write(to: file)
case "open":
  guard let path = words.dropFirst().first else { exit(64) }
  let deck = Deck(try Cassette(contentsOf: URL(filePath: path)), then: .repeat)
  _ = deck.decide(Request("GET", RequestURL(LoadTape.url(0))))
  print(deck.interactions.count)
case "deck":
  print("decide  100,000 : 10: \(DeckBench.line())")
case "serve":
  let count = words.dropFirst().first.flatMap { Int($0) } ?? 10_000
  let deck = Deck(Tape.cassette(count), matcher: .pathAndQuery, then: .repeat)
  try await hold(ReplayServer(deck))
case "distinct":
  let deck = Deck([.get("/any/{id}", json: ["any": true], then: .repeat)], matcher: .pathAndQuery)
  try await hold(ReplayServer(deck))
case "dribble":
  try await hold(ReplayServer(Deck(Dribble.cassette, then: .repeat, pace: .times(1))))
case "latency":
  let late: Scenario = [.always(.always, .delay(.milliseconds(50)))]
  let deck = Deck([.get("/late", json: ["late": true], then: .repeat)], scenario: late)
  try await hold(ReplayServer(deck))
case "forward":
  guard let origin = words.dropFirst().first.map({ RequestURL($0) }) else { usage() }
  try await hold(Forwarding.server(to: origin))
case "tunnel":
  try await hold(Forwarding.tunnels(isShaped: words.dropFirst().first == "link"))
default: usage()
}
