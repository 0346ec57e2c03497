internal import Foundation

extension PartDifference {
  /// So many values of one body are told; the rest is counted.
  static let valuesMax = 20

  static func bodies(_ old: Body, _ new: Body, place: String) -> [PartDifference] {
    guard old != new else { return [] }
    if let before = InteractionWriter.structure(old.data)?.0,
      let after = InteractionWriter.structure(new.data)?.0
    {
      let parts = structures(before, after, place: "\(place).json")
      guard parts.isEmpty else { return parts }
      return [PartDifference("\(place).json (spelling)", from: size(old), to: size(new))]
    }
    if let before = old.text, let after = new.text { return texts(before, after, place: place) }
    return [PartDifference("\(place).body", from: size(old), to: size(new))]
  }

  private static func size(_ body: Body) -> String? {
    guard !body.data.isEmpty else { return nil }
    // Bodies of equal length must not look alike.
    let digest = SHA256.hexadecimal(body.data).prefix(8)
    return "\(body.data.count) bytes (SHA-256 \(digest)…)"
  }

  private static func structures(_ old: JSON, _ new: JSON, place: String) -> [PartDifference] {
    let all = JSONChange.of(old, new)
    let told = all.prefix(valuesMax).map { PartDifference("\(place)\($0.path)", $0) }
    let rest = all.count - told.count
    guard rest > 0 else { return told }
    return told + [PartDifference("\(place) (\(rest) more values)", from: "…", to: "…")]
  }

  /// The first line that differs.
  private static func texts(_ old: String, _ new: String, place: String) -> [PartDifference] {
    // By bytes: CR and LF are one character.
    let lines = { (text: String) in
      text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { Substring($0) }
    }
    let (before, after) = (old.isEmpty ? [] : lines(old), new.isEmpty ? [] : lines(new))
    let equal = zip(before, after).prefix { $0.utf8.elementsEqual($1.utf8) }.count
    let line = { (lines: [Substring]) in
      equal < lines.count ? shown(String(lines[equal])) : nil
    }
    return [
      PartDifference("\(place).text, line \(equal + 1)", from: line(before), to: line(after))
    ]
  }
}
