internal import Foundation
internal import WindTunnel

/// What opening a cassette costs, from its file to the first decision, against what `JSONDecoder`
/// takes to make plain structs of the same file.
///
/// The structs leave a body that is structure out, which only helps them.
struct LoadBench {
  private struct Plain: Codable {
    struct Request: Codable {
      var method: String
      var url: String
      var headers: [[String]]
      var text: String?
      var base64: String?
    }

    struct Response: Codable {
      var status: Int
      var headers: [[String]]
      var text: String?
      var base64: String?
    }

    struct Timing: Codable {
      var firstByteMilliseconds: Double
      var lastByteMilliseconds: Double
    }

    struct Interaction: Codable {
      var request: Request
      var response: Response
      var timing: Timing
    }

    var windtunnel: Int
    var interactions: [Interaction]
  }

  struct WrongAnswer: Error {}

  let file: URL
  let count: Int
  let bytes: Int

  init(_ count: Int, _ bodies: LoadTape.Bodies, in folder: URL) throws {
    let data = LoadTape.data(count, bodies, bytesEach: bodies == .mixed ? 2700 : 3000)
    self.count = count
    bytes = data.count
    file = folder.appendingPathComponent("\(bodies).json")
    try data.write(to: file)
  }

  func open() throws {
    let deck = Deck(try Cassette(contentsOf: file), then: .repeat)
    let outcome = deck.decide(Request("GET", RequestURL(LoadTape.url(count - 1))))
    guard case .recording(_, place: count - 1) = outcome.source else { throw WrongAnswer() }
  }

  func decodePlainly() throws {
    let plain = try JSONDecoder().decode(Plain.self, from: Data(contentsOf: file))
    guard plain.interactions.count == count else { throw WrongAnswer() }
  }

  /// Milliseconds of both, one pair a round.
  func times(rounds: Int) throws -> [(ours: Double, plain: Double)] {
    try open()
    try decodePlainly()
    return try (0..<rounds).map { round in
      let first = try nanoseconds { round.isMultiple(of: 2) ? try open() : try decodePlainly() }
      let second = try nanoseconds { round.isMultiple(of: 2) ? try decodePlainly() : try open() }
      let (ours, plain) = round.isMultiple(of: 2) ? (first, second) : (second, first)
      return (ours / 1e6, plain / 1e6)
    }
  }
}
