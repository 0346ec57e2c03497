import TestSupport

@testable import WindTunnelCassettes

@Suite struct ArrivingPiecesTests {
  @Test func `pieces that arrive within a millisecond are one`() {
    var pieces = ArrivingPieces()
    expectEqual(pieces.chunks, [])
    for (bytes, offset) in [(3, 0), (4, 500), (5, 1000), (6, 1999), (7, 2000), (8, 5000)] {
      pieces.append(bytes, at: .microseconds(offset))
    }
    expectEqual(
      pieces.chunks,
      [(7, 0), (11, 1000), (7, 2000), (8, 5000)].map {
        Timing.Chunk(bytes: $0, offset: .microseconds($1))
      }
    )
  }

  @Test(arguments: [1, 50]) func `a long stream has a bounded number, which keep its pace`(
    milliseconds: Int
  ) {
    let count = 3 * ArrivingPieces.piecesMax
    var pieces = ArrivingPieces()
    for index in 0..<count { pieces.append(1, at: .milliseconds(index * milliseconds)) }
    let kept = pieces.chunks.count
    #expect(kept <= ArrivingPieces.piecesMax && kept >= ArrivingPieces.piecesMax / 4)
    // Each has the time of its first byte.
    let passed = pieces.chunks.reduce(0) { passed, chunk in
      chunk.offset == .milliseconds(passed * milliseconds) ? passed + chunk.bytes : -count
    }
    expectEqual(passed, count)
  }
}
