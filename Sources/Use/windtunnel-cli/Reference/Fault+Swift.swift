extension Fault {
  /// The fault of the catalogue as Swift code, such as `.status(503)`.
  var swift: String {
    switch self {
    case .delay(let spread): ".delay(\(spread.least.swift))"
    case .cut(.body(let count), .close): ".truncate(afterBodyBytes: \(count))"
    case .cut(let point, .stall(let length)):
      ".stall(\(point.swift)\(length.map { ", for: \($0.swift)" } ?? ""))"
    case .cut(let point, let effect): ".\(effect)(\(point.swift))"
    case .mutate(.field(let change, .anywhere)): ".mutate(.\(change.rawValue)())"
    case .mutate(.cut(.anywhere)): ".mutate(.truncate())"
    case .idle(let end): ".idle(IdleEnd(.\(end.ending), \(spelled(end.moment))))"
    default: spelled(self)
    }
  }
}

/// Returns the text of a value without the names of types, modules and optionals.
private func spelled(_ value: some Sendable) -> String {
  ".\(value)".replacing(/WindTunnel\w*(\.\w+)+\./, with: ".")
    .replacing(", retryAfter: nil", with: "")
    .replacing(/Optional\((.+)\)/) { $0.1 }
    .replacing(/([0-9.]+) seconds/) { Duration.seconds(Double($0.1) ?? 0).swift }
}

extension Duration {
  fileprivate var swift: String {
    let (seconds, rest) = components
    guard rest != 0 else { return ".seconds(\(seconds))" }
    return ".milliseconds(\(seconds * 1000 + rest / 1_000_000_000_000_000))"
  }
}

extension Fault.Point {
  fileprivate var swift: String {
    switch self {
    case .body(let count): "afterBodyBytes: \(count)"
    case .byte(let count): "afterBytes: \(count)"
    case .event(let count): "afterEvents: \(count)"
    case .inChunk(nil): ".inChunk"
    default: ".\(self)"
    }
  }
}
