import CWindTunnelSystem
import TestSupport

@testable import WindTunnel

/// FIPS 180-4 and the vectors that NIST publishes for it.
@Suite struct SHA256Tests {
  @Test(arguments: try TestData.rows("sha256.json", count: 4) as [(String, String)])
  func `the published vectors come out`(text: String, digest: String) {
    expectEqual(SHA256.hexadecimal(text.utf8), digest)
  }

  @Test func `a million letters come out`() {
    expectEqual(
      SHA256.hexadecimal(repeatElement(UInt8(ascii: "a"), count: 1_000_000)),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    )
  }

  @Test(arguments: [1, 3, 55, 56, 63, 64, 65, 128, 199])
  func `it does not matter how the bytes are cut`(length: Int) {
    let bytes = (0..<200).map { UInt8($0) }
    var digest = SHA256()
    for start in stride(from: 0, to: 200, by: length) {
      digest.update(bytes[start..<min(200, start + length)])
    }
    expectEqual(digest.finalize(), SHA256.hash(bytes))
  }

  @Test func `no bytes at all change nothing, wherever they come`() {
    var digest = SHA256()
    digest.update([])
    digest.update("abc".utf8)
    digest.update(UnsafeBufferPointer(start: nil, count: 0))
    expectEqual(digest.finalize(), SHA256.hash("abc".utf8))
  }

  @Test func `one that goes on leaves its copy as it was`() {
    var digest = SHA256()
    digest.update("ab".utf8)
    let copy = digest
    digest.update("c".utf8)
    expectEqual(copy.finalize(), SHA256.hash("ab".utf8))
    expectEqual(digest.finalize(), SHA256.hash("abc".utf8))
  }

  /// Bytes in one piece, which record an issue if they are read one by one.
  private struct Piece: Sequence {
    let bytes = [UInt8](repeating: 7, count: 1000)

    func makeIterator() -> IndexingIterator<[UInt8]> {
      Issue.record("Swift reads the bytes")
      return bytes.makeIterator()
    }

    func withContiguousStorageIfAvailable<Result>(
      _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? { try bytes.withContiguousStorageIfAvailable(body) }
  }

  /// In a host's debug build a loop in Swift takes forty times as long as the one in C.
  @Test func `bytes in one piece are read by C alone`() {
    expectEqual(SHA256.hash(Piece()), SHA256.hash(Piece().bytes))
  }

  @Test func `a length around the padding's edge gives the known digests`() {
    let zeros = { (count: Int) in SHA256.hexadecimal(repeatElement(UInt8(0), count: count)) }
    // From NIST's additional byte-oriented vectors.
    expectEqual(zeros(55), "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7")
    expectEqual(zeros(56), "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb")
    expectEqual(zeros(64), "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b")
  }

  /// Some processors have instructions for it, and all others have to come to the same.
  @Test func `the rounds in words are those of the instructions`() {
    for blocks in [1, 2, 3, 17] {
      let bytes = (0..<64 * blocks).map { _ in UInt8.random(in: 0...255) }
      var digest = wt_sha256()
      wt_sha256_begin(&digest)
      var state = [
        digest.state.0, digest.state.1, digest.state.2, digest.state.3, digest.state.4,
        digest.state.5, digest.state.6, digest.state.7,
      ]
      wt_sha256_compress_in_words(&state, bytes, blocks)
      wt_sha256_update(&digest, bytes, bytes.count)
      let taken = [
        digest.state.0, digest.state.1, digest.state.2, digest.state.3, digest.state.4,
        digest.state.5, digest.state.6, digest.state.7,
      ]
      expectEqual(taken, state)
    }
  }
}
