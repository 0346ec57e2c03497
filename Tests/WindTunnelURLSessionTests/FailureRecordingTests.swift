import Origins
import TestSupport
import WindTunnel
import WindTunnelSymptoms

/// What goes wrong while it is recorded goes wrong in the same way when it is played.
@Suite(.timeLimit(.minutes(5))) struct FailureRecordingTests {
  /// An origin's way to fail.
  struct Way: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var scheme = "http"
    var piece = ""
    var end: StubbornOrigin.End
    var body: String?
    var symptoms: Set<Symptom>
    /// Linux tells some failures by libcurl's text alone: what is played has their name, and the code
    /// that goes with it.
    var hasCode = true
  }

  private static let half = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n0123"

  static let ways = [
    Way(testDescription: "silence", end: .stays, symptoms: [.timedOut]),
    Way(
      testDescription: "half an answer, then silence",
      piece: half,
      end: .stays,
      body: "0123",
      symptoms: [.timedOut]
    ),
    Way(testDescription: "a reset", end: .resets, symptoms: [.connectionLost]),
    Way(
      testDescription: "half an answer, then a reset",
      piece: half,
      end: .resets,
      body: "0123",
      symptoms: [.connectionLost, .truncated]
    ),
    Way(
      testDescription: "no TLS where TLS is spoken",
      scheme: "https",
      piece: "HTTP/1.1 400 Bad Request\r\n\r\n",
      end: .stays,
      symptoms: [.secureConnectionFailed]
    ),
    Way(
      testDescription: "a reset in the handshake",
      scheme: "https",
      end: .resets,
      symptoms: [.secureConnectionFailed, .connectionLost],
      hasCode: false
    ),
  ]

  private func ask(_ url: String, of deck: Deck) async throws -> Seen {
    let session = deck.session { $0.timeoutIntervalForRequest = 1 }
    return await session.seen(url)
  }

  @Test(arguments: ways) func `a failure is recorded and played as what it was`(way: Way)
    async throws
  {
    let origin = try StubbornOrigin(Data(way.piece.utf8), way.end)
    let url = "\(way.scheme)://127.0.0.1:\(origin.port)/a"
    let recorder = Deck(Cassette(), mode: .rewrite)
    let live = try #require(try await ask(url, of: recorder).error as? URLError)
    origin.stop()
    let symptom = try #require(Symptom(live))
    #expect(way.symptoms.contains(symptom), "\(symptom): \(live)")
    let (cassette, leftOut) = recorder.recorded()
    #expect(leftOut == [] && cassette.interactions.count == 1)
    let kept = try #require(cassette.interactions.first)
    expectEqual(kept.failure?.symptom, symptom)
    expectEqual(kept.response?.body.text, way.body)
    let written = try Cassette(data: cassette.data(), source: "tape")
    let player = Deck(written)
    let played = try #require(try await ask(url, of: player).error as? URLError)
    if way.hasCode { expectEqual(played.code, live.code) }
    expectEqual(Symptom(played), symptom)
    expectEqual(player.journal.all.map(\.take), [.recording(0)])
  }

  @Test func `the time of a whole task runs out for a recording, too`() async throws {
    let origin = try StubbornOrigin(Data(), .stays)
    let recorder = Deck(Cassette(), mode: .rewrite)
    let session = recorder.session { $0.timeoutIntervalForResource = 1 }
    let error = await session.seen("http://127.0.0.1:\(origin.port)/a").error
    expectEqual((error as? URLError)?.code, .timedOut)
    expectEqual(recorder.recorded().cassette.interactions.map { $0.failure?.symptom }, [.timedOut])
    origin.stop()
  }
}
