internal import Foundation
internal import WindTunnel

extension Data {
  /// The bytes as an expression of Python, such as `b"HTTP/1.1 200 OK\r\n" + b" " * 65536`.
  fileprivate var pythonExpression: String {
    let text = map { byte in
      switch byte {
      case UInt8(ascii: "\r"): "\\r"
      case UInt8(ascii: "\n"): "\\n"
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\\(UnicodeScalar(byte))"
      case 0x20..<0x7F: "\(UnicodeScalar(byte))"
      default: "\\x\(String(256 + Int(byte), radix: 16).dropFirst())"
      }
    }
    // A long run of one byte is a product.
    let literal = text.joined().replacing(/(\\x..|\\.|.)\1{63,}/) { run in
      "\" + b\"\(run.1)\" * \(run.0.count / run.1.count) + b\""
    }
    return "b\"\(literal)\"".replacing("b\"\" + ", with: "").replacing(" + b\"\"", with: "")
  }
}

extension [Delivery.Step] {
  /// The steps as the items of a list in Python.
  ///
  /// A bytes object is sent, a number of seconds is waited for, a word ends the response, and a
  /// tuple is a body that comes in pieces: its bytes, the size of a piece, the seconds behind each.
  var pythonItems: [String] {
    guard let first else { return [] }
    let (size, wait) = (first.content?.count, dropFirst().first)
    let pieces = stride(from: 0, to: count - 1, by: 2).prefix { place in
      size != nil && self[place].content?.count == size && self[place + 1] == wait
    }
    if pieces.count > 3, let size, let wait, case .wait = wait {
      let body = pieces.compactMap { self[$0].content }.reduce(Data(), +)
      return ["(\(body.pythonExpression), \(size), \(wait.pythonItem))"]
        + Array(dropFirst(pieces.count * 2)).pythonItems
    }
    let run = prefix { $0 == first }.count
    let item = run > 1 ? "*[\(first.pythonItem)] * \(run)" : first.pythonItem
    return [item] + Array(dropFirst(run)).pythonItems
  }
}

extension Delivery.Step {
  /// The bytes, if the step has some.
  fileprivate var content: Data? { if case .bytes(.data(let data)) = self { data } else { nil } }

  /// The step as an item; the others need more than a plain server, and are refused before.
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
