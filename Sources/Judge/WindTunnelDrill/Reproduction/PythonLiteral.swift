internal import Foundation

extension Data {
  /// The bytes as a Python expression, such as `b"HTTP/1.1 200 OK\r\n" + b" " * 65536`.
  fileprivate var pythonExpression: String {
    var (parts, open): ([String], String) = ([], "")
    var rest = self[...]
    while let byte = rest.first {
      let run = rest.prefix { $0 == byte }.count
      let text = Self.pythonCharacter(byte)
      // A long run of one byte becomes a product.
      if run >= 64 {
        if !open.isEmpty { parts.append("b\"\(open)\"") }
        parts.append("b\"\(text)\" * \(run)")
        open = ""
      } else {
        open += String(repeating: text, count: run)
      }
      rest = rest.dropFirst(run)
    }
    if !open.isEmpty || parts.isEmpty { parts.append("b\"\(open)\"") }
    return parts.joined(separator: " + ")
  }

  private static func pythonCharacter(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\r"): "\\r"
    case UInt8(ascii: "\n"): "\\n"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\\(UnicodeScalar(byte))"
    case 0x20..<0x7F: "\(UnicodeScalar(byte))"
    default: "\\x\(String(256 + Int(byte), radix: 16).dropFirst())"
    }
  }
}

extension [Delivery.Step] {
  /// The steps as the items of a Python list.
  ///
  /// The server sends a bytes object, and waits for a number of seconds. A string ends the
  /// response. A tuple is a body in pieces: its bytes, the size of a piece, and the seconds after
  /// each.
  var pythonItems: [String] {
    var (items, rest): ([String], ArraySlice<Delivery.Step>) = ([], self[...])
    while let first = rest.first {
      let (size, wait) = (first.content?.count, rest.dropFirst().first)
      let pieces = stride(from: rest.startIndex, to: rest.endIndex - 1, by: 2).prefix { place in
        size != nil && rest[place].content?.count == size && rest[place + 1] == wait
      }
      if pieces.count > 3, let size, let wait, case .wait = wait {
        let body = pieces.compactMap { rest[$0].content }.reduce(into: Data()) { $0 += $1 }
        items.append("(\(body.pythonExpression), \(size), \(wait.pythonItem))")
        rest = rest.dropFirst(pieces.count * 2)
        continue
      }
      let run = rest.prefix { $0 == first }.count
      items.append(run > 1 ? "*[\(first.pythonItem)] * \(run)" : first.pythonItem)
      rest = rest.dropFirst(run)
    }
    return items
  }
}

extension Delivery.Step {
  /// The bytes, if the step has some.
  fileprivate var content: Data? { if case .bytes(.data(let data)) = self { data } else { nil } }

  /// The step as an item. Steps that need more than a plain server were rejected before.
  fileprivate var pythonItem: String {
    switch self {
    case .bytes: content?.pythonExpression ?? ""
    case .wait(let length): "\(length / .seconds(1))"
    case .closeWrite: "\"half-close\""
    case .reset: "\"reset\""
    case .stall: "\"silence\""
    default: "\"close\""
    }
  }
}
