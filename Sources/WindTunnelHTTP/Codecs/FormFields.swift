package import Foundation

/// A field of a form or a part of a multipart.
package struct FormField {
  package var name: String
  /// The text that counts beside the value: the name, and of a part what else its own header says.
  package var label: String
  package var value: Data

  package init(name: String, label: String, value: Data) {
    (self.name, self.label, self.value) = (name, label, value)
  }
}

/// Fields of `application/x-www-form-urlencoded` (WHATWG URL §5.1).
package enum FormFields {
  /// The fields in their order.
  package static func fields(_ data: Data) -> [FormField] {
    data.split(separator: UInt8(ascii: "&")).map { item in
      let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      let value = item[equals...].dropFirst()
      let name = String(decoding: decoded(item[..<equals]), as: UTF8.self)
      return FormField(
        name: name,
        label: name,
        value: Data(decoded(value))
      )
    }
  }

  /// The fields that count, by name; those of one name keep their order, which may mean something.
  package static func sorted(_ data: Data, ignoring ignored: [NamePattern]) -> [FormField] {
    fields(data).filter { field in !ignored.contains { $0.fits(field.label) } }
      .enumerated()
      .sorted { left, right in
        let (a, b) = (left.element.label.utf8, right.element.label.utf8)
        if a.elementsEqual(b) { return left.offset < right.offset }
        return a.lexicographicallyPrecedes(b)
      }
      .map(\.element)
  }

  /// Without `+` and `%XX`; what is no escape stays as it is.
  private static func decoded(_ bytes: Data) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        result.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = digit(rest[rest.startIndex]), let low = digit(rest[rest.startIndex + 1])
      {
        result.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
  }
}
