import TestSupport
import WindTunnel
import WindTunnelSymptoms
import WindTunnelURLSession

/// What could end a process, each in a process of its own.
@Suite(.timeLimit(.minutes(5))) struct SurvivalTests {
  static func deck(_ scenario: Scenario = .calm) -> Deck {
    Deck([.get("https://api.example.test/n", json: ["n": 1], then: .repeat)], scenario: scenario)
  }

  static let url = "https://api.example.test/n"

  @Test func `a download task`() async {
    await #expect(processExitsWith: .success) {
      let session = SurvivalTests.deck().session()
      let url = try #require(URL(string: SurvivalTests.url))
      let isAnswered: Bool = await withCheckedContinuation { continuation in
        session.downloadTask(with: url) { place, _, error in
          continuation.resume(returning: place != nil || error != nil)
        }.resume()
      }
      try #require(isAnswered)
    }
  }

  @Test func `a redirect`() async {
    await #expect(processExitsWith: .success) {
      let moved = Interaction(
        Request("GET", "https://api.example.test/a"),
        Response(status: 302, headers: ["Location": "/n"])
      )
      let deck = Deck([.recorded(moved), .get("https://api.example.test/n", json: ["n": 1])])
      let seen = await deck.session().seen("https://api.example.test/a")
      try #require(seen.text == #"{"n":1}"#)
    }
  }

  @Test func `an end without an answer, to an async caller`() async {
    await #expect(processExitsWith: .success) {
      let url = try #require(URL(string: SurvivalTests.url))
      for fault in [
        Fault.close, .reset(.afterRequest), .truncate(afterBodyBytes: 0), .connection(.offline),
      ] {
        let session = SurvivalTests.deck([.always(.always, fault)]).session()
        await #expect(throws: URLError.self) { _ = try await session.data(from: url) }
      }
    }
  }

  @Test func `a cancel before the answer's time, and that time`() async {
    await #expect(processExitsWith: .success) {
      let delay = Fault.delay(.exactly(.seconds(1)))
      let session = SurvivalTests.deck([.always(.always, delay)]).session()
      for _ in 0..<50 {
        let error = try await session.cancelling(SurvivalTests.url) { _ in }
        try #require(error.code == .cancelled)
      }
      // Asked last, so answered after all the others' time.
      try #require(await session.seen(SurvivalTests.url).status == 200)
    }
  }

  @Test func `a cancel before the start`() async {
    await #expect(processExitsWith: .success) {
      let session = SurvivalTests.deck().session()
      let request = URLRequest(url: try #require(URL(string: SurvivalTests.url)))
      let seen = await session.seen(request) { task in
        task.cancel()
        task.resume()
      }
      try #require((seen.error as? URLError)?.code == .cancelled)
    }
  }

  @Test func `ten thousand cancels about when the answer comes`() async {
    await #expect(processExitsWith: .success) {
      let session = SurvivalTests.deck().session()
      let url = try #require(URL(string: SurvivalTests.url))
      for round in 0..<100 {
        await concurrently(0..<100) { number in
          await withCheckedContinuation { continuation in
            let task = session.dataTask(with: url) { _, _, _ in continuation.resume() }
            task.resume()
            if (round + number).isMultiple(of: 3) { Thread.sleep(forTimeInterval: 0) }
            task.cancel()
          }
        }
      }
      try #require(await session.seen(SurvivalTests.url).status == 200)
    }
  }

  @Test func `suspends and resumes, many and doubled`() async {
    await #expect(processExitsWith: .success) {
      let delay = Fault.delay(.exactly(.milliseconds(100)))
      let deck = SurvivalTests.deck([.always(.always, delay)])
      let session = deck.session()
      let request = URLRequest(url: try #require(URL(string: SurvivalTests.url)))
      for _ in 0..<10 {
        let seen = await session.seen(request) { task in
          task.resume()
          task.resume()
          for _ in 0..<3 {
            task.suspend()
            task.resume()
          }
        }
        try #require(seen.text == #"{"n":1}"#)
      }
      try #require(deck.journal.all.count == 10)
    }
  }

  @Test(arguments: [false, true])
  func `a Basic challenge, also to a delegate that has a credential`(hasDelegate: Bool) async {
    await #expect(processExitsWith: .success) { [hasDelegate = hasDelegate as Bool] in
      let challenge = Interaction(
        Request("GET", RequestURL(SurvivalTests.url)),
        Response(status: 401, headers: ["WWW-Authenticate": "Basic realm=x"], body: Body("no"))
      )
      let session = URLSession(
        configuration: .windTunnel(Deck([.recorded(challenge)])),
        delegate: hasDelegate ? Credentials() : nil,
        delegateQueue: nil
      )
      let seen = await session.seen(SurvivalTests.url)
      try #require(seen.status == 401)
      try #require(seen.text == "no")
    }
  }

  @Test func `sessions that are invalidated in flight`() async {
    await #expect(processExitsWith: .success) {
      let scenario: Scenario = [.always(.always, .delay(.exactly(.milliseconds(1))))]
      let deck = SurvivalTests.deck(scenario)
      let request = URLRequest(url: try #require(URL(string: SurvivalTests.url)))
      for number in 0..<500 {
        let session = deck.session()
        _ = await session.seen(request) { task in
          task.resume()
          if number.isMultiple(of: 2) {
            session.invalidateAndCancel()
          } else {
            session.finishTasksAndInvalidate()
          }
        }
      }
    }
  }

  @Test func `a protocol class that was given back`() async {
    await #expect(processExitsWith: .success) {
      let registration = ProtocolRegistration(
        deck: SurvivalTests.deck(),
        lane: .deck,
        errors: .current
      )
      let type: AnyClass = ProtocolClassPool.take(for: registration)
      let session = URLSession(configuration: .registered(type))
      try #require(await session.seen(SurvivalTests.url).status == 200)
      ProtocolClassPool.giveBack(type)
      let error = try #require(await session.seen(SurvivalTests.url).error)
      try #require("\(error)".contains("deck was released"))
    }
  }

  @Test func `two thousand sessions`() async {
    await #expect(processExitsWith: .success) {
      let deck = SurvivalTests.deck()
      for _ in 0..<2000 {
        let session = deck.session()
        try #require(await session.seen(SurvivalTests.url).status == 200)
        session.finishTasksAndInvalidate()
      }
    }
  }
}
