import Foundation

@testable public import WindTunnel

/// SplitMix64, so that a random test is the same everywhere for its seed.
struct Generator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension RandomNumberGenerator {
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  /// A text with one byte or a stretch of it changed, removed, doubled or moved.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...Int.random(in: 0...2, using: &self) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &self)
      let end = min(bytes.count, place + Int.random(in: 1...8, using: &self))
      switch Int.random(in: 0..<5, using: &self) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &self)
      case 1: bytes.removeSubrange(place..<end)
      case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 3: bytes[place] = pick(Array("{}[]\",:\\u0e-_.1nt \n".utf8))
      default: bytes.removeLast(bytes.count - place)
      }
    }
    return bytes
  }
}

/// A folder that is gone after the test.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  // What cannot be removed is left to the system's own cleaning.
  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}

/// The cassettes that the repository keeps.
func shipped(_ folder: String) throws -> [URL] {
  var root = URL(fileURLWithPath: #filePath)
  for _ in 0..<3 { root.deleteLastPathComponent() }
  return try FileManager.default.contentsOfDirectory(
    at: root.appendingPathComponent("Cassettes/\(folder)"),
    includingPropertiesForKeys: nil
  )
  .filter { $0.pathExtension == "json" && !$0.lastPathComponent.hasSuffix(".schema.json") }
  .sorted { $0.path < $1.path }
}

/// What an expression throws, in words; empty if it throws nothing.
func refusal<Value>(_ body: () throws -> Value) -> String {
  do {
    _ = try body()
    return ""
  } catch {
    return "\(error)"
  }
}

extension Delivery.Payload: ExpressibleByStringLiteral {
  /// Bytes of a text, so that steps can be read.
  public init(stringLiteral value: String) { self = .data(Data(value.utf8)) }
}

extension Player.Action {
  static func bytes(_ text: String) -> Player.Action { .bytes(Data(text.utf8)) }
}

extension Cassette {
  init(_ text: String) throws { try self.init(data: Data(text.utf8), source: "a.json") }
}

extension Scenario {
  init(json text: String) throws { try self.init(data: Data(text.utf8), source: "s.json") }
}
