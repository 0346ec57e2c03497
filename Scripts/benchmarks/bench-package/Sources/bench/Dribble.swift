internal import Foundation
internal import WindTunnel

/// An answer that takes its time: a piece every half second, ten of them.
enum Dribble {
  static let pieces = 10
  static let pieceBytes = 100
  static let interval = Duration.milliseconds(500)

  static var cassette: Cassette {
    let body = Data(repeating: UInt8(ascii: "x"), count: pieces * pieceBytes)
    let chunks = (1...pieces).map {
      Timing.Chunk(bytes: pieceBytes, offset: interval * $0)
    }
    let response = Response(
      headers: ["Content-Type": "text/plain", "Content-Length": String(body.count)],
      body: Body(body)
    )
    let timing = Timing(firstByte: interval, lastByte: interval * pieces, chunks: chunks)
    return Cassette([Interaction(Request("GET", "/slow"), .response(response), timing: timing)])
  }
}
