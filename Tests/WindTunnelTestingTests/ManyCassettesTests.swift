import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelTesting

/// Four hundred tests at once, each with a cassette of its own, half of them through
/// `URLSession.shared`. All ask the same addresses, and those are the ones of a server that answers:
/// whatever is mixed up has the wrong body, and whatever goes live is counted.
@Suite(.manyTapes) struct ManyCassettesTests {
  private func play(_ number: Int, meeting rendezvous: Rendezvous? = nil) async throws {
    let cassettes = try #require(ManyCassettes.current)
    let isShared = number.isMultiple(of: 2)
    let texts = try await withCassette(
      cassettes.path(number),
      sharedSession: isShared,
      expecting: [.everyInteraction, .inOrder]
    ) { session in
      await rendezvous?.meet()
      let session = isShared ? URLSession.shared : session
      var texts: [String] = []
      for _ in 0..<3 { texts.append(try await session.text("\(cassettes.url)/take")) }
      return texts + [try await session.text("\(cassettes.url)/end")]
    }
    expectEqual(texts, ManyCassettes.texts(number))
  }

  @Test(arguments: 0..<ManyCassettes.count)
  func `each test hears its own tape`(number: Int) async throws { try await play(number) }

  @Test func `all of them at once hear their own tapes`() async throws {
    let rendezvous = Rendezvous(of: ManyCassettes.count)
    try await withThrowingTaskGroup { group in
      for number in 0..<ManyCassettes.count {
        group.addTask {
          do {
            try await play(number, meeting: rendezvous)
          } catch {
            // Nobody must wait for one that will not come.
            await rendezvous.giveUp()
            throw error
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await rendezvous.isComplete)
  }
}

/// Where so many wait until all of them are there.
private actor Rendezvous {
  private let count: Int
  private var arrived = 0
  private var isOver = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(of count: Int) { self.count = count }

  var isComplete: Bool { arrived == count }

  func meet() async {
    arrived += 1
    if isComplete { giveUp() }
    guard !isOver else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  func giveUp() {
    isOver = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}

/// Writes the cassettes of a suite, and counts what reaches the server that they were made of.
private struct ManyCassettes: SuiteTrait, TestScoping {
  static let count = 400

  struct Place: Sendable {
    let folder: URL
    let url: String
    func path(_ number: Int) -> String { folder.appending(path: "\(number).json").path }
  }

  @TaskLocal static var current: Place?

  static func texts(_ number: Int) -> [String] {
    (1...3).map { "tape \(number), take \($0)" } + ["tape \(number), end"]
  }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let origin = Deck([.get("/live", json: [:])])
    let server = try await ReplayServer(origin, .patient)
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let place = Place(folder: folder, url: server.url)
    for number in 0..<Self.count {
      let texts = Self.texts(number)
      let interactions = texts.indices.map { index in
        Interaction(
          Request("GET", RequestURL("\(place.url)/\(index == 3 ? "end" : "take")")),
          .text(Body(texts[index]))
        )
      }
      try Cassette(interactions).write(to: URL(filePath: place.path(number)))
    }
    try await Self.$current.withValue(place) { try await function() }
    #expect(origin.journal.all.isEmpty)
    // It would have counted.
    _ = try await URLSession(configuration: .ephemeral).text("\(place.url)/take")
    expectEqual(origin.attempts("GET /take"), 1)
    await server.stop()
    try FileManager.default.removeItem(at: folder)
  }
}

extension Trait where Self == ManyCassettes {
  fileprivate static var manyTapes: Self { Self() }
}
