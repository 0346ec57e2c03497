internal import WindTunnelHTTP

// The stateless encoder. Its blocks refer only to the static table, so they have the same bytes on
// every connection.
extension [UInt8] {
  /// Appends a field, as an index if the static table contains it. The name is written in lower
  /// case.
  package mutating func appendHPACK(name: String, value: String) {
    let start = count
    // A placeholder for the representation, which depends on the octets of the name.
    append(0)
    append(field: name)
    let found = withUnsafeMutableBufferPointer { bytes in
      for place in (start + 1)..<bytes.count where 0x41...0x5A ~= bytes[place] {
        bytes[place] |= 0x20
      }
      let octets = Bytes(rebasing: bytes[(start + 1)...])
      return HPACKStaticTable.shared.index(of: octets, value: value)
    }
    // authorization, cookie, proxy-authorization and set-cookie are secrets, which no intermediary
    // may index (RFC 7541 §7.1.3).
    let pattern: UInt8 =
      switch found?.index {
      case 23, 32, 49, 55: 0x10
      default: 0
      }
    if let found {
      removeLast(count - start)
      if found.hasValue, pattern == 0 { return appendHPACK(found.index, prefix: 7, pattern: 0x80) }
      appendHPACK(found.index, prefix: 4, pattern: pattern)
    } else {
      self[start] = pattern
      makeHPACKString(from: start + 1)
    }
    let valueStart = count
    append(field: value)
    makeHPACKString(from: valueStart)
  }

  /// Appends a dynamic table size update to 0.
  ///
  /// A block of the stateless encoder must begin with it if it is the first block after the peer
  /// set a SETTINGS_HEADER_TABLE_SIZE below 4096. Once per connection is enough (RFC 9113 §4.3.1).
  package mutating func appendHPACKEmptyTable() { appendHPACK(0, prefix: 5, pattern: 0x20) }

  /// Appends an integer with a prefix of a number of bits, after a pattern in the first byte (RFC
  /// 7541 §5.1).
  mutating func appendHPACK(_ value: Int, prefix: Int, pattern: UInt8) {
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
  mutating func makeHPACKString(from start: Int) {
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
