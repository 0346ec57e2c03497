import Mutations
import TestSupport

@testable import WindTunnelWire

/// How many messages come to harm, and which.
private enum Effort {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  static let count = setting("WINDTUNNEL_FUZZ")
  static let minutes = 5 + Int(min(count ?? 0, 100_000_000) / 10_000)

  static let seeds: Range<UInt64> = {
    let first = min(setting("WINDTUNNEL_FUZZ_FROM") ?? 1, 1 << 60)
    return first..<first + min(count ?? 4000, 1 << 40)
  }()

  /// What to type to have this one again.
  static func name(_ seed: UInt64) -> Comment { "WINDTUNNEL_FUZZ=1 WINDTUNNEL_FUZZ_FROM=\(seed)" }

  /// A crash names no seed, so a long run tells how far it has come.
  static func tell(_ what: String, _ seed: UInt64, taken: Int) {
    guard count != nil, seed.isMultiple(of: 10_000) else { return }
    FileHandle.standardError.write(Data("\(what) \(seed), \(taken) taken\n".utf8))
  }
}

/// Good messages come to harm, and a parser does no worse than a refusal in words: no crash, no
/// hang, no memory beyond its limits; and what it takes means the same when it is written again.
///
/// `WINDTUNNEL_FUZZ=1000000` tries so many, `WINDTUNNEL_FUZZ_FROM=4711` begins with that seed.
@Suite(.world, .timeLimit(.minutes(Effort.minutes))) struct ParserFuzzTests {
  @Test func `a harmed request is refused, or means the same when it is written again`() {
    var takenCount = 0
    for seed in Effort.seeds {
      Effort.tell("request", seed, taken: takenCount)
      var numbers = Generator(seed: seed)
      let bytes = FuzzedMessage.request(&numbers)
      let events = Self.events(RequestParser(limits: LimitsTests.limits), bytes, seed, &numbers) {
        $0.bufferedBytes
      }
      for message in FuzzedMessage.whole(events) {
        takenCount += 1
        var again = RequestParser(limits: LimitsTests.limits)
        let second = FuzzedMessage.whole(again.events(of: message.written, by: 1000))
        expectEqual(second, [message], Effort.name(seed))
      }
    }
    // Else only the first line of each would be tried.
    if Effort.seeds.count >= 1000 { #expect(takenCount > Effort.seeds.count / 20) }
  }

  @Test func `a harmed answer is refused, or means the same when it is written again`() {
    var takenCount = 0
    for seed in Effort.seeds {
      Effort.tell("answer", seed, taken: takenCount)
      var numbers = Generator(seed: seed)
      let bytes = FuzzedMessage.answer(&numbers)
      var parser = ResponseParser(limits: LimitsTests.limits)
      parser.expectAnswer(to: "GET")
      let events = Self.events(parser, bytes, seed, &numbers) { $0.bufferedBytes }
      for message in FuzzedMessage.whole(events) {
        takenCount += 1
        var again = ResponseParser(limits: LimitsTests.limits)
        again.expectAnswer(to: "GET")
        let second = FuzzedMessage.whole(again.events(of: message.written, by: 1000))
        expectEqual(second, [message], Effort.name(seed))
      }
    }
    if Effort.seeds.count >= 1000 { #expect(takenCount > Effort.seeds.count / 20) }
  }

  /// The events of bytes, which are the same however these are cut; no step keeps more than the
  /// limits allow, and every refusal is a sentence.
  private static func events<Parser: Fed>(
    _ parser: Parser,
    _ bytes: [UInt8],
    _ seed: UInt64,
    _ numbers: inout Generator,
    buffered: (Parser) -> Int
  ) -> [MessageEvent<Parser.Head>] {
    var whole = parser
    let events = whole.events(of: bytes, by: bytes.count + 1)
    var cut = parser
    var others: [MessageEvent<Parser.Head>] = []
    let step = Int.random(in: 1...9, using: &numbers)
    for start in stride(from: 0, to: bytes.count, by: step) {
      cut.feed(Array(bytes[start..<min(start + step, bytes.count)]))
      for event in cut.events() { others.add(event) }
      let isAnswered = others.last == .end
      // An answer's parser stops behind it, and what follows waits.
      if !(isAnswered && cut is ResponseParser) {
        #expect(buffered(cut) <= LimitsTests.limits.headerBytesMax + step, Effort.name(seed))
      }
    }
    cut.feedEnd()
    for event in cut.events() { others.add(event) }
    expectEqual(others, events, Effort.name(seed))
    #expect(events.count <= bytes.count + 2, Effort.name(seed))
    for failure in events.compactMap(\.failure) {
      #expect(failure.sentence.hasSuffix(".") && failure.sentence.count < 300, Effort.name(seed))
      let words = failure.sentence.unicodeScalars
      #expect(!words.contains { $0.value < 0x20 || $0.value == 0x7F }, Effort.name(seed))
    }
    return events
  }
}
