internal import WindTunnelHTTP

/// The encoder of the header blocks of one direction of a connection, with a dynamic table.
package struct HPACKEncoder {
  /// The dynamic table. Never `nil` here; the stateless encoder passes `nil`.
  private var table: HPACKDynamicTable? = HPACKDynamicTable()
  /// The smallest and the last size that the peer set since the last block (RFC 7541 §4.2); `nil`
  /// if it set none.
  private var change: (smallest: Int, last: Int)?

  package init() {}

  /// Applies a SETTINGS_HEADER_TABLE_SIZE of the peer. The table is never larger than the initial
  /// size.
  package mutating func setTableBytesMax(_ bytes: Int) {
    let bytes = min(bytes, HPACKDynamicTable.initialBytesMax)
    change = (min(bytes, change?.smallest ?? bytes), bytes)
  }

  /// Appends a header block. Names are written in lower case.
  package mutating func encode(_ fields: [HPACKField], into bytes: inout [UInt8]) {
    if let change, let size = table?.bytesMax {
      if change.smallest < min(change.last, size) { resize(to: change.smallest, &bytes) }
      if change.last != table?.bytesMax { resize(to: change.last, &bytes) }
    }
    change = nil
    for field in fields { bytes.appendHPACK(field, &table) }
  }

  private mutating func resize(to size: Int, _ bytes: inout [UInt8]) {
    table?.resize(to: size)
    bytes.appendHPACK(size, prefix: 5, pattern: 0x20)
  }
}

/// The representation of a literal (RFC 7541 §6.2).
private enum HPACKForm {
  /// The field is added to the dynamic table.
  case indexed
  case notIndexed
  case neverIndexed

  /// Chooses the representation of a field. `staticIndex` is the index of its name.
  init(_ field: HPACKField, staticIndex: Int?, tableBytesMax: Int?) {
    let size = field.name.utf8.count + field.value.utf8.count + 32
    switch staticIndex {
    // authorization, cookie, proxy-authorization and set-cookie are secrets (RFC 7541 §7.1.3).
    case _ where field.isNeverIndexed, 23, 32, 49, 55: self = .neverIndexed
    // The values of :path, age, content-length, etag, if-modified-since, if-none-match and location
    // are seldom repeated on a connection.
    case 4, 21, 28, 34, 40, 41, 46: self = .notIndexed
    default: self = tableBytesMax.map { size <= $0 / 2 } ?? false ? .indexed : .notIndexed
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

// The stateless encoder. Its blocks refer only to the static table, so they have the same bytes on
// every connection.
extension [UInt8] {
  /// Appends a field without a dynamic table. The name is written in lower case.
  package mutating func appendHPACK(name: String, value: String, neverIndexed: Bool = false) {
    var noTable: HPACKDynamicTable?
    appendHPACK(HPACKField(name, value, isNeverIndexed: neverIndexed), &noTable)
  }

  /// Appends the pseudo-header field of a response.
  package mutating func appendHPACKStatus(_ status: Int) {
    appendHPACK(name: ":status", value: String(status))
  }

  /// Appends a dynamic table size update to 0.
  ///
  /// A block of the stateless encoder must begin with it if it is the first block after the peer
  /// set a SETTINGS_HEADER_TABLE_SIZE below 4096. Once per connection is enough (RFC 9113 §4.3.1).
  package mutating func appendHPACKEmptyTable() { appendHPACK(0, prefix: 5, pattern: 0x20) }
}

extension [UInt8] {
  /// Appends a field, as an index if a table contains it.
  fileprivate mutating func appendHPACK(_ field: HPACKField, _ table: inout HPACKDynamicTable?) {
    let start = count
    // A placeholder for the representation, which depends on the octets of the name.
    append(0)
    append(field: field.name)
    let nameBytes = count - start - 1
    let (name, found) = withUnsafeMutableBufferPointer { bytes in
      for place in (start + 1)..<bytes.count where 0x41...0x5A ~= bytes[place] {
        bytes[place] |= 0x20
      }
      let octets = Bytes(rebasing: bytes[(start + 1)...])
      let found = HPACKStaticTable.shared.index(of: octets, value: field.value)
      return (table == nil ? "" : octets.text, found)
    }
    let form = HPACKForm(field, staticIndex: found?.index, tableBytesMax: table?.bytesMax)
    let places = table?.places(of: name, field.value)
    let offset = HPACKStaticTable.shared.entries.count + 1
    if form != .neverIndexed,
      let index = found?.hasValue == true ? found?.index : places?.field.map({ $0 + offset })
    {
      removeLast(count - start)
      return appendHPACK(index, prefix: 7, pattern: 0x80)
    }
    if let index = found?.index ?? places?.name.map({ $0 + offset }) {
      removeLast(count - start)
      appendHPACK(index, prefix: form.prefix, pattern: form.pattern)
    } else {
      self[start] = form.pattern
      makeHPACKString(from: start + 1)
    }
    let valueStart = count
    append(field: field.value)
    let valueBytes = count - valueStart
    makeHPACKString(from: valueStart)
    guard form == .indexed else { return }
    let entry = HeaderField(name, field.value)
    table?.insert(HPACKEntry(field: entry, nameBytes: nameBytes, valueBytes: valueBytes))
  }

  /// Appends an integer with a prefix of a number of bits, after a pattern in the first byte (RFC
  /// 7541 §5.1).
  fileprivate mutating func appendHPACK(_ value: Int, prefix: Int, pattern: UInt8) {
    let mask = 1 << prefix - 1
    guard value >= mask else { return append(pattern | UInt8(value)) }
    append(pattern | UInt8(mask))
    var rest = value - mask
    while rest >= 0x80 {
      append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Replaces the octets from `start` on with their string literal, Huffman-encoded if that is
  /// shorter (RFC 7541 §5.2).
  private mutating func makeHPACKString(from start: Int) {
    let length = count - start
    guard length > 0 else { return append(0) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { string in
      let shorter = withUnsafeBufferPointer { bytes -> Int? in
        let octets = bytes.part(start..<bytes.count)
        let room = UnsafeMutableBufferPointer(rebasing: string.dropLast())
        if let shorter = HuffmanCode.shared.encode(octets, into: room) { return shorter }
        _ = string.initialize(from: octets)
        return nil
      }
      removeLast(length)
      appendHPACK(shorter ?? length, prefix: 7, pattern: shorter == nil ? 0 : 0x80)
      append(contentsOf: string.prefix(shorter ?? length))
    }
  }
}
