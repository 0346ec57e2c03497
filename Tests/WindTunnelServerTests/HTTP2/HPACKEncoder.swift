import WindTunnelHTTP

@testable import WindTunnelWire

/// The encoder of a client, with a dynamic table. Names are in lower case.
struct HPACKEncoder {
  private var table = HPACKDynamicTable()
  /// The smallest and the last size that the peer set since the last block (RFC 7541 §4.2); `nil`
  /// if it set none.
  private var change: (smallest: Int, last: Int)?

  /// Applies a SETTINGS_HEADER_TABLE_SIZE of the peer. The table is never larger than the initial
  /// size.
  mutating func setTableBytesMax(_ bytes: Int) {
    let bytes = min(bytes, HPACKDynamicTable.initialBytesMax)
    change = (min(bytes, change?.smallest ?? bytes), bytes)
  }

  /// Appends a header block.
  mutating func encode(_ fields: [HPACKField], into bytes: inout [UInt8]) {
    if let change {
      if change.smallest < min(change.last, table.bytesMax) { resize(to: change.smallest, &bytes) }
      if change.last != table.bytesMax { resize(to: change.last, &bytes) }
    }
    change = nil
    for field in fields { append(field, to: &bytes) }
  }

  private mutating func resize(to size: Int, _ bytes: inout [UInt8]) {
    table.resize(to: size)
    bytes.appendHPACK(size, prefix: 5, pattern: 0x20)
  }

  private mutating func append(_ field: HPACKField, to bytes: inout [UInt8]) {
    var name: [UInt8] = []
    name.append(field: field.name)
    let found = name.withUnsafeBufferPointer {
      HPACKStaticTable.shared.index(of: $0, value: field.value)
    }
    let form = HPACKForm(field, staticIndex: found?.index, tableBytesMax: table.bytesMax)
    let (whole, named) = places(of: field)
    if form != .neverIndexed, let index = found?.hasValue == true ? found?.index : whole {
      return bytes.appendHPACK(index, prefix: 7, pattern: 0x80)
    }
    if let index = found?.index ?? named {
      bytes.appendHPACK(index, prefix: form.prefix, pattern: form.pattern)
    } else {
      bytes.append(form.pattern)
      Self.append(field.name, to: &bytes)
    }
    let valueBytes = Self.append(field.value, to: &bytes)
    guard form == .indexed else { return }
    table.insert(HPACKEntry(field: field.field, nameBytes: name.count, valueBytes: valueBytes))
  }

  /// Appends a string literal, and returns the number of its octets.
  @discardableResult
  private static func append(_ text: String, to bytes: inout [UInt8]) -> Int {
    let start = bytes.count
    bytes.append(field: text)
    let count = bytes.count - start
    bytes.makeHPACKString(from: start)
    return count
  }

  /// Returns the indices of a field and of its name in the dynamic table.
  private func places(of field: HPACKField) -> (field: Int?, name: Int?) {
    let offset = HPACKStaticTable.shared.entries.count + 1
    let entries = (0..<table.count).compactMap { table.entry($0) }
    let named = entries.indices.filter {
      entries[$0].field.name.utf8.elementsEqual(field.name.utf8)
    }
    let whole = named.first { entries[$0].hasValue(field.value) }
    return (whole.map { $0 + offset }, named.first.map { $0 + offset })
  }
}

/// The representation of a literal (RFC 7541 §6.2).
private enum HPACKForm {
  /// The field is added to the dynamic table.
  case indexed
  case notIndexed
  case neverIndexed

  /// Chooses the representation of a field. `staticIndex` is the index of its name.
  init(_ field: HPACKField, staticIndex: Int?, tableBytesMax: Int) {
    let size = field.name.utf8.count + field.value.utf8.count + 32
    switch staticIndex {
    // authorization, cookie, proxy-authorization and set-cookie are secrets (RFC 7541 §7.1.3).
    case _ where field.isNeverIndexed, 23, 32, 49, 55: self = .neverIndexed
    // The values of :path, age, content-length, etag, if-modified-since, if-none-match and location
    // are seldom repeated on a connection.
    case 4, 21, 28, 34, 40, 41, 46: self = .notIndexed
    default: self = size <= tableBytesMax / 2 ? .indexed : .notIndexed
    }
  }

  var pattern: UInt8 {
    switch self {
    case .indexed: 0x40
    case .notIndexed: 0x00
    case .neverIndexed: 0x10
    }
  }

  /// The number of bits of the name's index in the first byte.
  var prefix: Int { self == .indexed ? 6 : 4 }
}

extension HPACKField {
  init(_ name: String, _ value: String, isNeverIndexed: Bool = false) {
    self.init(field: HeaderField(name, value), isNeverIndexed: isNeverIndexed)
  }
}
