import TestSupport

@testable import WindTunnelCassettes

/// A cassette whose interactions were read one by one from the tree of its whole text, spelled anew:
/// what the scanner must agree with in every value and in every word.
enum CassetteByTree {
  static func cassette(_ text: [UInt8]) throws -> Cassette {
    let source = "a.json"
    var top = try ObjectReader(JSON(parsing: text, source: source), source: source, path: "")
    try CassetteFormat.checkVersion(&top, key: "windtunnel", noun: "cassette")
    let list = try top.array("interactions")
    try top.refuseUnknownKeys()
    guard let list else {
      throw top.error("interactions", "expected a list of interactions")
    }
    var cassette = Cassette()
    cassette.notes = top.notes
    cassette.interactions = try list.enumerated().map { index, json in
      try Interaction(onCassette: json, source: source, path: "interactions[\(index)]") {
        Body(try sideFile($0))
      }
    }
    return cassette
  }

  /// A side file that is there where its name is even in length.
  static func sideFile(_ name: String) throws -> Data {
    guard name.utf8.count.isMultiple(of: 2) else {
      throw FormatError(source: "a.bodies", place: "", problem: "\(name) is not there")
    }
    return Data("side \(name)".utf8)
  }

  /// Reads a text in both ways and compares what comes of it; answers whether it was accepted.
  static func agrees(_ text: [UInt8], _ note: @autoclosure () -> String) -> Bool {
    let scanned = Result {
      try CassetteFormat.decode(Data(text), source: "a.json") { Body(try sideFile($0)) }
    }
    let read = Result { try cassette(text) }
    let words = "\(note()): \(String(decoding: text, as: UTF8.self))"
    expectEqual(refusal { try scanned.get() }, refusal { try read.get() }, "\(words)")
    let (one, other) = (try? scanned.get(), try? read.get())
    expectEqual(one, other, "\(words)")
    return one != nil
  }
}
