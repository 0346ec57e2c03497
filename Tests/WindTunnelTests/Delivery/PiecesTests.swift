import TestSupport

@testable import WindTunnel

@Suite struct PiecesTests {
  @Test func `pieces of more bytes than can be counted end no process`() async {
    await #expect(processExitsWith: .success) {
      var timing = Timing(
        firstByte: .zero,
        lastByte: .zero,
        chunks: [.max, 1, 1, -1, .min].map { Timing.Chunk(bytes: $0, offset: .zero) }
      )
      let pieces = Pieces(timing, .immediately)
      expectEqual(pieces.steps(Data("abc".utf8)), [.bytes("abc")])
      let before = timing
      timing.refit(from: Data("abc".utf8), to: Data("abcd".utf8))
      expectEqual(timing, before)
    }
  }

  @Test func `pieces of a body are cut where they were`() {
    let chunks = [1, 2].map { Timing.Chunk(bytes: $0, offset: .zero) }
    let timing = Timing(firstByte: .zero, lastByte: .zero, chunks: chunks)
    expectEqual(Pieces(timing, .immediately).steps(Data("abc".utf8)), [.bytes("a"), .bytes("bc")])
  }
}
