import TestSupport
import WindTunnelHTTP

/// The count of work, held against loops whose growth is known.
@Suite struct WorkTests {
  private struct Reading: Sendable {
    let name: String
    let read: @Sendable (Bytes) -> Void

    init(_ name: String, _ read: @escaping @Sendable (Bytes) -> Void) {
      (self.name, self.read) = (name, read)
    }
  }

  /// The ways to read bytes that are all the digit 1.
  private static let readings = [
    Reading("a loop") { for _ in $0 {} },
    Reading("a loop over places") { bytes in for place in bytes.indices { _ = bytes[place] } },
    Reading("the first index") { _ = $0.firstIndex(of: 0) },
    Reading("the last index") { _ = $0[1...].lastIndex(of: 0) },
    Reading("a search for a byte") { _ = $0.contains(0) },
    Reading("a search by the C library") { _ = $0.has(0) },
    Reading("a range") { _ = $0.firstRange(of: [0, 0]) },
    Reading("a prefix") { _ = $0.prefix { $0 != 0 } },
    Reading("a rest") { _ = $0[1...].drop { $0 != 0 } },
    Reading("a beginning") { _ = $0.starts(with: repeatElement(0x31, count: $0.count)) },
    Reading("parts") { _ = $0.split(separator: 0) },
    Reading("equality") { _ = $0 == same($0.count) },
    Reading("a copy") { _ = Bytes($0[...]) },
    Reading("an array") { _ = Array($0) },
    Reading("data") { _ = Data($0) },
    Reading("a string") { _ = String(decoding: $0, as: UTF8.self) },
    Reading("a string of a part") { _ = String(decoding: $0[1...], as: UTF8.self) },
    Reading("a string that is read") { _ = String(repeating: "1", count: $0.count).read },
    Reading("JSON") { _ = JSONParser.accepts($0) },
    Reading("escapes") { _ = EscapedText($0, .percent) },
    Reading("base64") { _ = Base64Text.runs(in: $0) },
    Reading("words") { _ = WordFinder([[1, 2, 3]]).hits(in: $0, from: 0) },
    Reading("edits") { _ = Edit.applied([], to: $0) },
  ]

  private static func same(_ count: Int) -> Bytes { Bytes(repeating: 0x31, count: count) }

  @Test func `each way to read bytes is counted, and linear`() {
    for reading in Self.readings {
      let growth = Growth(of: 60) { reading.read(Self.same($0 + 1)) }
      #expect(growth.isLinear, "\(reading.name): \(growth)")
    }
  }

  @Test func `a loop within a loop is not linear`() {
    let inner: [(ByteSlice) -> Void] = [
      { for _ in $0 {} }, { _ = $0.firstIndex(of: 0) }, { _ = String(decoding: $0, as: UTF8.self) },
      { _ = Data($0) },
    ]
    for read in inner {
      let growth = Growth(of: 60) { count in
        let bytes = Self.same(count)
        for place in bytes.indices { read(bytes[place...]) }
      }
      #expect(!growth.isLinear, "\(growth)")
    }
  }

  @Test func `work that is not counted is not linear`() {
    #expect(!Growth(of: 64) { for _ in [UInt8](repeating: 1, count: $0) {} }.isLinear)
  }

  @Test func `another thread has a count of its own`() {
    let (before, end) = (Work.done, DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      for _ in Self.same(1000) {}
      end.signal()
    }
    end.wait()
    expectEqual(Work.done, before)
  }

  /// A detector with an array of its own reads without being counted.
  @Test func `no source of redaction has bytes that are not counted`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Values/WindTunnelRedaction")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    for file in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for type in ["[UInt8]", "ArraySlice<UInt8>", "BufferPointer<UInt8>", "ContiguousArray"] {
        #expect(!text.contains(type), "\(file) has \(type)")
      }
    }
    #expect(files.count { $0.hasSuffix(".swift") } > 40)
  }
}
