internal import WindTunnelHTTP

/// The decoder of the header blocks of one direction of a connection (RFC 7541 §3).
///
/// After a compression error, the table is undefined, and the connection must end.
package struct HPACKDecoder {
  private let fixed = HPACKStaticTable.shared.entries
  private var table = HPACKDynamicTable()
  /// The maximum size of the table: advertised by this end and acknowledged by the peer.
  private var tableBytesMax = HPACKDynamicTable.initialBytesMax
  /// The size to which the next block must reduce the table at its start; `nil` if it need not.
  private var shrinkBytesMax: Int?
  private let listBytesMax: Int
  private let fieldsMax: Int

  /// Creates a decoder. The size of a list includes 32 octets for each field, as in
  /// SETTINGS_MAX_HEADER_LIST_SIZE (RFC 9113 §6.5.2).
  package init(listBytesMax: Int, fieldsMax: Int) {
    (self.listBytesMax, self.fieldsMax) = (listBytesMax, fieldsMax)
  }

  /// Applies a SETTINGS_HEADER_TABLE_SIZE of this end, after the peer has acknowledged it. If the
  /// peer's table is larger, the next block must reduce it at its start (RFC 9113 §4.3.1).
  package mutating func setTableBytesMax(_ bytes: Int) {
    tableBytesMax = bytes
    if bytes < table.bytesMax { shrinkBytesMax = min(bytes, shrinkBytesMax ?? bytes) }
  }

  /// Decodes a complete header block: the joined fragments of HEADERS and its CONTINUATION frames.
  ///
  /// A list above a limit is discarded, but its block is decoded to the end.
  package mutating func decode(
    _ block: UnsafeRawBufferPointer
  ) throws(HPACKError) -> [HPACKField] {
    var reader = HPACKReader(block)
    var fields: [HPACKField] = []
    fields.reserveCapacity(min(block.count, 16))
    var listBytes = 0
    var (isAtStart, isTooLarge) = (true, false)
    while let first = reader.next() {
      if first & 0xE0 == 0x20 {
        guard isAtStart else {
          throw .compression("A table size update follows a field (RFC 7541 §4.2).")
        }
        try resize(to: reader.integer(first, prefix: 5))
        continue
      }
      guard shrinkBytesMax == nil else {
        throw .compression("A block does not begin with the table size update (RFC 7541 §4.2).")
      }
      isAtStart = false
      let entry =
        first & 0x80 != 0
        ? try entry(reader.integer(first, prefix: 7)) : try literal(first, &reader)
      listBytes += entry.size
      isTooLarge = isTooLarge || listBytes > listBytesMax || fields.count == fieldsMax
      if isTooLarge {
        fields = []
      } else {
        fields.append(HPACKField(field: entry.field, isNeverIndexed: first & 0xF0 == 0x10))
      }
    }
    if isTooLarge { throw .listTooLarge }
    return fields
  }

  /// Applies a dynamic table size update, up to the advertised size (RFC 7541 §6.3).
  private mutating func resize(to bytes: Int) throws(HPACKError) {
    guard bytes <= min(tableBytesMax, shrinkBytesMax ?? tableBytesMax) else {
      throw .compression("A table of \(bytes) bytes exceeds the advertised size (RFC 7541 §6.3).")
    }
    shrinkBytesMax = nil
    table.resize(to: bytes)
  }

  /// Returns the entry of an index, which covers both tables (RFC 7541 §2.3.3).
  private func entry(_ index: Int) throws(HPACKError) -> HPACKEntry {
    if fixed.indices.contains(index - 1) { return fixed[index - 1] }
    guard index > 0, let entry = table.entry(index - 1 - fixed.count) else {
      throw .compression("There is no entry \(index) in the tables (RFC 7541 §2.3.3).")
    }
    return entry
  }

  /// Reads a literal. Literals with incremental indexing are added to the table (RFC 7541 §6.2).
  /// The entry has its own copy of the name, which the insertion may evict (§4.4).
  private mutating func literal(
    _ first: UInt8,
    _ reader: inout HPACKReader
  ) throws(HPACKError) -> HPACKEntry {
    let isAdded = first & 0x40 != 0
    let index = try reader.integer(first, prefix: isAdded ? 6 : 4)
    var entry = HPACKEntry(field: HeaderField("", ""), nameBytes: 0, valueBytes: 0)
    if index > 0 {
      entry = try self.entry(index)
    } else {
      (entry.field.name, entry.nameBytes) = try reader.string()
    }
    (entry.field.value, entry.valueBytes) = try reader.string()
    if isAdded { table.insert(entry) }
    return entry
  }
}

/// The primitives of a header block (RFC 7541 §5).
private struct HPACKReader {
  private let bytes: Bytes
  private var place = 0

  init(_ block: UnsafeRawBufferPointer) { bytes = block.bindMemory(to: UInt8.self) }

  /// Returns the next byte; `nil` at the end of the block.
  @inline(__always) mutating func next() -> UInt8? {
    guard place < bytes.count else { return nil }
    defer { place += 1 }
    return bytes[place]
  }

  /// Reads an integer after its first byte, with at most five further bytes (RFC 7541 §5.1).
  @inline(__always)
  mutating func integer(_ first: UInt8, prefix: Int) throws(HPACKError) -> Int {
    let mask = 1 << prefix - 1
    let value = Int(first) & mask
    return value < mask ? value : try longInteger(mask)
  }

  private mutating func longInteger(_ prefix: Int) throws(HPACKError) -> Int {
    var value = prefix
    for shift in stride(from: 0, through: 28, by: 7) {
      guard let byte = next() else { throw .compression("A block ends within an integer.") }
      value += Int(byte & 0x7F) << shift
      if byte < 0x80, value <= Int32.max { return value }
    }
    throw .compression("An integer is too large (RFC 7541 §5.1).")
  }

  /// Reads a string literal. Also returns the number of its octets (RFC 7541 §5.2).
  mutating func string() throws(HPACKError) -> (text: String, bytes: Int) {
    guard let first = next() else { throw .compression("A block ends before a string.") }
    let count = try integer(first, prefix: 7)
    guard count <= bytes.count - place else {
      throw .compression("A block ends within a string.")
    }
    let encoded = bytes.part(place..<place + count)
    place += count
    if first < 0x80 { return (encoded.text, count) }
    let decoded = withUnsafeTemporaryAllocation(
      of: UInt8.self,
      capacity: HuffmanCode.decodedBytesMax(count)
    ) { text -> (String, Int)? in
      guard let length = HuffmanCode.shared.decode(encoded, into: text) else { return nil }
      return (Bytes(text).part(0..<length).text, length)
    }
    guard let decoded else {
      throw .compression("A Huffman string has invalid padding or EOS (RFC 7541 §5.2).")
    }
    return decoded
  }
}
